package bolt

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	bbolt "go.etcd.io/bbolt"
)

// A backup is the line "decorum backup 1", and then frames: length of the content (4), kind (1), content, CRC-32C of kind
// and content (4). Keys and values are those of the file, with their own checksums.
const (
	// backupFormat is the first line of a backup.
	backupFormat = "decorum backup 1"

	frameState  = 's' // the value of the state
	frameForm   = 'f' // length of the key (4), key, value
	frameBucket = 'b' // the resource of the following objects
	frameObject = 'o' // length of the key (4), key, value
	frameEnd    = 'e' // the number of frames before (8)

	maxFrame = 1 << 30
)

// Backup writes all objects, at one revision, while the store serves. It verifies each object, and returns an error if
// one is damaged. [Restore] makes a file from a backup, and detects a truncated one. Sealed objects remain sealed.
// Until Backup ends, the store cannot reuse the space of deleted objects, so w should be fast.
func (s *Store) Backup(ctx context.Context, w io.Writer) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f := s.file
	at := &place{}
	out := &frames{w: bufio.NewWriterSize(w, 1<<16)}
	err := f.view(at, func(tx *bbolt.Tx) error {
		if _, err := out.w.WriteString(backupFormat + "\n"); err != nil {
			return err
		}
		meta := tx.Bucket([]byte(metaBucket)).Get(stateKey)
		if _, err := parseState(meta); err != nil {
			return damaged(f.path, at, "%w", err)
		}
		if err := out.write(frameState, nil, meta); err != nil {
			return err
		}
		if err := tx.Bucket([]byte(formsBucket)).ForEach(func(key, value []byte) error {
			return out.write(frameForm, key, value)
		}); err != nil {
			return err
		}
		objects := tx.Bucket([]byte(objectsBucket))
		err := objects.ForEachBucket(func(resource []byte) error {
			*at = place{resource: string(resource)}
			if err := out.write(frameBucket, nil, resource); err != nil {
				return err
			}
			return objects.Bucket(resource).ForEach(func(key, value []byte) error {
				at.key = keyText(key)
				if _, err := parseRecord(at.resource, key, value); err != nil {
					return damaged(f.path, at, "%w", err)
				}
				if out.count%stepRecords == 0 && ctx.Err() != nil {
					return ctx.Err()
				}
				return out.write(frameObject, key, value)
			})
		})
		if err != nil {
			return err
		}
		return out.write(frameEnd, nil, binary.BigEndian.AppendUint64(nil, out.count+1))
	})
	if err != nil {
		return err
	}
	return out.w.Flush()
}

// frames writes a backup.
type frames struct {
	w     *bufio.Writer
	count uint64
	head  []byte
}

// write writes a frame. If the frame has a key, the length of the key precedes it.
func (f *frames) write(kind byte, key, value []byte) error {
	f.count++
	size := len(value)
	if key != nil {
		size += 4 + len(key)
	}
	f.head = binary.BigEndian.AppendUint32(f.head[:0], uint32(size))
	f.head = append(f.head, kind)
	if key != nil {
		f.head = binary.BigEndian.AppendUint32(f.head, uint32(len(key)))
		f.head = append(f.head, key...)
	}
	sum := crc32.Update(crc32.Update(0, castagnoli, f.head[4:]), castagnoli, value)
	_, err := f.w.Write(f.head)
	if err == nil {
		_, err = f.w.Write(value)
	}
	if err == nil {
		_, err = f.w.Write(binary.BigEndian.AppendUint32(f.head[:0], sum))
	}
	return err
}

// frame is one frame of a backup.
type frame struct {
	kind       byte
	key, value []byte
}

// readFrame reads the next frame.
func readFrame(r io.Reader) (fr frame, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return fr, fmt.Errorf("the backup is cut off: %w", err)
	}
	size := binary.BigEndian.Uint32(head[:])
	if size > maxFrame {
		return fr, fmt.Errorf("%w: the backup has a frame of %d bytes", ErrDamaged, size)
	}
	content := make([]byte, size+4)
	if _, err := io.ReadFull(r, content); err != nil {
		return fr, fmt.Errorf("the backup is cut off: %w", err)
	}
	content, sum := content[:size], binary.BigEndian.Uint32(content[size:])
	if crc32.Update(crc32.Update(0, castagnoli, head[4:]), castagnoli, content) != sum {
		return fr, fmt.Errorf("%w: a frame of the backup has a wrong checksum", ErrDamaged)
	}
	fr.kind, fr.value = head[4], content
	if fr.kind == frameForm || fr.kind == frameObject {
		if size < 4 || binary.BigEndian.Uint32(content) > size-4 {
			return fr, fmt.Errorf("%w: a frame of the backup is too short", ErrDamaged)
		}
		n := 4 + binary.BigEndian.Uint32(content)
		fr.key, fr.value = content[4:n], content[n:]
	}
	return fr, nil
}

// Restore makes a new file from a backup. The file must not exist. The new file has a new identity and no history, so
// older watches and continue tokens get 410 Expired. Its revisions continue above those of the backup. If the backup is
// damaged or truncated, Restore returns an error and leaves no file. It uses only Path; sealed objects remain sealed.
func Restore(ctx context.Context, r io.Reader, opts Options) error {
	path, err := opts.path()
	if err != nil {
		return err
	}
	in := bufio.NewReaderSize(r, 1<<16)
	if line, err := in.ReadString('\n'); line != backupFormat+"\n" {
		return errors.Join(fmt.Errorf("%w: the backup begins with %q", ErrFormat, line), err)
	}
	first, err := readFrame(in)
	if err != nil {
		return err
	}
	s, err := parseState(first.value)
	if err != nil || first.kind != frameState {
		return fmt.Errorf("%w: the backup has no state: %w", ErrDamaged, err)
	}
	return createFile(path, func(db *bbolt.DB) error {
		err := db.Update(func(tx *bbolt.Tx) error {
			return initialize(tx, newID(),
				state{revision: s.revision, oldest: s.revision, objects: s.objects, objectBytes: s.objectBytes})
		})
		if err != nil {
			return err
		}
		restoring := restoring{in: in, count: 1}
		for !restoring.ended {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := db.Update(restoring.step); err != nil {
				return err
			}
		}
		if restoring.objects != s.objects {
			return fmt.Errorf("%w: the backup has %d objects instead of %d", ErrDamaged, restoring.objects, s.objects)
		}
		return nil
	})
}

// restoring puts the frames of a backup into a file.
type restoring struct {
	in       io.Reader
	resource string
	count    uint64
	objects  int64
	ended    bool
}

// step puts a few frames into a transaction.
func (r *restoring) step(tx *bbolt.Tx) error {
	objects := tx.Bucket([]byte(objectsBucket))
	for size := 0; size < stepBytes; {
		fr, err := readFrame(r.in)
		if err != nil {
			return err
		}
		size += len(fr.value)
		switch fr.kind {
		case frameForm:
			err = tx.Bucket([]byte(formsBucket)).Put(fr.key, fr.value)
		case frameBucket:
			r.resource = string(fr.value)
			_, err = objects.CreateBucket(fr.value)
		case frameObject:
			b := objects.Bucket([]byte(r.resource))
			if _, err := parseRecord(r.resource, fr.key, fr.value); err != nil || b == nil {
				return fmt.Errorf("%w: %s %s: %w", ErrDamaged, r.resource, keyText(fr.key), err)
			}
			r.objects++
			b.FillPercent = 0.9 // the keys are in order
			err = b.Put(fr.key, fr.value)
		case frameEnd:
			if len(fr.value) != 8 || binary.BigEndian.Uint64(fr.value) != r.count+1 {
				return fmt.Errorf("%w: the backup has %d frames", ErrDamaged, r.count+1)
			}
			r.ended = true
			return nil
		default:
			return fmt.Errorf("%w: the backup has a frame of kind %q", ErrFormat, fr.kind)
		}
		if err != nil {
			return err
		}
		r.count++
	}
	return nil
}

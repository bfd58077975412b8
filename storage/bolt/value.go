package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

const (
	flagSealed  = 1
	flagBefore  = 2
	flagCreator = 4

	checksumSize = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var errShort = errors.New("the value is too short")

// checksum covers the bucket, the key and the value, so that the store detects a value in the wrong
// place.
func checksum(bucket string, key, value []byte) uint32 {
	sum := crc32.Update(0, castagnoli, []byte(bucket))
	sum = crc32.Update(sum, castagnoli, []byte{0})
	sum = crc32.Update(sum, castagnoli, key)
	return crc32.Update(sum, castagnoli, value)
}

// withChecksum appends the checksum to a value.
func withChecksum(bucket string, key, value []byte) []byte {
	return binary.BigEndian.AppendUint32(value, checksum(bucket, key, value))
}

// verified returns a value without its checksum.
func verified(bucket string, key, value []byte) ([]byte, error) {
	n := len(value) - checksumSize
	if n < 0 {
		return nil, errShort
	}
	if want, got := binary.BigEndian.Uint32(value[n:]), checksum(bucket, key, value[:n]); want != got {
		return nil, fmt.Errorf("the checksum is %08x instead of %08x", got, want)
	}
	return value[:n], nil
}

// record is a parsed value of the bucket objects. Its bytes belong to the page.
type record struct {
	form     uint32
	revision watch.Revision
	written  int64
	keyID    string // the key with which text is sealed; empty for plain text
	sealed   bool
	creator  string // empty if unknown
	text     []byte
	size     int // bytes of the stored value
}

const recordHeader = 1 + 4 + 8 + 8

func (r *record) append(into []byte) []byte {
	into = append(into, flags(r.sealed, false))
	if r.creator != "" {
		into[len(into)-1] |= flagCreator
	}
	into = binary.BigEndian.AppendUint32(into, r.form)
	into = binary.BigEndian.AppendUint64(into, uint64(r.revision))
	into = binary.BigEndian.AppendUint64(into, uint64(r.written))
	into = appendKeyID(into, r.sealed, r.keyID)
	if r.creator != "" {
		into = binary.AppendUvarint(into, uint64(len(r.creator)))
		into = append(into, r.creator...)
	}
	return append(into, r.text...)
}

// parseRecord verifies and parses the value of an object.
func parseRecord(resource string, key, value []byte) (r record, err error) {
	v, err := verified(objectsBucket+"/"+resource, key, value)
	if err != nil {
		return r, err
	}
	if len(v) < recordHeader {
		return r, errShort
	}
	r.size = len(value)
	r.sealed = v[0]&flagSealed != 0
	r.form = binary.BigEndian.Uint32(v[1:])
	r.revision = watch.Revision(binary.BigEndian.Uint64(v[5:]))
	r.written = int64(binary.BigEndian.Uint64(v[13:]))
	if r.keyID, r.text, err = cutKeyID(v[recordHeader:], r.sealed); err == nil && v[0]&flagCreator != 0 {
		r.creator, r.text, err = cutText(r.text)
	}
	return r, err
}

// cutText reads a text that begins with its length.
func cutText(v []byte) (text string, rest []byte, err error) {
	size, n := binary.Uvarint(v)
	if n <= 0 || size > uint64(len(v)-n) {
		return "", nil, errShort
	}
	return string(v[n : n+int(size)]), v[n+int(size):], nil
}

// change is a parsed value of the bucket history. Its bytes belong to the page.
type change struct {
	form              uint32
	groupEnd          watch.Revision
	at, writtenBefore int64
	keyID             string
	sealed, before    bool
	key               storage.Key
	text              []byte // the JSON before the change, if before is set
}

const changeHeader = 1 + 4 + 8 + 8 + 8

func (c *change) append(into []byte) []byte {
	into = append(into, flags(c.sealed, c.before))
	into = binary.BigEndian.AppendUint32(into, c.form)
	into = binary.BigEndian.AppendUint64(into, uint64(c.groupEnd))
	into = binary.BigEndian.AppendUint64(into, uint64(c.at))
	into = binary.BigEndian.AppendUint64(into, uint64(c.writtenBefore))
	into = appendKeyID(into, c.sealed, c.keyID)
	for _, part := range []string{c.key.Resource, c.key.Namespace, c.key.Name} {
		into = append(append(into, part...), 0)
	}
	return append(into, c.text...)
}

// parseChange verifies and parses a value of the history.
func parseChange(key, value []byte) (c change, err error) {
	v, err := verified(historyBucket, key, value)
	if err != nil {
		return c, err
	}
	if len(v) < changeHeader || len(key) != 8 {
		return c, errShort
	}
	c.sealed, c.before = v[0]&flagSealed != 0, v[0]&flagBefore != 0
	c.form = binary.BigEndian.Uint32(v[1:])
	c.groupEnd = watch.Revision(binary.BigEndian.Uint64(v[5:]))
	c.at = int64(binary.BigEndian.Uint64(v[13:]))
	c.writtenBefore = int64(binary.BigEndian.Uint64(v[21:]))
	rest := v[changeHeader:]
	if c.keyID, rest, err = cutKeyID(rest, c.sealed); err != nil {
		return c, err
	}
	for _, part := range []*string{&c.key.Resource, &c.key.Namespace, &c.key.Name} {
		text, after, ok := bytes.Cut(rest, []byte{0})
		if !ok {
			return c, errShort
		}
		*part, rest = string(text), after
	}
	c.text = rest
	return c, nil
}

// resourceOf returns the resource of a value of the history without verifying it.
func resourceOf(value []byte) []byte {
	if len(value) < changeHeader+checksumSize {
		return nil
	}
	rest := value[changeHeader:]
	if value[0]&flagSealed != 0 {
		n := 1 + int(rest[0])
		if len(rest) < n {
			return nil
		}
		rest = rest[n:]
	}
	text, _, _ := bytes.Cut(rest, []byte{0})
	return text
}

func flags(sealed, before bool) (f byte) {
	if sealed {
		f |= flagSealed
	}
	if before {
		f |= flagBefore
	}
	return f
}

func appendKeyID(into []byte, sealed bool, id string) []byte {
	if !sealed {
		return into
	}
	return append(append(into, byte(len(id))), id...)
}

func cutKeyID(v []byte, sealed bool) (id string, rest []byte, err error) {
	if !sealed {
		return "", v, nil
	}
	if len(v) < 1 || len(v) < 1+int(v[0]) {
		return "", nil, errShort
	}
	return string(v[1 : 1+v[0]]), v[1+v[0]:], nil
}

func revisionKey(revision watch.Revision) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(revision))
}

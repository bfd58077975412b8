package bolt

import (
	"bytes"
	"encoding/binary"
	"fmt"

	bbolt "go.etcd.io/bbolt"

	"github.com/decorum-go/decorum/watch"
)

const (
	metaBucket    = "meta"
	formsBucket   = "forms"
	objectsBucket = "objects"
	historyBucket = "history"
)

var (
	formatKey = []byte("format")
	idKey     = []byte("id")
	stateKey  = []byte("state")
)

// state holds the figures of the file. Every commit updates them.
type state struct {
	revision       watch.Revision // last assigned
	oldest         watch.Revision // the history is complete from here
	objects        int64
	objectBytes    int64
	historyEntries int64
	historyBytes   int64
}

func (s *state) append(into []byte) []byte {
	for _, n := range []uint64{uint64(s.revision), uint64(s.oldest), uint64(s.objects), uint64(s.objectBytes),
		uint64(s.historyEntries), uint64(s.historyBytes)} {
		into = binary.BigEndian.AppendUint64(into, n)
	}
	return into
}

func parseState(value []byte) (s state, err error) {
	v, err := verified(metaBucket, stateKey, value)
	if err != nil {
		return s, err
	}
	if len(v) != 6*8 {
		return s, errShort
	}
	n := func(i int) uint64 { return binary.BigEndian.Uint64(v[8*i:]) }
	return state{watch.Revision(n(0)), watch.Revision(n(1)), int64(n(2)), int64(n(3)), int64(n(4)), int64(n(5))}, nil
}

func (s *state) put(tx *bbolt.Tx) error {
	return tx.Bucket([]byte(metaBucket)).Put(stateKey, withChecksum(metaBucket, stateKey, s.append(nil)))
}

// readMeta reads the format, the identity and the state of a file.
func readMeta(tx *bbolt.Tx) (id []byte, s state, err error) {
	b := tx.Bucket([]byte(metaBucket))
	if b == nil {
		return nil, s, fmt.Errorf("%w: it has no bucket %q", ErrFormat, metaBucket)
	}
	if format := b.Get(formatKey); string(format) != layout {
		return nil, s, fmt.Errorf("%w: the format is %q, and this program knows %q", ErrFormat, format, layout)
	}
	for _, name := range []string{formsBucket, objectsBucket, historyBucket} {
		if tx.Bucket([]byte(name)) == nil {
			return nil, s, fmt.Errorf("%w: it has no bucket %q", ErrDamaged, name)
		}
	}
	if s, err = parseState(b.Get(stateKey)); err != nil {
		return nil, s, fmt.Errorf("%w: its state: %w", ErrDamaged, err)
	}
	return bytes.Clone(b.Get(idKey)), s, nil
}

// initialize writes the buckets of an empty file.
func initialize(tx *bbolt.Tx, id []byte, s state) error {
	for _, name := range []string{metaBucket, formsBucket, objectsBucket, historyBucket} {
		if _, err := tx.CreateBucket([]byte(name)); err != nil {
			return err
		}
	}
	meta := tx.Bucket([]byte(metaBucket))
	if err := meta.Put(formatKey, []byte(layout)); err != nil {
		return err
	}
	if err := meta.Put(idKey, id); err != nil {
		return err
	}
	return s.put(tx)
}

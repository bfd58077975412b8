package bolt

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/decorum-go/decorum/storage"
)

// These errors name the file. Use errors.Is to test for them.
var (
	// ErrLocked says that another process has the file open, or another store of this process.
	ErrLocked = errors.New("another process has the file open")
	// ErrFormat says that the file is not one of this package, or of a format that it does not know.
	ErrFormat = errors.New("not a file of a known format")
	// ErrDamaged says that the file holds what nobody has written. The error names the object if it is known.
	ErrDamaged = errors.New("the file is damaged")
	// ErrReplaced says that the file was removed, replaced or cut off while the store was open.
	ErrReplaced = errors.New("the file was removed or replaced")
)

// place is what a walk through the file is looking at, for errors.
type place struct {
	resource, key string
	revision      uint64
}

func (p *place) String() string {
	switch {
	case p == nil || *p == place{}:
		return ""
	case p.revision != 0 && p.resource == "":
		return fmt.Sprintf(" at revision %d of the history", p.revision)
	case p.revision != 0:
		return fmt.Sprintf(" at revision %d of the history of %s %s", p.revision, p.resource, p.key)
	}
	return strings.TrimRight(" at "+p.resource+" "+p.key, " ")
}

// guard runs a function that reads the mapped file. Panics of bbolt, and memory faults because the file is shorter than mapped or cannot be
// read, become errors. The function may keep the place current.
func guard(path string, at *place, do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = &panicError{fmt.Errorf("%s: %w%s: %v", path, ErrDamaged, at, p)}
		}
	}()
	return do()
}

// panicError is the error of a walk that panicked, after which the locks of bbolt cannot be trusted.
type panicError struct{ error }

func (p *panicError) Unwrap() error { return p.error }

// damaged returns an error about a place.
func damaged(path string, at *place, format string, args ...any) error {
	return fmt.Errorf("%s: %w%s: %w", path, ErrDamaged, at, fmt.Errorf(format, args...))
}

// keyText shows the key of an object in a bucket.
func keyText(key []byte) string { return strings.Replace(string(key), "\x00", "/", 1) }

// bucketKey returns the key of an object in the bucket of its resource.
func bucketKey(k storage.Key) []byte {
	key := make([]byte, 0, len(k.Namespace)+1+len(k.Name))
	key = append(key, k.Namespace...)
	key = append(key, 0)
	return append(key, k.Name...)
}

package bolt

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/decorum-go/decorum/storage"
)

// The errors of this package name the file. Test for them with errors.Is.
var (
	// ErrLocked means that another process, or another store of this process, has the file open.
	ErrLocked = errors.New("another process has the file open")
	// ErrFormat means that another program wrote the file, or that the file has a format that this package does not know.
	ErrFormat = errors.New("not a file of a known format")
	// ErrDamaged means that a part of the file is not what the store has written. The error names the object, if the store
	// can tell which one.
	ErrDamaged = errors.New("the file is damaged")
	// ErrReplaced means that the file was removed, replaced or truncated while the store was open.
	ErrReplaced = errors.New("the file was removed or replaced")
)

// place is the current position of a walk through the file, for errors.
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

// guard runs a function that reads the mapped file. It turns panics of bbolt into errors, and also memory faults, which
// occur if the file is shorter than its mapping or cannot be read. The function updates the place as it proceeds.
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

// keyText returns the key of an object for an error.
func keyText(key []byte) string { return strings.Replace(string(key), "\x00", "/", 1) }

// bucketKey returns the key of an object in the bucket of its resource.
func bucketKey(k storage.Key) []byte {
	key := make([]byte, 0, len(k.Namespace)+1+len(k.Name))
	key = append(key, k.Namespace...)
	key = append(key, 0)
	return append(key, k.Name...)
}

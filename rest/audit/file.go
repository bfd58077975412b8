package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// FileOptions limit what a [File] keeps. Each limit may be combined with the others.
type FileOptions struct {
	// MaxBytes is the size at which the file is rotated: it gets a name with the time, and a new file begins. An event is
	// never split, so that a file with one large event may be larger. Default: 100 MiB.
	MaxBytes int64
	// MaxAge is how long rotated files are kept. Default: without limit.
	MaxAge time.Duration
	// MaxBackups is how many rotated files are kept. Default: without limit.
	MaxBackups int
	// Now is the clock. Default: time.Now.
	Now func() time.Time
}

const defaultMaxBytes = 100 << 20

// rotatedAt is the form of the time in the name of a rotated file. Names sort by time.
const rotatedAt = "2006-01-02T15-04-05.000000000"

// File is a [Sink] that writes one line of JSON for each event, and rotates the file. No other process may write to it.
type File struct {
	path    string
	options FileOptions

	mu    sync.Mutex
	file  *os.File // nil after Close, and after a rotation that failed
	size  int64
	done  bool
	lines line
}

// OpenFile opens a file, or creates it with mode 0600. It appends to an existing file. If a crash has cut the last line
// of that file, the events begin on a new line. The directory must exist.
//
// The host closes the file after the API has shut down.
func OpenFile(path string, options FileOptions) (*File, error) {
	if options.MaxBytes <= 0 {
		options.MaxBytes = defaultMaxBytes
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	f := &File{path: path, options: options}
	if err := f.open(); err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	return f, nil
}

// Write implements [Sink]. It returns after the operating system has the events. If it fails, the file ends with the
// last complete line.
func (f *File) Write(_ context.Context, events []*Event) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.done {
		return os.ErrClosed
	}
	if err := f.lines.encodeLines(events); err != nil {
		return err
	}
	text := f.lines
	if f.file != nil && f.size > 0 && f.size+int64(len(text)) > f.options.MaxBytes {
		if err := f.rotate(); err != nil {
			return err
		}
	}
	if f.file == nil {
		if err := f.open(); err != nil {
			return err
		}
	}
	if _, err := f.file.Write(text); err != nil {
		return errors.Join(err, f.file.Truncate(f.size))
	}
	f.size += int64(len(text))
	return nil
}

// Close closes the file. Later events are errors.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.done = true
	return f.close()
}

func (f *File) close() error {
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	f.file = nil
	return err
}

// open opens the file for appending.
func (f *File) open() error {
	file, err := os.OpenFile(f.path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err == nil {
		f.size = info.Size()
		err = f.endLine(file)
	}
	if err != nil {
		return errors.Join(err, file.Close())
	}
	f.file = file
	return nil
}

// endLine ends the last line of a file, if a crash has cut it.
func (f *File) endLine(file *os.File) error {
	if f.size == 0 {
		return nil
	}
	var last [1]byte
	if _, err := file.ReadAt(last[:], f.size-1); err != nil || last[0] == '\n' {
		return err
	}
	n, err := file.Write([]byte("\n"))
	f.size += int64(n)
	return err
}

// rotate renames the file and removes rotated files beyond the limits. Write then opens a new file.
func (f *File) rotate() error {
	if err := f.close(); err != nil {
		return err
	}
	now := f.options.Now().UTC()
	if err := os.Rename(f.path, f.rotated(now)); err != nil {
		return err
	}
	return f.prune(now)
}

// rotated returns the name of a file that is rotated at a time: audit.log becomes audit-TIME.log.
func (f *File) rotated(at time.Time) string {
	before, extension := f.parts()
	return before + at.Format(rotatedAt) + extension
}

func (f *File) parts() (before, extension string) {
	extension = filepath.Ext(f.path)
	return strings.TrimSuffix(f.path, extension) + "-", extension
}

// prune removes rotated files that are too old or too many.
func (f *File) prune(now time.Time) (err error) {
	before, extension := f.parts()
	entries, err := os.ReadDir(filepath.Dir(f.path))
	if err != nil {
		return err
	}
	var kept int
	for _, entry := range slices.Backward(entries) { // the newest first
		name := filepath.Join(filepath.Dir(f.path), entry.Name())
		middle, isOurs := strings.CutPrefix(name, before)
		middle, hasExtension := strings.CutSuffix(middle, extension)
		at, parseErr := time.Parse(rotatedAt, middle)
		if !isOurs || !hasExtension || parseErr != nil {
			continue
		}
		tooMany := f.options.MaxBackups > 0 && kept >= f.options.MaxBackups
		if tooMany || f.options.MaxAge > 0 && now.Sub(at) > f.options.MaxAge {
			err = errors.Join(err, os.Remove(name))
			continue
		}
		kept++
	}
	return err
}

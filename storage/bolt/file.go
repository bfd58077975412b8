package bolt

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	bbolt "go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"
)

// reserved is how much address space bbolt reserves for a file. Within it, a file can grow without being remapped,
// which bbolt cannot do while a backup reads. 32-bit systems do not have this space, and Windows would allocate it in
// the file.
const reserved int64 = 8 << 30

// reservedForMany is the address space for a file that may be larger than memory.
const reservedForMany int64 = 1 << 40

// growBy is how many bytes a file grows at a time.
const growBy = 4 << 20

// lockWait is how long bbolt tries to lock a file: once.
const lockWait = 50 * time.Millisecond

// file is the [engine.Backend] of a store.
type file struct {
	opts   Options
	path   string
	db     *bbolt.DB
	handle *os.File // the handle of db
	info   os.FileInfo
	id     []byte

	writing sync.Mutex // held during each write transaction
	current atomic.Pointer[committed]
	failed  atomic.Pointer[error] // the first error of a write; after it, the file refuses writes
}

// committed holds the figures after the last write transaction.
type committed struct {
	state
	forms    forms
	size     int64 // bytes in the pages of the file
	free     int64 // bytes in its free pages
	synced   time.Time
	syncTook time.Duration
}

// openFile opens and locks an existing file, and checks that its size and its meta pages are valid. To open a file for
// writing, it first opens the file for reading and checks the pages, because bbolt reads the freelist when it opens a
// file for writing, and a damaged freelist could make it run out of memory.
func openFile(opts Options) (f *file, err error) {
	f = &file{opts: opts, path: opts.Path}
	if err := precheck(f.path); err != nil {
		return nil, err
	}
	if !opts.ReadOnly {
		if err := f.openDB(true); err != nil {
			return nil, err
		}
		if err := f.checkPages(); err != nil {
			return nil, errors.Join(err, f.release(err))
		}
		if err := f.db.Close(); err != nil {
			return nil, withPath(f.path, err)
		}
	}
	if err := f.openDB(opts.ReadOnly); err != nil {
		return nil, err
	}
	f.db.AllocSize = growBy
	err = f.readMeta()
	if err == nil && !opts.ReadOnly {
		err = withPath(f.path, f.settle())
	}
	if err != nil {
		f.release(err)
		return nil, err
	}
	return f, nil
}

// openDB opens and locks the file.
func (f *file) openDB(readOnly bool) error {
	options := &bbolt.Options{Timeout: lockWait, ReadOnly: readOnly, FreelistType: bbolt.FreelistMapType,
		OpenFile: f.keepHandle}
	if strconv.IntSize == 64 && runtime.GOOS != "windows" {
		space := reserved
		if f.opts.TextBytes > 0 {
			space = reservedForMany
		}
		options.InitialMmapSize = int(space)
	}
	err := guard(f.path, nil, func() (err error) {
		f.db, err = bbolt.Open(f.path, 0o600, options)
		return err
	})
	switch {
	case err == nil:
		return nil
	case f.handle != nil:
		_ = abandon(f.handle) // bbolt has closed it, unless it panicked
	}
	if errors.Is(err, bbolterrors.ErrTimeout) {
		return fmt.Errorf("%s: %w", f.path, ErrLocked)
	}
	return withPath(f.path, err)
}

// keepHandle opens the file for bbolt. It never creates one.
func (f *file) keepHandle(path string, flag int, mode os.FileMode) (*os.File, error) {
	handle, err := os.OpenFile(path, flag&^os.O_CREATE, mode)
	f.handle = handle
	return handle, err
}

func (f *file) readMeta() (err error) {
	c := &committed{}
	err = guard(f.path, &place{resource: "the beginning"}, func() error {
		return f.db.View(func(tx *bbolt.Tx) error {
			if f.id, c.state, err = readMeta(tx); err != nil {
				return err
			}
			c.forms, err = readForms(tx)
			return err
		})
	})
	if err == nil {
		f.info, err = f.handle.Stat()
	}
	if err == nil {
		err = f.measure(c)
	}
	if err != nil {
		return withPath(f.path, err)
	}
	f.current.Store(c)
	return f.present(c)
}

// withPath adds the path to an error that does not contain it.
func withPath(path string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*os.PathError](err); ok {
		return err
	}
	if _, ok := errors.AsType[*panicError](err); ok {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// measure updates the figures about the pages of the file.
func (f *file) measure(c *committed) error {
	return guard(f.path, nil, func() error {
		stats := f.db.Stats()
		c.free = int64(stats.FreePageN+stats.PendingPageN) * int64(f.db.Info().PageSize)
		return f.db.View(func(tx *bbolt.Tx) error {
			c.size = tx.Size()
			return nil
		})
	})
}

// present returns an error if the path no longer leads to the open file, or if the file is shorter than its pages.
func (f *file) present(c *committed) error {
	info, err := os.Stat(f.path)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrReplaced, err)
	case !os.SameFile(info, f.info):
		return fmt.Errorf("%s: %w: another file has its place", f.path, ErrReplaced)
	case info.Size() < c.size:
		return fmt.Errorf("%s: %w: it has %d bytes instead of %d", f.path, ErrReplaced, info.Size(), c.size)
	}
	return nil
}

// update runs a write transaction. When it returns nil, the transaction is on disk, in the file at the path. After an
// error, update refuses all further transactions, because the content of the disk is unknown. The exception is an error
// of the transformer, after which the transaction has written nothing.
func (f *file) update(at *place, do func(tx *bbolt.Tx, c *committed) error) error {
	f.writing.Lock()
	defer f.writing.Unlock()
	if err := f.failure(); err != nil {
		return err
	}
	next := *f.current.Load()
	began := time.Now()
	err := guard(f.path, at, func() error {
		return f.db.Update(func(tx *bbolt.Tx) error {
			if err := do(tx, &next); err != nil {
				return err
			}
			return next.put(tx)
		})
	})
	if err == nil {
		next.synced = time.Now()
		next.syncTook = next.synced.Sub(began)
		err = f.measure(&next)
	}
	if err == nil {
		err = f.present(&next)
	}
	if err != nil {
		err = withPath(f.path, err)
		if _, ok := errors.AsType[*transformError](err); !ok {
			f.failed.CompareAndSwap(nil, &err)
		}
		return err
	}
	f.current.Store(&next)
	return nil
}

// view runs a read transaction.
func (f *file) view(at *place, do func(tx *bbolt.Tx) error) error {
	return guard(f.path, at, func() error { return f.db.View(do) })
}

// failure returns the reason why the file refuses write transactions, or nil.
func (f *file) failure() error {
	if err := f.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Close implements [engine.Backend]. It commits an empty transaction. Then both meta pages lead to the complete data,
// so the store loses nothing if one of them is damaged.
func (f *file) Close() error {
	if c := f.current.Load(); f.failure() == nil && !c.synced.IsZero() {
		if err := f.update(nil, func(*bbolt.Tx, *committed) error { return nil }); err != nil {
			return errors.Join(err, f.release(err))
		}
	}
	return f.release(f.failure())
}

// release closes the file. After a panic, bbolt may still hold its own lock. Then release closes only the file handle
// and unlocks the file.
func (f *file) release(after error) error {
	if _, ok := errors.AsType[*panicError](after); ok {
		return abandon(f.handle)
	}
	return guard(f.path, nil, f.db.Close)
}

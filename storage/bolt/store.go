package bolt

import (
	"context"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Store is a [storage.Store] in a file.
type Store struct {
	*storage.Engine
	file *file
}

var (
	_ storage.Store  = (*Store)(nil)
	_ storage.Prober = (*Store)(nil)
)

// Open opens the store in a file, and creates the file if it does not exist. The caller must close the store. The error names the file, and
// is [ErrLocked], [ErrFormat], [ErrDamaged] or an error of the system. Objects are loaded when their resource is registered.
func Open(ctx context.Context, opts Options) (*Store, error) {
	path, err := filepath.Abs(opts.Path)
	if opts.Path == "" || err != nil {
		return nil, errors.Join(errors.New("bolt: Options.Path is required"), err)
	}
	opts.Path = path
	if opts.SkipDamaged != nil && !opts.ReadOnly {
		return nil, errors.New("bolt: Options.SkipDamaged needs ReadOnly, because the store would forget what it leaves out")
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) && !opts.ReadOnly {
		if err := createEmpty(path); err != nil && !errors.Is(err, os.ErrExist) {
			return nil, err
		}
	}
	f, err := openFile(opts)
	if err != nil {
		return nil, err
	}
	engine, err := storage.Open(ctx, f, opts.Engine)
	if err != nil {
		return nil, err
	}
	return &Store{engine, f}, nil
}

// Ready implements [storage.Prober].
func (s *Store) Ready() error {
	if err := s.Engine.Ready(); err != nil {
		return err
	}
	if err := s.file.failure(); err != nil {
		return storage.ReadOnly(err)
	}
	return nil
}

// Stats tells how full and how old a store is.
type Stats struct {
	// Path is the absolute path of the file, ID its identity, which a copy made by [Restore] does not share.
	Path, ID string
	// Revision is that of the last commit, Oldest the revision from which the history in the file is complete.
	Revision, Oldest watch.Revision
	// Objects and ObjectBytes are the number of objects and the size of what the file holds of them, without the space between.
	Objects, ObjectBytes int64
	// Changes and HistoryBytes are the number of changes in the history, and their size.
	Changes, HistoryBytes int64
	// FileBytes is the size of the file, and FreeBytes the part that later writes will use. [Compact] gives it back.
	FileBytes, FreeBytes int64
	// Synced is when the last commit was on disk, and SyncTook how long it took; zero before the first one.
	Synced   time.Time
	SyncTook time.Duration
	// ReadOnly says why the store takes no writes; nil if it does.
	ReadOnly error
}

// Stats returns the figures after the last commit. It answers at once.
func (s *Store) Stats() Stats {
	c := s.file.current.Load()
	return Stats{Path: s.file.path, ID: hex.EncodeToString(s.file.id), Revision: c.revision, Oldest: c.oldest, Objects: c.objects, ObjectBytes: c.objectBytes,
		Changes: c.historyEntries, HistoryBytes: c.historyBytes, FileBytes: c.size, FreeBytes: c.free, Synced: c.synced, SyncTook: c.syncTook, ReadOnly: s.Ready()}
}

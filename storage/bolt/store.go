package bolt

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
	"github.com/decorum-go/decorum/storage/seal"
	"github.com/decorum-go/decorum/watch"
)

// Store is a [storage.Store] in a file.
type Store struct {
	*engine.Engine
	file *file
}

var (
	_ storage.Store    = (*Store)(nil)
	_ storage.Prober   = (*Store)(nil)
	_ storage.Reporter = (*Store)(nil)
)

// Open opens the store in a file, and creates the file if it does not exist. The caller must close the store. Open
// returns [ErrLocked], [ErrFormat], [ErrDamaged] or an error of the operating system; the error names the file. Unless
// the file is opened for reading, Open reads the headers of all pages, because bbolt would overwrite pages that a
// damaged freelist contains. The store loads objects when their resource is registered.
func Open(ctx context.Context, opts Options) (*Store, error) {
	path, err := opts.path()
	if err != nil {
		return nil, err
	}
	opts.Path = path
	if opts.SkipDamaged != nil && !opts.ReadOnly {
		return nil, errors.New("bolt: Options.SkipDamaged requires ReadOnly, because writes would lose the skipped objects")
	}
	if err := seal.Check(opts.Transformer); err != nil {
		return nil, withPath(path, fmt.Errorf("Options.Transformer: %w", err))
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
	engine, err := engine.Open(ctx, f, opts.Engine)
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

// Stats describes the content and the size of the file of a store. [storage.StoreStats] describe what a store has in
// memory.
type Stats struct {
	// Path is the absolute path of the file. ID is its identity; a file that [Restore] makes has a new one.
	Path, ID string
	// Revision is the revision of the last commit. Oldest is the revision from which the history in the file is complete.
	Revision, Oldest watch.Revision
	// Objects is the number of objects, and ObjectBytes the size of their values, without free space.
	Objects, ObjectBytes int64
	// Changes is the number of changes in the history, and HistoryBytes their size.
	Changes, HistoryBytes int64
	// FileBytes is the size of the file, and FreeBytes the part that later writes can reuse. [Compact] returns it to the
	// file system.
	FileBytes, FreeBytes int64
	// Synced is when the last commit reached the disk, and SyncTook how long it took. Both are zero before the first
	// commit.
	Synced   time.Time
	SyncTook time.Duration
	// ReadOnly is the reason why the store refuses writes. Nil means that it accepts them.
	ReadOnly error
}

// StoreStats implements [storage.Reporter]. The size of the file is that after the last commit.
func (s *Store) StoreStats() storage.StoreStats {
	stats, c := s.Engine.StoreStats(), s.file.current.Load()
	stats.ID, stats.FileBytes, stats.FreeBytes = hex.EncodeToString(s.file.id), c.size, c.free
	return stats
}

// Stats returns the figures of the file after the last commit. It does not block.
func (s *Store) Stats() Stats {
	c := s.file.current.Load()
	return Stats{Path: s.file.path, ID: hex.EncodeToString(s.file.id), Revision: c.revision, Oldest: c.oldest,
		Objects: c.objects, ObjectBytes: c.objectBytes, Changes: c.historyEntries, HistoryBytes: c.historyBytes,
		FileBytes: c.size, FreeBytes: c.free, Synced: c.synced, SyncTook: c.syncTook, ReadOnly: s.Ready()}
}

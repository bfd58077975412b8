package bolt

import (
	"errors"
	"fmt"

	bbolt "go.etcd.io/bbolt"
)

// settle makes what the file holds durable before a transaction builds on it. A process that died before the sync of
// its last meta page, or whose sync failed, may have left this page in the memory of the system only. The next
// transaction would write over pages that the meta page before it leads to, and a power failure between these writes
// would leave neither state. The page is written again, because a system may take a page whose sync failed for synced.
func (f *file) settle() error {
	page, at, _, err := f.currentMeta()
	if err == nil {
		_, err = f.handle.WriteAt(page, at)
	}
	if err != nil {
		return err
	}
	return f.handle.Sync()
}

// currentMeta returns the meta page that the next transaction builds on, and its place in the file.
func (f *file) currentMeta() (page []byte, at int64, meta metaPage, err error) {
	page = make([]byte, f.db.Info().PageSize)
	err = f.view(nil, func(tx *bbolt.Tx) error {
		at = int64(tx.ID()) % 2 * int64(len(page))
		return nil
	})
	if err == nil {
		_, err = f.handle.ReadAt(page, at)
	}
	if err != nil {
		return nil, 0, meta, err
	}
	meta, ok := parseMeta(page)
	if !ok {
		return nil, 0, meta, fmt.Errorf("%w: %w", ErrDamaged, errMeta)
	}
	return page, at, meta, nil
}

// checkPages checks the pages of a file that no process writes.
func (f *file) checkPages() error {
	_, _, meta, err := f.currentMeta()
	if err == nil {
		err = checkPages(f.handle, meta)
	}
	return withPath(f.path, err)
}

var errMeta = errors.New("its meta page changed while it was opened")

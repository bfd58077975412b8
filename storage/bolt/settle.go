package bolt

import (
	"errors"

	bbolt "go.etcd.io/bbolt"
)

// settle makes what the file holds durable before a transaction builds on it. A process that died before the sync of its last meta page, or
// whose sync failed, may have left this page in the memory of the system only. The next transaction would write over pages that the meta
// page before it leads to, and a power failure between these writes would leave neither state. The page is written again, because a system
// may take a page whose sync failed for synced.
func (f *file) settle() error {
	pageSize := int64(f.db.Info().PageSize)
	meta := int64(0)
	err := f.view(nil, func(tx *bbolt.Tx) error {
		meta = int64(tx.ID()) % 2 * pageSize
		return nil
	})
	if err != nil {
		return err
	}
	page := make([]byte, pageSize)
	if _, err := f.handle.ReadAt(page, meta); err != nil {
		return err
	}
	if _, ok := parseMeta(page); !ok {
		return damaged(f.path, nil, "%w", errMeta)
	}
	if _, err := f.handle.WriteAt(page, meta); err != nil {
		return err
	}
	return f.handle.Sync()
}

var errMeta = errors.New("its meta page changed while it was opened")

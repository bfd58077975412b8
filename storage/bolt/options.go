package bolt

import (
	"errors"
	"path/filepath"

	"github.com/decorum-go/decorum/storage"
)

// Options describes a file, and configures how [Open] opens it. [Check], [Compact] and [Restore] take the same Options,
// and say which of the fields they use. Only Path is required.
type Options struct {
	// Path is the file. Open creates it, with mode 0600, if it does not exist. Its directory must exist.
	Path string
	// ReadOnly opens the file for reading. Several processes may read the file at the same time, but not while a process
	// has it open for writing. Writes fail with [storage.ErrReadOnly].
	ReadOnly bool
	// SkipDamaged requires ReadOnly. The store calls it for each damaged record and omits the record, so that the host can
	// save the others. Without SkipDamaged, Register fails if a record is damaged.
	SkipDamaged func(error)
	// MaxBytes limits the bytes in use. Beyond it, creates and updates that make objects larger fail with
	// [storage.ErrReadOnly], which states the bytes in use and the limit. The store still accepts deletions and other
	// updates, so the file may slightly exceed the limit. Zero means no limit.
	MaxBytes int64
	// TextBytes limits the bytes of texts that the store holds in memory for readers, and so lets a file contain more
	// objects than memory can hold. The store then holds about half a KB for each object, for selection, and reads from
	// the file the texts that are not in memory. It also holds the texts of its history; MaxLogBytes is a quarter of
	// TextBytes by default. Except on Windows and on 32-bit systems, the store then reserves 1 TiB of address space for the
	// file. Zero means that all texts are in memory.
	TextBytes int64
	// Transformer seals the JSON of objects in the file, for example with [NewAEAD]. Nil stores plain JSON. A file may
	// contain both sealed and plain objects (see [Store.Reseal]). If Seal fails or panics during a write, the store
	// refuses writes until the host opens it again.
	Transformer Transformer
	// Engine configures the engine in memory. MaxLogAge and MaxLogBytes also limit the history in the file.
	Engine storage.Options
}

// path returns the absolute path of the file.
func (o Options) path() (string, error) {
	if o.Path == "" {
		return "", errors.New("bolt: Options.Path is required")
	}
	return filepath.Abs(o.Path)
}

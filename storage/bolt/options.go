package bolt

import "github.com/decorum-go/decorum/storage"

// Options configures [Open]. Only Path is required.
type Options struct {
	// Path is the file. Open creates it, with mode 0600, if it does not exist. Its directory must exist.
	Path string
	// ReadOnly opens the file for reading: several processes may do so at a time, but none while another one writes. Writes fail with
	// [storage.ErrReadOnly].
	ReadOnly bool
	// SkipDamaged is called, if ReadOnly is set, for each record that is damaged. The record is then left out, so that the others can be
	// saved. Without it a damaged record makes Register fail.
	SkipDamaged func(error)
	// MaxBytes bounds the bytes in use. Beyond it, creates and updates that make objects larger fail with [storage.ErrReadOnly], which names
	// the figures; deletions and other updates pass, so the file may exceed the bound a little. Zero means no bound but that of the disk.
	MaxBytes int64
	// Transformer seals the JSON of objects in the file, for example [NewAEAD]. Nil leaves it in the clear. A file may hold both: see
	// [Store.Reseal].
	Transformer Transformer
	// Engine configures what the store keeps in memory. MaxLogAge and MaxLogBytes bound the history in the file as well.
	Engine storage.Options
}

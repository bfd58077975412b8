package media

import (
	"strings"

	"github.com/decorum-go/decorum/storage"
)

// itemForm says how an item of a list is made from the text of its record: a part of the text, between two texts that
// all items share.
type itemForm struct {
	before, after string
	metadata      bool // the part is the metadata
	from          int  // otherwise, it is everything from here
}

// itemForm returns the form of the items of a list. Every stored object begins with its apiVersion and kind. The items
// of a built-in list lack them.
func (k *Kind) itemForm(rep *Representation) itemForm {
	switch {
	case rep.Form == AsPartial:
		const after = "}"
		empty := string(appendPartialMetadata(nil, rep.MetaVersion, nil))
		return itemForm{before: strings.TrimSuffix(empty, after), after: after, metadata: true}
	case k.dialect.ItemKinds:
		return itemForm{}
	}
	return itemForm{before: "{", from: len(appendTypeMeta(nil, k.names.GroupVersion().String(), k.names.Kind))}
}

// shown returns the part of a record that its item shows.
func (f *itemForm) shown(r *storage.Record) []byte {
	if f.metadata {
		return r.JSON[r.Metadata.Start:r.Metadata.End]
	}
	return r.JSON[f.from:]
}

// asStored reports whether the item of a record is what shown returns.
func (f *itemForm) asStored() bool { return f.before == "" && f.after == "" }

// append appends the item of a record.
func (f *itemForm) append(dst []byte, r *storage.Record) []byte {
	return append(append(append(dst, f.before...), f.shown(r)...), f.after...)
}

package media

import (
	"context"
	"strings"

	"github.com/decorum-go/decorum/storage"
)

// itemForm says how an item of a list is made from the text of its record: a part of the text, between two texts that
// all items share.
type itemForm struct {
	before, after string
	metadata      bool // the part is the metadata
	from          int  // otherwise, it is everything from here
	drops         bool // the part lacks the managedFields
}

// itemForm returns the form of the items of a list. Every stored object begins with its apiVersion and kind. The items
// of a built-in list lack them.
func (k *Kind) itemForm(rep *Representation) itemForm {
	switch {
	case rep.Form == AsPartial:
		const after = "}"
		empty := string(appendPartialMetadata(nil, rep.MetaVersion, nil))
		return itemForm{before: strings.TrimSuffix(empty, after), after: after, metadata: true, drops: rep.Drops}
	case k.dialect.ItemKinds:
		return itemForm{drops: rep.Drops}
	}
	begin := appendTypeMeta(nil, k.names.GroupVersion().String(), k.names.Kind)
	return itemForm{before: "{", from: len(begin), drops: rep.Drops}
}

// shown returns the part of a record that its item contains, in two pieces.
func (f *itemForm) shown(ctx context.Context, r *storage.Record) (head, tail []byte, err error) {
	text, err := r.JSON(ctx)
	if err != nil {
		return nil, nil, err
	}
	from, to, cut := f.part(r)
	head, tail = around(text, from, to, cut)
	return head, tail, nil
}

// part returns the start and the end of the part that shown returns, and the span to leave out. The positions are in
// the text of the record.
func (f *itemForm) part(r *storage.Record) (from, to int, cut storage.Span) {
	from, to = f.from, r.Len()
	if f.metadata {
		from, to = int(r.Metadata.Start), int(r.Metadata.End)
	}
	if f.drops {
		cut = r.ManagedFields
	}
	return from, to, cut
}

// size returns the size of the item of a record in bytes.
func (f *itemForm) size(r *storage.Record) int {
	from, to, cut := f.part(r)
	return to - from - int(cut.End-cut.Start)
}

// asStored reports whether the item of a record is the record's whole text.
func (f *itemForm) asStored() bool { return *f == itemForm{} }

// append appends the item of a record.
func (f *itemForm) append(ctx context.Context, dst []byte, r *storage.Record) ([]byte, error) {
	head, tail, err := f.shown(ctx, r)
	if err != nil {
		return dst, err
	}
	return append(append(append(append(dst, f.before...), head...), tail...), f.after...), nil
}

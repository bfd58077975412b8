package docpatch

import (
	"fmt"
	"slices"
	"sort"

	"github.com/decorum-go/decorum/internal/doc"
)

// draft is a value that a patch is changing: the original value, and the changes on top of it. Only the places that
// operations pass through have a draft.
//
//	base:  {"a": 1, "b": {"c": [1, 2, 3]}}
//	       over it, after a remove of /a and an add of 9 at /b/c/1:
//	       a: nil
//	       b: draft{base: {"c": [1, 2, 3]}}
//	          c: draft{base: [1, 2, 3], pieces: 0..1, 9, 1..3}
//
// The cost of an operation is therefore proportional to the length of its path and, in a list, to the number of pieces
// before its index, but never to the size of a list or map: freeze builds those once, at the end. Ten thousand
// operations on a list of a million elements would otherwise copy the list ten thousand times.
type draft struct {
	base    doc.Value
	opened  bool // whether the fields below are valid
	members map[string]*draft
	pieces  []piece
	length  int // the length of the list
}

// piece is a part of a list: one changed element, or the elements from..to of the base.
type piece struct {
	draft    *draft
	from, to int
}

func (p piece) len() int {
	if p.draft != nil {
		return 1
	}
	return p.to - p.from
}

func (d *draft) open() {
	if d.opened {
		return
	}
	d.opened = true
	switch d.base.Kind() {
	case doc.Map:
		d.members = map[string]*draft{}
	case doc.List:
		d.length = d.base.Len()
		d.pieces = nil
		if d.length > 0 {
			d.pieces = []piece{{to: d.length}}
		}
	}
}

// find returns the draft at a pointer.
func (d *draft) find(at pointer) (*draft, error) {
	for _, token := range at {
		var err error
		if d, err = d.child(token); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// child returns the draft of a member or element, which the caller may change. It opens d, so that freeze sees the
// change.
func (d *draft) child(token string) (*draft, error) {
	switch d.base.Kind() {
	case doc.Map:
		d.open()
		if c, ok := d.members[token]; ok {
			if c == nil {
				return nil, ErrMissing
			}
			return c, nil
		}
		value := d.base.Get(token)
		if value.IsAbsent() {
			return nil, ErrMissing
		}
		c := &draft{base: value}
		d.members[token] = c
		return c, nil
	case doc.List:
		d.open()
		i, err := index(token, d.length)
		if err != nil {
			return nil, err
		}
		return d.element(i), nil
	default:
		return nil, ErrMissing
	}
}

func (d *draft) has(token string) bool {
	d.open()
	if c, ok := d.members[token]; ok {
		return c != nil
	}
	return d.base.Has(token)
}

// add sets a member, or inserts an element before the index. Both "-" and the length of the list mean the end.
func (d *draft) add(token string, value *draft) error {
	switch d.base.Kind() {
	case doc.Map:
		d.open()
		d.members[token] = value
		return nil
	case doc.List:
		d.open()
		i := d.length
		if token != "-" {
			var err error
			if i, err = index(token, d.length+1); err != nil {
				return err
			}
		}
		d.pieces = slices.Insert(d.pieces, d.cutAt(i), piece{draft: value})
		d.length++
		return nil
	default:
		return ErrMissing
	}
}

// replace sets a member or an element. As upstream, it accepts a missing member but not a missing element.
func (d *draft) replace(token string, value *draft) error {
	if d.base.Kind() != doc.List {
		return d.add(token, value)
	}
	d.open()
	i, err := index(token, d.length)
	if err != nil {
		return err
	}
	p := d.cutAt(i)
	d.cutAt(i + 1)
	d.pieces[p] = piece{draft: value}
	return nil
}

// remove removes an existing member or element, and returns it.
func (d *draft) remove(token string) (*draft, error) {
	removed, err := d.child(token)
	if err != nil {
		return nil, err
	}
	if d.base.Kind() == doc.Map {
		d.members[token] = nil
		return removed, nil
	}
	i, err := index(token, d.length)
	if err != nil {
		return nil, err
	}
	p := d.cutAt(i)
	d.pieces = slices.Delete(d.pieces, p, p+1)
	d.length--
	return removed, nil
}

// cutAt splits the pieces so that one begins at the i-th element, and returns the position of that piece.
func (d *draft) cutAt(i int) int {
	for p := range d.pieces {
		n := d.pieces[p].len()
		if i == 0 {
			return p
		}
		if i < n {
			left, right := d.pieces[p], d.pieces[p]
			left.to = left.from + i
			right.from = left.to
			d.pieces[p] = right
			d.pieces = slices.Insert(d.pieces, p, left)
			return p + 1
		}
		i -= n
	}
	return len(d.pieces)
}

func (d *draft) element(i int) *draft {
	p := d.cutAt(i)
	if d.pieces[p].draft == nil {
		d.cutAt(i + 1)
		d.pieces[p] = piece{draft: &draft{base: d.base.At(d.pieces[p].from)}}
	}
	return d.pieces[p].draft
}

// freeze builds the value, and makes it the new base of the draft. It fails if drafts are nested deeper than a document
// may be, because operations can move values into each other.
func (d *draft) freeze(depth int) (doc.Value, error) {
	if !d.opened {
		return d.base, nil
	}
	if depth > doc.MaxDepth {
		return doc.Value{}, fmt.Errorf("%w: nested too deeply", ErrTooLarge)
	}
	var err error
	if d.base.Kind() == doc.Map {
		d.base, err = d.freezeMap(depth)
	} else {
		d.base, err = d.freezeList(depth)
	}
	d.opened, d.members, d.pieces = false, nil, nil
	return d.base, err
}

func (d *draft) freezeMap(depth int) (doc.Value, error) {
	changes := make([]doc.Member, 0, len(d.members))
	for key, c := range d.members {
		change := doc.Member{Key: key}
		if c != nil {
			var err error
			if change.Value, err = c.freeze(depth + 1); err != nil {
				return doc.Value{}, err
			}
		}
		changes = append(changes, change)
	}
	sort.Slice(changes, func(i, j int) bool { return changes[i].Key < changes[j].Key })
	return d.base.WithAll(changes), nil
}

func (d *draft) freezeList(depth int) (doc.Value, error) {
	values := make([]doc.Value, 0, d.length)
	for _, p := range d.pieces {
		if p.draft == nil {
			for i := p.from; i < p.to; i++ {
				values = append(values, d.base.At(i))
			}
			continue
		}
		value, err := p.draft.freeze(depth + 1)
		if err != nil {
			return doc.Value{}, err
		}
		values = append(values, value)
	}
	return doc.ListOf(values...), nil
}

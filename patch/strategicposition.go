package patch

import "github.com/decorum-go/decorum/internal/doc"

// keyOf returns what tells an element from others: the value of the merge key, or for a list of scalars the element.
func (f field) keyOf(v doc.Value) doc.Value {
	if f.key == "" {
		return v
	}
	return v.Get(f.key)
}

// positions tells where in a list a key stands first. Lists are short as a rule, and then looked through; a longer one
// gets an index.
type positions struct {
	keys  []doc.Value
	index map[doc.Value]int
}

const maxScan = 16

func (f field) positions(list []doc.Value) positions {
	if f.key == "" {
		return positionsOf(list)
	}
	keys := make([]doc.Value, len(list), len(list)+1)
	for i, v := range list {
		keys[i] = v.Get(f.key)
	}
	return positionsOf(keys)
}

// positionsOf keeps the slice, without changing it.
func positionsOf(keys []doc.Value) positions {
	p := positions{keys: keys[:len(keys):len(keys)]}
	p.build()
	return p
}

func (p *positions) build() {
	if len(p.keys) <= maxScan {
		return
	}
	p.index = make(map[doc.Value]int, len(p.keys))
	for i, key := range p.keys {
		if _, known := p.index[key]; !known {
			p.index[key] = i
		}
	}
}

// add appends a key that is not there yet.
func (p *positions) add(key doc.Value) {
	p.keys = append(p.keys, key)
	if p.index != nil {
		p.index[key] = len(p.keys) - 1
	} else {
		p.build()
	}
}

// of returns the position of a key, -1 if it has none. A map or list is no key, and has none.
func (p *positions) of(key doc.Value) int {
	if p.index != nil {
		if i, ok := p.index[key]; ok {
			return i
		}
		return -1
	}
	for i := range p.keys {
		if p.keys[i] == key {
			return i
		}
	}
	return -1
}

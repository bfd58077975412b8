package docpatch

import "github.com/decorum-go/decorum/internal/doc"

// keyOf returns what identifies an element: the value of its merge key or, in a list of scalars, the element.
func (f field) keyOf(v doc.Value) doc.Value {
	if f.key == "" {
		return v
	}
	return v.Get(f.key)
}

// positions finds the first position of a key in a list. It scans a short list, as most are, and indexes a longer one.
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

// positionsOf keeps the slice but does not change it.
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

// add appends a key that p does not hold yet.
func (p *positions) add(key doc.Value) {
	p.keys = append(p.keys, key)
	if p.index != nil {
		p.index[key] = len(p.keys) - 1
	} else {
		p.build()
	}
}

// of returns the position of a key, or -1. A map or list is not a key.
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

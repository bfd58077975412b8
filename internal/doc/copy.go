package doc

import (
	"strings"
	"unicode/utf8"
)

// Copy returns the document that a decoder reads from the text of v, and about how many bytes of memory it takes. The
// copy shares nothing with v, so that a cache of copies keeps no text of a request and no former document alive. Its
// numbers are written as [OfNumber] writes them.
//
// Copy returns false for a document that differs from its own text: one with an absent element, or with a string that
// is not UTF-8.
func Copy(v Value) (copied Value, bytes int, ok bool) {
	c := copier{ok: true}
	c.measure(v)
	if !c.ok {
		return Value{}, 0, false
	}
	bytes = c.text + c.keyCount*keyBytes + c.valueCount*valueBytes + c.nodeCount*nodeBytes
	c.buffer.Grow(c.text)
	c.keys, c.values, c.nodes = make([]string, c.keyCount), make([]Value, c.valueCount), make([]node, c.nodeCount)
	return c.copy(v), bytes, true
}

// The memory of a key, a [Value] and a node on a 64-bit machine, without the texts.
const (
	keyBytes   = 16
	valueBytes = 32
	nodeBytes  = 48
)

// copier first measures a document, and then copies it into memory of that size.
type copier struct {
	ok                                    bool
	text, keyCount, valueCount, nodeCount int

	buffer strings.Builder
	keys   []string
	values []Value
	nodes  []node
}

func (c *copier) measure(v Value) {
	switch v.kind {
	case Absent:
		c.ok = false
	case String:
		c.measureText(v.text)
	case Number:
		c.text += len(v.text)
	case List, Map:
		if v.node == nil {
			return
		}
		c.nodeCount++
		c.keyCount += len(v.node.keys)
		c.valueCount += len(v.node.values)
		for _, key := range v.node.keys {
			c.measureText(key)
		}
		for _, e := range v.node.values {
			c.measure(e)
		}
	}
}

func (c *copier) measureText(s string) {
	c.text += len(s)
	c.ok = c.ok && utf8.ValidString(s)
}

func (c *copier) copy(v Value) Value {
	switch v.kind {
	case String:
		v.text = c.copyText(v.text)
	case Number:
		v = OfNumber(c.copyText(v.text))
	case List, Map:
		if v.node == nil {
			return v
		}
		n := &c.nodes[0]
		c.nodes = c.nodes[1:]
		keys, values := v.node.keys, v.node.values
		n.values, c.values = c.values[:len(values):len(values)], c.values[len(values):]
		if keys != nil {
			n.keys, c.keys = c.keys[:len(keys):len(keys)], c.keys[len(keys):]
		}
		for i, key := range keys {
			n.keys[i] = c.copyText(key)
		}
		for i, e := range values {
			n.values[i] = c.copy(e)
		}
		v.node = n
	}
	return v
}

// copyText returns a copy of a text in the buffer, which never grows.
func (c *copier) copyText(s string) string {
	start := c.buffer.Len()
	c.buffer.WriteString(s)
	return c.buffer.String()[start:]
}

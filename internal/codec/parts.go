package codec

import (
	"bytes"
	"slices"

	"github.com/decorum-go/decorum/internal/doc"
)

// Parts names the parts of an object that a reader wants: a tree of the names of members. Its leaves are the wanted
// members, each with everything in it. The zero Parts is a single leaf, the whole object, and nil wants nothing.
type Parts struct {
	names  []string
	below  []*Parts // one for each name
	leaves int      // below, if there are names
}

// With returns the parts that also contain the member to which the names lead, with everything in it. Beside a name
// that the encoder escapes, it wants everything too.
func (p *Parts) With(names ...string) *Parts {
	switch {
	case len(names) == 0 || p != nil && len(p.names) == 0 || len(AppendString(nil, names[0])) != len(names[0])+len(`""`):
		return &Parts{}
	case p == nil:
		p = &Parts{}
	}
	next := &Parts{names: slices.Clone(p.names), below: slices.Clone(p.below)}
	i := slices.Index(next.names, names[0])
	if i < 0 {
		i = len(next.names)
		next.names, next.below = append(next.names, names[0]), append(next.below, nil)
	}
	next.below[i] = next.below[i].With(names[1:]...)
	for _, part := range next.below {
		next.leaves += part.size()
	}
	return next
}

// size returns how many leaves the parts have.
func (p *Parts) size() int {
	switch {
	case p == nil:
		return 0
	case len(p.names) == 0:
		return 1
	}
	return p.leaves
}

// Leaf returns the index of the leaf to which the names lead, or -1 if they lead to no leaf.
func (p *Parts) Leaf(names ...string) int {
	switch {
	case p == nil || len(names) == 0 != (len(p.names) == 0):
		return -1
	case len(names) == 0:
		return 0
	}
	before := 0
	for i, name := range p.names {
		if name == names[0] {
			if leaf := p.below[i].Leaf(names[1:]...); leaf >= 0 {
				return before + leaf
			}
			return -1
		}
		before += p.below[i].size()
	}
	return -1
}

// Find returns the texts of all leaves in an object, in the memory of into if that is large enough. The text of a leaf
// that the object lacks is nil. Other parts of the object may have errors. The object must be JSON that [AppendObject]
// has written. metadataEnd is where its metadata end, or 0 if the caller does not know that.
func (p *Parts) Find(object []byte, metadataEnd int, into [][]byte) [][]byte {
	n := p.size()
	texts := slices.Grow(into[:0], n)[:n]
	clear(texts)
	if n > 0 && len(object) > 0 {
		r := partsReader{data: object, texts: texts, left: n, metadataEnd: metadataEnd}
		r.find(p, 0, len(object))
	}
	return texts
}

// Decode returns the object that has only these leaves. texts are what Find has returned. [DecodeJSON] of the whole
// object gives the same leaves.
func (p *Parts) Decode(texts [][]byte) (doc.Value, error) {
	switch {
	case p == nil:
		return doc.Value{}, nil
	case len(p.names) > 0:
		members := make([]doc.Member, 0, len(p.names))
		for i, part := range p.below {
			v, err := part.Decode(texts[:part.size()])
			if err != nil {
				return v, err
			}
			texts = texts[part.size():]
			if len(part.names) == 0 || v.Len() > 0 {
				members = append(members, doc.Member{Key: p.names[i], Value: v})
			}
		}
		return doc.MapOf(members...), nil
	case texts[0] == nil:
		return doc.Value{}, nil
	}
	v, _, err := DecodeJSON(texts[0])
	return v, err
}

// partsReader looks for the leaves of parts in an object. It stops when it has found all.
type partsReader struct {
	data        []byte
	at          int
	texts       [][]byte
	left        int // leaves that were not found yet
	metadataEnd int
}

// find finds the leaves of p in the value at the position of the reader. first is the index of the first of them. end
// is where the value ends, or 0 if that is unknown.
func (r *partsReader) find(p *Parts, first, end int) {
	if len(p.names) == 0 {
		begin := r.at
		r.skipTo(end)
		r.texts[first] = r.data[begin:r.at]
		r.left--
		return
	}
	if r.data[r.at] != '{' {
		r.skipTo(end)
		r.left -= p.leaves
		return
	}
	found, left := 0, r.left-p.leaves
	for r.at++; r.data[r.at] == '"'; r.at++ {
		nameEnd := skipText(r.data, r.at)
		name := r.data[r.at+1 : nameEnd-1]
		r.at = nameEnd + len(":")
		memberEnd := 0
		if end == len(r.data) && string(name) == "metadata" {
			memberEnd = r.metadataEnd
		}
		if i, before := p.find(name); i < 0 {
			r.skipTo(memberEnd)
		} else {
			r.find(p.below[i], first+before, memberEnd)
			found++
		}
		switch {
		case r.left == 0:
			return
		case found == len(p.names) && end > 0:
			r.at, r.left = end, left
			return
		}
		if r.data[r.at] != ',' {
			break
		}
	}
	r.at++
	r.left = left
}

// skipTo skips the value at the position of the reader. end is where the value ends, or 0 if that is unknown.
func (r *partsReader) skipTo(end int) {
	if r.at = max(end, r.at); end == 0 {
		r.at = skip(r.data, r.at)
	}
}

// find returns the index of the part with this name, or -1, and how many leaves come before it.
func (p *Parts) find(name []byte) (i, before int) {
	for i, wanted := range p.names {
		if string(name) == wanted {
			return i, before
		}
		before += p.below[i].size()
	}
	return -1, 0
}

// EndOfValue returns the end of the first value in a text that the encoder has written.
func EndOfValue(text []byte) int { return skip(text, 0) }

// skip returns the end of the value that begins at a position. It only looks for quotes, brackets and commas, because
// the encoder has written the rest.
func skip(data []byte, at int) int {
	switch data[at] {
	case '"':
		return skipText(data, at)
	case '{':
		if end := flatEnd(data, at, '}'); end > 0 {
			return end
		}
	case '[':
		if end := flatEnd(data, at, ']'); end > 0 {
			return end
		}
	default:
		if end := bytes.IndexAny(data[at:], ",}]"); end >= 0 {
			return at + end
		}
		return len(data)
	}
	for depth := 0; at < len(data); at++ {
		switch data[at] {
		case '"':
			at = skipText(data, at) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
	return len(data)
}

// flatEnd returns the end of the map or list that begins at a position, if its text shows without reading each member
// that it contains neither maps nor lists. Otherwise, it returns 0. closing is the bracket that ends it.
func flatEnd(data []byte, at int, closing byte) int {
	inside := data[at+1:]
	length := bytes.IndexByte(inside, closing)
	if length < 0 {
		return 0
	}
	inside = inside[:length]
	nested := bytes.IndexByte(inside, '{') >= 0 || bytes.IndexByte(inside, '[') >= 0
	// Without escapes, an odd number of quotes means that the bracket is part of a string.
	if nested || bytes.IndexByte(inside, '\\') >= 0 || bytes.Count(inside, []byte{'"'})%2 != 0 {
		return 0
	}
	return at + 1 + length + 1
}

// skipText returns the end of the string that begins at a position: the first quote after an even number of
// backslashes.
func skipText(data []byte, at int) int {
	for begin := at + 1; ; {
		next := bytes.IndexByte(data[begin:], '"')
		if next < 0 {
			return len(data)
		}
		quote := begin + next
		escapes := 0
		for data[quote-1-escapes] == '\\' { // the first quote ends this at last
			escapes++
		}
		if begin = quote + 1; escapes%2 == 0 {
			return begin
		}
	}
}

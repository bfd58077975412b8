package codec

import (
	"bytes"
	"slices"

	"github.com/decorum-go/decorum/internal/doc"
)

// Parts names the parts of an object that a reader wants: a tree of the names of members. The zero Parts wants everything,
// and nil wants nothing.
type Parts struct {
	names []string
	below []*Parts // one for each name
}

// With returns the parts that also contain the member to which the names lead, with everything in it. Beside a name that the encoder
// escapes, it wants everything too.
func (p *Parts) With(names ...string) *Parts {
	switch {
	case len(names) == 0 || p != nil && len(p.names) == 0 || len(appendString(nil, names[0])) != len(names[0])+len(`""`):
		return &Parts{}
	case p == nil:
		p = &Parts{}
	}
	next := &Parts{slices.Clone(p.names), slices.Clone(p.below)}
	i := slices.Index(next.names, names[0])
	if i < 0 {
		i = len(next.names)
		next.names, next.below = append(next.names, names[0]), append(next.below, nil)
	}
	next.below[i] = next.below[i].With(names[1:]...)
	return next
}

// leaves returns how many wanted parts have no parts of their own.
func (p *Parts) leaves() int {
	if len(p.names) == 0 {
		return 1
	}
	n := 0
	for _, part := range p.below {
		n += part.leaves()
	}
	return n
}

// Decode decodes the parts of an object. Other parts may be missing in the result, and the object may have errors there. The object must
// be JSON that [AppendObject] has written. [DecodeJSON], which does without that condition, gives the same parts. metadataEnd is where the
// metadata of the object end, or 0 if the caller does not know that.
func (p *Parts) Decode(object []byte, metadataEnd int) (doc.Value, error) {
	if p == nil || len(object) == 0 {
		return doc.Value{}, nil
	}
	r := partsReader{data: object, left: p.leaves(), metadataEnd: metadataEnd}
	return r.value(p, len(object))
}

// partsReader reads parts of an object. It stops when it has found all.
type partsReader struct {
	data        []byte
	at          int
	left        int // parts that were not found yet
	metadataEnd int
}

// value decodes the parts of the value at the position of the reader. end is where the value ends, or 0 if that is unknown.
func (r *partsReader) value(p *Parts, end int) (doc.Value, error) {
	if len(p.names) == 0 || r.data[r.at] != '{' {
		begin := r.at
		r.skipTo(end)
		r.left -= p.leaves()
		v, _, err := DecodeJSON(r.data[begin:r.at])
		return v, err
	}
	members := make([]doc.Member, 0, len(p.names))
	for r.at++; r.data[r.at] == '"'; r.at++ {
		nameEnd := skipText(r.data, r.at)
		name := r.data[r.at+1 : nameEnd-1]
		r.at = nameEnd + len(":")
		memberEnd := 0
		if end == len(r.data) && string(name) == "metadata" {
			memberEnd = r.metadataEnd
		}
		if i := p.find(name); i < 0 {
			r.skipTo(memberEnd)
		} else {
			v, err := r.value(p.below[i], memberEnd)
			if err != nil {
				return v, err
			}
			members = append(members, doc.Member{Key: p.names[i], Value: v})
		}
		switch {
		case r.left == 0:
			return doc.MapOf(members...), nil
		case len(members) == len(p.names) && end > 0:
			r.at = end
			return doc.MapOf(members...), nil
		}
		if r.data[r.at] != ',' {
			break
		}
	}
	r.at++
	return doc.MapOf(members...), nil
}

// skipTo skips the value at the position of the reader. end is where the value ends, or 0 if that is unknown.
func (r *partsReader) skipTo(end int) {
	if r.at = max(end, r.at); end == 0 {
		r.at = skip(r.data, r.at)
	}
}

// find returns the index of the part with this name, or -1.
func (p *Parts) find(name []byte) int {
	for i, wanted := range p.names {
		if string(name) == wanted {
			return i
		}
	}
	return -1
}

// skip returns the end of the value that begins at a position. It only looks for quotes, brackets and commas, because the encoder has
// written the rest.
func skip(data []byte, at int) int {
	switch data[at] {
	case '"':
		return skipText(data, at)
	case '{', '[':
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

// skipText returns the end of the string that begins at a position: the first quote after an even number of backslashes.
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

package media

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sort"
	"strings"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
)

// listForm encodes a list in another form than compact JSON, element by element, so that no copy of the list is ever
// whole. The list has the same bytes as if it were encoded as a whole.
type listForm interface {
	// begin appends the list up to its first element. head is the JSON of the list up to the value of its last member.
	// So it ends with the name of this member, which the parameter name repeats, and a colon. The value has n elements,
	// at least one.
	begin(dst, head []byte, name string, n int) ([]byte, error)
	// element writes an element, given as JSON, to the chunk of the writer.
	element(w *ListWriter, json []byte) error
	// end appends what comes after the last element.
	end(dst []byte) []byte
}

// newListForm returns the form of the representation, or nil for compact JSON and for Protobuf.
func (rep *Representation) newListForm() listForm {
	if list := rep.format().list; list != nil {
		return list(rep)
	}
	return nil
}

// withoutElements completes the head of a list.
func withoutElements(head []byte) []byte { return append(slices.Clip(head), "null}"...) }

// prettyList is a list in indented JSON.
type prettyList struct{ written int }

// An element stands at elementLevel, so beginElement comes before it.
const (
	elementLevel = 2
	beginElement = "\n    "
)

func (f *prettyList) begin(dst, head []byte, _ string, _ int) ([]byte, error) {
	return append(bytes.TrimSuffix(appendIndented(dst, withoutElements(head), 0), []byte("null\n}")), '['), nil
}

func (f *prettyList) element(w *ListWriter, object []byte) error {
	if f.written > 0 {
		w.buf = append(w.buf, ',')
	}
	f.written++
	w.buf = append(w.buf, beginElement...)
	switch {
	case len(object) <= ChunkSize:
		w.buf = appendIndented(w.buf, object, elementLevel)
		return nil
	case !legible(object):
		w.bytes(object)
		return nil
	}
	return w.indent(object)
}

// indent writes a large element in several chunks.
func (w *ListWriter) indent(object []byte) error {
	for n := codec.NewIndenter(object, elementLevel); !n.Ended() && w.err == nil; w.full() {
		if err := resume(w.to); err != nil {
			return err
		}
		w.buf = n.Append(w.buf, ChunkSize)
	}
	return nil
}

func (f *prettyList) end(dst []byte) []byte {
	return append(dst, "\n  ]\n}"...)
}

// yamlList is a list in YAML, whose members are sorted.
type yamlList struct{ rest []byte } // the members after the elements

func (f *yamlList) begin(dst, head []byte, name string, _ int) ([]byte, error) {
	v, _, err := codec.DecodeJSON(withoutElements(head))
	if err != nil {
		return dst, err
	}
	var before, after []doc.Member
	for key, value := range v.Members() {
		switch strings.Compare(key, name) {
		case -1:
			before = append(before, doc.Member{Key: key, Value: value})
		case 1:
			after = append(after, doc.Member{Key: key, Value: value})
		}
	}
	if dst, err = codec.AppendYAML(dst, codec.AppendJSON(nil, doc.MapOf(before...))); err != nil {
		return dst, err
	}
	dst = append(append(dst, name...), ":\n"...)
	if len(after) > 0 {
		f.rest, err = codec.AppendYAML(nil, codec.AppendJSON(nil, doc.MapOf(after...)))
	}
	return dst, err
}

func (f *yamlList) element(w *ListWriter, object []byte) (err error) {
	if !legible(object) {
		w.buf = append(append(append(w.buf, "- "...), object...), '\n') // JSON is valid YAML
		return nil
	}
	w.buf, err = codec.AppendYAMLElement(w.buf, object)
	return err
}

func (f *yamlList) end(dst []byte) []byte { return append(dst, f.rest...) }

// cborList is a list in CBOR, whose members are sorted by the bytes of their encoded keys.
type cborList struct {
	transcoder Transcoder
	rest       []byte // the members after the elements
}

// Major types of CBOR (RFC 8949), in the first byte of an item.
const (
	cborArray = 0x80
	cborMap   = 0xa0
)

func (f *cborList) begin(dst, head []byte, name string, n int) ([]byte, error) {
	v, _, err := codec.DecodeJSON(withoutElements(head))
	if err != nil {
		return dst, err
	}
	members := make([]doc.Member, 0, v.Len())
	for key, value := range v.Members() {
		members = append(members, doc.Member{Key: key, Value: value})
	}
	sort.Slice(members, func(i, j int) bool { // the length of a text comes before the text
		a, b := members[i].Key, members[j].Key
		return len(a) < len(b) || len(a) == len(b) && a < b
	})
	dst = appendCBORHead(append(dst, cborTag...), cborMap, len(members))
	for i, m := range members {
		if dst, err = f.item(dst, codec.AppendJSON(nil, doc.Of(m.Key))); err != nil {
			return dst, err
		}
		if m.Key == name {
			for _, m := range members[i+1:] {
				if f.rest, err = f.member(f.rest, m); err != nil {
					return dst, err
				}
			}
			return appendCBORHead(dst, cborArray, n), nil
		}
		if dst, err = f.item(dst, codec.AppendJSON(nil, m.Value)); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// member appends a key and its value.
func (f *cborList) member(dst []byte, m doc.Member) ([]byte, error) {
	dst, err := f.item(dst, codec.AppendJSON(nil, doc.Of(m.Key)))
	if err != nil {
		return dst, err
	}
	return f.item(dst, codec.AppendJSON(nil, m.Value))
}

// item appends a value without the tag that begins a document.
func (f *cborList) item(dst, value []byte) ([]byte, error) {
	encoded, err := f.transcoder.AppendFromJSON(nil, value)
	return append(dst, bytes.TrimPrefix(encoded, cborTag)...), err
}

func (f *cborList) element(w *ListWriter, object []byte) (err error) {
	w.buf, err = f.item(w.buf, object)
	return err
}

func (f *cborList) end(dst []byte) []byte { return append(dst, f.rest...) }

// appendCBORHead appends the beginning of an array or a map with n entries.
func appendCBORHead(dst []byte, major byte, n int) []byte {
	switch {
	case n < 24:
		return append(dst, major|byte(n))
	case n < 1<<8:
		return append(dst, major|24, byte(n))
	case n < 1<<16:
		return binary.BigEndian.AppendUint16(append(dst, major|25), uint16(n))
	}
	return binary.BigEndian.AppendUint32(append(dst, major|26), uint32(n))
}

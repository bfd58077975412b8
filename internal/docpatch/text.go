package docpatch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Text applies the patch to the JSON text of an object as upstream does: it sorts members by name in the maps that the
// paths of the patch pass through, and keeps all other text unchanged. The server shows the result in the messages of
// requests that fail after the patch. It has a meaning only if [JSONPatch.Apply] succeeds.
func (p JSONPatch) Text(object []byte) []byte {
	root := &text{raw: object}
	root.open()
	var written []map[string]json.RawMessage // a struct would also take the value from a member "Value"
	if err := json.Unmarshal(p.data, &written); err != nil {
		return object
	}
	for i, op := range p.operations {
		value := &text{raw: written[i]["value"]}
		switch op.op {
		case "move":
			parent, key := root.parentOf(op.from)
			value = parent.remove(key)
		case "copy":
			parent, key := root.parentOf(op.from)
			value = &text{raw: parent.child(key).bytes()}
		}
		switch parent, key := root.parentOf(op.path); {
		case parent == nil && op.op == "replace":
			root = value
			root.open()
		case op.op == "test":
		case op.op == "remove":
			parent.remove(key)
		case op.op == "replace":
			parent.replace(key, value)
		default:
			parent.add(key, value)
		}
	}
	return root.bytes()
}

// Text applies the patch to the JSON text of an object as upstream does, like [JSONPatch.Text].
func (p MergePatch) Text(object []byte) []byte {
	if p.value.IsAbsent() {
		return object
	}
	root := &text{raw: object}
	return root.merge(&text{raw: p.data}).bytes()
}

// Text returns the patch itself, printed as upstream shows it in messages. Upstream never shows the result of a
// strategic merge patch, so the object does not matter.
func (p StrategicMergePatch) Text([]byte) []byte { return fmt.Appendf(nil, "%+v", p.value.Plain()) }

// text is a JSON value in its original spelling. A patch opens the maps and lists that it reaches, and these are
// encoded again. All others keep their original text.
type text struct {
	raw      json.RawMessage
	read     bool // members and elements are decoded from raw
	opened   bool
	members  map[string]*text
	elements []*text
}

// open opens a map or list. The first call decodes the whole text, because decoding one level at a time would read the
// innermost text once for every level around it.
func (t *text) open() {
	if !t.read {
		d := jsontext.NewDecoder(bytes.NewBuffer(t.raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		if whole, err := readText(d, t.raw); err == nil {
			*t = *whole
		}
		t.read = true
	}
	t.opened = t.members != nil || t.elements != nil
}

// readText reads the next value of raw. The last of several duplicate members counts.
func readText(d *jsontext.Decoder, raw []byte) (*text, error) {
	t := &text{read: true}
	kind := d.PeekKind()
	if kind != jsontext.KindBeginObject && kind != jsontext.KindBeginArray {
		value, err := d.ReadValue()
		end := d.InputOffset()
		t.raw = raw[end-int64(len(value)) : end]
		return t, err
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	begin := d.InputOffset() - 1
	if kind == jsontext.KindBeginObject {
		t.members = map[string]*text{}
	} else {
		t.elements = []*text{}
	}
	for d.PeekKind() != jsontext.KindEndObject && d.PeekKind() != jsontext.KindEndArray {
		var key string
		if t.members != nil {
			token, err := d.ReadToken()
			if err != nil {
				return nil, err
			}
			key = token.String()
		}
		value, err := readText(d, raw)
		switch {
		case err != nil:
			return nil, err
		case t.members != nil:
			t.members[key] = value
		default:
			t.elements = append(t.elements, value)
		}
	}
	_, err := d.ReadToken()
	t.raw = raw[begin:d.InputOffset()]
	return t, err
}

func (t *text) isNull() bool { return len(t.raw) == 0 || string(t.raw) == "null" }

// bytes encodes the value, with the escapes of encoding/json.
func (t *text) bytes() json.RawMessage { return t.appendTo(nil) }

func (t *text) appendTo(dst []byte) []byte {
	switch {
	case t == nil || !t.opened && t.isNull():
		return append(dst, "null"...)
	case !t.opened:
		return appendEscaped(dst, t.raw)
	case t.members != nil:
		dst = append(dst, '{')
		for i, key := range slices.Sorted(maps.Keys(t.members)) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendEscaped(dst, key), ':')
			dst = t.members[key].appendTo(dst)
		}
		return append(dst, '}')
	}
	dst = append(dst, '[')
	for i, element := range t.elements {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = element.appendTo(dst)
	}
	return append(dst, ']')
}

// appendEscaped appends a name or an unopened text in the form of encoding/json. Its encoding cannot fail, because
// readText has accepted the value.
func appendEscaped(dst []byte, v any) []byte {
	written, err := json.Marshal(v)
	if err != nil {
		return dst
	}
	return append(dst, written...)
}

// parentOf returns the map or list that holds the value at a pointer, and the last token. The root has no parent: the
// result is nil.
func (t *text) parentOf(at pointer) (*text, string) {
	if len(at) == 0 {
		return nil, ""
	}
	way, key := at.parent()
	for _, token := range way {
		t = t.child(token)
	}
	if t != nil {
		t.open()
	}
	return t, key
}

// child returns nil if t has no such member or element.
func (t *text) child(token string) *text {
	if t == nil {
		return nil
	}
	t.open()
	if i, err := index(token, len(t.elements)); err == nil && t.members == nil {
		return t.elements[i]
	}
	return t.members[token]
}

func (t *text) add(token string, value *text) {
	switch {
	case t == nil:
	case t.members != nil:
		t.members[token] = value
	default:
		i, err := index(token, len(t.elements)+1)
		if err != nil { // "-"
			i = len(t.elements)
		}
		t.elements = slices.Insert(t.elements, i, value)
	}
}

func (t *text) replace(token string, value *text) {
	switch {
	case t == nil:
	case t.members != nil:
		t.members[token] = value
	default:
		if i, err := index(token, len(t.elements)); err == nil {
			t.elements[i] = value
		}
	}
}

func (t *text) remove(token string) *text {
	removed := t.child(token)
	switch {
	case t == nil:
	case t.members != nil:
		delete(t.members, token)
	default:
		if i, err := index(token, len(t.elements)); err == nil {
			t.elements = slices.Delete(t.elements, i, i+1)
		}
	}
	return removed
}

// merge applies a merge patch to the value.
func (t *text) merge(patch *text) *text {
	t.open()
	patch.open()
	if t.members == nil || patch.members == nil {
		patch.prune()
		return patch
	}
	for key, value := range patch.members {
		switch old := t.members[key]; {
		case value.isNull():
			delete(t.members, key)
		case old == nil || old.isNull():
			value.prune()
			t.members[key] = value
		default:
			t.members[key] = old.merge(value)
		}
	}
	return t
}

// prune removes the null members of all maps in a value.
func (t *text) prune() {
	t.open()
	for key, member := range t.members {
		if member.isNull() {
			delete(t.members, key)
		} else {
			member.prune()
		}
	}
	for _, element := range t.elements {
		element.prune()
	}
}

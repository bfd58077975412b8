package docpatch

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Text applies the patch to the JSON text of an object as upstream does: it sorts members by name in the maps that the
// paths of the patch pass through, and keeps all other text unchanged. The server shows the result in the messages of
// requests that fail after the patch. It has a meaning only if [JSONPatch.Apply] succeeds.
func (p JSONPatch) Text(object []byte) []byte {
	root := &text{raw: object}
	root.open()
	var written []struct {
		Value json.RawMessage `json:"value"`
	}
	if err := json.Unmarshal(p.data, &written); err != nil {
		return object
	}
	for i, op := range p.operations {
		value := &text{raw: written[i].Value}
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

// Text returns the patch itself, printed as upstream shows it in messages. Upstream never shows the result of a strategic
// merge patch, so the object does not matter.
func (p StrategicMergePatch) Text([]byte) []byte { return fmt.Appendf(nil, "%+v", p.value.Plain()) }

// text is a JSON value as it was written, decoded only as deep as a patch has reached.
type text struct {
	raw      json.RawMessage
	opened   bool
	members  map[string]*text
	elements []*text
}

// open decodes a map or list by one level.
func (t *text) open() {
	if t.opened {
		return
	}
	t.opened = true
	var members map[string]json.RawMessage
	var elements []json.RawMessage
	switch {
	case json.Unmarshal(t.raw, &members) == nil && members != nil:
		t.members = make(map[string]*text, len(members))
		for key, raw := range members {
			t.members[key] = &text{raw: raw}
		}
	case json.Unmarshal(t.raw, &elements) == nil && elements != nil:
		t.elements = make([]*text, len(elements))
		for i, raw := range elements {
			t.elements[i] = &text{raw: raw}
		}
	default:
		t.opened = false
	}
}

func (t *text) isNull() bool { return len(t.raw) == 0 || string(t.raw) == "null" }

// bytes encodes the value, with the escapes of encoding/json.
func (t *text) bytes() json.RawMessage {
	if t == nil || !t.opened && t.isNull() {
		return json.RawMessage("null")
	}
	var value any = t.raw
	switch {
	case t.members != nil:
		members := make(map[string]json.RawMessage, len(t.members))
		for key, member := range t.members {
			members[key] = member.bytes()
		}
		value = members
	case t.elements != nil:
		elements := make([]json.RawMessage, len(t.elements))
		for i, element := range t.elements {
			elements[i] = element.bytes()
		}
		value = elements
	}
	written, err := json.Marshal(value)
	if err != nil {
		return t.raw
	}
	return written
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

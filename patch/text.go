package patch

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Text returns what upstream makes of the JSON text of an object by the patch: members are sorted by name in the maps that
// the patch leads into, and everything else stands as it stood. It is for the messages of requests that fail after the
// patch has been applied, and has a meaning only where [JSONPatch.Apply] succeeds.
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

// Text returns what upstream makes of the JSON text of an object by the patch, like [JSONPatch.Text].
func (p MergePatch) Text(object []byte) []byte {
	if p.value.IsAbsent() {
		return object
	}
	root := &text{raw: object}
	return root.merge(&text{raw: p.data}).bytes()
}

// Text returns the patch as upstream shows it, whatever object it meets: it never makes a text of the result.
func (p StrategicMergePatch) Text([]byte) []byte { return fmt.Appendf(nil, "%+v", p.value.Plain()) }

// text is a JSON value as it is written, taken apart as far as something has looked into it.
type text struct {
	raw      json.RawMessage
	opened   bool
	members  map[string]*text
	elements []*text
}

// open takes a map or list apart by one level.
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

// bytes writes the value, with the escapes that are usual in Go.
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

// parentOf leads to the map or list that a pointer's last token is about. The root is in none, which is nil.
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

// child is nil where there is nothing.
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

// merge returns what a merge patch makes of the value.
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

// prune takes the nulls out of the maps in a value.
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

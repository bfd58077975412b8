package docpatch_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/docpatch"
	"github.com/stretchr/testify/require"
)

// twin is a second, plain implementation of JSON Patch on the values of encoding/json. It reports only whether a patch
// can be applied, not why it cannot.
type twin struct{ root any }

var errTwin = errors.New("refused")

func (w *twin) apply(op map[string]any) error {
	kind, _ := op["op"].(string)
	path, ok := op["path"].(string)
	if !ok {
		return errTwin
	}
	switch kind {
	case "add", "replace":
		return w.put(path, op["value"], kind == "replace")
	case "remove":
		_, err := w.take(path)
		return err
	case "test":
		value, err := w.get(path, op["value"] == nil)
		if err == nil && !doc.Equal(asDocument(value), asDocument(op["value"])) {
			err = errTwin
		}
		return err
	case "move", "copy":
		from, ok := op["from"].(string)
		if !ok {
			return errTwin
		}
		var value any
		var err error
		switch {
		case kind == "move":
			value, err = w.take(from)
		case from == "":
			err = errTwin
		default:
			value, err = w.get(from, true)
		}
		if err != nil || (path != "" && path[0] != '/') {
			return errTwin
		}
		return w.put(path, clone(value), false)
	}
	return errTwin
}

// change calls f with the value at the parent of a path and puts what f returns in its place.
func (w *twin) change(path string, f func(parent any, key string) (any, error)) error {
	if path == "" || path[0] != '/' {
		return errTwin
	}
	var descend func(v any, rest string) (any, error)
	descend = func(v any, rest string) (any, error) {
		key, rest, more := strings.Cut(rest, "/")
		key = strings.ReplaceAll(strings.ReplaceAll(key, "~1", "/"), "~0", "~")
		if !more {
			return f(v, key)
		}
		switch v := v.(type) {
		case map[string]any:
			child, ok := v[key]
			if !ok {
				return nil, errTwin
			}
			child, err := descend(child, rest)
			v[key] = child
			return v, err
		case []any:
			i, err := twinIndex(key, len(v))
			if err != nil {
				return nil, err
			}
			v[i], err = descend(v[i], rest)
			return v, err
		}
		return nil, errTwin
	}
	root, err := descend(w.root, path[1:])
	if err == nil {
		w.root = root
	}
	return err
}

func (w *twin) put(path string, value any, replace bool) error {
	if path == "" {
		switch value.(type) {
		case map[string]any, []any:
			if replace {
				w.root = value
				return nil
			}
		}
		return errTwin
	}
	return w.change(path, func(parent any, key string) (any, error) {
		switch p := parent.(type) {
		case map[string]any:
			p[key] = value
			return p, nil
		case []any:
			if replace {
				i, err := twinIndex(key, len(p))
				if err == nil {
					p[i] = value
				}
				return p, err
			}
			i, err := len(p), error(nil)
			if key != "-" {
				i, err = twinIndex(key, len(p)+1)
			}
			if err != nil {
				return nil, err
			}
			return slices.Insert(p, i, value), nil
		}
		return nil, errTwin
	})
}

func (w *twin) take(path string) (taken any, err error) {
	err = w.change(path, func(parent any, key string) (any, error) {
		switch p := parent.(type) {
		case map[string]any:
			value, ok := p[key]
			if !ok {
				return nil, errTwin
			}
			taken = value
			delete(p, key)
			return p, nil
		case []any:
			i, err := twinIndex(key, len(p))
			if err != nil {
				return nil, err
			}
			taken = p[i]
			return slices.Delete(p, i, i+1), nil
		}
		return nil, errTwin
	})
	return taken, err
}

func (w *twin) get(path string, missingIsNull bool) (found any, err error) {
	if path == "" {
		return w.root, nil
	}
	err = w.change(path, func(parent any, key string) (any, error) {
		switch p := parent.(type) {
		case map[string]any:
			value, ok := p[key]
			if !ok && !missingIsNull {
				return nil, errTwin
			}
			found = value
			return p, nil
		case []any:
			i, err := twinIndex(key, len(p))
			if err == nil {
				found = p[i]
			}
			return p, err
		}
		return nil, errTwin
	})
	return found, err
}

func twinIndex(key string, limit int) (int, error) {
	i, err := strconv.Atoi(key)
	if err == nil && i < 0 {
		i += limit
	}
	if err != nil || i < 0 || i >= limit {
		return 0, errTwin
	}
	return i, nil
}

// twinMerge is the pseudocode of RFC 7386, with the one rule on nulls in lists that goes beyond it.
func twinMerge(target, patch any) any {
	switch p := patch.(type) {
	case map[string]any:
		t, ok := target.(map[string]any)
		if !ok {
			t = map[string]any{}
		}
		for key, value := range p {
			if value == nil {
				delete(t, key)
			} else {
				t[key] = twinMerge(t[key], value)
			}
		}
		return t
	case []any:
		out := []any{}
		for _, e := range p {
			if _, inner := e.(map[string]any); inner {
				e = twinMerge(nil, e)
			} else if _, inner := e.([]any); inner {
				e = twinMerge(nil, e)
			}
			out = append(out, e)
		}
		return out
	}
	return patch
}

func clone(v any) any { return decodePlain(encodePlain(v)) }

func encodePlain(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func decodePlain(data []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		panic(err)
	}
	return v
}

func asDocument(v any) doc.Value {
	d, _, err := codec.DecodeJSON(encodePlain(v))
	if err != nil {
		panic(err)
	}
	return d
}

// compareJSONPatch applies a patch in both ways.
func compareJSONPatch(t *testing.T, document, body []byte) {
	d, _, err := codec.DecodeJSON(document)
	if err != nil {
		return
	}
	p, err := docpatch.ParseJSONPatch(body)
	if err != nil {
		return
	}
	got, err := p.Apply(d)
	if errors.Is(err, docpatch.ErrTooLarge) {
		return
	}
	w := twin{root: decodePlain([]byte(text(d)))}
	operations, _ := decodePlain(body).([]any)
	var refused error
	for _, o := range operations {
		op, _ := o.(map[string]any)
		if refused = w.apply(op); refused != nil {
			break
		}
	}
	require.Equal(t, refused != nil, err != nil, "twin: %v, patch: %v\n%s\n%s", refused, err, document, body)
	if err == nil {
		require.Equal(t, text(asDocument(w.root)), text(got), "%s\n%s", document, body)
		require.Equal(t, text(got), text(parse(t, p.Text(document))), "%s\n%s", document, body)
	}
	again, err2 := p.Apply(d)
	require.Equal(t, err == nil, err2 == nil)
	require.Equal(t, text(got), text(again), "the same patch of the same document")
}

func compareMergePatch(t *testing.T, document, body []byte) {
	d, _, err := codec.DecodeJSON(document)
	if err != nil {
		return
	}
	p, err := docpatch.ParseMergePatch(body)
	if err != nil {
		return
	}
	got := p.Apply(d)
	want := twinMerge(decodePlain([]byte(text(d))), decodePlain(body))
	require.Equal(t, text(asDocument(want)), text(got), "%s\n%s", document, body)
	require.Equal(t, text(got), text(parse(t, p.Text(document))), "%s\n%s", document, body)
	require.Equal(t, text(got), text(p.Apply(got)), "twice is once")
	if !bytes.Contains(document, []byte("null")) && d.Kind() == doc.Map {
		self, err := docpatch.ParseMergePatch(document)
		require.NoError(t, err)
		require.Equal(t, text(d), text(self.Apply(d)), "a document patched with itself")
	}
}

// randomJSONPatch returns a patch whose paths often exist in the document: few names, small lists, valid pointers.
func randomJSONPatch(r *rand.Rand) (document, body []byte) {
	names := []string{"a", "b", "", "0", "-", "x/y", "~"}
	var value func(depth int) any
	value = func(depth int) any {
		kind := r.IntN(7)
		if depth == 0 {
			kind = r.IntN(4)
		}
		switch kind {
		case 0:
			return nil
		case 1:
			return r.IntN(3)
		case 2:
			return "s" + strconv.Itoa(r.IntN(2))
		case 3:
			return r.IntN(2) == 0
		case 4:
			list := []any{}
			for range r.IntN(4) {
				list = append(list, value(depth-1))
			}
			return list
		default:
			m := map[string]any{}
			for range r.IntN(5) {
				m[names[r.IntN(len(names))]] = value(depth - 1)
			}
			return m
		}
	}
	root := value(3)
	for range 3 { // mostly a map
		if _, ok := root.(map[string]any); !ok {
			root = value(3)
		}
	}
	path := func() string {
		var b strings.Builder
		v := root
		length := r.IntN(4)
		if length == 0 && r.IntN(8) > 0 { // few patches name the whole document
			length = 1
		}
		for range length {
			key := names[r.IntN(len(names))]
			if m, ok := v.(map[string]any); ok && r.IntN(5) > 0 {
				if keys := slices.Sorted(maps.Keys(m)); len(keys) > 0 {
					key = keys[r.IntN(len(keys))]
				}
				v = m[key]
			} else if l, ok := v.([]any); ok && r.IntN(8) > 0 {
				i := r.IntN(len(l)+2) - 1
				key = strconv.Itoa(i)
				if i >= 0 && i < len(l) {
					v = l[i]
				}
			}
			b.WriteString("/" + strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1"))
		}
		return b.String()
	}
	var operations []any
	for range 1 + r.IntN(5) {
		op := map[string]any{"op": []string{"add", "add", "remove", "replace", "move", "copy", "test"}[r.IntN(7)],
			"path": path()}
		switch op["op"] {
		case "move", "copy":
			op["from"] = path()
		case "add", "replace", "test":
			op["value"] = value(2)
		}
		operations = append(operations, op)
	}
	return encodePlain(root), encodePlain(operations)
}

func TestJSONPatchAgainstTwin(t *testing.T) {
	applied := 0
	for seed := range uint64(8_000) {
		document, body := randomJSONPatch(rand.New(rand.NewPCG(seed, 7)))
		compareJSONPatch(t, document, body)
		p, err := docpatch.ParseJSONPatch(body)
		require.NoError(t, err)
		if _, err := p.Apply(parse(t, document)); err == nil {
			applied++
		}
	}
	require.Greater(t, applied, 500, "too few of the random patches can be applied to learn anything")
}

// Long patches of one list split it into many pieces.
func TestJSONPatchOfOneListAgainstTwin(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 8))
		length := r.IntN(10)
		document := []byte(`{"l":[` + strings.TrimSuffix(strings.Repeat(`{"n":0},`, length), ",") + `]}`)
		var operations []any
		for i := range 60 {
			switch op := r.IntN(6); {
			case length == 0 || op < 2:
				operations = append(operations,
					map[string]any{"op": "add", "path": fmt.Sprintf("/l/%d", r.IntN(length+1)), "value": map[string]any{"n": i}})
				length++
			case op == 2:
				operations = append(operations, map[string]any{"op": "remove", "path": fmt.Sprintf("/l/%d", r.IntN(length))})
				length--
			case op == 3:
				operations = append(operations,
					map[string]any{"op": "replace", "path": fmt.Sprintf("/l/%d/n", r.IntN(length)), "value": -i})
			case op == 4:
				operations = append(operations,
					map[string]any{"op": "move", "from": fmt.Sprintf("/l/%d", r.IntN(length)),
						"path": fmt.Sprintf("/l/%d", r.IntN(length))})
			default:
				operations = append(operations,
					map[string]any{"op": "copy", "from": fmt.Sprintf("/l/%d", r.IntN(length)),
						"path": fmt.Sprintf("/l/%d", r.IntN(length+1))})
				length++
			}
		}
		body := encodePlain(operations)
		compareJSONPatch(t, document, body)
		p, err := docpatch.ParseJSONPatch(body)
		require.NoError(t, err)
		_, err = p.Apply(parse(t, document))
		require.NoError(t, err, "seed %d", seed)
	}
}

func TestMergePatchAgainstTwin(t *testing.T) {
	merged := 0
	for seed := range uint64(8_000) {
		r := rand.New(rand.NewPCG(seed, 9))
		document, _ := randomJSONPatch(r)
		body, _ := randomJSONPatch(r)
		compareMergePatch(t, document, body)
		if body[0] == '{' && document[0] == '{' {
			merged++
		}
	}
	require.Greater(t, merged, 1000)
}

func FuzzJSONPatch(f *testing.F) {
	f.Add([]byte(`{}`), []byte(`[{"op":"add","path":"/a","Value":0}]`)) // adds null, because the names of members are case-sensitive
	for _, cases := range suite(f, "testdata/jsonpatch.json") {
		for _, c := range cases {
			f.Add([]byte(c.Doc), []byte(c.Patch))
		}
	}
	f.Fuzz(compareJSONPatch)
}

func FuzzMergePatch(f *testing.F) {
	for _, cases := range suite(f, "testdata/mergepatch.json") {
		for _, c := range cases {
			f.Add([]byte(c.Doc), []byte(c.Patch))
		}
	}
	f.Fuzz(compareMergePatch)
}

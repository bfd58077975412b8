package oracle

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/docpatch"
	"github.com/stretchr/testify/require"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

// TestMain changes the setting of evanphx/json-patch that kube-apiserver changes.
func TestMain(m *testing.M) {
	jsonpatch.AccumulatedCopySizeLimit = 3 << 20
	m.Run()
}

func upstreamJSONPatch(d, body []byte) (result []byte, err error, panicked bool) {
	defer func() {
		if p := recover(); p != nil {
			err, panicked = fmt.Errorf("panic: %v", p), true
		}
	}()
	p, err := jsonpatch.DecodePatch(body)
	if err != nil {
		return nil, err, false
	}
	result, err = p.Apply(d)
	return result, err, false
}

func ourJSONPatch(d, body []byte) ([]byte, error) {
	document, _, err := codec.DecodeJSON(d)
	if err != nil {
		return nil, err
	}
	p, err := docpatch.ParseJSONPatch(body)
	if err != nil {
		return nil, err
	}
	result, err := p.Apply(document)
	if err != nil {
		return nil, err
	}
	return codec.AppendJSON(nil, result), nil
}

// differsOnPurpose returns why the two sides need not agree on a patch, or "" if they must.
func differsOnPurpose(d, body doc.Value) string {
	text := string(codec.AppendJSON(codec.AppendJSON(nil, d), body))
	if strings.ContainsAny(text, "<>&\u2028\u2029") {
		return "upstream compares escaped with unescaped text"
	}
	setsNull := false
	for _, op := range body.Elements() {
		path, from := op.Get("path").Text(), op.Get("from").Text()
		copies := op.Get("op").Text() == "copy" || op.Get("op").Text() == "move"
		switch {
		case path != "" && path[0] != '/' || copies && from != "" && from[0] != '/':
			return "upstream ignores the text before the first slash"
		}
		switch op.Get("op").Text() {
		case "test":
			if setsNull || !op.Has("value") {
				return "upstream distinguishes a null from the patch from one of the document"
			}
		case "add", "replace":
			setsNull = setsNull || holdsNull(op.Get("value"))
		}
		for key, value := range op.Members() {
			if key != "value" && key != "op" && key != "path" && key != "from" || key != "value" && value.Kind() != doc.String {
				return "kube-apiserver checks the form of the patch before it applies it"
			}
		}
	}
	return ""
}

func holdsNull(v doc.Value) bool {
	if v.IsNull() || v.IsAbsent() {
		return true
	}
	for i := range v.Len() {
		if holdsNull(v.At(i)) {
			return true
		}
	}
	return false
}

func checkJSONPatch(t *testing.T, d, body []byte) (applied bool) {
	document, _, err := codec.DecodeJSON(d)
	if err != nil || document.Kind() != doc.Map {
		return false
	}
	operations, _, err := codec.DecodeJSON(body)
	if err != nil || operations.Kind() != doc.List || differsOnPurpose(document, operations) != "" {
		return false
	}
	d, body = codec.AppendJSON(nil, document), codec.AppendJSON(nil, operations) // upstream compares texts, not values
	want, wantErr, panicked := upstreamJSONPatch(d, body)
	got, gotErr := ourJSONPatch(d, body)
	if panicked {
		return false
	}
	if (wantErr != nil) != (gotErr != nil) {
		require.FailNow(t, "another result", "document %s\npatch    %s\nupstream %s %v\nours     %s %v", d, body, want,
			wantErr, got, gotErr)
	}
	if wantErr == nil {
		requireSame(t, want, got, "document %s\npatch    %s", d, body)
		p, err := docpatch.ParseJSONPatch(body)
		require.NoError(t, err)
		require.Equal(t, string(want), string(p.Text(d)), "the text\ndocument %s\npatch    %s", d, body)
	}
	return wantErr == nil
}

func TestJSONPatch(t *testing.T) {
	applied, n := 0, 0
	all := rounds(t, 3000, func(t *testing.T, r round) {
		d := randomDocument(r.Rand, 3)
		var operations []doc.Value
		for range 1 + r.Intn(5) {
			operations = append(operations, randomOperation(r.Rand, d))
		}
		n++
		if checkJSONPatch(t, codec.AppendJSON(nil, d), codec.AppendJSON(nil, doc.ListOf(operations...))) {
			applied++
		}
	})
	t.Logf("%d of %d patches applied", applied, n)
	require.True(t, applied > n/20 || !all, "nearly all patches were refused, which shows little")
}

func randomDocument(r *rand.Rand, depth int) doc.Value {
	var members []doc.Member
	for _, name := range [...]string{"a", "b", "c", "x/y", "m~n", "", "0"} {
		if r.Intn(2) == 0 {
			members = append(members, doc.Member{Key: name, Value: randomValue(r, depth)})
		}
	}
	return doc.MapOf(members...)
}

func randomValue(r *rand.Rand, depth int) doc.Value {
	if depth > 0 {
		switch r.Intn(5) {
		case 0, 1:
			return randomDocument(r, depth-1)
		case 2:
			list := make([]doc.Value, r.Intn(4))
			for i := range list {
				list[i] = randomValue(r, depth-1)
			}
			return doc.ListOf(list...)
		}
	}
	return pick(r, doc.NullValue(), doc.OfBool(true), doc.OfInt(int64(r.Intn(3))), doc.Of("a"), doc.Of(""), doc.Of("é\n"),
		doc.MapOf(), doc.ListOf())
}

func randomOperation(r *rand.Rand, d doc.Value) doc.Value {
	op := pickText(r, "add", "remove", "replace", "move", "copy", "test", "test")
	path, at := randomPath(r, d)
	members := []doc.Member{{Key: "op", Value: doc.Of(op)}, {Key: "path", Value: doc.Of(path)}}
	switch op {
	case "move", "copy":
		from, _ := randomPath(r, d)
		members = append(members, doc.Member{Key: "from", Value: doc.Of(from)})
	case "test":
		if r.Intn(3) > 0 {
			members = append(members, doc.Member{Key: "value", Value: at})
			break
		}
		fallthrough
	default:
		if r.Intn(8) > 0 {
			members = append(members, doc.Member{Key: "value", Value: randomValue(r, 2)})
		}
	}
	return doc.MapOf(members...)
}

var escapePointer = strings.NewReplacer("~", "~0", "/", "~1")

// randomPath returns a path that mostly exists in the document, and the value there.
func randomPath(r *rand.Rand, d doc.Value) (string, doc.Value) {
	path := ""
	for {
		if d.Len() == 0 || r.Intn(8) == 0 || path != "" && r.Intn(3) == 0 {
			if path == "" || r.Intn(4) == 0 {
				return path + "/" + pickText(r, "a", "new", "0", "-", "-1", "7", "+1", "01", "~", ""), doc.Value{}
			}
			return path, d
		}
		i := r.Intn(d.Len())
		if d.Kind() == doc.List {
			path += fmt.Sprintf("/%d", i)
		} else {
			path += "/" + escapePointer.Replace(d.KeyAt(i))
		}
		d = d.At(i)
	}
}

func FuzzJSONPatch(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"a":{"b":[1,2,3]}}`, `[{"op":"remove","path":"/a/b/-1"},{"op":"add","path":"/a/b/1","value":null},{"op":"test","path":"/a/c","value":null}]`},
		{`{"a~b":{"c/d":1}}`, `[{"op":"move","from":"/a~0b/c~1d","path":"/x"},{"op":"copy","from":"/x","path":"/a~0b/y"},{"op":"replace","path":"/z","value":[]}]`},
		{`{"a":[[],{}]}`, `[{"op":"add","path":"/a/0/-","value":{"b":1}},{"op":"test","path":"","value":{"a":[[{"b":1}],{}]}},{"op":"x","path":"/a"}]`},
		{`{"a":null}`, `[{"op":"add","path":"/a/b","value":1}]`},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, d, body []byte) { checkJSONPatch(t, d, body) })
}

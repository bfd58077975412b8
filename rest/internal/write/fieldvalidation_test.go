package write_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// The order in which unknown and duplicate fields are named is that of upstream: of the body for built-in kinds; for
// custom ones duplicates first, then the metadata, then all else sorted as text.
func TestOrderOfFieldProblems(t *testing.T) {
	const strict = ` cannot be handled as a %[1]s: strict decoding error: `
	for _, c := range []struct {
		name, kind, target, body string
		want                     []string
	}{
		{"built-in", "Memo", apitest.Memos,
			`{"metadata":{"bogus":1,"name":"a"},"zz":{"a":1,"a":2},"data":{"k":"1","k":"2"},"aa":1,"aa":2}`,
			[]string{`unknown field "metadata.bogus"`, `unknown field "zz"`, `duplicate field "data.k"`, `unknown field "aa"`}},
		{"built-in, no unknown field", "Memo", apitest.Memos,
			`{"metadata":{"name":"a","name":"a"},"data":{"k":"1","k":"2","k":"3"}}`,
			[]string{`duplicate field "metadata.name"`, `duplicate field "data.k"`}},
		{"custom", "Widget", apitest.Widgets,
			apitest.WidgetBody(`"bogus":1,"name":"a"`, `"zz":1`, `"spec":{"size":1,"size":1,"parts":[`+
				strings.Repeat(`{"name":"p","q":1},`, 11)+`{"name":"p"}]}`),
			append([]string{`duplicate field "spec.size"`, `unknown field "metadata.bogus"`},
				sortedParts(11, `unknown field "zz"`)...)},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.New(t, rest.Options{}, apitest.WidgetResource(),
				rest.Resource[apitest.Memo]{Version: "v1", Plural: "memos", Wire: rest.Wire{Dialect: rest.DialectBuiltin}})
			a := apitest.Do(t, api, "POST", c.target+"?fieldValidation=Strict", c.body)
			require.Equal(t, 400, a.Code, a.Body)
			assert.Equal(t, fmt.Sprintf(`%[1]s in version "v1"`+strict, c.kind)+strings.Join(c.want, ", "), a.Text(t, "message"))
		})
	}
}

// sortedParts are the unknown fields q of so many parts, as text sorts them, and one more.
func sortedParts(n int, last string) []string {
	var out []string
	for _, i := range []int{0, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9}[:n] {
		out = append(out, fmt.Sprintf(`unknown field "spec.parts[%d].q"`, i))
	}
	return append(out, last)
}

// Warnings are cut when together they are too long, and those that came before are cut with them.
func TestLongWarnings(t *testing.T) {
	name := func(i, length int) string { return fmt.Sprintf("%02d", i) + strings.Repeat("x", length-2) }
	warnings := func(t *testing.T, n, length int) []string {
		t.Helper()
		var fields []string
		for i := range n {
			fields = append(fields, fmt.Sprintf(`%q:1`, name(i, length)))
		}
		a := apitest.Do(t, apitest.NewWidgets(t), "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`, fields...))
		require.Equal(t, 201, a.Code, a.Body)
		return a.Header.Values("Warning")
	}
	header := func(i, length int) string {
		text := `unknown field "` + name(i, length) + `"`
		if length > 256 {
			text = text[:256]
		}
		return `299 - "` + strings.ReplaceAll(text, `"`, `\"`) + `"`
	}
	const quoted = len(`unknown field ""`)
	t.Run("as long as they may be", func(t *testing.T) {
		got := warnings(t, 8, 512-quoted)
		require.Len(t, got, 8)
		assert.Contains(t, got[0], name(0, 512-quoted))
	})
	t.Run("one character too long", func(t *testing.T) {
		got := warnings(t, 9, 512-quoted)
		require.Len(t, got, 9)
		assert.Equal(t, header(0, 512-quoted), got[0])
		assert.Equal(t, header(8, 512-quoted), got[8])
	})
	t.Run("no more than fit when they are cut", func(t *testing.T) {
		assert.Len(t, warnings(t, 40, 512-quoted), 16)
	})
}

// A body of another kind is refused in upstream's words, which tell whether its registry of built-in kinds has the
// kind.
func TestBodiesOfOtherKinds(t *testing.T) {
	api := apitest.New(t, rest.Options{}, apitest.WidgetResource(),
		rest.Resource[apitest.Memo]{Version: "v1", Plural: "memos", Wire: rest.Wire{Dialect: rest.DialectBuiltin}},
		rest.Resource[apitest.Memo]{Group: "other.example.com", Version: "v2", Plural: "memos",
			Wire: rest.Wire{Dialect: rest.DialectBuiltin}})
	for _, c := range []struct{ name, target, body, want string }{
		{"a custom kind", apitest.Memos, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"}}`,
			`Widget in version "v1" cannot be handled as a Memo: ` + apitest.Unregistered("Widget", "example.com/v1")},
		{"a list", apitest.Memos, `{"apiVersion":"v1","kind":"MemoList"}`,
			`MemoList in version "v1" cannot be handled as a Memo: converting (v1.MemoList) to (core.Memo): unknown conversion`},
		{"a list of another group", apitest.Memos, `{"apiVersion":"other.example.com/v2","kind":"MemoList"}`,
			`MemoList in version "v2" cannot be handled as a Memo: converting (v2.MemoList) to (core.Memo): unknown conversion`},
		{"a list of anything", apitest.Memos, `{"apiVersion":"v1","kind":"List"}`,
			`List in version "v1" cannot be handled as a Memo: converting (v1.List) to (core.Memo): unknown conversion`},
		{"options, in a group", "/apis/other.example.com/v2/namespaces/default/memos",
			`{"apiVersion":"other.example.com/v2","kind":"DeleteOptions"}`,
			`DeleteOptions in version "v2" cannot be handled as a Memo: converting (v1.DeleteOptions) to (other.Memo): unknown conversion`},
		{"a kind in other letters", apitest.Memos, `{"Kind":"Status","apiVersion":"v1"}`,
			`Status in version "v1" cannot be handled as a Memo: converting (v1.Status) to (core.Memo): unknown conversion`},
		{"a group alone", apitest.Memos, `{"apiVersion":"v1/","kind":"Memo"}`,
			`Memo in version "" cannot be handled as a Memo: Object 'apiVersion' is missing in '{"apiVersion":"v1/","kind":"Memo"}'`},
		{"a kind that is not", apitest.Memos, `{"apiVersion":"v1","kind":"Bogus"}`,
			`Bogus in version "v1" cannot be handled as a Memo: ` + apitest.Unregistered("Bogus", "v1")},
		{"no kind, another version", apitest.Memos, `{"apiVersion":"a.b/v3"}`,
			`Memo in version "v3" cannot be handled as a Memo: ` + apitest.Unregistered("Memo", "a.b/v3")},
		{"the kind in another group", apitest.Memos, `{"apiVersion":"other.example.com/v2","kind":"Memo"}`,
			`the API version in the data (other.example.com/v2) does not match the expected API version (v1)`},
		{"no version at all", apitest.Memos, `{"apiVersion":"a/b/c","kind":"Memo"}`,
			`the object provided is unrecognized (must be of type Memo): unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c","kind":" ...)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			apitest.WantFailure(t, apitest.Do(t, api, "POST", c.target, c.body), 400, "BadRequest", c.want, "")
		})
	}
}

// For a built-in kind a decoder finds unknown fields, and quotes their names as Go does; for a custom one, and in what
// a strategic merge patch has made, they stand there as they are.
func TestNamesOfUnknownFields(t *testing.T) {
	const odd = `"a\"b":1,"é\u0007":1`
	const strict = ` in version "v1" cannot be handled as a %[1]s: strict decoding error: `
	api := apitest.New(t, rest.Options{}, apitest.WidgetResource(),
		rest.Resource[apitest.Memo]{Version: "v1", Plural: "memos", Wire: rest.Wire{Dialect: rest.DialectBuiltin}})
	apitest.Must(t, api, "POST", apitest.Memos, `{"metadata":{"name":"w"}}`)
	for _, c := range []struct {
		name string
		send func(query string) apitest.Answer
		want string
		warn []string
	}{
		{"custom", func(query string) apitest.Answer {
			return apitest.Do(t, api, "POST", apitest.Widgets+query, apitest.WidgetBody(`"name":"a"`, odd))
		},
			fmt.Sprintf("%[1]s"+strict, "Widget") + "unknown field \"a\"b\", unknown field \"é\a\"",
			[]string{`299 - "unknown field \"a\"b\""`}},
		{"built-in", func(query string) apitest.Answer {
			return apitest.Do(t, api, "POST", apitest.Memos+query, `{"metadata":{"name":"a"},`+odd+`}`)
		},
			fmt.Sprintf("%[1]s"+strict, "Memo") + `unknown field "a\"b", unknown field "é\a"`,
			[]string{`299 - "unknown field \"a\\\"b\""`, `299 - "unknown field \"é\\a\""`}},
		{"strategic", func(query string) apitest.Answer {
			return apitest.Do(t, api, "PATCH", apitest.Memos+"/w"+query, `{`+odd+`}`, "Content-Type",
				"application/strategic-merge-patch+json")
		}, "patch: Invalid value: \"map[a\\\"b:1 é\\a:1]\": strict decoding error: unknown field \"a\"b\", unknown field \"é\a\"",
			[]string{`299 - "unknown field \"a\"b\""`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := c.send("?fieldValidation=Strict")
			assert.True(t, strings.HasSuffix(a.Text(t, "message"), c.want), a.Body)
			assert.Equal(t, c.warn, c.send("?fieldValidation=Warn").Header["Warning"])
		})
	}
}

func TestManyUnknownFields(t *testing.T) {
	var fields []string
	for i := range 2000 {
		fields = append(fields, fmt.Sprintf(`"x%04d":1`, i))
	}
	api := apitest.New(t, rest.Options{}, apitest.WidgetResource(),
		rest.Resource[apitest.Memo]{Version: "v1", Plural: "memos", Wire: rest.Wire{Dialect: rest.DialectBuiltin}})
	for name, c := range map[string]struct {
		target, body string
		want         int
	}{
		"custom":   {apitest.Widgets, apitest.WidgetBody(`"name":"a"`, fields...), 1000},
		"built-in": {apitest.Memos, `{"metadata":{"name":"a"},` + strings.Join(fields, ",") + `}`, 100},
	} {
		t.Run(name, func(t *testing.T) {
			a := apitest.Do(t, api, "POST", c.target+"?fieldValidation=Strict", c.body)
			require.Equal(t, 400, a.Code)
			assert.Equal(t, c.want, strings.Count(a.Text(t, "message"), "unknown field"))
		})
	}
}

// A Scale has a Go type, whatever kind it is of: members that stand twice are read into one.
func TestDuplicateMembersInAScale(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	body := `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a"},"metadata":{"labels":{"x":"y"}},"spec":{"replicas":3}}`
	a := apitest.Do(t, api, "PUT", apitest.Widgets+"/a/scale", body)
	require.Equal(t, 200, a.Code, a.Body)
	assert.Equal(t, float64(3), a.Value(t, "spec.replicas"))
	assert.Equal(t, []string{`299 - "duplicate field \"metadata\""`}, a.Header["Warning"])
	assert.Equal(t, 400, apitest.Do(t, api, "PUT", apitest.Widgets+"/a/scale?fieldValidation=Strict", body).Code)
}

// A value of a JSON Patch stands in the result as it was written, so what stands twice in it stands there twice.
func TestDuplicateMembersInAJSONPatch(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	const patch = `[{"op":"add","path":"/spec/extra","value":{"x":{"b":1,"b":2}}},{"op":"test","path":"/spec/size","value":1,"value":1}]`
	strict := apitest.Do(t, api, "PATCH", apitest.Widgets+"/a?fieldValidation=Strict", patch, "Content-Type",
		apitest.TypeJSONPatch)
	assert.Equal(t, 422, strict.Code)
	assert.True(t, strings.HasSuffix(strict.Text(t, "message"),
		`strict decoding error: json patch duplicate field "[0].value.x.b", `+
			`json patch duplicate field "[1].value", duplicate field "spec.extra.x.b"`), strict.Body)
	warned := apitest.Do(t, api, "PATCH", apitest.Widgets+"/a", patch, "Content-Type", apitest.TypeJSONPatch)
	assert.Equal(t, 200, warned.Code, warned.Body)
	assert.Len(t, warned.Header["Warning"], 3)
	assert.Equal(t, map[string]any{"b": float64(2)}, warned.Value(t, "spec.extra.x"))
}

func TestPatchedScaleIsAScale(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	for patch, want := range map[string]string{
		`{"kind":"Other"}`:                 apitest.Unregistered("Other", "autoscaling/v1"),
		`{"apiVersion":"v1"}`:              apitest.Unregistered("Scale", "v1"),
		`{"kind":null}`:                    "",
		`{"apiVersion":"","kind":"Scale"}`: "",
	} {
		a := apitest.MergePatch(t, api, apitest.Widgets+"/a/scale", patch)
		if want == "" {
			assert.Equal(t, 200, a.Code, "%s: %s", patch, a.Body)
			continue
		}
		assert.Equal(t, 422, a.Code, patch)
		assert.Contains(t, a.Text(t, "message"), want, patch)
	}
}

func TestWarningsOfRefusedBodies(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	for _, c := range []struct {
		name string
		a    apitest.Answer
		code int
		want []string
	}{
		{"invalid", apitest.Do(t, api, "POST", apitest.Widgets,
			apitest.WidgetBody(`"name":"b"`, `"spec":{"size":0,"foo":1}`)), 422, []string{`299 - "unknown field \"spec.foo\""`}},
		{"there already", apitest.Do(t, api, "POST", apitest.Widgets,
			apitest.WidgetBody(`"name":"a"`, `"spec":{"size":1,"foo":1}`)), 409, []string{`299 - "unknown field \"spec.foo\""`}},
		{"not up to date", apitest.Do(t, api, "PUT", apitest.Widgets+"/a",
			apitest.WidgetBody(`"name":"a","resourceVersion":"1"`, `"spec":{"size":1,"foo":1}`)), 409,
			[]string{`299 - "unknown field \"spec.foo\""`}},
		{"a warning about the stored object",
			apitest.Do(t, api, "POST", apitest.Widgets,
				apitest.WidgetBody(`"name":"b","finalizers":["bare"]`, `"spec":{"size":0}`)), 422, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.code, c.a.Code, c.a.Body)
			assert.Equal(t, c.want, c.a.Header["Warning"])
		})
	}
}

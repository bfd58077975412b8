package conformance_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/conformance"
)

func TestLoad(t *testing.T) {
	areas, err := conformance.Load(folder("b.yaml", oneCase("x", "quirk"), "a.yaml",
		"area: a\nanchors: {l: &l [{cm: a}]}\n"+`
cases:
- {name: y, doc: " Given. ", given: *l, steps: [{sleep: 1ms}, {method: GET, path: /, headers: {Accept: , X: [a, 1]}, query: {q: [1, true]}}]}
`, "readme.md", "no case file"))
	require.NoError(t, err)
	require.Len(t, areas, 2)
	assert.Equal(t, "a", areas[0].Name)
	assert.Equal(t, "Given.", areas[0].Cases[0].Doc)
	assert.Equal(t, 2, areas[0].Cases[0].Steps())
	assert.Equal(t, []string{"quirk"}, areas[1].Cases[0].Tags, "one tag needs no brackets")
}

func TestLoadRefuses(t *testing.T) {
	step := func(s string) string { return "cases: [{name: x, doc: y, steps: [" + s + "]}]" }
	for _, test := range []struct{ name, text, want string }{
		{"not YAML", "cases: [", "did not find"},
		{"a list", "- a", "cannot unmarshal"},
		{"unknown key of a file", "casse: []", "field casse not found"},
		{"unknown key of a case", "cases: [{nmae: x}]", "field nmae not found"},
		{"unknown key of a step", step("{od: GET /}"), "field od not found"},
		{"unknown key of a watch", step("{do: GET /, watch: {event: 1}}"), "field event not found"},
		{"another area", "area: b", "area b in a file of another name"},
		{"no name", "cases: [{doc: y, steps: [{do: GET /}]}]", "no name"},
		{"no doc", "cases: [{name: x, steps: [{do: GET /}]}]", "case 1 (x): no doc"},
		{"no steps", "cases: [{name: x, doc: y}]", "no steps"},
		{"two of a name", "cases: [{name: x, doc: y, steps: [{do: GET /}]}, {name: x, doc: y, steps: [{do: GET /}]}]",
			"two cases named x"},
		{"null step", step("null"), "step 1: empty"},
		{"empty step", step("{}"), "needs do, collect or sleep"},
		{"do without path", step("{do: GET}"), "do is METHOD PATH"},
		{"do and method", step("{do: GET /, method: PUT}"), "do is METHOD PATH"},
		{"start without watch", step("{do: GET /, start: w}"), "start needs watch"},
		{"compare", step("{do: GET /, compare: loosely}"), `compare: "loosely"`},
		{"until", step("{do: GET /, watch: {until: never}}"), `until: "never"`},
		{"listRV", step("{do: GET /, listRV: rv1}"), `listRV: "rv1"`},
		{"duration", step("{sleep: soon}"), "invalid duration"},
		{"headers", step("{do: GET /, headers: [a]}"), "want a mapping"},
		{"ignore", step("{do: GET /, ignore: {a: b}}"), "want a text or a list of texts"},
		{"obj of no kind", step("{do: POST /, obj: {pod: a}}"), "an object needs one of cm"},
		{"obj that is no mapping", step("{do: POST /, obj: a}"), "an object is a mapping"},
		{"obj and body", step("{do: POST /, obj: {cm: a}, body: x}"), "body and obj exclude each other"},
		{"given of no kind", "cases: [{name: x, doc: y, given: [{}], steps: [{do: GET /}]}]", "given 1: an object needs"},
		{"body that is no JSON", step("{do: POST /, body: [.nan]}"), "unsupported value"},
		{"alias of itself", "anchors: &a [*a]", "large or too deep"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := conformance.Load(folder("a.yaml", test.text))
			require.ErrorContains(t, err, "a.yaml: ")
			require.ErrorContains(t, err, test.want)
		})
	}
}

// For every file, Load returns cases or an error.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(stories))
	f.Add([]byte("anchors: &a [*a]\ncases: [{<<: *a}]"))
	f.Add([]byte("cases: [{name: x, doc: y, given: [{cm: {}}], steps: [{do: 'GET /', body: 0x1, repeat: -1, filter: [{keep: 1}]}]}]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		areas, err := conformance.Load(fstest.MapFS{"a.yaml": {Data: text}})
		if err != nil {
			return
		}
		for _, c := range areas[0].Cases {
			require.NotEmpty(t, c.Name)
			require.NotEmpty(t, c.Doc)
			require.Positive(t, c.Steps())
		}
	})
}

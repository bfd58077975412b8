package conformance

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSplitPath(t *testing.T) {
	for path, want := range map[string][]string{
		"":                  nil,
		"a.b":               {"a", "b"},
		"a[0].b":            {"a", "0", "b"},
		"a.*.b":             {"a", "*", "b"},
		`a["x.y/z"].b`:      {"a", "x.y/z", "b"},
		"body.**.created":   {"body", "**", "created"},
		"paths['/a.b'].url": {"paths", "/a.b", "url"},
		"a[0][1]":           {"a", "0", "1"},
		"a..b.":             {"a", "b"},
		"a[0":               {"a", "[0"},
	} {
		assert.Equal(t, want, splitPath(path), path)
	}
}

func TestLookup(t *testing.T) {
	v, err := decodeJSON([]byte(`{"a":[{"b":1},null],"c":null}`))
	require.NoError(t, err)
	for path, want := range map[string]string{
		"": `{"a":[{"b":1},null],"c":null}`, ".": `{"a":[{"b":1},null],"c":null}`, "a[0].b": "1", "a.1": "null", "c": "null",
		"d": "-", "a[2]": "-", "a[-1]": "-", "a.x": "-", "a[0].b.c": "-", "c.d": "-",
	} {
		got, ok := lookup(v, path)
		if !ok {
			assert.Equal(t, want, "-", path)
			continue
		}
		assert.Equal(t, want, jsonText(got), path)
	}
}

func TestShape(t *testing.T) {
	for _, test := range []struct {
		name string
		step step
		want string
	}{
		{"nothing", step{}, `{"items":[{"n":"b","u":1,"x":{"u":2}},{"n":"a","u":3}],"names":["z","y"]}`},
		{"ignore one place", step{Ignore: texts{"items.*.u"}},
			`{"items":[{"n":"b","x":{"u":2}},{"n":"a"}],"names":["z","y"]}`},
		{"ignore everywhere", step{Ignore: texts{"**.u"}}, `{"items":[{"n":"b","x":{}},{"n":"a"}],"names":["z","y"]}`},
		{"ignore in one element", step{Ignore: texts{"items[1].u", "items[7].u"}},
			`{"items":[{"n":"b","u":1,"x":{"u":2}},{"n":"a"}],"names":["z","y"]}`},
		{"a set", step{Sets: texts{"names"}}, `{"items":[{"n":"b","u":1,"x":{"u":2}},{"n":"a","u":3}],"names":["y","z"]}`},
		{"some elements", step{Filter: []filter{{Path: "items", Key: "n", Keep: texts{"a", "c"}}}},
			`{"items":[{"n":"a","u":3}],"names":["z","y"]}`},
		{"some texts", step{Filter: []filter{{Path: "names", Key: ".", Keep: texts{"z", "y", "x"}}}},
			`{"items":[{"n":"b","u":1,"x":{"u":2}},{"n":"a","u":3}],"names":["y","z"]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			v, err := decodeJSON([]byte(`{"items":[{"n":"b","u":1,"x":{"u":2}},{"n":"a","u":3}],"names":["z","y"]}`))
			require.NoError(t, err)
			response, _ := v.(map[string]any)
			shape(response, &test.step)
			assert.Equal(t, test.want, jsonText(response))
			shape(response, &test.step)
			assert.Equal(t, test.want, jsonText(response), "golden responses are shaped again")
		})
	}
}

func TestVariables(t *testing.T) {
	vars := variables{"ns": "N", "cm": "/x/${ns}/y"}
	for text, want := range map[string]string{
		"${cm} ${unknown} ${open":                    "/x/N/y ${unknown} ${open",
		"${repeat:3:<a>}${ns}":                       "{a}{a}{a}N",
		"${repeat:x:a}|":                             "|",
		"${repeat:-1:a}|":                            "|",
		"${repeat:99999999999:ab}|${repeat:2:$<ns>}": "|NN",
		"${repeat:2:open":                            "${repeat:2:open",
	} {
		assert.Equal(t, want, vars.expandBody(text), text)
	}
	assert.Len(t, vars.expandBody("${repeat:3200000:x}"), 3200000)
}

func TestExpandObject(t *testing.T) {
	got, err := expand(map[string]any{"node": "n", "labels": map[string]any{"a": "b"}, "spec": map[string]any{"x": 1}})
	require.NoError(t, err)
	assert.Equal(t, `{"apiVersion":"v1","kind":"Node","metadata":{"labels":{"a":"b"},"name":"n"},"spec":{"x":1}}`,
		jsonText(got))
	got, err = expand(map[string]any{"lease": nil, "generateName": "l-"})
	require.NoError(t, err)
	assert.Equal(t, `{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"generateName":"l-"}}`,
		jsonText(got))
}

// Numbers keep their text, and YAML values equal those of encoding/json.
func TestExactValue(t *testing.T) {
	for text, want := range map[string]string{
		"[1, 1.0, 1e3, -0, 0x10, 010, 9007199254740993]": "[1,1.0,1e3,-0,16,8,9007199254740993]",
		`[true, "true", null, ~, 2001-01-01, "1"]`:       `[true,"true",null,null,"2001-01-01","1"]`,
		"{a: &x {b: 1, c: 2}, d: {<<: *x, c: 3}}":        `{"a":{"b":1,"c":2},"d":{"b":1,"c":3}}`,
		"1: one": `{"1":"one"}`,
		"":       "null",
	} {
		v, err := decodeYAML([]byte(text))
		require.NoError(t, err, text)
		assert.Equal(t, want, jsonText(v), text)
	}
}

package conformance

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// normalised returns the transcript of a case with ready-made answers.
func normalised(t *testing.T, c *Case, answers ...*answer) transcript {
	t.Helper()
	r := &replay{
		client: &client{host: "10.0.0.1:6443", prefix: "/p"}, test: c, answers: answers,
		vars: variables{"ns": "cf-nnnnnnnnnn", "ns2": "cg-mmmmmmmmmm", "u": "uuuuuuuuuu",
			"token": "abcdefghijklmnopqrstuvwxyz"},
	}
	got, err := normalise(r)
	require.NoError(t, err)
	return got
}

func jsonAnswer(t *testing.T, path, body string) *answer {
	t.Helper()
	v, err := decodeJSON([]byte(body))
	require.NoError(t, err)
	return &answer{step: &step{}, request: "GET " + path, path: path, status: 200, body: v, hasBody: true}
}

func TestNormalise(t *testing.T) {
	const things = "/api/v1/namespaces/cf-nnnnnnnnnn/things"
	given := jsonAnswer(t, things,
		`{"metadata":{"namespace":"cf-nnnnnnnnnn","name":"a","resourceVersion":"40","uid":"11111111-2222-4333-8444-555555555555"}}`)
	given.step = nil
	tests := []struct{ name, said, body, want string }{
		{"revisions in order", "", `[{"metadata":{"namespace":"cf-nnnnnnnnnn","resourceVersion":"100"}},{"metadata":{"namespace":"cf-nnnnnnnnnn","resourceVersion":"9"}}]`,
			`[{"metadata":{"namespace":"${ns}","resourceVersion":"rv3"}},{"metadata":{"namespace":"${ns}","resourceVersion":"rv1"}}]`},
		{"a position between two", "", `{"items":[],"metadata":{"resourceVersion":"41"}}`,
			`{"items":[],"metadata":{"resourceVersion":"rv1+"}}`},
		{"a position before all", "", `{"items":[],"metadata":{"resourceVersion":"39"}}`,
			`{"items":[],"metadata":{"resourceVersion":"rv0+"}}`},
		{"an invalid version", "", `{"metadata":{"namespace":"cf-nnnnnnnnnn","resourceVersion":"x"}}`,
			`{"metadata":{"namespace":"${ns}","resourceVersion":"opaque-rv1"}}`},
		{"somebody else's object", "", `{"metadata":{"name":"kubernetes","resourceVersion":"40"}}`,
			`{"metadata":{"name":"kubernetes","resourceVersion":"<rv>"}}`},
		{"a new object of an old name", "",
			`{"metadata":{"namespace":"cf-nnnnnnnnnn","name":"a","uid":"99999999-2222-4333-8444-555555555555"}}`,
			`{"metadata":{"name":"a","namespace":"${ns}","uid":"<uid 2 of a>"}}`},
		{"a uid in a text", "", `{"kind":"Status","message":"uid is 11111111-2222-4333-8444-555555555555, not 00000000-0000-4000-8000-000000000000"}`,
			`{"kind":"Status","message":"uid is <uid of a>, not <uuid>"}`},
		{"a uid that the case says", "00000000-0000-4000-8000-000000000000", `{"a":"00000000-0000-4000-8000-000000000000"}`,
			`{"a":"00000000-0000-4000-8000-000000000000"}`},
		{"times", "2001-01-01T00:00:00Z", `["2026-01-01T00:00:00Z","2026-01-01T00:00:00.123456Z","2001-01-01T00:00:00Z"]`,
			`["<time>","<microtime>","2001-01-01T00:00:00Z"]`},
		{"generated names, one part of the other", "",
			`[{"metadata":{"generateName":"x-","name":"x-ab"}},{"metadata":{"generateName":"x-","name":"x-abc"}},"x-abc x-ab"]`,
			`[{"metadata":{"generateName":"x-","name":"x-<generated1>"}},{"metadata":{"generateName":"x-","name":"x-<generated2>"}},"x-<generated2> x-<generated1>"]`},
		{"a shortened prefix", "", `{"metadata":{"generateName":"longprefix","name":"longpreabcde"}}`,
			`{"metadata":{"generateName":"longprefix","name":"longpre<generated1>"}}`},
		{"revisions in messages", "7",
			`{"message":"the requested resource version: 40 is not 41, too old resource version: 7 (99), current: 55"}`,
			`{"message":"the requested resource version: rv1 is not 41, too old resource version: 7 (<rv>), current: <rv>"}`},
		{"a captured token in a message", "", `{"message":"bad token abcdefghijklmnopqrstuvwxyz"}`,
			`{"message":"bad token ${token}"}`},
		{"names, host and prefix", "",
			`{"cg-mmmmmmmmmm":"/p/api/cf-nnnnnnnnnn/node-uuuuuuuuuu","h":"https://10.0.0.1:6443 and 127.0.0.1:80"}`,
			`{"${ns2}":"/api/${ns}/node-${u}","h":"https://<host> and <host>"}`},
		{"continue", "", `[{"metadata":{"continue":"abc"}},{"metadata":{"continue":""}}]`,
			`[{"metadata":{"continue":"<continue>"}},{"metadata":{}}]`},
		{"ages in a table", "", `{"kind":"Table","rows":[{"cells":["a","5m3s",1,null]},{},1]}`,
			`{"kind":"Table","rows":[{"cells":["a","<age>",1,null]},{},1]}`},
		{"items that repeat the list's type", "",
			`{"kind":"XList","apiVersion":"v1","items":[{"kind":"X","apiVersion":"v1"},{"kind":"Y","apiVersion":"v1"},{"kind":"X"}]}`, `{"apiVersion":"v1","items":[{},{"apiVersion":"v1","kind":"Y"},{"kind":"X"}],"kind":"XList"}`},
		{"apiVersion is an object", "", `{"kind":"XList","apiVersion":{},"items":[{"kind":"X","apiVersion":{}}]}`,
			`{"apiVersion":{},"items":[{}],"kind":"XList"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := normalised(t, &Case{text: test.said}, given, jsonAnswer(t, things, test.body))
			require.Len(t, got, 1, "what is given is not part of the transcript")
			assert.Equal(t, test.want, jsonText(got[0]["body"]))
		})
	}
}

func TestManagedFields(t *testing.T) {
	const body = `{"metadata":{"managedFields":[{"manager":"b","operation":"Update"},{"manager":"z","operation":"Apply"},{"manager":"a","operation":"Update"}]}}`
	got := normalised(t, &Case{}, jsonAnswer(t, "/x", body))
	assert.Equal(t, `{"metadata":{}}`, jsonText(got[0]["body"]))
	got = normalised(t, &Case{managedFields: true}, jsonAnswer(t, "/x", body))
	assert.Equal(t, `{"metadata":{"managedFields":[{"manager":"z","operation":"Apply"},{"manager":"a","operation":"Update"},{"manager":"b","operation":"Update"}]}}`, jsonText(got[0]["body"]))
}

func TestTidyStatus(t *testing.T) {
	tests := []struct{ name, causes, want string }{
		{"in any order", `[{"field":"b","message":"m","reason":"FieldValueInvalid"},{"field":"a","message":"m","reason":"FieldValueInvalid"}]`,
			`[{"field":"a","message":"m","reason":"FieldValueInvalid"},{"field":"b","message":"m","reason":"FieldValueInvalid"}]`},
		{"repeated", `[{"field":"a","reason":"FieldValueInvalid"},{"field":"a","reason":"FieldValueInvalid"}]`,
			`[{"field":"a","reason":"FieldValueInvalid"}]`},
		{"again, with a leading dot",
			`[{"field":"a","reason":"FieldValueInvalid"},{"field":".a","message":"n","reason":"FieldValueInvalid"}]`,
			`[{"field":"a","reason":"FieldValueInvalid"}]`},
		{"only with a leading dot", `[{"field":".a","reason":"FieldValueInvalid"}]`,
			`[{"field":"a","reason":"FieldValueInvalid"}]`},
		{"of no field", `[{"field":"<nil>","reason":"FieldValueInvalid"}]`, `[]`},
		{"a path of another kind", `[{"field":".c","reason":"FieldManagerConflict"}]`,
			`[{"field":".c","reason":"FieldManagerConflict"}]`},
		{"no causes at all", `[1,null,"x"]`, `[1,null,"x"]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v, err := decodeJSON([]byte(`{"details":{"causes":` + test.causes + `}}`))
			require.NoError(t, err)
			status, _ := v.(map[string]any)
			tidyStatus(status)
			assert.Equal(t, `{"details":{"causes":`+test.want+`}}`, jsonText(status))
		})
	}
}

// Every answer of a server has a transcript, which survives a round trip
// through a golden file with its symbols unchanged.
func FuzzAnswer(f *testing.F) {
	f.Add("application/json", []byte(`{"kind":"Status","details":{"causes":[{"field":".a","reason":"FieldValueInvalid"},1]},"metadata":{"resourceVersion":"7"}}`))
	f.Add("application/json", []byte(`{"kind":"Table","rows":[{"cells":["5m"]}],"items":[{"metadata":{"generateName":"a","name":"ab","uid":"x","managedFields":[1]}}]}`))
	f.Add("application/yaml", []byte("a: &a [*a]\n<<: {b: 0x10}\n"))
	f.Add("application/cbor", []byte("\xa0"))
	f.Add("text/plain", []byte("127.0.0.1:80 \xff too old resource version: 1 (2)"))
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		a := &answer{step: &step{ListRV: "exact"}, path: "/api/v1/namespaces/cf-nnnnnnnnnn/things", status: 200,
			headers: map[string]any{"Content-Type": contentType}}
		a.decode(contentType, body)
		if a.hasBody {
			a.events = []any{a.body, map[string]any{"type": "BOOKMARK", "object": a.body}}
		}
		got := normalised(t, &Case{managedFields: true}, a)
		stored, err := loadGolden(fstest.MapFS{"fuzz.json": {Data: golden{"x": got}.encode("fuzz")}}, "fuzz")
		require.NoError(t, err)
		require.Empty(t, compareTranscripts(nil, stored["x"], got))
	})
}

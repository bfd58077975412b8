package conformance

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each difference as "path: want -> got", and (message) where it is one for people.
func TestCompareResponses(t *testing.T) {
	tests := []struct{ name, want, got, differences string }{
		{"equal", `{"status":200,"body":{"a":[1,{"b":null}]}}`, `{"status":200,"body":{"a":[1,{"b":null}]}}`, ``},
		{"number in another form", `{"body":1}`, `{"body":1.0}`, `body: 1 -> 1.0`},
		{"null and absent", `{"body":{"a":null}}`, `{"body":{}}`, `body.a: null -> (absent)`},
		{"body and text", `{"body":{}}`, `{"text":"x"}`, `body: {} -> (absent)|text: (absent) -> "x"`},
		{"a key with a dot", `{"body":{"a.b/c":1}}`, `{"body":{"a.b/c":2}}`, `body["a.b/c"]: 1 -> 2`},
		{"text of a success", `{"status":200,"text":"ok"}`, `{"status":200,"text":"no"}`, `text: "ok" -> "no"`},
		{"text of an error", `{"status":404,"text":"a"}`, `{"status":404,"text":"b"}`, `text: "a" -> "b" (message)`},
		{"a message that is no Status's", `{"body":{"message":"a"}}`, `{"body":{"message":"b"}}`, `body.message: "a" -> "b"`},
		{"the messages of a Status", `{"body":{"kind":"Status","message":"a","details":{"causes":[{"message":"x"}]}}}`,
			`{"body":{"kind":"Status","message":"b","details":{"causes":[{"message":"y"}]}}}`,
			`body.details.causes[0].message: "x" -> "y" (message)|body.message: "a" -> "b" (message)`},
		{"a missing message", `{"body":{"kind":"Status","message":"a"}}`, `{"body":{"kind":"Status"}}`,
			`body.message: "a" -> (absent) (message)`},
		{"the description of a column", `{"body":{"columnDefinitions":[{"description":"a","name":"x"}]}}`,
			`{"body":{"columnDefinitions":[{"description":"b","name":"y"}]}}`,
			`body.columnDefinitions[0].description: "a" -> "b" (message)|body.columnDefinitions[0].name: "x" -> "y"`},
		{"the text of a warning", `{"headers":{"Warning":["299 - \"a\""]}}`, `{"headers":{"Warning":["299 - \"b\""]}}`,
			`headers.Warning[0]: 299 - "a" -> 299 - "b" (message)`},
		{"the code of a warning", `{"headers":{"Warning":["299 - \"a\""]}}`, `{"headers":{"Warning":["199 - \"a\""]}}`,
			`headers.Warning[0]: 299 - "a" -> 199 - "a"`},
		{"the number of warnings", `{"headers":{"Warning":["299"]}}`, `{"headers":{"Warning":["299","x"]}}`,
			`headers.Warning: ["299"] -> ["299","x"]`},
		{"lists by the names in them", `{"body":[{"metadata":{"name":"a"}},{"name":"b"},3]}`,
			`{"body":[{"metadata":{"name":"a"}}]}`, `body: 3 elements: ["a","b",3] -> 1 elements: ["a"]`},
		{"events by their types", `{"events":[{"type":"ADDED","object":{"metadata":{"name":"a"}}}]}`, `{"events":[]}`,
			`events: 1 elements: ["ADDED a"] -> 0 elements: []`},
		{"list and map", `{"body":{"a":[],"b":{}}}`, `{"body":{"a":{},"b":[]}}`, `body.a: [] -> {}|body.b: {} -> []`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.differences,
				describe(compareTranscripts(nil, transcripts(t, test.want), transcripts(t, test.got))))
		})
	}
}

func TestCompareAsTheStepSays(t *testing.T) {
	const want, got = `{"status":200,"headers":{},"body":{"a":1}}`,
		`{"status":200,"headers":{"Allow":"GET"},"body":{"a":2,"b":3}}`
	for compare, differences := range map[string]string{
		"exact":       `headers.Allow: (absent) -> "GET"|body.a: 1 -> 2|body.b: (absent) -> 3`,
		"subset":      `body.a: 1 -> 2`,
		"status-only": ``,
	} {
		c := &Case{steps: []*step{{Sleep: 1}, {Method: "GET", Start: "w"}, {Method: "GET", Compare: compare},
			{Collect: "w", Compare: "status-only", Repeat: 2}}}
		other := `,{"status":200},{"status":200}`
		assert.Equal(t, differences, describe(compareTranscripts(c, transcripts(t, want+other), transcripts(t, got+other))),
			compare)
	}
}

func TestCompareCountsResponses(t *testing.T) {
	one, two := transcripts(t, `{"status":200}`), transcripts(t, `{"status":200},{"status":200}`)
	assert.Equal(t, "response: a response -> (absent)", describe(compareTranscripts(nil, two, one)))
	assert.Equal(t, "response: (absent) -> a response", describe(compareTranscripts(nil, one, two)))
}

func transcripts(t *testing.T, responses string) transcript {
	t.Helper()
	v, err := decodeJSON([]byte("[" + responses + "]"))
	require.NoError(t, err)
	list, _ := v.([]any)
	got := transcript{}
	for _, e := range list {
		response, _ := e.(map[string]any)
		got = append(got, response)
	}
	return got
}

func describe(differences []Difference) string {
	var lines []string
	for _, d := range differences {
		line := d.Path + ": " + d.Want + " -> " + d.Got
		if d.Message {
			line += " (message)"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "|")
}

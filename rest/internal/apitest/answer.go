package apitest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/status"
)

// OwnersOf shows the managedFields of an object, a line for each entry, without versions and times.
func OwnersOf(t testing.TB, a Answer) string {
	t.Helper()
	var obj struct {
		Metadata struct{ ManagedFields []apimeta.ManagedFieldsEntry }
	}
	a.Decode(t, &obj)
	var lines []string
	for _, e := range obj.Metadata.ManagedFields {
		who := e.Manager + " " + string(e.Operation)
		if e.Subresource != "" {
			who += " " + e.Subresource
		}
		lines = append(lines, who+" "+string(e.FieldsV1.Raw))
	}
	return strings.Join(lines, "\n")
}

func (a Answer) Brief(t *testing.T) string {
	t.Helper()
	var s struct{ Message string }
	_ = json.Unmarshal([]byte(a.Body), &s)
	return fmt.Sprint(a.Code, " ", s.Message)
}

// Answer is the response of a handler.
type Answer struct {
	Code    int
	Header  http.Header
	Body    string // the body without the newline at the end of JSON
	Flushed bool
	Raw     string // the body as it was sent
}

// AnswerOf is what a recorder has received.
func AnswerOf(w *httptest.ResponseRecorder) Answer {
	return newAnswer(w.Code, w.Header(), w.Body.String(), w.Flushed)
}

// newAnswer leaves out the audit ID, so that tests can compare answers.
func newAnswer(code int, header http.Header, raw string, flushed bool) Answer {
	header.Del("Audit-ID")
	body := raw
	if strings.HasPrefix(header.Get("Content-Type"), TypeJSON) {
		body = strings.TrimSuffix(raw, "\n")
	}
	return Answer{code, header, body, flushed, raw}
}

// Decode reads an answer's JSON.
func (a Answer) Decode(t testing.TB, into any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(a.Body), into), a.Body)
}

// Text reads a string in an answer's JSON, by a path like metadata.resourceVersion.
func (a Answer) Text(t testing.TB, path string) string {
	t.Helper()
	v, _ := a.Value(t, path).(string)
	return v
}

// Value reads a value in an answer's JSON, by a path like items.0.spec.
func (a Answer) Value(t testing.TB, path string) any {
	t.Helper()
	var v any
	a.Decode(t, &v)
	for _, key := range strings.Split(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			v = at[key]
		case []any:
			i, err := strconv.Atoi(key)
			require.NoError(t, err)
			require.Less(t, i, len(at), a.Body)
			v = at[i]
		default:
			return nil
		}
	}
	return v
}

// ResourceVersion is the resourceVersion of an answer.
func (a Answer) ResourceVersion(t testing.TB) string {
	t.Helper()
	return a.Text(t, "metadata.resourceVersion")
}

// Names are the names of the items of a list.
func (a Answer) Names(t testing.TB) []string {
	t.Helper()
	var list struct {
		Items []struct{ Metadata struct{ Name string } }
	}
	a.Decode(t, &list)
	out := []string{}
	for _, item := range list.Items {
		out = append(out, item.Metadata.Name)
	}
	return out
}

// WantJSON asserts an answer's code and its whole JSON body.
func WantJSON(t testing.TB, a Answer, code int, body string) {
	t.Helper()
	require.Equal(t, code, a.Code, a.Body)
	require.Equal(t, "application/json", a.Header.Get("Content-Type"))
	require.JSONEq(t, Unmanaged(t, body), Unmanaged(t, a.Body))
}

// Unmanaged is JSON without the managedFields of its objects, which have tests of their own.
func Unmanaged(t testing.TB, text string) string {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var v any
	require.NoError(t, decoder.Decode(&v), text)
	var drop func(v any)
	drop = func(v any) {
		switch at := v.(type) {
		case map[string]any:
			if metadata, ok := at["metadata"].(map[string]any); ok {
				delete(metadata, "managedFields")
			}
			for _, member := range at {
				drop(member)
			}
		case []any:
			for _, element := range at {
				drop(element)
			}
		}
	}
	drop(v)
	out, err := json.Marshal(v)
	require.NoError(t, err)
	return string(out)
}

// WantFailure asserts that an answer is a Status that says exactly this. details is JSON, or empty for none.
func WantFailure(t testing.TB, a Answer, code int, reason, message, details string) {
	t.Helper()
	status := map[string]any{"kind": "Status", "apiVersion": "v1", "metadata": map[string]any{}, "status": "Failure",
		"message": message, "code": code}
	if reason != "" {
		status["reason"] = reason
	}
	if details != "" {
		status["details"] = json.RawMessage(details)
	}
	body, err := json.Marshal(status)
	require.NoError(t, err)
	WantJSON(t, a, code, string(body))
}

// Cause is one cause of a 422.
type Cause struct{ reason, field, message string }

// WantInvalid asserts that an answer is the 422 with these causes, in this order.
func WantInvalid(t testing.TB, a Answer, kind, name string, causes ...Cause) {
	t.Helper()
	var texts, list []string
	seen := map[string]bool{}
	for _, c := range causes {
		text := c.field + ": " + c.message
		if !seen[text] {
			texts = append(texts, text)
		}
		seen[text] = true
		encoded, err := json.Marshal(map[string]string{"reason": c.reason, "field": c.field, "message": c.message})
		require.NoError(t, err)
		list = append(list, string(encoded))
	}
	message := texts[0]
	if len(texts) > 1 {
		message = "[" + strings.Join(texts, ", ") + "]"
	}
	short, group, _ := strings.Cut(kind, ".")
	details := `{"kind":"` + short + `","causes":[` + strings.Join(list, ",") + `]`
	if group != "" {
		details += `,"group":"` + group + `"`
	}
	if name != "" {
		details += `,"name":"` + name + `"`
	}
	WantFailure(t, a, 422, "Invalid", fmt.Sprintf("%s %q is invalid: %s", kind, name, message), details+"}")
}

// StatusOf reads an answer as a Status, which every error has to be.
func StatusOf(t testing.TB, a Answer) status.Status {
	t.Helper()
	var s status.Status
	require.Equal(t, TypeJSON, a.Header.Get("Content-Type"), a.Body)
	a.Decode(t, &s)
	require.Equal(t, "Status", s.Kind)
	require.Equal(t, "v1", s.APIVersion)
	require.Equal(t, a.Code, int(s.Code))
	return s
}

// ReadAnswer reads a response to its end.
func ReadAnswer(t testing.TB, response *http.Response) Answer {
	t.Helper()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return newAnswer(response.StatusCode, response.Header, string(body), false)
}

// JSONOf is the JSON of a value.
func JSONOf(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

// Unregistered is the message that a body has a kind or a version that the API does not know.
func Unregistered(kind, version string) string {
	return fmt.Sprintf("no kind %q is registered for version %q in scheme %q", kind, version, write.SchemeName)
}

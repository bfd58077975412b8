package rest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/storage"
)

// Widget is the custom kind of the recorded transcripts.
type Widget struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               WidgetSpec   `json:"spec"`
	Status             WidgetStatus `json:"status,omitzero"`
}

type WidgetSpec struct {
	Size     *int32                     `json:"size,omitempty" api:"required,min=1,max=100"`
	Color    *string                    `json:"color,omitempty" api:"enum=red|green|blue,default=red"`
	Owner    *string                    `json:"owner,omitempty" api:"maxLength=10"`
	Code     *string                    `json:"code,omitempty" api:"pattern='^[a-z]+$'"`
	Replicas *int32                     `json:"replicas,omitempty" api:"min=0,default=1"`
	Big      *int64                     `json:"big,omitempty"`
	Weight   *float64                   `json:"weight,omitempty"`
	Paused   *bool                      `json:"paused,omitempty"`
	Note     json.RawMessage            `json:"note,omitempty" api:"type=string,nullable"`
	Port     json.RawMessage            `json:"port,omitempty" api:"intOrString"`
	Tags     []string                   `json:"tags,omitzero" api:"list=set,maxItems=5"`
	Steps    []string                   `json:"steps,omitzero"`
	Parts    []WidgetPart               `json:"parts,omitzero" api:"list=map,key=name"`
	Settings map[string]string          `json:"settings,omitzero"`
	Limits   map[string]string          `json:"limits,omitzero" api:"map=atomic"`
	Template *WidgetTemplate            `json:"template,omitempty" api:"default={}"`
	Extra    map[string]json.RawMessage `json:"extra,omitzero"`
}

type WidgetPart struct {
	Name  string  `json:"name"`
	Count *int32  `json:"count,omitempty" api:"default=1"`
	Kind  *string `json:"kind,omitempty" api:"enum=bolt|nut"`
}

type WidgetTemplate struct {
	Image *string  `json:"image,omitempty" api:"default=none"`
	Args  []string `json:"args,omitzero"`
}

type WidgetStatus struct {
	Phase              string            `json:"phase,omitempty" api:"enum=Pending|Ready|Failed"`
	Replicas           *int32            `json:"replicas,omitempty"`
	Selector           *string           `json:"selector,omitempty"`
	ObservedGeneration *int64            `json:"observedGeneration,omitempty"`
	Conditions         []WidgetCondition `json:"conditions,omitzero" api:"list=map,key=type"`
}

type WidgetCondition struct {
	Type               string  `json:"type"`
	Status             string  `json:"status" api:"enum=True|False|Unknown"`
	Reason             *string `json:"reason,omitempty"`
	Message            *string `json:"message,omitempty"`
	LastTransitionTime *string `json:"lastTransitionTime,omitempty" api:"format=date-time"`
}

const (
	widgetRoot = "/apis/example.com/v1"
	widgets    = widgetRoot + "/namespaces/default/widgets"
	allWidgets = widgetRoot + "/widgets"

	typeYAML       = "application/yaml"
	typeJSONPatch  = "application/json-patch+json"
	typeMergePatch = "application/merge-patch+json"
)

// Changes to the Widget resource that a test asks for.
type widgetOption func(*rest.Resource[Widget])

func widgetResource(options ...widgetOption) rest.Resource[Widget] {
	r := rest.Resource[Widget]{
		Group: "example.com", Version: "v1", Plural: "widgets",
		ShortNames: []string{"wd"}, Categories: []string{"all"}, Description: "Widget is what the tests are about.",
		SelectableFields: []string{"spec.color", "spec.owner"},
		Columns: []rest.Column{
			{Name: "Size", Type: "integer", Path: ".spec.size", Description: "Size of the widget."},
			{Name: "Color", Path: ".spec.color"},
			{Name: "Phase", Path: ".status.phase"},
			{Name: "Owner", Path: ".spec.owner", Priority: 1},
			{Name: "Age", Type: "date", Path: ".metadata.creationTimestamp"},
		},
		Scale: &rest.Scale{SpecReplicas: ".spec.replicas", StatusReplicas: ".status.replicas", Selector: ".status.selector"},
	}
	for _, o := range options {
		o(&r)
	}
	return r
}

// now is the time in all tests, so that whole bodies can be compared.
func now() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 678, time.UTC) }

const nowText = "2026-01-02T03:04:05Z"

// newWidgets is an API of Widgets. The first object has the uid uid-1 and, being the first commit, resourceVersion 2.
func newWidgets(t testing.TB, options ...widgetOption) *rest.API {
	return newAPI(t, rest.Options{}, widgetResource(options...))
}

func newAPI(t testing.TB, options rest.Options, definitions ...rest.Definition) *rest.API {
	t.Helper()
	if options.Now == nil {
		options.Now = now
	}
	var uids atomic.Int64
	options.NewUID = func() string { return "uid-" + strconv.FormatInt(uids.Add(1), 10) }
	if options.Store == nil { // one that counts from 1, so that revisions can be told in advance
		store := storage.NewMemory(storage.MemoryOptions{Start: 1})
		t.Cleanup(func() { require.NoError(t, store.Close()) })
		options.Store = store
	}
	api, err := rest.New(options, definitions...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, api.Close()) })
	return api
}

// answer is what a handler has answered.
type answer struct {
	Code   int
	Header http.Header
	Body   string
}

// do sends a request. The headers are pairs; without a Content-Type among them a body is JSON.
func do(t testing.TB, h http.Handler, method, target, body string, headers ...string) answer {
	t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r := httptest.NewRequest(method, target, reader)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return answer{w.Code, w.Header(), w.Body.String()}
}

// must is do for a step that only prepares a test.
func must(t testing.TB, h http.Handler, method, target, body string, headers ...string) answer {
	t.Helper()
	a := do(t, h, method, target, body, headers...)
	require.Less(t, a.Code, 300, "%s %s: %s", method, target, a.Body)
	return a
}

func create(t testing.TB, h http.Handler, name string, parts ...string) answer {
	t.Helper()
	return must(t, h, "POST", widgets, widgetBody(`"name":"`+name+`"`, parts...))
}

// merge sends a merge patch.
func merge(t testing.TB, h http.Handler, target, patch string) answer {
	t.Helper()
	return do(t, h, "PATCH", target, patch, "Content-Type", typeMergePatch)
}

// widgetBody is the JSON of a Widget with these members of metadata and these members beside it; a spec of size 1 where
// there is none.
func widgetBody(metadata string, parts ...string) string {
	rest := strings.Join(parts, ",")
	if !strings.Contains(rest, `"spec":`) {
		rest = strings.TrimPrefix(rest+`,"spec":{"size":1}`, ",")
	}
	return `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{` + metadata + `},` + rest + `}`
}

// stored is a Widget as it is answered. The zero value is the first one of an API, called a, of size 1.
type stored struct {
	name, uid, rv string
	generation    int
	metadata      string // further members
	spec          string // instead of that of size 1
	status        string
}

func (s stored) meta() string {
	if s.name == "" {
		s.name = "a"
	}
	if s.uid == "" {
		s.uid = "uid-1"
	}
	if s.rv == "" {
		s.rv = "2"
	}
	if s.generation == 0 {
		s.generation = 1
	}
	out := fmt.Sprintf(`"name":%q,"namespace":"default","uid":%q,"generation":%d,"creationTimestamp":%q`, s.name, s.uid, s.generation, nowText)
	if s.rv != "none" {
		out += `,"resourceVersion":"` + s.rv + `"`
	}
	if s.metadata != "" {
		out += "," + s.metadata
	}
	return out
}

func (s stored) String() string {
	if s.spec == "" {
		s.spec = `{"size":1,"color":"red","replicas":1,"template":{"image":"none"}}`
	}
	out := `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{` + s.meta() + `},"spec":` + s.spec
	if s.status != "" {
		out += `,"status":` + s.status
	}
	return out + "}"
}

// partial is the same as PartialObjectMetadata.
func (s stored) partial() string {
	return `{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":{` + s.meta() + `}}`
}

// wantJSON asserts an answer's code and its whole JSON body.
func wantJSON(t testing.TB, a answer, code int, body string) {
	t.Helper()
	require.Equal(t, code, a.Code, a.Body)
	require.Equal(t, "application/json", a.Header.Get("Content-Type"))
	require.JSONEq(t, unmanaged(t, body), unmanaged(t, a.Body))
}

// unmanaged is JSON without the managedFields of its objects, which have tests of their own.
func unmanaged(t testing.TB, text string) string {
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

// wantFailure asserts that an answer is a Status that says exactly this. details is JSON, or empty for none.
func wantFailure(t testing.TB, a answer, code int, reason, message, details string) {
	t.Helper()
	status := map[string]any{"kind": "Status", "apiVersion": "v1", "metadata": map[string]any{}, "status": "Failure", "message": message, "code": code}
	if reason != "" {
		status["reason"] = reason
	}
	if details != "" {
		status["details"] = json.RawMessage(details)
	}
	body, err := json.Marshal(status)
	require.NoError(t, err)
	wantJSON(t, a, code, string(body))
}

// aboutWidget are the details of an error about one Widget.
func aboutWidget(name string) string {
	return `{"name":"` + name + `","group":"example.com","kind":"widgets"}`
}

// cause is one cause of a 422.
type cause struct{ reason, field, message string }

// wantInvalid asserts that an answer is the 422 with these causes, in this order.
func wantInvalid(t testing.TB, a answer, kind, name string, causes ...cause) {
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
	wantFailure(t, a, 422, "Invalid", fmt.Sprintf("%s %q is invalid: %s", kind, name, message), details+"}")
}

// text reads a string in an answer's JSON, by a path like metadata.resourceVersion.
func (a answer) text(t testing.TB, path string) string {
	t.Helper()
	v, _ := a.value(t, path).(string)
	return v
}

func (a answer) value(t testing.TB, path string) any {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal([]byte(a.Body), &v), a.Body)
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

// rv is the resourceVersion of an answer.
func (a answer) rv(t testing.TB) string {
	t.Helper()
	return a.text(t, "metadata.resourceVersion")
}

// names are the names of the items of a list.
func (a answer) names(t testing.TB) []string {
	t.Helper()
	var list struct {
		Items []struct{ Metadata struct{ Name string } }
	}
	require.NoError(t, json.Unmarshal([]byte(a.Body), &list), a.Body)
	out := []string{}
	for _, item := range list.Items {
		out = append(out, item.Metadata.Name)
	}
	return out
}

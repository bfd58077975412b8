package rest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/widget"
	"github.com/decorum-go/decorum/rest"
)

// Widget is the custom kind of the recorded transcripts.
type Widget struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               WidgetSpec   `json:"spec"`
	Status             WidgetStatus `json:"status,omitzero"`
}

// The parts of a Widget are those of the transcripts' program.
type (
	WidgetSpec      = widget.WidgetSpec
	WidgetPart      = widget.Part
	WidgetTemplate  = widget.Template
	WidgetStatus    = widget.WidgetStatus
	WidgetCondition = widget.Condition
)

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
		Names: rest.Names{Short: []string{"wd"}, Categories: []string{"all"}}, Description: "Widget is what the tests are about.",
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

// newWidgets is an API of Widgets. The first object has the uid uid-1 and, being the first commit, resourceVersion 2.
func newWidgets(t testing.TB, options ...widgetOption) *rest.API {
	return newAPI(t, rest.Options{}, widgetResource(options...))
}

// widgetClient is the typed client of namespace default.
func widgetClient(t testing.TB, api *rest.API) rest.Client[Widget] {
	return clientFor[Widget](t, api).Namespace("default")
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

// aboutWidget are the details of an error about one Widget.
func aboutWidget(name string) string {
	return `{"name":"` + name + `","group":"example.com","kind":"widgets"}`
}

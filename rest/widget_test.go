package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
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
func widgetClient(api *rest.API) rest.Client[Widget] {
	return rest.ClientFor[Widget](api).Namespace("default")
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

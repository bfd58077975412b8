package apitest

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/test/widget"
	"github.com/decorum-go/decorum/rest"
)

// Paths of the group example.com/v1 and of its Widgets.
const (
	ExampleV1  = "/apis/example.com/v1"
	Widgets    = ExampleV1 + "/namespaces/default/widgets"
	AllWidgets = ExampleV1 + "/widgets"
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
	WidgetSpec   = widget.WidgetSpec
	WidgetStatus = widget.WidgetStatus
)

// WidgetOption changes the resource for a test.
type WidgetOption func(*rest.Resource[Widget])

// WidgetResource declares Widgets as the transcripts know them.
func WidgetResource(options ...WidgetOption) rest.Resource[Widget] {
	r := rest.Resource[Widget]{
		Group: "example.com", Version: "v1", Plural: "widgets",
		Names:            rest.Names{Short: []string{"wd"}, Categories: []string{"all"}},
		Description:      "Widget is what the tests are about.",
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

// NewWidgets is an API of Widgets. The first object has the uid uid-1 and, being the first commit, resourceVersion 2.
func NewWidgets(t testing.TB, options ...WidgetOption) *rest.API {
	return New(t, rest.Options{}, WidgetResource(options...))
}

// WidgetClient is the typed client of namespace default.
func WidgetClient(t testing.TB, api *rest.API) rest.Client[Widget] {
	return ClientFor[Widget](t, api).Namespace("default")
}

// CreateWidget creates a Widget in namespace default.
func CreateWidget(t testing.TB, h http.Handler, name string, parts ...string) Answer {
	t.Helper()
	return Must(t, h, "POST", Widgets, WidgetBody(`"name":"`+name+`"`, parts...))
}

// MergePatch sends a merge patch.
func MergePatch(t testing.TB, h http.Handler, target, patch string) Answer {
	t.Helper()
	return Do(t, h, "PATCH", target, patch, "Content-Type", TypeMergePatch)
}

// WidgetBody is the JSON of a Widget with these members of metadata and these members beside it; a spec of size 1 where
// there is none.
func WidgetBody(metadata string, parts ...string) string {
	rest := strings.Join(parts, ",")
	if !strings.Contains(rest, `"spec":`) {
		rest = strings.TrimPrefix(rest+`,"spec":{"size":1}`, ",")
	}
	return `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{` + metadata + `},` + rest + `}`
}

// StoredWidget is a Widget as it is answered. The zero value is the first one of an API, called a, of size 1.
type StoredWidget struct {
	Name, UID, RV string
	Generation    int
	Metadata      string // further members
	Spec          string // instead of that of size 1
	Status        string
}

func (s StoredWidget) meta() string {
	if s.Name == "" {
		s.Name = "a"
	}
	if s.UID == "" {
		s.UID = "uid-1"
	}
	if s.RV == "" {
		s.RV = "2"
	}
	if s.Generation == 0 {
		s.Generation = 1
	}
	out := fmt.Sprintf(`"name":%q,"namespace":"default","uid":%q,"generation":%d,"creationTimestamp":%q`, s.Name, s.UID,
		s.Generation, NowText)
	if s.RV != "none" {
		out += `,"resourceVersion":"` + s.RV + `"`
	}
	if s.Metadata != "" {
		out += "," + s.Metadata
	}
	return out
}

// String is the JSON of the Widget.
func (s StoredWidget) String() string {
	if s.Spec == "" {
		s.Spec = `{"size":1,"color":"red","replicas":1,"template":{"image":"none"}}`
	}
	out := `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{` + s.meta() + `},"spec":` + s.Spec
	if s.Status != "" {
		out += `,"status":` + s.Status
	}
	return out + "}"
}

// Partial is the same as PartialObjectMetadata.
func (s StoredWidget) Partial() string {
	return `{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":{` + s.meta() + `}}`
}

// AboutWidget are the details of an error about one Widget.
func AboutWidget(name string) string {
	return `{"name":"` + name + `","group":"example.com","kind":"widgets"}`
}

// NewWidget is a Widget of a size.
func NewWidget(name string, size int32) *Widget {
	return &Widget{ObjectMeta: apimeta.ObjectMeta{Name: name}, Spec: WidgetSpec{Size: &size}}
}

// FirstError is the error of the first event.
func FirstError(events func(yield func(rest.Event[Widget], error) bool)) error {
	for _, err := range events {
		return err
	}
	return nil
}

// DescribeEvent is an event in short.
func DescribeEvent(e rest.Event[Widget]) string {
	return fmt.Sprintf("%s %s %s", e.Type, e.Object.Name, e.ResourceVersion)
}

// BeingDeleted are the members of metadata of an object in deletion that these finalizers hold.
func BeingDeleted(finalizers ...string) string {
	return `"deletionTimestamp":"` + NowText + `","deletionGracePeriodSeconds":0,"finalizers":["` +
		strings.Join(finalizers, `","`) + `"]`
}

// WidgetList is a list of Widgets as it is answered, without a next page.
func WidgetList(metadata string, items ...string) string {
	return `{"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{` + metadata + `,"continue":""},"items":[` +
		strings.Join(items, ",") + `]}`
}

// List lists with these parameters, which are pairs.
func List(t testing.TB, api *rest.API, target string, query ...string) Answer {
	t.Helper()
	values := url.Values{}
	for i := 0; i+1 < len(query); i += 2 {
		if query[i+1] != "" {
			values.Set(query[i], query[i+1])
		}
	}
	return Do(t, api, "GET", target+"?"+values.Encode(), "")
}

// WidgetColumns are the columns of Widgets in a Table.
const WidgetColumns = `[
	{"name":"Name","type":"string","format":"name","description":"Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names","priority":0},
	{"name":"Size","type":"integer","format":"","description":"Size of the widget.","priority":0},
	{"name":"Color","type":"string","format":"","description":"Custom resource definition column (in JSONPath format): .spec.color","priority":0},
	{"name":"Phase","type":"string","format":"","description":"Custom resource definition column (in JSONPath format): .status.phase","priority":0},
	{"name":"Owner","type":"string","format":"","description":"Custom resource definition column (in JSONPath format): .spec.owner","priority":1},
	{"name":"Age","type":"date","format":"","description":"Custom resource definition column (in JSONPath format): .metadata.creationTimestamp","priority":0}]`

// WidgetTable is the JSON of a Table of Widgets.
func WidgetTable(metadata, rows string) string {
	return `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{` + metadata + `},"columnDefinitions":` +
		WidgetColumns + `,"rows":[` + rows + `]}`
}

// TableRow is the JSON of a row.
func TableRow(cells, object string) string { return `{"cells":` + cells + `,"object":` + object + `}` }

// SpecOfSizeTwo is the spec of a Widget of size 2 as it is answered.
const SpecOfSizeTwo = `{"size":2,"color":"red","replicas":1,"template":{"image":"none"}}`

// Gizmo is another resource of the API, whose writes move the store's revision.
type Gizmo struct{ Widget }

// Gizmos declares Gizmos.
func Gizmos() rest.Definition {
	return rest.Resource[Gizmo]{Group: "example.com", Version: "v1", Plural: "gizmos"}
}

// TouchGizmo creates a Gizmo.
func TouchGizmo(t testing.TB, api *rest.API, name string) {
	t.Helper()
	Must(t, api, "POST", ExampleV1+"/namespaces/default/gizmos",
		`{"apiVersion":"example.com/v1","kind":"Gizmo","metadata":{"name":"`+name+`"},"spec":{"size":1}}`)
}

package apitest

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// Dial is a kind whose zeros mean something. Go leaves most of them out.
type Dial struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               DialSpec   `json:"spec"`
	Status             DialStatus `json:"status,omitzero"`
}

// DialSpec is the desired state of a Dial.
type DialSpec struct {
	Replicas int32  `json:"replicas,omitempty" api:"default=3,min=0"`
	Enabled  bool   `json:"enabled,omitempty" api:"default=true"`
	Label    string `json:"label,omitempty"`
	Limit    int64  `json:"limit,omitempty"`
	DialScale
	Knob   Knob              `json:"knob,omitzero"`
	Spare  *Knob             `json:"spare,omitempty"`
	Knobs  []NamedKnob       `json:"knobs,omitempty" api:"list=map,key=name"`
	Steps  []Knob            `json:"steps,omitempty"`
	Tags   []string          `json:"tags,omitempty" api:"list=set"`
	Colors []string          `json:"colors,omitempty" api:"default='[\"red\"]'"`
	Notes  map[string]string `json:"notes,omitempty"`
	ByName map[string]Knob   `json:"byName,omitempty"`
	Maybe  *int32            `json:"maybe,omitempty"`
	Remark *string           `json:"remark,omitempty" api:"nullable"`
	Free   map[string]any    `json:"free,omitempty"`
	Raw    json.RawMessage   `json:"raw,omitempty" api:"preserveUnknown"`
	When   apimeta.Time      `json:"when,omitzero"`
	Pair   [2]int32          `json:"pair,omitzero"`
	Secret string            `json:"-"`
}

// DialScale is embedded.
type DialScale struct {
	Factor float64 `json:"factor,omitempty" api:"default=1"`
}

// Knob is an object within a Dial.
type Knob struct {
	Size  int32  `json:"size,omitempty" api:"default=5"`
	Title string `json:"title,omitempty"`
}

// NamedKnob is an element of a map list.
type NamedKnob struct {
	Name string `json:"name"`
	Knob
}

// DialStatus is the observed state of a Dial.
type DialStatus struct {
	Replicas int32  `json:"replicas,omitempty"`
	Ready    bool   `json:"ready,omitempty" api:"default=true"`
	Selector string `json:"selector,omitempty"`
}

// Dials is the path of the Dials in namespace default.
const Dials = "/apis/example.com/v1/namespaces/default/dials"

// DialOption changes the resource for a test.
type DialOption func(*rest.Resource[Dial])

// DialResource declares Dials.
func DialResource(options ...DialOption) rest.Resource[Dial] {
	r := rest.Resource[Dial]{Group: "example.com", Version: "v1", Plural: "dials",
		Scale: &rest.Scale{SpecReplicas: ".spec.replicas", StatusReplicas: ".status.replicas", Selector: ".status.selector"}}
	for _, o := range options {
		o(&r)
	}
	return r
}

// NewDials is an API of Dials with a client of namespace default.
func NewDials(t testing.TB, options ...DialOption) (*rest.API, rest.Client[Dial]) {
	t.Helper()
	api := New(t, rest.Options{}, DialResource(options...))
	return api, ClientFor[Dial](t, api).Namespace("default")
}

// DialBody is the JSON of the Dial a with this spec.
func DialBody(spec string) string {
	return `{"apiVersion":"example.com/v1","kind":"Dial","metadata":{"name":"a"},"spec":` + spec + `}`
}

// DialDefaults are the defaults that tests do not care about.
const DialDefaults = `"factor":1,"colors":["red"]`

// WantDial asserts what is stored in a member of the Dial a.
func WantDial(t testing.TB, api *rest.API, member, want string) {
	t.Helper()
	a := Must(t, api, "GET", Dials+"/a", "")
	got, err := json.Marshal(a.Value(t, member))
	require.NoError(t, err)
	require.JSONEq(t, want, string(got))
}

// GetDial reads the Dial a.
func GetDial(t testing.TB, c rest.Client[Dial]) *Dial {
	t.Helper()
	d, err := c.Get(context.Background(), "a")
	require.NoError(t, err)
	return d
}

package schema_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	transcripts "github.com/decorum-go/decorum/internal/widget"
	"github.com/stretchr/testify/require"
)

// Widget is the custom kind of the conformance transcripts as a Go struct.
type Widget struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               WidgetSpec   `json:"spec"`
	Status             WidgetStatus `json:"status,omitzero"`
}

type WidgetSpec struct {
	Size     *int32                     `json:"size,omitempty" api:"required,min=1,max=100,doc='How large, in steps of one.'"`
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
	Parts    []Part                     `json:"parts,omitzero" api:"list=map,key=name"`
	Settings map[string]string          `json:"settings,omitzero"`
	Limits   map[string]string          `json:"limits,omitzero" api:"map=atomic"`
	Template *Template                  `json:"template,omitempty" api:"default={}"`
	Extra    map[string]json.RawMessage `json:"extra,omitzero"`
}

// The other parts of a Widget are those of the transcripts' program.
type (
	Part         = transcripts.Part
	Template     = transcripts.Template
	WidgetStatus = transcripts.WidgetStatus
	Condition    = transcripts.Condition
)

func widget(t testing.TB) *schema.Schema { return derive[Widget](t) }

func derive[T any](t testing.TB, options ...schema.Options) *schema.Schema {
	t.Helper()
	s, err := schema.Derive(reflect.TypeFor[T](), append(options, schema.Options{})[0])
	require.NoError(t, err)
	return s
}

// parse reads a document from the JSON, or YAML in braces, of a test.
func parse(t testing.TB, text string) doc.Value {
	t.Helper()
	v, _, err := codec.DecodeJSON([]byte(text)) // first, because YAML rewrites numbers
	if err != nil {
		v, _, err = codec.DecodeYAML([]byte(text), false)
	}
	require.NoError(t, err, text)
	return v
}

func show(v doc.Value) string { return string(codec.AppendJSON(nil, v)) }

package schema_test

import (
	"reflect"
	"testing"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	transcripts "github.com/decorum-go/decorum/internal/test/widget"
	"github.com/stretchr/testify/require"
)

// The kind of the conformance transcripts.
type (
	Widget       = transcripts.Widget
	WidgetSpec   = transcripts.WidgetSpec
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

package managed_test

import (
	"reflect"
	"testing"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/managed"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/stretchr/testify/require"
)

// Gear has a field for each relationship.
type Gear struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               GearSpec   `json:"spec,omitzero"`
	Status             GearStatus `json:"status,omitzero"`
}

type GearSpec struct {
	Size     int32             `json:"size,omitempty"`
	Teeth    []Tooth           `json:"teeth,omitempty" api:"list=map,key=name"`
	Tags     []string          `json:"tags,omitempty" api:"list=set"`
	Steps    []string          `json:"steps,omitempty"`
	Settings map[string]string `json:"settings,omitempty"`
	Limits   map[string]string `json:"limits,omitempty" api:"map=atomic"`
	Inner    *GearSpec         `json:"inner,omitempty"`
	Extra    any               `json:"extra,omitempty"`
}

type Tooth struct {
	Name   string `json:"name"`
	Length int32  `json:"length,omitempty"`
	Note   string `json:"note,omitempty"`
}

type GearStatus struct {
	Phase string `json:"phase,omitempty"`
	Count int32  `json:"count,omitempty"`
}

func gears(t testing.TB) *managed.Kind {
	s, err := schema.Derive(reflect.TypeFor[Gear](), schema.Options{})
	require.NoError(t, err)
	return managed.NewKind(s, apimeta.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Gear"},
		parse(t, `{"apiVersion":"example.com/v1","kind":"Gear"}`), nil)
}

func parse(t testing.TB, text string) doc.Value {
	t.Helper()
	v, err := tryParse(text)
	require.NoError(t, err, text)
	return v
}

func tryParse(text string) (doc.Value, error) {
	v, _, err := codec.DecodeJSON([]byte(text))
	return v, err
}

func show(v doc.Value) string { return string(codec.AppendJSON(nil, v)) }

package k8s

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
)

type shelf struct {
	Rows   [][]string          `json:"rows"`
	Labels map[string][]string `json:"labels"`
	Quoted *string             `json:"quoted"`
	Absent string              `json:"absent"`
}

// The prefixes of the api tag describe lists in lists and lists in maps, although k8s.io/api has hardly any.
func TestPlacesWithoutAName(t *testing.T) {
	text := smd.Scalar("string")
	set := smd.TypeRef{Inlined: smd.Atom{List: &smd.List{ElementType: smd.TypeRef{Inlined: smd.Atom{Scalar: &text}},
		ElementRelationship: smd.Associative}}}
	atomic := smd.TypeRef{Inlined: smd.Atom{List: &smd.List{ElementType: set, ElementRelationship: smd.Atomic}}}
	name := "shelf"
	w := walker{seen: map[reflect.Type]bool{}, tags: map[string]string{},
		schema: &smd.Schema{Types: []smd.TypeDef{{Name: name, Atom: smd.Atom{Map: &smd.Map{Fields: []smd.StructField{
			{Name: "rows", Type: atomic},
			{Name: "labels", Type: smd.TypeRef{Inlined: smd.Atom{Map: &smd.Map{ElementType: set,
				ElementRelationship: smd.Atomic}}}},
			{Name: "quoted", Type: smd.TypeRef{Inlined: smd.Atom{Scalar: &text}}, Default: "it's"},
			{Name: "elsewhere", Type: set},
		}}}}}}}

	assert.Empty(t, w.place(reflect.TypeFor[*shelf](), smd.TypeRef{NamedType: &name}))
	assert.Equal(t, map[string]string{
		"github.com/decorum-go/decorum/k8s.shelf.rows":   "list=atomic,items.list=set,items.duplicates",
		"github.com/decorum-go/decorum/k8s.shelf.labels": "map=atomic,values.list=set,values.duplicates",
		"github.com/decorum-go/decorum/k8s.shelf.quoted": `default='"it''s"'`,
	}, w.tags)
}

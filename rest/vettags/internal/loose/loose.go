// Package loose declares generic kinds and kinds of the built-in dialect, for the tests of package vettags.
package loose

// Box holds anything.
type Box[T any] struct {
	Value  T            `json:"value" api:"min=1,maxLength=2"`
	Values []T          `json:"values" api:"items.min=1,list=map,key=name"`
	Map    map[string]T `json:"map" api:"values.items.pattern=a,vals.x"` // want `option vals.x: unknown option`
}

// List has a key that an element may lack.
type List struct {
	Elements []Element `json:"elements" api:"list=map,key=name"`
}

// Element is an element of a List.
type Element struct {
	Name string `json:"name,omitempty"`
}

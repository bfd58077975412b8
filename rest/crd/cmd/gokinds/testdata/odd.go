// This code does not express these parts of the definitions:
//
//   - Oddity: version v1beta1: --version prints it, and Versions of the resource declares it
//   - Oddity: conversion: a webhook converts the objects
//   - Oddity: metadata: its rules
//   - Oddity: the object: rule: has(self.spec)
//   - Oddity: spec.a,b: encoding/json does not accept the name
//   - Oddity: spec.amounts{}: rules of the values: intOrString,pattern=^[0-9]+$
//   - Oddity: spec.bars: enum
//   - Oddity: spec.either: oneOf
//   - Oddity: spec.embedded: x-kubernetes-embedded-resource
//   - Oddity: spec.fixed: rule: self == oldSelf
//   - Oddity: spec.halfOpen: x-kubernetes-preserve-unknown-fields: the Go struct has only the declared fields
//   - Oddity: spec.noText: enum
//   - Oddity: spec.either.right: not
//   - Oddity: additionalPrinterColumns: Missing: table: path ".spec.missing": spec has no field "missing": it has -, 3d, FooBar, a,b, amount, amounts, anything, bars, bytes, counts, either, embedded, empty, epoch, filled, fixed, float, foo-bar, fooBar, groups, and others
//   - OddityStatus: status: it becomes a subresource, like the status of every Go type

package odd

import (
	"encoding/json"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// Oddity is an object of the kind Oddity.
type Oddity struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec   OdditySpec   `json:"spec"`
	Status OddityStatus `json:"status,omitzero"`
}

// OdditySpec is the type of spec of the kind Oddity.
type OdditySpec struct {
	X           string                       `json:"-,omitempty"`
	X3d         *bool                        `json:"3d,omitempty"`
	FooBar      string                       `json:"FooBar,omitempty"`
	Amount      json.RawMessage              `json:"amount,omitempty" api:"intOrString,pattern=^[0-9]+$"`
	Amounts     map[string]json.RawMessage   `json:"amounts,omitempty"`
	Anything    json.RawMessage              `json:"anything,omitempty"`
	Bars        string                       `json:"bars,omitempty"`
	Bytes       []byte                       `json:"bytes,omitempty"`
	Counts      []int64                      `json:"counts,omitempty" api:"items.enum=1|2,minItems=1,list=set"`
	Either      *OdditySpecEither            `json:"either,omitempty"`
	Embedded    map[string]any               `json:"embedded,omitempty"`
	Empty       *OdditySpecEmpty             `json:"empty,omitempty"`
	Epoch       string                       `json:"epoch,omitempty" api:"format=date-time,default=1970-01-01T00:00:00Z"`
	Filled      *OdditySpecFilled            `json:"filled,omitempty" api:"default='{\"name\":\"it''s\",\"size\":2}'"`
	Fixed       string                       `json:"fixed,omitempty"`
	Float       *float64                     `json:"float,omitempty" api:"format=float"`
	FooBar2     string                       `json:"foo-bar,omitempty"`
	FooBar3     string                       `json:"fooBar,omitempty"`
	Groups      map[string][]OdditySpecGroup `json:"groups,omitempty" api:"values.items.minProperties=1,values.items.doc='a member'"`
	Größe       *int32                       `json:"größe,omitempty"`
	HalfOpen    *OdditySpecHalfOpen          `json:"halfOpen,omitempty"`
	Labels      map[string]string            `json:"labels,omitempty" api:"values.maxLength=63,maxProperties=3,map=atomic"`
	Matrix      [][]float64                  `json:"matrix,omitempty" api:"items.items.min=0,items.maxItems=3"`
	NoText      string                       `json:"noText,omitempty" api:"nullable"`
	Nothing     *OdditySpecNothing           `json:"nothing,omitempty" api:"nullable"`
	Number      string                       `json:"number,omitempty" api:"enum='12||null|it''s|a b',default=12"`
	Open        map[string]any               `json:"open,omitempty"`
	Pattern     string                       "json:\"pattern,omitempty\" api:\"minLength=1,maxLength=9,pattern='^[a-z]{1,3}`''\\\\.$'\""
	Plain       string                       `json:"plain" api:"doc='two\nlines, with a comma'"`
	Policies    []OdditySpecPolicy           `json:"policies,omitempty" api:"items.map=granular,list=map,key=name,key=proto"`
	Port        json.RawMessage              `json:"port,omitempty" api:"intOrString,default=80"`
	Quoted      string                       `json:"quoted,omitempty" api:"default=\"\\\"quoted\\\"\""`
	Ratio       float64                      `json:"ratio" api:"min=0,max=1,multipleOf=0.25,exclusiveMin"`
	Replicas    *int32                       `json:"replicas,omitempty" api:"min=0,max=9,default=1"`
	Since       *apimeta.Time                `json:"since,omitempty"`
	URL         string                       `json:"url,omitempty" api:"format=uri"`
	WithDefault string                       `json:"withDefault" api:"required,default='a, b'"`
}

// OddityStatus is the type of status of the kind Oddity.
type OddityStatus struct {
	Conditions []apimeta.Condition `json:"conditions,omitempty" api:"list=map,key=type"`
	Replicas   *int32              `json:"replicas,omitempty"`
}

// OdditySpecEither is the type of spec.either of the kind Oddity.
type OdditySpecEither struct {
	Left  string `json:"left,omitempty"`
	Right string `json:"right,omitempty"`
}

// OdditySpecEmpty is the type of spec.empty of the kind Oddity.
type OdditySpecEmpty struct {
}

// OdditySpecFilled is the type of spec.filled of the kind Oddity.
type OdditySpecFilled struct {
	Name string `json:"name,omitempty"`
	Size *int64 `json:"size,omitempty"`
}

// OdditySpecGroup is the type of spec.groups{}[] of the kind Oddity.
type OdditySpecGroup struct {
	Name string `json:"name,omitempty"`
}

// OdditySpecHalfOpen is the type of spec.halfOpen of the kind Oddity.
type OdditySpecHalfOpen struct {
	Known string `json:"known,omitempty"`
}

// OdditySpecNothing is the type of spec.nothing of the kind Oddity.
type OdditySpecNothing struct {
	A *bool `json:"a,omitempty"`
}

// OdditySpecPolicy is the type of spec.policies[] of the kind Oddity.
type OdditySpecPolicy struct {
	Name   string `json:"name"`
	Proto  string `json:"proto,omitempty" api:"default=TCP"`
	Weight *int64 `json:"weight,omitempty"`
}

// Oddities returns the declaration of the kind Oddity.
func Oddities() rest.Resource[Oddity] {
	return rest.Resource[Oddity]{
		Group: "odd.example.com", Version: "v1", Plural: "oddities",
		Scope:       rest.ScopeCluster,
		Names:       rest.Names{Singular: "odd", Short: []string{"od"}, Categories: []string{"all"}},
		Description: "Oddity has `quotes`, \"quotes\" and 'quotes'.",
		Columns: []rest.Column{
			{Name: "Plain", Type: "string", Path: ".spec.plain", Priority: 1, Description: "a 'plain' text"},
		},
		SelectableFields: []string{"spec.plain"},
		Scale:            &rest.Scale{SpecReplicas: ".spec.replicas", StatusReplicas: ".status.replicas"},
	}
}

// OddityStatus2 is an object of the kind OddityStatus.
type OddityStatus2 struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Data   map[string]string `json:"data,omitempty"`
	Name   string            `json:"name,omitempty"`
	Status string            `json:"status,omitempty"`
}

// Odditystatuses returns the declaration of the kind OddityStatus.
func Odditystatuses() rest.Resource[OddityStatus2] {
	return rest.Resource[OddityStatus2]{
		Group: "odd.example.com", Version: "v1", Plural: "odditystatuses",
		Names: rest.Names{Kind: "OddityStatus", ListKind: "Odds"},
	}
}

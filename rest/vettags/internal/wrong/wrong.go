// Package wrong has kinds with faults, for the tests of package vettags.
package wrong

import (
	"encoding/json"
	"reflect"
	"time"

	"github.com/decorum-go/decorum/apimeta"
)

// Types are the types with faults.
var Types = []reflect.Type{
	reflect.TypeFor[Widget](), reflect.TypeFor[Bounds](), reflect.TypeFor[Keys](), reflect.TypeFor[Union](), reflect.TypeFor[Defaults](),
	reflect.TypeFor[Right](),
}

type Widget struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec Spec `json:"spec"`
}

type Spec struct {
	Misspelled string            `json:"misspelled" api:"minLenght=1"`              // want `option minLenght: unknown option`
	NoValue    string            `json:"noValue" api:"maxLength"`                   // want `option maxLength: missing value`
	AValue     string            `json:"aValue" api:"nullable=true"`                // want `option nullable: it does not take a value`
	Open       string            `json:"open" api:"doc='never closed"`              // want `the api tag "doc='never closed": option doc: the value has no closing quote`
	Unfit      bool              `json:"unfit" api:"min=1"`                         // want `option min: it applies to values of type integer or number, not boolean`
	Fraction   int32             `json:"fraction" api:"max=1.5"`                    // want `option max: "1.5" is not of type integer`
	Elements   []string          `json:"elements,omitempty" api:"items.min=1"`      // want `option items.min: it applies to values of type integer or number, not string`
	NoItems    map[string]string `json:"noItems,omitempty" api:"items.maxLength=1"` // want `option items.maxLength: type object has no items`
	Pattern    string            `json:"pattern,omitempty" api:"pattern='('"`       // want `option pattern: .*missing closing \)`
	When       time.Time         `json:"when" api:"max=1"`                          // want `option max: it applies to values of type integer or number, not string`
	Raw        json.RawMessage   `json:"raw,omitempty" api:"maxLength=1"`           // want `option maxLength: it applies to values of type string, not value of any type`
	Both       string            `json:"both" api:"required,optional"`              // want `a field cannot be both required and optional`
	Inner      struct {
		Bad int64 `json:"bad" api:"enum=1|b"` // want `option enum: "b" is not a JSON value`
	} `json:"inner,omitzero"`
}

// Bounds has contradictions between options that are each valid.
type Bounds struct {
	Crossed float64  `json:"crossed,omitempty" api:"min=2,max=1"`                       // want `min 2 exceeds max 1`
	Below   []string `json:"below,omitempty" api:"items.minLength=3,items.maxLength=2"` // want `\[\]: minLength 3 exceeds maxLength 2`
}

// Keys has lists whose elements no key identifies.
type Keys struct {
	Missing  []Element `json:"missing,omitempty" api:"list=map,key=id"`  // want `the elements have no member "id" that could be the key`
	Optional []Element `json:"optional,omitempty" api:"list=map,key=no"` // want `the key "no" must be required or have a default \(.*Element.no\)`
	Good     []Element `json:"good,omitempty" api:"list=map,key=name"`
}

type Element struct {
	Name string `json:"name"`
	No   string `json:"no,omitempty"`
}

type Union struct { // want `the union "x" of its fields has too few members`
	Only *Element `json:"only,omitempty" api:"member=a,union=x"`
	Lost string   `json:"lost,omitempty" api:"union=y"` // want `union= needs discriminator or member`
}

type Defaults struct {
	Mode  string   `json:"mode,omitempty" api:"enum=a|b,default=c"`                  // want `the default breaks the field's own rules: .*`
	Extra *Element `json:"extra,omitempty" api:"default='{\"name\":\"a\",\"x\":1}'"` // want `the default has the unknown field x`
}

// Right has tags that the library accepts.
type Right struct {
	Embedded
	List  []Right        `json:"list,omitempty" api:"maxItems=2"`
	Size  *int32         `json:"size,omitempty" api:"min=1,max=10,default=2"`
	Any   any            `json:"any,omitempty" api:"type=string"`
	Quant Quantity       `json:"quant,omitempty" api:"pattern='^[0-9]+$'"`
	Map   map[string]any `json:"map,omitempty" api:"preserveUnknown"`
	Kind  string         `json:"kind" api:"discriminator"`
}

// Embedded has members of a union whose discriminator is in the outer struct.
type Embedded struct {
	A *Element `json:"a,omitempty" api:"member"`
	B *Element `json:"b,omitempty" api:"member"`
}

// Quantity declares its own schema.
type Quantity string

func (Quantity) OpenAPISchemaType() []string { return []string{"string"} }

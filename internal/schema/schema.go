package schema

import (
	"regexp"
	"strings"

	"github.com/decorum-go/decorum/internal/doc"
)

// The types of JSON Schema that a [Schema] can name. AnyType is the type of a value that may be anything.
const (
	AnyType     = ""
	ObjectType  = "object"
	ArrayType   = "array"
	StringType  = "string"
	IntegerType = "integer"
	NumberType  = "number"
	BooleanType = "boolean"
)

// How the elements of a list belong together (API conventions, Lists of named subobjects preferred over maps): an atomic
// list changes as a whole, a set holds each scalar once, a map holds each combination of its keys once.
const (
	AtomicList = "atomic"
	SetList    = "set"
	MapList    = "map"
)

// How the members of a map or struct belong together: an atomic one changes as a whole, in a granular one (the default)
// each member has an owner of its own.
const (
	AtomicMap   = "atomic"
	GranularMap = "granular"
)

// Schema says what one place of a document may hold. It must not be changed once it was derived.
type Schema struct {
	// Type is one of the JSON types, or AnyType.
	Type string
	// OneOf names the types a value may have where there is more than one; Type is then AnyType.
	OneOf []string
	// Format refines Type, e.g. int32, double, byte or date-time.
	Format      string
	Description string

	// Nullable keeps an explicit null. Elsewhere null counts as absent.
	Nullable bool
	// PreserveUnknown keeps members that no property describes.
	PreserveUnknown bool
	// IntOrString accepts an integer or a string; Type is then AnyType.
	IntOrString bool
	// Immutable refuses every change after creation.
	Immutable bool

	// Object describes the named properties of a struct. All places of one Go type share it.
	Object *Object
	// Items describes the elements of a list.
	Items *Schema
	// Additional describes the values of a map.
	Additional *Schema

	// DefaultValue is what an absent value becomes, as it was declared; absent if there is none.
	DefaultValue doc.Value
	// Enum lists the allowed values; empty allows all.
	Enum []doc.Value

	// Minimum and Maximum bound a number; absent if there is no bound. They are inclusive unless the Exclusive twin is set.
	Minimum, Maximum                   doc.Value
	ExclusiveMinimum, ExclusiveMaximum bool
	// MultipleOf is above 0, and a number is a multiple of it; absent if it need not be one.
	MultipleOf doc.Value
	// MinLength and MaxLength bound a string, in characters.
	MinLength, MaxLength *int64
	// MinItems and MaxItems bound the elements of a list.
	MinItems, MaxItems *int64
	// MinProperties and MaxProperties bound the members of a map.
	MinProperties, MaxProperties *int64
	// Pattern must match somewhere in a string (anchor it to match the whole).
	Pattern *regexp.Regexp

	// ListType is AtomicList, SetList, MapList or "" for a list that says nothing, which counts as atomic.
	ListType string
	// ListMapKeys names the members that identify an element of a MapList.
	ListMapKeys []string
	// MapType is AtomicMap, GranularMap or "", which counts as granular.
	MapType string
	// ZeroKey says of a member that is the key of list elements: where it is absent, its zero value is the key.
	ZeroKey bool
	// PatchStrategy and PatchMergeKey steer strategic merge patch as the tags of that name say, e.g. "merge" and "name".
	PatchStrategy, PatchMergeKey string

	// Rules are those of a rule language. Whoever made them evaluates them; here they are carried and published.
	Rules []Rule

	// goType is what only the Go type says, and OpenAPI does not.
	goType goLimits
	// filled is DefaultValue with the defaults below it, what an absent value becomes in the end.
	filled doc.Value
	// duplicates lets elements repeat what ListType would have once: it then steers patches and apply, and nothing else. So it
	// is where the ListType follows from the patch tags alone, or where a tag says so.
	duplicates bool
	// keeps reports that something at or below this place is Immutable, so that update validation must look there.
	keeps bool
	// settles reports the same for [Schema.Reconcile], and counts for [Schema.EndlessNumber].
	settles bool
	counts  bool
	// distinct reports the same for [Schema.CheckRepeats].
	distinct bool
}

// Object is what a struct type says about its members. Recursive types point back to their own Object.
type Object struct {
	// Name is the Go type's import path and name, e.g. "k8s.io/api/core/v1.Container": one name, one type.
	// It is empty for a struct type without a name.
	Name        string
	Description string
	// Properties are sorted by name.
	Properties []Property

	declared []int // the properties in the order of the Go struct's fields
	unions   []union
	defaults int   // how many properties have a default
	required []int // the required properties, in the order in which the struct declares them
	keeps    bool
	settles  bool
	counts   bool
	distinct bool
}

// Property is one named member of an [Object].
type Property struct {
	Name   string
	Schema *Schema
	// Required properties must be present in a valid document.
	Required bool
	// OmitEmpty and OmitZero are the options of the json tag: when Go leaves the member out.
	OmitEmpty, OmitZero bool

	unchecked bool // Validate does not look below: object metadata has its own rules, elsewhere
}

// Property returns the property of that name, and nil if there is none or the schema describes no struct.
func (s *Schema) Property(name string) *Property {
	if s == nil || s.Object == nil {
		return nil
	}
	return s.Object.Property(name)
}

// Property returns the property of that name, and nil if there is none.
func (o *Object) Property(name string) *Property {
	low, high := 0, len(o.Properties)
	for low < high {
		i := int(uint(low+high) >> 1)
		switch c := strings.Compare(o.Properties[i].Name, name); {
		case c == 0:
			return &o.Properties[i]
		case c < 0:
			low = i + 1
		default:
			high = i
		}
	}
	return nil
}

// Member returns the schema of a member: of the property of that name, else of the map's values. It is nil for a member
// that the schema does not know.
func (s *Schema) Member(name string) *Schema {
	if p := s.Property(name); p != nil {
		return p.Schema
	}
	if s == nil {
		return nil
	}
	return s.Additional
}

// At returns the schema that member names lead to, as [Schema.Member] does for each. A name "[]" stands for the elements
// of a list. It is nil where the path leads out of the schema.
func (s *Schema) At(path ...string) *Schema {
	for _, name := range path {
		if s == nil {
			return nil
		}
		if name == "[]" {
			s = s.Items
		} else {
			s = s.Member(name)
		}
	}
	return s
}

// Anything reports whether the schema says nothing about the value and what is below it.
func (s *Schema) Anything() bool {
	return s.Type == AnyType && s.PreserveUnknown && !s.IntOrString && len(s.OneOf) == 0
}

// Types returns the JSON types a value may have, in the order they are declared; none means any.
func (s *Schema) Types() []string {
	switch {
	case s.IntOrString:
		return []string{IntegerType, StringType}
	case len(s.OneOf) > 0:
		return s.OneOf
	case s.Type == AnyType:
		return nil
	}
	return []string{s.Type}
}

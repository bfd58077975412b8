package schema

import (
	"strings"

	"github.com/decorum-go/decorum/internal/doc"
)

// These are the JSON Schema types that a [Schema] can have. AnyType means that a value may be of any type.
const (
	AnyType     = ""
	ObjectType  = "object"
	ArrayType   = "array"
	StringType  = "string"
	IntegerType = "integer"
	NumberType  = "number"
	BooleanType = "boolean"
)

// These list types say how the elements of a list belong together (API conventions, Lists of named subobjects preferred
// over maps). An atomic list changes as a whole. A set contains each scalar at most once. A map contains each
// combination of its keys at most once.
const (
	AtomicList = "atomic"
	SetList    = "set"
	MapList    = "map"
)

// These map types say how the members of a map or struct belong together. An atomic map changes as a whole. In a
// granular map (the default), each member has an owner of its own.
const (
	AtomicMap   = "atomic"
	GranularMap = "granular"
)

// Schema describes what one place of a document may hold. It must not change after [Derive] or [FromOpenAPI] returns
// it.
type Schema struct {
	// Type is one of the JSON types, or AnyType.
	Type string
	// OneOf lists the types that a value may have if there are several. Type is then AnyType.
	OneOf []string
	// Format refines Type, e.g. int32, double, byte or date-time.
	Format      string
	Description string

	// Nullable keeps an explicit null. Without it, null counts as absent.
	Nullable bool
	// PreserveUnknown keeps members that no property describes.
	PreserveUnknown bool
	// IntOrString accepts an integer or a string; Type is then AnyType.
	IntOrString bool
	// Immutable rejects every change after creation.
	Immutable bool

	// Object describes the named properties of a struct. All places of one Go type share it.
	Object *Object
	// Items describes the elements of a list.
	Items *Schema
	// Additional describes the values of a map.
	Additional *Schema

	// DefaultValue is the declared default. It is absent if there is none.
	DefaultValue doc.Value

	// ListType is AtomicList, SetList, MapList or "", which counts as atomic.
	ListType string
	// ListMapKeys names the members that identify an element of a MapList.
	ListMapKeys []string
	// MapType is AtomicMap, GranularMap or "", which counts as granular.
	MapType string
	// ZeroKey applies to a member that is a key of list elements: if the member is absent, its zero value is the key.
	ZeroKey bool
	// PatchStrategy and PatchMergeKey are the tags of that name, which configure strategic merge patch, such as "merge"
	// and "name".
	PatchStrategy, PatchMergeKey string

	// goType describes what only the Go type says, and OpenAPI does not.
	goType goLimits
	// filled is DefaultValue with the defaults below it: what an absent value becomes.
	filled doc.Value
	// filledSize is about how many bytes of JSON filled has.
	filledSize int
	// constraints are those of [Schema.Constraints]; nil if there are none.
	constraints *Constraints
	// duplicates allows duplicate elements although ListType is a set or map. The ListType then affects only patches and
	// apply. It is set if the ListType follows from the patch tags alone, or if a tag says so.
	duplicates bool
	// keeps says that something at or below this place is Immutable, so [Schema.CheckFixed] must look there.
	keeps bool
	// settles says the same for [Schema.Reconcile], counts for [Schema.EndlessNumber].
	settles bool
	counts  bool
	// distinct says the same for [Schema.CheckRepeats].
	distinct bool
	// embeds says that there is an embedded resource at or below this place.
	embeds bool
	// fromOpenAPI says that [FromOpenAPI] made the schema. open holds the rules that only such a schema can have; it is
	// nil if there are none.
	fromOpenAPI bool
	open        *openRules
	root        *root // nil for the parts of a schema
}

// Constraints are what few places of a document have besides their types.
type Constraints struct {
	// Enum lists the allowed values. Empty means that all values are allowed.
	Enum []doc.Value
	// PublishedEnum lists the values that OpenAPI states if Enum is empty. The schema does not check them.
	PublishedEnum []doc.Value

	// Minimum and Maximum bound a number, inclusively unless the Exclusive twin is set. They are absent if there is no
	// bound.
	Minimum, Maximum                   doc.Value
	ExclusiveMinimum, ExclusiveMaximum bool
	// MultipleOf is above 0; a number must be a multiple of it. It is absent if the rule is not set.
	MultipleOf doc.Value
	// MinLength and MaxLength bound a string, in characters.
	MinLength, MaxLength *int64
	// MinItems and MaxItems bound the elements of a list.
	MinItems, MaxItems *int64
	// MinProperties and MaxProperties bound the members of a map.
	MinProperties, MaxProperties *int64
	// Pattern must match somewhere in a string. Anchor it to match the whole string.
	Pattern *Pattern

	// Rules are the rules of a rule language. The schema only publishes them; the host that set them evaluates them.
	Rules []Rule
}

// noConstraints are the constraints of most places. They never change.
var noConstraints Constraints

// Constraints returns the constraints of a place. They must not change.
func (s *Schema) Constraints() *Constraints {
	if s.constraints == nil {
		return &noConstraints
	}
	return s.constraints
}

// constrain returns the constraints of a place for those who set them.
func (s *Schema) constrain() *Constraints {
	if s.constraints == nil {
		s.constraints = &Constraints{}
	}
	return s.constraints
}

// Object describes the members of a struct type. A recursive type points back to its own Object.
type Object struct {
	// Name is the Go type's import path and name, such as "k8s.io/api/core/v1.Container". It identifies the type, and is
	// empty for a struct type without a name.
	Name        string
	Description string
	// Properties are sorted by name.
	Properties []Property

	declared []int // indexes of the properties in the order of the Go struct's fields
	unions   []union
	defaults []int // indexes of the properties with a default
	required []int // indexes of the required properties, in the order of the Go struct's fields
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
	// PublishRequired lists the property in OpenAPI as required. The schema does not check it.
	PublishRequired bool
	// OmitEmpty and OmitZero are the options of the json tag that make Go omit the member.
	OmitEmpty, OmitZero bool

	unchecked bool // CheckRules does not look below, because other code validates object metadata
	// restricted holds the rules that a schema from OpenAPI adds to those of object metadata, or nil.
	restricted *Schema
}

// Property returns the property with this name, or nil if there is none or the schema does not describe a struct.
func (s *Schema) Property(name string) *Property {
	if s == nil || s.Object == nil {
		return nil
	}
	return s.Object.Property(name)
}

// Property returns the property with this name, or nil.
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

// RequiredNames returns the names of the required properties, in the order of the Go struct's fields.
func (o *Object) RequiredNames() (names []string) {
	for _, i := range o.required {
		names = append(names, o.Properties[i].Name)
	}
	return names
}

// Member returns the schema of a member: of the property with that name, otherwise of the map's values. It returns nil
// for an unknown member.
func (s *Schema) Member(name string) *Schema {
	if p := s.Property(name); p != nil {
		return p.Schema
	}
	if s == nil {
		return nil
	}
	return s.Additional
}

// At follows member names, as [Schema.Member] does for each. The name "[]" stands for the elements of a list. At
// returns nil if the path leaves the schema.
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

// Anything reports whether the schema puts no constraint on the value and what is below it.
func (s *Schema) Anything() bool {
	return s.Type == AnyType && s.PreserveUnknown && !s.IntOrString && len(s.OneOf) == 0
}

// Types returns the JSON types that a value may have, in the order of their declaration. An empty result means any
// type.
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

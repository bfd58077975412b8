package schema

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
)

// presence is what an api tag says about the member itself rather than about its value.
type presence struct {
	required, optional, publishRequired bool
	membership
}

func (p *presence) merge(later presence) {
	if later.required || later.optional {
		p.required, p.optional = later.required, later.optional
	}
	p.publishRequired = p.publishRequired || later.publishRequired
	if later.membership != (membership{}) {
		p.membership = later.membership
	}
}

// rule writes the options of an api tag into a schema. An option may address the elements of a list or the values of a
// map: items.maxLength, values.items.pattern.
func (d *deriver) rule(s *Schema, options []option, where string) presence {
	var p presence
	for _, o := range options {
		var err error
		switch {
		case o.name == "required" && !o.hasValue:
			p.required = true
		case o.name == "optional" && !o.hasValue:
			p.optional = true
		case o.name == "publishRequired" && !o.hasValue:
			p.publishRequired = true
		case o.name == "discriminator" && !o.hasValue:
			p.discriminator = true
		case o.name == "member" && (!o.hasValue || o.value != ""):
			p.member, p.value = true, o.value
		case o.name == "union" && o.value != "":
			p.union = o.value
		case o.name == "atMostOne" && !o.hasValue:
			p.atMostOne = true
		default:
			err = d.option(s, o, where)
		}
		if err != nil {
			d.fail(where, err)
		}
	}
	if p.required && p.optional {
		d.fail(where, errors.New("a field cannot be both required and optional"))
	}
	if len(options) > 0 {
		d.ruled = append(d.ruled, ruled{s, where})
	}
	return p
}

// option writes one option into the schema that its prefixes lead to, and records that schema for the checks of finish.
func (d *deriver) option(s *Schema, o option, where string) error {
	full, place := o.name, where
	for {
		if rest, ok := strings.CutPrefix(o.name, "items."); ok {
			if d.unknown[s] {
				o.name = rest
				continue
			}
			if s.Items == nil {
				return fmt.Errorf("option %s: type %s has no items", full, s.noun())
			}
			s, o.name, place = s.Items, rest, place+"[]"
			continue
		}
		if rest, ok := strings.CutPrefix(o.name, "values."); ok {
			if d.unknown[s] {
				o.name = rest
				continue
			}
			if s.Additional == nil {
				return fmt.Errorf("option %s: type %s has no values", full, s.noun())
			}
			s, o.name, place = s.Additional, rest, place+"{}"
			continue
		}
		break
	}
	if place != where {
		d.ruled = append(d.ruled, ruled{s, place})
	}
	write, err := s.effect(o)
	if err == nil && !d.unknown[s] {
		err = write()
	}
	if err != nil {
		return fmt.Errorf("option %s: %w", full, err)
	}
	return nil
}

// noun returns the type that a schema describes, for an error.
func (s *Schema) noun() string {
	switch {
	case s.Type != AnyType:
		return s.Type
	case len(s.Types()) > 0:
		return "value of type " + strings.Join(s.Types(), " or ")
	}
	return "value of any type"
}

// effect returns a function that writes one option into the schema that it addresses.
func (s *Schema) effect(o option) (write func() error, err error) {
	flag, known := s.flag(o.name)
	if known {
		if o.hasValue {
			return nil, errors.New("it does not take a value")
		}
		return flag, nil
	}
	value, known := s.valued(o.name)
	switch {
	case !known:
		return nil, errors.New("unknown option")
	case !o.hasValue || o.value == "" && o.name != "default" && o.name != "enum" && o.name != "doc":
		return nil, errors.New("missing value")
	}
	return func() error { return value(o.value) }, nil
}

// flag returns the effect of an option without a value.
func (s *Schema) flag(name string) (func() error, bool) {
	set := func(b *bool) func() error { return func() error { *b = true; return nil } }
	switch name {
	case "nullable":
		return set(&s.Nullable), true
	case "immutable":
		return set(&s.Immutable), true
	case "duplicates":
		return func() error { s.duplicates = true; return s.mustBe(ArrayType) }, true
	case "zeroKey":
		return func() error { s.ZeroKey = true; return s.mustBe(StringType, IntegerType, NumberType, BooleanType) }, true
	case "exclusiveMin":
		return set(&s.constrain().ExclusiveMinimum), true
	case "exclusiveMax":
		return set(&s.constrain().ExclusiveMaximum), true
	case "safeInteger":
		return s.boundToSafeIntegers, true
	case "preserveUnknown":
		return func() error {
			if s.Object != nil || s.Additional != nil {
				return errors.New("the Go type cannot hold unknown fields")
			}
			s.PreserveUnknown = true
			return nil
		}, true
	case "intOrString":
		return func() error {
			if !s.Anything() && !s.IntOrString {
				return fmt.Errorf("the Go type holds values of type %s", s.noun())
			}
			s.IntOrString, s.PreserveUnknown = true, false
			return nil
		}, true
	}
	return nil, false
}

// valued returns the effect of an option with a value.
func (s *Schema) valued(name string) (func(string) error, bool) {
	count := func(n **int64, types ...string) func(string) error {
		return func(text string) error {
			if err := s.mustBe(types...); err != nil {
				return err
			}
			i, err := strconv.ParseInt(text, 10, 64)
			if err != nil || i < 0 {
				return fmt.Errorf("%q is not a count", text)
			}
			*n = &i
			return nil
		}
	}
	bound := func(b *doc.Value) func(string) error {
		return func(text string) error {
			if err := s.mustBe(IntegerType, NumberType); err != nil {
				return err
			}
			v, err := parseJSON(text)
			if err != nil || v.Kind() != doc.Number || s.Type == IntegerType && !isInteger(v) {
				return fmt.Errorf("%q is not of type %s", text, s.Type)
			}
			*b = v
			return nil
		}
	}
	switch name {
	case "min":
		return bound(&s.constrain().Minimum), true
	case "max":
		return bound(&s.constrain().Maximum), true
	case "multipleOf":
		return bound(&s.constrain().MultipleOf), true
	case "minLength":
		return count(&s.constrain().MinLength, StringType), true
	case "maxLength":
		return count(&s.constrain().MaxLength, StringType), true
	case "minItems":
		return count(&s.constrain().MinItems, ArrayType), true
	case "maxItems":
		return count(&s.constrain().MaxItems, ArrayType), true
	case "minProperties":
		return count(&s.constrain().MinProperties, ObjectType), true
	case "maxProperties":
		return count(&s.constrain().MaxProperties, ObjectType), true
	case "default":
		return func(text string) (err error) { s.DefaultValue, err = s.literal(text); return err }, true
	case "enum":
		return s.setEnum(&s.constrain().Enum), true
	case "publishEnum":
		return s.setEnum(&s.constrain().PublishedEnum), true
	case "pattern":
		return s.setPattern, true
	case "list":
		return s.setListType, true
	case "key":
		return func(text string) error { s.ListMapKeys = append(s.ListMapKeys, text); return s.mustBe(ArrayType) }, true
	case "map":
		return s.setMapType, true
	case "type":
		return s.setType, true
	case "format":
		return func(text string) error {
			s.Format = text
			return s.mustBe(StringType, IntegerType, NumberType)
		}, true
	case "doc":
		return func(text string) error { s.Description = text; return nil }, true
	}
	return nil, false
}

// boundToSafeIntegers bounds an integer to the range in which a float64 represents no other integer by the same value,
// because JSON parsers of other languages use floats (API conventions, Primitive types). It keeps an existing bound,
// which is tighter or deliberate.
func (s *Schema) boundToSafeIntegers() error {
	const limit = 1<<53 - 1
	c := s.constrain()
	if c.Minimum.IsAbsent() {
		c.Minimum = doc.OfInt(-limit)
	}
	if c.Maximum.IsAbsent() {
		c.Maximum = doc.OfInt(limit)
	}
	return s.mustBe(IntegerType)
}

// mustBe rejects an option that has no meaning for values of this type.
func (s *Schema) mustBe(types ...string) error {
	for _, t := range s.Types() {
		if slices.Contains(types, t) {
			return nil
		}
	}
	return fmt.Errorf("it applies to values of type %s, not %s", strings.Join(types, " or "), s.noun())
}

// literal reads a value as tags write it: JSON, or also the bare text if the value is a string.
func (s *Schema) literal(text string) (doc.Value, error) {
	takesText := slices.Contains(s.Types(), StringType)
	onlyText := s.Type == StringType
	if onlyText && !strings.HasPrefix(text, `"`) {
		return doc.Of(text), nil
	}
	v, err := parseJSON(text)
	switch {
	case err == nil:
		return v, nil
	case takesText:
		return doc.Of(text), nil
	}
	return doc.Value{}, fmt.Errorf("%q is not a JSON value", text)
}

func parseJSON(text string) (doc.Value, error) {
	v, duplicates, err := codec.DecodeJSON([]byte(text))
	if err == nil && len(duplicates) > 0 {
		err = fmt.Errorf("duplicate member %s", duplicates[0])
	}
	return v, err
}

func (s *Schema) setEnum(values *[]doc.Value) func(string) error {
	return func(text string) error {
		*values = nil
		for part := range strings.SplitSeq(text, "|") {
			v, err := s.literal(part)
			if err != nil {
				return err
			}
			*values = append(*values, v)
		}
		return nil
	}
}

func (s *Schema) setPattern(text string) (err error) {
	s.constrain().Pattern, err = NewPattern(text)
	return errors.Join(s.mustBe(StringType), err)
}

func (s *Schema) setListType(text string) error {
	if !slices.Contains([]string{AtomicList, SetList, MapList}, text) {
		return fmt.Errorf("%q must be atomic, set or map", text)
	}
	s.ListType, s.ListMapKeys, s.duplicates = text, nil, false // the keys follow, and replace those of the patch tags
	return s.mustBe(ArrayType)
}

func (s *Schema) setMapType(text string) error {
	if text != AtomicMap && text != GranularMap {
		return fmt.Errorf("%q must be atomic or granular", text)
	}
	s.MapType = text
	if s.Anything() {
		return nil
	}
	return s.mustBe(ObjectType)
}

func (s *Schema) setType(text string) error {
	switch {
	case !slices.Contains([]string{ObjectType, ArrayType, StringType, IntegerType, NumberType, BooleanType}, text):
		return fmt.Errorf("%q is not a JSON type", text)
	case !s.Anything() && s.Type != text:
		return fmt.Errorf("the Go type holds values of type %s", s.noun())
	}
	s.Type = text
	s.PreserveUnknown = s.PreserveUnknown && (text == ObjectType || text == ArrayType)
	return nil
}

// inferList derives the list type from the patch tags: a list that is merged by a key is a map with that key, and a
// merged list of scalars is a set.
func (s *Schema) inferList() {
	if s.Type != ArrayType || !slices.Contains(strings.Split(s.PatchStrategy, ","), "merge") {
		return
	}
	switch {
	case s.PatchMergeKey != "" && s.Items.Object != nil:
		s.ListType, s.ListMapKeys, s.duplicates = MapList, []string{s.PatchMergeKey}, true
	case s.PatchMergeKey == "" && s.Items.Object == nil:
		s.ListType, s.duplicates = SetList, true
	}
}

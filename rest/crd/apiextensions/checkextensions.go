package apiextensions

import (
	"github.com/decorum-go/decorum/status"
)

var mapTypes = []string{"atomic", "granular"}

// extensions checks x-kubernetes-preserve-unknown-fields, x-kubernetes-map-type and the extensions of lists.
func (c *schemaChecker) extensions(s *JSONSchemaProps, at *status.Path) {
	if s.XPreserveUnknownFields != nil && !*s.XPreserveUnknownFields {
		c.schema.fail(status.InvalidField(at.Child("x-kubernetes-preserve-unknown-fields"), false,
			"must be true or undefined"))
	}
	mustHaveType := func(typ, extension string) {
		if detail := "must be " + typ + " if " + extension + " is specified"; s.Type == "" {
			c.schema.fail(status.RequiredField(at.Child("type"), detail))
		} else {
			c.schema.fail(status.InvalidField(at.Child("type"), s.Type, detail))
		}
	}
	if s.XMapType != nil {
		if s.Type != "object" {
			mustHaveType("object", "x-kubernetes-map-type")
		}
		if !known(mapTypes, *s.XMapType) {
			c.schema.fail(status.NotSupportedField(at.Child("x-kubernetes-map-type"), *s.XMapType, mapTypes))
		}
	}
	if s.XListType != nil {
		if s.Type != "array" {
			mustHaveType("array", "x-kubernetes-list-type")
		} else if !c.lenient.mutableItemsOfSets {
			c.schema.fail(setFaults(s, at)...)
		}
		if kinds := []string{"atomic", "set", "map"}; !known(kinds, *s.XListType) {
			c.schema.fail(status.NotSupportedField(at.Child("x-kubernetes-list-type"), *s.XListType, kinds))
		}
	}
	c.keyedList(s, at)
	if !c.lenient.nullableKeys {
		c.schema.fail(keyFaults(s, at)...)
	}
}

// isList reports whether a schema is a list of one of the given types.
func (s *JSONSchemaProps) isList(types ...string) bool {
	return s.XListType != nil && known(types, *s.XListType)
}

// setFaults checks that the items of a set are atomic.
func setFaults(s *JSONSchemaProps, at *status.Path) (errs status.FieldErrors) {
	items := s.items()
	if !s.isList("set") || items == nil {
		return nil
	}
	const detail = "must be atomic as item of a list with x-kubernetes-list-type=set"
	switch {
	case items.Type == "array" && items.XListType != nil && *items.XListType != "atomic":
		errs = append(errs, status.InvalidField(at.Child("items", "x-kubernetes-list-type"), shown{items.XListType}, detail))
	case items.Type == "object" && (items.XMapType == nil || *items.XMapType != "atomic"):
		errs = append(errs, status.InvalidField(at.Child("items", "x-kubernetes-map-type"), shown{items.XListType}, detail))
	}
	return errs
}

func hasMutableItemsOfSet(s *JSONSchemaProps) bool { return len(setFaults(s, nil)) > 0 }

// keyedList checks the keys of a list of type map.
func (c *schemaChecker) keyedList(s *JSONSchemaProps, at *status.Path) {
	if len(s.XListMapKeys) > 0 && !s.isList("map") {
		const detail = "must be map if x-kubernetes-list-map-keys is non-empty"
		if place := at.Child("x-kubernetes-list-type"); s.XListType == nil {
			c.schema.fail(status.RequiredField(place, detail))
		} else {
			c.schema.fail(status.InvalidField(place, *s.XListType, detail))
		}
	}
	if !s.isList("map") {
		return
	}
	if len(s.XListMapKeys) == 0 {
		c.schema.fail(status.RequiredField(at.Child("x-kubernetes-list-map-keys"),
			"must not be empty if x-kubernetes-list-type is map"))
	}
	items := s.items()
	switch {
	case s.Items == nil:
		c.schema.fail(status.RequiredField(at.Child("items"), "must have a schema if x-kubernetes-list-type is map"))
	case items == nil:
		c.schema.fail(status.InvalidField(at.Child("items"), shown{s.Items},
			"must only have a single schema if x-kubernetes-list-type is map"))
	case items.Type != "object":
		c.schema.fail(status.InvalidField(at.Child("items", "type"), items.Type,
			"must be object if parent array's x-kubernetes-list-type is map"))
	default:
		c.keysOfItems(s, at)
	}
}

// keysOfItems checks that each key is a scalar property of the items, and named once.
func (c *schemaChecker) keysOfItems(s *JSONSchemaProps, at *status.Path) {
	items, seen := s.items(), map[string]bool{}
	for _, key := range s.XListMapKeys {
		if c.schema.full() {
			return
		}
		property, ok := items.Properties[key]
		if !ok {
			c.schema.fail(status.InvalidField(at.Child("x-kubernetes-list-map-keys"), s.XListMapKeys,
				"entries must all be names of item properties"))
		} else if property.Type == "array" || property.Type == "object" {
			c.schema.fail(status.InvalidField(at.Child("items", "properties").Key(key).Child("type"), items.Type,
				"must be a scalar type if parent array's x-kubernetes-list-type is map"))
		}
		if seen[key] {
			c.schema.fail(status.InvalidField(at.Child("x-kubernetes-list-map-keys"), s.XListMapKeys,
				"must not contain duplicate entries"))
		}
		seen[key] = true
	}
}

// keyFaults checks that the items of a set or keyed list, and the keys, are never null or absent.
func keyFaults(s *JSONSchemaProps, at *status.Path) (errs status.FieldErrors) {
	items := s.items()
	if items == nil || !s.isList("set", "map") {
		return nil
	}
	if items.Nullable {
		errs = append(errs, status.ForbiddenField(at.Child("items", "nullable"),
			"cannot be nullable when x-kubernetes-list-type is "+*s.XListType))
	}
	if !s.isList("map") {
		return errs
	}
	required := map[string]bool{}
	for _, name := range items.Required {
		required[name] = true
	}
	for _, key := range s.XListMapKeys {
		property, ok := items.Properties[key]
		place := at.Child("items", "properties").Key(key)
		if ok && !required[key] && property.Default == nil {
			errs = append(errs, status.RequiredField(place.Child("default"),
				"this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"))
		}
		if property.Nullable {
			errs = append(errs, status.ForbiddenField(place.Child("nullable"),
				"this property is in x-kubernetes-list-map-keys, so it cannot be nullable"))
		}
	}
	return errs
}

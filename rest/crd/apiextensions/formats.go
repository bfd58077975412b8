package apiextensions

import (
	"fmt"
	"slices"
	"strings"
)

// stringFormats are the formats that objects are checked for, without their hyphens.
var stringFormats = []string{"bsonobjectid", "uri", "email", "hostname", "ipv4", "ipv6", "cidr", "mac", "uuid", "uuid3",
	"uuid4", "uuid5", "isbn", "isbn10", "isbn13", "creditcard", "ssn", "hexcolor", "rgbcolor", "byte", "password", "date",
	"duration", "datetime", "k8sshortname", "k8slongname"}

// warnings returns what a client should know about a valid definition: formats that objects are not checked for, and
// sets of objects or lists. On update, old is the stored definition, and only what is new counts.
func warnings(d, old *CustomResourceDefinition) (texts []string) {
	var formats, sets []string // before the update
	if old != nil {
		formats, sets = notable(&old.Spec)
	}
	newFormats, newSets := notable(&d.Spec)
	for _, format := range newFormats {
		if !slices.Contains(formats, format) {
			texts = append(texts, fmt.Sprintf("unrecognized format %q", format))
		}
	}
	for _, typ := range newSets {
		if !slices.Contains(sets, typ) {
			texts = append(texts, fmt.Sprintf("x-kubernetes-list-type: set for items of type %q is not supported by "+
				"server-side apply or CEL validation rules", typ))
		}
	}
	return texts
}

// notable returns the unknown formats in the schemas, and the types object and array if a set has items of this type.
func notable(s *CustomResourceDefinitionSpec) (formats, sets []string) {
	var last *JSONSchemaProps
	for i := range s.Versions {
		schema := s.Versions[i].schema()
		if last != nil && schema == last {
			continue
		}
		schema.any(func(s *JSONSchemaProps) bool {
			if s.Format != "" && !knownFormat(s.Type, s.Format) {
				formats = append(formats, s.Format)
			}
			if items := s.items(); items != nil && s.isList("set") && (items.Type == "array" || items.Type == "object") {
				sets = append(sets, items.Type)
			}
			return false
		})
		last = schema
	}
	slices.Sort(sets)
	return formats, slices.Compact(sets)
}

func knownFormat(typ, format string) bool {
	switch typ {
	case "", "string":
		return slices.Contains(stringFormats, strings.ReplaceAll(format, "-", ""))
	case "integer":
		return format == "int32" || format == "int64"
	case "number":
		return format == "float" || format == "double"
	}
	return false
}

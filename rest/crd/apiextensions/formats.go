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

// warnings returns what a client should know about a valid definition: formats that objects are not checked for. On
// update, old is the stored definition, and only what is new counts.
func warnings(d, old *CustomResourceDefinition) (texts []string) {
	var before []string
	if old != nil {
		before = unknownFormats(&old.Spec)
	}
	for _, format := range unknownFormats(&d.Spec) {
		if !slices.Contains(before, format) {
			texts = append(texts, fmt.Sprintf("unrecognized format %q", format))
		}
	}
	return texts
}

func unknownFormats(s *CustomResourceDefinitionSpec) (formats []string) {
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
			return false
		})
		last = schema
	}
	return formats
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

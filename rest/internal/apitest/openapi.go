package apitest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// OpenAPIDocument is what clients read of a document.
type OpenAPIDocument struct {
	OpenAPI, Swagger string
	Paths            map[string]map[string]json.RawMessage
	Components       struct{ Schemas map[string]openAPISchema }
	Definitions      map[string]openAPISchema
}

type openAPISchema struct {
	Description string
	Type        string
	Properties  map[string]openAPISchema
	Required    []string
	Enum        []string
	Default     any
	Minimum     *float64
	Maximum     *float64
	Pattern     string
	MaxLength   *int64
	Items       *openAPISchema
	AllOf       []openAPISchema
	Ref         string                                  `json:"$ref"`
	ListType    string                                  `json:"x-kubernetes-list-type"`
	ListMapKeys []string                                `json:"x-kubernetes-list-map-keys"`
	MapType     string                                  `json:"x-kubernetes-map-type"`
	IntOrString bool                                    `json:"x-kubernetes-int-or-string"`
	Kinds       []struct{ Group, Version, Kind string } `json:"x-kubernetes-group-version-kind"`
	Selectable  []struct{ FieldPath string }            `json:"x-kubernetes-selectable-fields"`
}

// ReadOpenAPI reads an answer as an OpenAPI document.
func ReadOpenAPI(t *testing.T, a Answer) OpenAPIDocument {
	t.Helper()
	require.Equal(t, 200, a.Code, a.Body)
	var d OpenAPIDocument
	a.Decode(t, &d)
	return d
}

// Kind finds the schema of a kind, as clients do: by its group, version and kind.
func (d OpenAPIDocument) Kind(t *testing.T, kind string) openAPISchema {
	t.Helper()
	for _, schemas := range []map[string]openAPISchema{d.Components.Schemas, d.Definitions} {
		for _, s := range schemas {
			for _, k := range s.Kinds {
				if k.Kind == kind {
					return s
				}
			}
		}
	}
	t.Fatalf("no schema of the kind %s", kind)
	return openAPISchema{}
}

// Property finds a property below a schema and follows references.
func (d OpenAPIDocument) Property(t *testing.T, s openAPISchema, path ...string) openAPISchema {
	t.Helper()
	for _, name := range path {
		p, ok := d.resolve(s).Properties[name]
		require.True(t, ok, "%s of %v", name, path)
		s = p
	}
	description := s.Description
	s = d.resolve(s)
	if description != "" {
		s.Description = description
	}
	return s
}

func (d OpenAPIDocument) resolve(s openAPISchema) openAPISchema {
	if len(s.AllOf) == 1 && s.AllOf[0].Ref != "" {
		s.Ref = s.AllOf[0].Ref
	}
	if s.Ref == "" {
		return s
	}
	name := s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]
	if found, ok := d.Components.Schemas[name]; ok {
		return found
	}
	return d.Definitions[name]
}

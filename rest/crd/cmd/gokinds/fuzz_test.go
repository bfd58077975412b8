package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/require"
)

// stubs declare the names that the printed code uses.
var stubs = map[string]string{
	"encoding/json": "package json; type RawMessage []byte",
	"github.com/decorum-go/decorum/apimeta": "package apimeta; type TypeMeta struct{}; type ObjectMeta struct{}; " +
		"type Time struct{}; type Condition struct{}",
	"github.com/decorum-go/decorum/rest": `package rest
type Scope int
const ScopeCluster Scope = 1
type Names struct { Kind, Singular, ListKind string; Short, Categories []string }
type Stage struct { NotServed, Deprecated bool; Warning string }
type Column struct { Name, Type, Path, Format, Description string; Priority int32 }
type Scale struct { SpecReplicas, StatusReplicas, Selector string }
type Resource[T any] struct {
	Group, Version, Plural, Description string
	Scope Scope; Names Names; Stage Stage; Columns []Column; SelectableFields []string; Scale *Scale
}`,
}

// fromStubs imports the stubs.
type fromStubs struct{}

func (fromStubs) Import(path string) (*types.Package, error) {
	text, ok := stubs[path]
	if !ok {
		return nil, errors.New("not a stub")
	}
	return check(path, text, importer.Default())
}

func check(path, text string, imports types.Importer) (*types.Package, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, path, text, 0)
	if err != nil {
		return nil, err
	}
	return (&types.Config{Importer: imports}).Check(path, files, []*ast.File{parsed}, nil)
}

// For any definition, the code compiles and is formatted by gofmt.
func FuzzCode(f *testing.F) {
	f.Add("Gate", "gates", `{"type":"object","properties":{"spec":{"type":"object","properties":{"a":{"type":"string"}}}}}`)
	f.Add("TypeMeta", "objectmeta", `{"type":"object","properties":{"typeMeta":{"type":"object"},"objectMeta":{"type":"string"}}}`)
	f.Add("Gates", "gates", `{"type":"object","properties":{"`+"`"+`":{"type":"integer","description":"*/ // `+"`"+`"}}}`)
	f.Add("Rest", "json", `{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{"type":"array","items":{"type":"object"}}}}}}}`)
	f.Add("A", "a", `{"type":"object","properties":{"a":{"x-kubernetes-int-or-string":true},"b":{"additionalProperties":true,"type":"object"},"":{"type":"string"}}}`)
	f.Add("A", "b", `{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"ab":{"type":"object","properties":{"c":{"type":"object"}}},"abC":{"type":"object"}},"not":{"enum":["\n"]}}`)
	f.Fuzz(func(t *testing.T, kind, plural, schema string) {
		names, err := json.Marshal(map[string]string{"kind": kind, "plural": plural})
		require.NoError(t, err)
		definition := fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{
			"group":"example.com","scope":"Namespaced","names":%s,"versions":[{"name":"v1","served":true,"storage":true,
			"schema":{"openAPIV3Schema":%s}}]}}`, names, schema)
		code, out, _ := command(definition, "-f", "-")
		if code != done {
			return
		}
		formatted, err := format.Source([]byte(out))
		require.NoError(t, err)
		require.Equal(t, string(formatted), out)
		_, err = check("main", out, fromStubs{})
		require.NoError(t, err, out)
	})
}

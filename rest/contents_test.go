package rest_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The contents in the package comment name every exported type and function, so that a reader finds each in the group
// that explains when to use it.
func TestContentsNameEverything(t *testing.T) {
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	fset := token.NewFileSet()
	var files []*ast.File
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			file, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
			require.NoError(t, err)
			files = append(files, file)
		}
	}
	pkg, err := doc.NewFromFiles(fset, files, "github.com/decorum-go/decorum/rest")
	require.NoError(t, err)
	_, contents, ok := strings.Cut(pkg.Doc, "# Contents")
	require.True(t, ok)
	contents, _, ok = strings.Cut(contents, "# Words")
	require.True(t, ok)
	named := func(name string) { assert.Contains(t, contents, "["+name+"]") }
	for _, f := range pkg.Funcs {
		named(f.Name)
	}
	for _, typ := range pkg.Types {
		named(typ.Name)
		for _, f := range typ.Funcs {
			named(f.Name)
		}
	}
}

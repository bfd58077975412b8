package budget_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A function with more parameters hides what belongs together, and a struct with more fields is several things at once. What hosts
// see of package rest is not measured here: it has rules of its own. A dialect is exempt, because it is a table of switches.
const (
	maxParameters = 5
	maxResults    = 3
	maxFields     = 20
)

// Functions and structs of package rest and of its rooms stay small enough to be read at a glance.
func TestShapesAreSmall(t *testing.T) {
	seen := 0
	for _, path := range sources(t, "../../rest") {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				seen++
				at := fset.Position(n.Pos())
				assert.LessOrEqual(t, count(n.Type.Params), maxParameters, "%s: parameters of %s", at, n.Name.Name)
				assert.LessOrEqual(t, count(n.Type.Results), maxResults, "%s: results of %s", at, n.Name.Name)
			case *ast.TypeSpec:
				exported := ast.IsExported(n.Name.Name) && !strings.Contains(path, "/internal/") || n.Name.Name == "Dialect"
				if s, ok := n.Type.(*ast.StructType); ok && !exported {
					assert.LessOrEqual(t, count(s.Fields), maxFields, "%s: fields of %s", fset.Position(n.Pos()), n.Name.Name)
				}
			}
			return true
		})
	}
	assert.NotZero(t, seen)
}

// sources are the Go files below a folder, tests apart.
func sources(t *testing.T, dir string) (files []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			files = append(files, path)
		}
		return err
	}))
	return files
}

// count is how many names a list declares; an embedded field and an unnamed parameter are one each.
func count(list *ast.FieldList) (n int) {
	if list == nil {
		return 0
	}
	for _, f := range list.List {
		n += max(len(f.Names), 1)
	}
	return n
}

package decorum_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each Go name in the table of recipes is declared in a file to which its row links.
func TestRecipesNameWhatExists(t *testing.T) {
	page, err := os.ReadFile("docs/design-of-rest.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(page), "| task | open | extend | model |\n")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	name, link := regexp.MustCompile("`([A-Za-z]\\w*)`"), regexp.MustCompile(`\]\(([^)]*)\)`)
	seen := 0
	for row := range strings.Lines(table) {
		declared := map[string]bool{}
		for _, to := range link.FindAllStringSubmatch(row, -1) {
			addDeclared(t, filepath.Join("docs", to[1]), declared)
		}
		for _, of := range name.FindAllStringSubmatch(row, -1) {
			seen++
			assert.True(t, declared[strings.ToLower(of[1])], "%s is not in the files of its recipe: %s", of[1], row)
		}
	}
	assert.Greater(t, seen, 10)
}

// addDeclared adds the lower-case names that a Go file, or the files of a folder, declare.
func addDeclared(t *testing.T, path string, declared map[string]bool) {
	files, err := filepath.Glob(filepath.Join(path, "*.go"))
	require.NoError(t, err)
	if strings.HasSuffix(path, ".go") {
		files = []string{path}
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, declaration := range parsed.Decls {
			switch d := declaration.(type) {
			case *ast.FuncDecl:
				declared[strings.ToLower(d.Name.Name)] = true
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						declared[strings.ToLower(s.Name.Name)] = true
					case *ast.ValueSpec:
						for _, name := range s.Names {
							declared[strings.ToLower(name.Name)] = true
						}
					}
				}
			}
		}
	}
}

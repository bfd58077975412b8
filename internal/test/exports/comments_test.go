package main

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every exported name of a released module has a comment, so that go doc explains it. A comment of a group of constants
// or variables covers the group.
func TestExportedNamesHaveComments(t *testing.T) {
	all, err := modules(root)
	require.NoError(t, err)
	checked := 0
	for _, module := range all {
		dirs, err := packages(root, module)
		require.NoError(t, err)
		for _, dir := range dirs {
			names, err := uncommented(filepath.Join(root, dir))
			require.NoError(t, err)
			assert.Empty(t, names, "package %s: exported names without a comment", dir)
			checked++
		}
	}
	assert.Greater(t, checked, 50)
}

func TestUncommentedNames(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte(`package a

const Bare = 1

// The sizes.
const (
	Small = 1
	Large = 2
)

var (
	// First has a comment.
	First int
	Second int
	Third int // trailing
)

type Plain struct{}

func (*Plain) Bare() {}

// Full has a comment.
type Full[T any] struct{ hidden }

func (Full[T]) Close() {}

type hidden struct{}

func (hidden) Silent() {}

func Do() {}
`), 0o600))
	names, err := uncommented(dir)
	require.NoError(t, err)
	assert.Equal(t, []string{"package a", "Bare", "Second", "Full.Close", "Full.Silent", "Plain", "Plain.Bare", "Do"},
		names)
}

// uncommented returns the exported names of a package that have no comment: constants, variables, functions, types and
// methods. It returns "package" and the name of the package if the package has no comment.
func uncommented(dir string) (names []string, err error) {
	fset := token.NewFileSet()
	files, path, err := sources(fset, dir, parser.ParseComments)
	if len(files) == 0 {
		return nil, err
	}
	pkg, err := doc.NewFromFiles(fset, files, path)
	if err != nil {
		return nil, err
	}
	note := func(comment, name string) {
		if comment == "" {
			names = append(names, name)
		}
	}
	values := func(groups []*doc.Value) {
		for _, group := range groups {
			for _, spec := range group.Decl.Specs {
				spec := spec.(*ast.ValueSpec)
				for _, name := range spec.Names {
					if name.IsExported() {
						note(group.Doc+spec.Doc.Text()+spec.Comment.Text(), name.Name)
					}
				}
			}
		}
	}
	funcs := func(all []*doc.Func, of string) {
		for _, f := range all {
			note(f.Doc, of+f.Name)
		}
	}
	note(pkg.Doc, "package "+pkg.Name)
	values(pkg.Consts)
	values(pkg.Vars)
	for _, t := range pkg.Types {
		note(t.Doc, t.Name)
		values(t.Consts)
		values(t.Vars)
		funcs(t.Funcs, "")
		funcs(t.Methods, t.Name+".")
	}
	funcs(pkg.Funcs, "")
	return names, nil
}

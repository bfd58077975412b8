package surface

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// packages finds what a test has checked before.
type packages map[string]*types.Package

func (p packages) Import(path string) (*types.Package, error) { return p[path], nil }

func (p packages) check(t *testing.T, path, source string) *types.Package {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path+".go", source, 0)
	require.NoError(t, err)
	p[path], err = (&types.Config{Importer: p}).Check(path, fset, []*ast.File{file}, nil)
	require.NoError(t, err)
	return p[path]
}

func TestLeaks(t *testing.T) {
	p := packages{}
	p.check(t, "m/internal/hidden", `package hidden
		type Value struct{}
		func (Value) Other(Secret) {}
		type Secret struct{}
		type Number interface{ ~int }
		type Seal interface{ seal(Secret) }
		type Fields struct{ F int }
		type Door struct{ secret Secret }
		func (*Door) door() Secret { return Secret{} }`)
	for _, c := range []struct{ name, source, want string }{
		{"a parameter", `func F(v hidden.Value) {}`, "F"},
		{"a result", `func F() (int, *hidden.Value) { return 0, nil }`, "F"},
		{"a function that a function takes", `func F(func(map[string][]hidden.Value)) {}`, "F"},
		{"a variable without a type of its own", `var V = hidden.Value{}`, "V"},
		{"an alias", `type A = hidden.Value`, "A"},
		{"what an alias of the package stands for", `type A = []hidden.Value`, "A"},
		{"a type declared as it", `type T []chan hidden.Value`, "T"},
		{"a field", `type T struct{ F hidden.Value }`, "T.F"},
		{"a field of an embedded type", `type T struct{ inner }; type inner struct { F hidden.Value }`, "inner.F"},
		{"an embedded type that promotes a field", `type fields = hidden.Fields; type T struct{ fields }`, "T.fields"},
		{"a method", `type T int; func (*T) M(hidden.Value) {}`, "T.M"},
		{"a method of an interface", `type T interface{ M() hidden.Value }`, "T.M"},
		{"an embedded interface", `type T interface{ hidden.Number }`, "T"},
		{"a constraint", `func F[T hidden.Number](T) {}`, "F"},
		{"a type argument", `type G[T any] struct{}; var V G[hidden.Value]`, "V"},
		{"a method of an unexported type that a function returns",
			`type t int; func (t) M(hidden.Value) {}; func F() t { return 0 }`, "t.M"},

		{"an unexported field", `type T struct{ f hidden.Value }`, ""},
		{"an unexported method", `type T interface{ m(hidden.Value) }`, ""},
		{"an embedded interface that seals", `type T interface{ hidden.Seal }`, ""},
		{"an unexported embedded type that promotes nothing", `type door = hidden.Door; type T struct{ door }`, ""},
		{"an unexported function", `func f(v hidden.Value) {}`, ""},
		{"an unexported type that nobody reaches", `type t struct { F hidden.Value }`, ""},
		{"a body", `func F() any { return hidden.Value{} }`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			pkg := p.check(t, "m/open", "package open\nimport \"m/internal/hidden\"\nvar _ hidden.Value\n"+c.source)
			leaks := mentions(pkg, isInternal)
			if c.want == "" {
				assert.Empty(t, leaks)
				return
			}
			require.Len(t, leaks, 1)
			assert.Regexp(t, `^m/open\.`+c.want+` mentions m/internal/hidden\.(Value|Number|Fields)$`, leaks[0])
		})
	}
}

package vettags

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"

	_ "github.com/decorum-go/decorum/rest/vettags/internal/lockstep"
)

// Analyzer reports api tags that rest.New refuses. Its flag builtin (go vet -apitag.builtin) is for packages whose kinds
// have the built-in dialect, in which the key of a list need not be required.
var Analyzer = newAnalyzer()

func newAnalyzer() *analysis.Analyzer {
	a := &analysis.Analyzer{
		Name: "apitag",
		Doc:  "report api tags of Decorum that rest.New refuses",
		URL:  "https://pkg.go.dev/github.com/decorum-go/decorum/rest/vettags",
	}
	builtin := a.Flags.Bool("builtin", false, "check kinds of the built-in dialect")
	a.Run = func(pass *analysis.Pass) (any, error) {
		report(pass, *builtin)
		return nil, nil
	}
	return a
}

// report reports the faults of the types that a package declares.
func report(pass *analysis.Pass, builtin bool) {
	found := declarations(pass)
	reported := map[string]bool{}
	for _, spec := range found.tagged {
		named := pass.TypesInfo.Defs[spec.Name].Type()
		if found.embedded[named] {
			continue // its fields are checked with the outer struct, whose fields may complete a union
		}
		c := newChecker(pass.Pkg, builtin)
		for _, fault := range c.faults(named) {
			place, below := fault.Where, ""
			for strings.HasSuffix(place, "[]") || strings.HasSuffix(place, "{}") {
				place, below = place[:len(place)-2], place[len(place)-2:]+below
			}
			at, here := c.places[place]
			text := fault.Err.Error()
			if below != "" {
				text = below + ": " + text
			}
			if key := fault.Where + text; here && !reported[key] { // two structs may use the same type
				reported[key] = true
				if tag, ok := found.tags[at]; ok {
					at = tag
				}
				pass.Reportf(at, "%s", text)
			}
		}
	}
}

// declared lists the types and tags that a package declares.
type declared struct {
	tagged   []*ast.TypeSpec         // the types with an api tag
	embedded map[types.Type]bool     // the types that structs embed
	tags     map[token.Pos]token.Pos // the tag of a field, by the position of its name
}

func declarations(pass *analysis.Pass) declared {
	out := declared{embedded: map[types.Type]bool{}, tags: map[token.Pos]token.Pos{}}
	fields := func(s *ast.StructType) (tagged bool) {
		for _, f := range s.Fields.List {
			if f.Names == nil {
				out.embedded[origin(pass.TypesInfo.TypeOf(f.Type))] = true
			}
			if f.Tag == nil {
				continue
			}
			for _, name := range f.Names {
				out.tags[name.Pos()] = f.Tag.Pos()
			}
			tagged = tagged || strings.Contains(f.Tag.Value, `api:`)
		}
		return tagged
	}
	for _, file := range pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			tagged := false
			ast.Inspect(spec.Type, func(n ast.Node) bool {
				if s, ok := n.(*ast.StructType); ok && fields(s) {
					tagged = true
				}
				return true
			})
			if tagged {
				out.tagged = append(out.tagged, spec)
			}
			return true
		})
	}
	return out
}

// origin returns the declared type of an embedded field.
func origin(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		return named.Origin()
	}
	return types.Unalias(t)
}

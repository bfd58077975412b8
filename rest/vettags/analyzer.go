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
var Analyzer = &analysis.Analyzer{
	Name: "apitag",
	Doc:  "report api tags of Decorum that rest.New refuses",
	URL:  "https://pkg.go.dev/github.com/decorum-go/decorum/rest/vettags",
	Run:  run,
}

var builtin bool

func init() {
	Analyzer.Flags.BoolVar(&builtin, "builtin", false, "check kinds of the built-in dialect")
}

func run(pass *analysis.Pass) (any, error) {
	found := declarations(pass)
	reported := map[string]bool{}
	for _, spec := range found.tagged {
		named := pass.TypesInfo.Defs[spec.Name].Type()
		if found.embedded[named] {
			continue // the struct around it is checked with its fields, which may complete a union
		}
		c := newChecker(pass.Pkg, builtin)
		for _, fault := range c.faults(named) {
			place := strings.TrimRight(fault.Where, "[]{}")
			at, here := c.places[place]
			text := fault.Err.Error()
			if below := fault.Where[len(place):]; below != "" {
				text = below + ": " + text
			}
			if key := fault.Where + text; here && !reported[key] { // two structs may use the same one
				reported[key] = true
				if tag, ok := found.tags[at]; ok {
					at = tag
				}
				pass.Reportf(at, "%s", text)
			}
		}
	}
	return nil, nil
}

// declared is what the code of a package declares.
type declared struct {
	tagged   []*ast.TypeSpec         // the types with an api tag
	embedded map[types.Type]bool     // the types that structs embed
	tags     map[token.Pos]token.Pos // the tag of a field, by the position of its name
}

func declarations(pass *analysis.Pass) declared {
	out := declared{embedded: map[types.Type]bool{}, tags: map[token.Pos]token.Pos{}}
	field := func(f *ast.Field) (tagged bool) {
		if f.Names == nil {
			t := pass.TypesInfo.TypeOf(f.Type)
			if p, ok := types.Unalias(t).(*types.Pointer); ok {
				t = p.Elem()
			}
			out.embedded[types.Unalias(t)] = true
		}
		if f.Tag == nil {
			return false
		}
		for _, name := range f.Names {
			out.tags[name.Pos()] = f.Tag.Pos()
		}
		return strings.Contains(f.Tag.Value, `api:`)
	}
	for _, file := range pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			tagged := false
			ast.Inspect(spec.Type, func(n ast.Node) bool {
				if f, ok := n.(*ast.Field); ok && field(f) {
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

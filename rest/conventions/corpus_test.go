package conventions_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/conventions"
)

// corpusCase is a struct of a file in testdata: the spec or the status of an object, or a whole kind by its names only.
type corpusCase struct {
	name string
	d    conventions.Declared
	want []string
}

// corpus reads the structs of a file. The compiler does not see the file, because a type for each case would take long
// to compile. A line "found: RULE FIELD, …" of a comment says what Vet finds in the struct below. "plural: WORD" makes
// the name of the struct a kind, and otherwise a struct whose name begins with Status is a status, and one whose name
// begins with Part is only used by others.
func corpus(t *testing.T, file string) []corpusCase {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	require.NoError(t, err)
	r := typeReader{t: t, declared: map[string]ast.Expr{}}
	var out []corpusCase
	for _, d := range parsed.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
			spec := g.Specs[0].(*ast.TypeSpec)
			r.declared[spec.Name.Name] = spec.Type
		}
	}
	for _, d := range parsed.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
			spec := g.Specs[0].(*ast.TypeSpec)
			if !strings.HasPrefix(spec.Name.Name, "Part") {
				out = append(out, corpusCase{name: spec.Name.Name, d: r.kind(spec), want: found(g.Doc.Text())})
				if plural := said(g.Doc.Text(), "plural: "); plural != "" {
					d := &out[len(out)-1].d
					d.Kind, d.ListKind, d.Plural = spec.Name.Name, spec.Name.Name+"List", plural
					d.Singular = strings.ToLower(spec.Name.Name)
				}
			}
		}
	}
	return out
}

// said returns the rest of the line of a comment that begins with these words.
func said(comment, begin string) string {
	for line := range strings.Lines(comment) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), begin); ok {
			return rest
		}
	}
	return ""
}

func found(comment string) (out []string) {
	for _, one := range strings.Split(said(comment, "found: "), ", ") {
		switch one = strings.TrimSpace(one); {
		case one == "":
		case strings.Contains(one, " "):
			out = append(out, one)
		default:
			out = append(out, one+" ")
		}
	}
	return out
}

// typeReader makes Go types from source.
type typeReader struct {
	t        *testing.T
	declared map[string]ast.Expr
}

func (r *typeReader) kind(spec *ast.TypeSpec) conventions.Declared {
	empty, of := reflect.TypeFor[none](), r.read(spec.Type)
	if strings.HasPrefix(spec.Name.Name, "Status") {
		return thing(objectOf(empty, of))
	}
	return thing(objectOf(of, empty))
}

func (r *typeReader) read(e ast.Expr) reflect.Type {
	switch e := e.(type) {
	case *ast.StarExpr:
		return reflect.PointerTo(r.read(e.X))
	case *ast.ArrayType:
		return reflect.SliceOf(r.read(e.Elt))
	case *ast.MapType:
		return reflect.MapOf(r.read(e.Key), r.read(e.Value))
	case *ast.StructType:
		return r.structure(e)
	case *ast.SelectorExpr:
		return r.known(fmt.Sprint(e.X, ".", e.Sel))
	case *ast.Ident:
		if of := r.declared[e.Name]; of != nil {
			return r.read(of)
		}
		return r.known(e.Name)
	}
	require.Fail(r.t, "not a type that the corpus may have", "%T", e)
	return nil
}

func (r *typeReader) known(name string) reflect.Type {
	for _, t := range []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[bool](), reflect.TypeFor[int](),
		reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](),
		reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](),
		reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[apimeta.Time](),
		reflect.TypeFor[apimeta.Condition](), reflect.TypeFor[time.Duration]()} {
		if t.String() == name {
			return t
		}
	}
	switch name {
	case "any":
		return reflect.TypeFor[any]()
	case "json.RawMessage": // from Go 1.27 on an alias of a type with another name
		return reflect.TypeFor[json.RawMessage]()
	}
	require.Fail(r.t, "an unknown type", name)
	return nil
}

func (r *typeReader) structure(s *ast.StructType) reflect.Type {
	var fields []reflect.StructField
	for _, f := range s.Fields.List {
		tag, err := strconv.Unquote(f.Tag.Value)
		require.NoError(r.t, err)
		fields = append(fields, reflect.StructField{Name: f.Names[0].Name, Type: r.read(f.Type),
			Tag: reflect.StructTag(tag)})
	}
	return reflect.StructOf(fields)
}

// Each struct of the first file breaks the rules that its comment names, and no other. Those of the second file break
// none.
func TestCorpus(t *testing.T) {
	for _, file := range []string{"testdata/wrong.go", "testdata/right.go"} {
		for _, c := range corpus(t, file) {
			t.Run(c.name, func(t *testing.T) {
				check(t, c.want, conventions.FindingsOf(c.d))
				assert.Equal(t, strings.HasSuffix(file, "wrong.go"), len(c.want) > 0, "it is in the wrong file")
			})
		}
	}
}

package usage

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Row is a row of a table in Go source: a composite literal whose elements are texts, flags, sets and a method.
type Row struct {
	// Texts, Flags and Sets are the strings, the truth values and the sums of constants among the elements, each in order.
	Texts []string
	Flags []bool
	Sets  []int
	// Method is the name in a method expression, such as (*request).find.
	Method string
}

// Tables returns the tables of a file in the package of the test that runs. typ is the type of their rows. A table has
// the name of the variable or field that gets it, or "" if a function returns it.
func Tables(t *testing.T, file, typ string) map[string][]Row {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	require.NoError(t, err)
	r := reader{t: t, typ: typ, constants: Constants(t), named: map[string]Row{}}
	tables := map[string][]Row{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if len(n.Rhs) == len(n.Lhs) {
					r.assign(tables, nameOf(left), n.Rhs[i])
				}
			}
		case *ast.ReturnStmt:
			for _, result := range n.Results {
				r.assign(tables, "", result)
			}
		}
		return true
	})
	require.NotEmpty(t, tables, "%s has no table of %s", file, typ)
	return tables
}

// reader reads tables.
type reader struct {
	t         *testing.T
	typ       string
	constants map[string]int
	named     map[string]Row // rows that are variables
}

// assign reads a row or a table that gets a name.
func (r reader) assign(tables map[string][]Row, name string, value ast.Expr) {
	if literal, ok := value.(*ast.CompositeLit); ok && nameOf(literal.Type) == r.typ {
		r.named[name] = r.row(literal)
		return
	}
	if rows := r.rows(value); len(rows) > 0 {
		tables[name] = rows
	}
}

// rows returns the rows of a slice, or those that a function gets.
func (r reader) rows(value ast.Expr) (rows []Row) {
	switch value := value.(type) {
	case *ast.CallExpr:
		for _, argument := range value.Args {
			rows = append(rows, r.rows(argument)...)
		}
	case *ast.Ident:
		if row, ok := r.named[value.Name]; ok {
			rows = append(rows, row)
		}
	case *ast.CompositeLit:
		list, ok := value.Type.(*ast.ArrayType)
		if !ok || nameOf(list.Elt) != r.typ {
			return nil
		}
		for _, element := range value.Elts {
			if literal, ok := element.(*ast.CompositeLit); ok {
				rows = append(rows, r.row(literal))
			} else {
				rows = append(rows, r.rows(element)...)
			}
		}
	}
	return rows
}

func (r reader) row(literal *ast.CompositeLit) (row Row) {
	for _, element := range literal.Elts {
		if method, ok := element.(*ast.SelectorExpr); ok {
			row.Method = method.Sel.Name
			continue
		}
		switch value := valueOf(element, r.constants); value.Kind() {
		case constant.String:
			row.Texts = append(row.Texts, constant.StringVal(value))
		case constant.Bool:
			row.Flags = append(row.Flags, constant.BoolVal(value))
		case constant.Int:
			row.Sets = append(row.Sets, intOf(value))
		default:
			require.Fail(r.t, "a row of "+r.typ+" has an element that is no constant")
		}
	}
	return row
}

// Constants returns the integer constants of the package of the test that runs, as far as they are made of iota and of
// each other.
func Constants(t *testing.T) map[string]int {
	t.Helper()
	all := map[string]int{}
	for _, file := range sources(t) {
		for _, d := range file.Decls {
			group, ok := d.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			var repeated []ast.Expr
			for i, spec := range group.Specs {
				spec := spec.(*ast.ValueSpec)
				if len(spec.Values) > 0 {
					repeated = spec.Values
				}
				all["iota"] = i
				for j, name := range spec.Names {
					if value := valueOf(repeated[j], all); value.Kind() == constant.Int {
						all[name.Name] = intOf(value)
					}
				}
			}
		}
	}
	delete(all, "iota")
	return all
}

// valueOf returns the value of a constant expression, or an unknown value.
func valueOf(e ast.Expr, constants map[string]int) constant.Value {
	switch e := e.(type) {
	case *ast.BasicLit:
		return constant.MakeFromLiteral(e.Value, e.Kind, 0)
	case *ast.Ident:
		if e.Name == "true" || e.Name == "false" {
			return constant.MakeBool(e.Name == "true")
		}
		if n, ok := constants[e.Name]; ok {
			return constant.MakeInt64(int64(n))
		}
	case *ast.ParenExpr:
		return valueOf(e.X, constants)
	case *ast.BinaryExpr:
		x, y := valueOf(e.X, constants), valueOf(e.Y, constants)
		switch {
		case x.Kind() == constant.Unknown || x.Kind() != y.Kind():
		case e.Op == token.SHL:
			return constant.Shift(x, e.Op, uint(intOf(y)))
		case e.Op == token.OR || e.Op == token.ADD:
			return constant.BinaryOp(x, e.Op, y)
		}
	}
	return constant.MakeUnknown()
}

func intOf(v constant.Value) int {
	n, _ := constant.Int64Val(v)
	return int(n)
}

// nameOf returns the name of a variable, a field or a type, or "".
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// Fields returns the names of the fields of a struct in the package of the test that runs.
func Fields(t *testing.T, typ string) (names []string) {
	t.Helper()
	for _, file := range sources(t) {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || spec.Name.Name != typ {
				return true
			}
			of, ok := spec.Type.(*ast.StructType)
			require.True(t, ok, "%s is no struct", typ)
			for _, field := range of.Fields.List {
				for _, name := range field.Names {
					names = append(names, name.Name)
				}
			}
			return false
		})
	}
	require.NotEmpty(t, names, "the package has no struct %s with fields", typ)
	return names
}

// sources parses the files of the package of the test that runs, by their names.
func sources(t *testing.T) map[string]*ast.File {
	t.Helper()
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	files := map[string]*ast.File{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		files[name], err = parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
	}
	return files
}

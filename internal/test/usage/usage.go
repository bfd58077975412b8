// Package usage finds in Go source what the methods of a type read, set and call, and reads the tables of the steps of
// a write and of the stages of a request, with which tests compare it. Because it reads source, these tests need no
// access to what a package does not export: a test inside of a package makes Go compile all packages between it and
// its tests twice.
package usage

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

// Method is what the code of one method uses. Reads and Sets are selectors below the receiver, of one name or two, such
// as "now" and "draft.now". Lends are those whose address the method takes: somebody may set them. Calls are the names of
// one level, among which the called methods are.
type Method struct {
	File                      string
	Reads, Sets, Lends, Calls []string
}

// Of returns the methods of the types, by their names, in the package of the test that runs. A method of an embedded
// type is one of its owner's, so a test names both types.
func Of(t *testing.T, types ...string) map[string]*Method {
	t.Helper()
	wanted := map[string]bool{}
	for _, name := range types {
		wanted[name] = true
	}
	all := map[string]*Method{}
	for name, file := range sources(t) {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil || len(f.Recv.List[0].Names) == 0 {
				continue
			}
			star, ok := f.Recv.List[0].Type.(*ast.StarExpr)
			if !ok {
				continue
			}
			if of, ok := star.X.(*ast.Ident); ok && wanted[of.Name] {
				m := methodOf(f, f.Recv.List[0].Names[0].Name)
				m.File, all[f.Name.Name] = name, m
			}
		}
	}
	return all
}

// methodOf reads the body of one method.
func methodOf(f *ast.FuncDecl, receiver string) *Method {
	m := new(Method)
	set, lent := map[ast.Node]bool{}, map[ast.Node]bool{}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				if element, ok := left.(*ast.IndexExpr); ok {
					left = element.X
				}
				set[left] = true
			}
		case *ast.IncDecStmt:
			set[n.X] = true
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				lent[n.X] = true
			}
		case *ast.SelectorExpr:
			name, ok := below(n, receiver)
			if !ok {
				return true
			}
			if !strings.Contains(name, ".") {
				m.Calls = append(m.Calls, name)
			}
			switch {
			case set[n]:
				m.Sets = append(m.Sets, name)
			case lent[n]:
				m.Lends = append(m.Lends, name)
			default:
				m.Reads = append(m.Reads, name)
			}
		}
		return true
	})
	return m
}

// below returns the names of a selector below the receiver, if there are one or two.
func below(n *ast.SelectorExpr, receiver string) (name string, ok bool) {
	switch of := n.X.(type) {
	case *ast.Ident:
		return n.Sel.Name, of.Name == receiver
	case *ast.SelectorExpr:
		if root, ok := of.X.(*ast.Ident); ok && root.Name == receiver {
			return of.Sel.Name + "." + n.Sel.Name, true
		}
	}
	return "", false
}

// EachCalled calls see for the method and for each method that it calls, directly or not, once.
func EachCalled(all map[string]*Method, method string, see func(*Method)) {
	seen := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		m := all[name]
		if m == nil || seen[name] {
			return
		}
		seen[name] = true
		see(m)
		for _, call := range m.Calls {
			visit(call)
		}
	}
	visit(method)
}

// Command exports writes the exported API of each released module into docs/api: a file for a module, with the
// declarations of its packages and without comments. A test compares the files with the code, so a review shows each
// change of the API. Run it at the root of the repository: make api.
package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// modules are the directories of the released modules. .ci/public-modules lists the nested ones.
func modules(root string) ([]string, error) {
	script, err := os.ReadFile(filepath.Join(root, ".ci", "public-modules"))
	if err != nil {
		return nil, err
	}
	_, list, ok := strings.Cut(string(script), `printf '%s\n' `)
	if !ok {
		return nil, fmt.Errorf(".ci/public-modules has no list")
	}
	return append([]string{"."}, strings.Fields(list)...), nil
}

// fileOf returns the name of the file in docs/api that has the API of a module.
func fileOf(module string) string {
	if module == "." {
		return "core.txt"
	}
	return strings.ReplaceAll(module, "/", "-") + ".txt"
}

// packages returns the directories of the packages of a module that others may import.
func packages(root, module string) (dirs []string, err error) {
	err = filepath.WalkDir(filepath.Join(root, module), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		dir, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if dir != filepath.Clean(module) {
			switch name := d.Name(); {
			case name == "internal", name == "testdata", name == "examples", strings.HasPrefix(name, "."):
				return filepath.SkipDir
			}
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
				return filepath.SkipDir
			}
		}
		dirs = append(dirs, filepath.ToSlash(dir))
		return nil
	})
	return dirs, err
}

// api returns the exported API of a module. The API of a module that contains only programs is empty.
func api(root, module string) ([]byte, error) {
	dirs, err := packages(root, module)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for _, dir := range dirs {
		declared, err := declarations(filepath.Join(root, filepath.FromSlash(dir)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		if len(declared) > 0 {
			fmt.Fprintf(&b, "# %s\n\n%s\n\n", dir, strings.Join(declared, "\n"))
		}
	}
	if b.Len() == 0 {
		return nil, nil
	}
	return append(bytes.TrimRight(b.Bytes(), "\n"), '\n'), nil
}

// declarations returns the exported declarations of a package as it is built for Linux: constants, variables, functions,
// and each type with its constants, constructors and methods.
func declarations(dir string) ([]string, error) {
	fset := token.NewFileSet()
	files, path, err := sources(fset, dir, 0)
	if len(files) == 0 {
		return nil, err
	}
	inner := innerOf(files) // package doc changes the files
	pkg, err := doc.NewFromFiles(fset, files, path)
	if err != nil {
		return nil, err
	}
	p := page{fset: fset}
	p.values(pkg.Consts, pkg.Vars)
	p.funcs(pkg.Funcs)
	for _, t := range pkg.Types {
		p.add(t.Decl)
		p.values(t.Consts, t.Vars)
		methods := slices.Concat(t.Methods, inner.promoted(t))
		slices.SortFunc(methods, func(a, b *doc.Func) int { return cmp.Compare(a.Name, b.Name) })
		p.funcs(t.Funcs, methods)
	}
	return p.lines, p.err
}

// sources parses the files of a package as it is built for Linux. It returns no files for a program or for a directory
// without Go files.
func sources(fset *token.FileSet, dir string, mode parser.Mode) (files []*ast.File, path string, err error) {
	c := build.Default
	c.GOOS, c.GOARCH, c.CgoEnabled = "linux", "amd64", false
	in, err := c.ImportDir(dir, 0)
	if _, none := err.(*build.NoGoError); none || err == nil && in.IsCommand() {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", err
	}
	for _, name := range in.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, mode|parser.SkipObjectResolution)
		if err != nil {
			return nil, "", err
		}
		files = append(files, file)
	}
	return files, in.ImportPath, nil
}

// inner holds the methods of each type of a package, and the types that each struct embeds. The keys are the names of
// the types.
type inner struct {
	methods  map[string][]*ast.FuncDecl
	embedded map[string][]string
}

func innerOf(files []*ast.File) inner {
	in := inner{map[string][]*ast.FuncDecl{}, map[string][]string{}}
	for _, file := range files {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
				name := nameOf(f.Recv.List[0].Type)
				in.methods[name] = append(in.methods[name], f)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				for _, f := range s.Fields.List {
					if len(f.Names) == 0 {
						in.embedded[spec.Name.Name] = append(in.embedded[spec.Name.Name], nameOf(f.Type))
					}
				}
			}
			return false
		})
	}
	return in
}

// nameOf returns the name of a type without its package, pointer and type arguments.
func nameOf(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return nameOf(t.X)
	case *ast.IndexExpr:
		return nameOf(t.X)
	case *ast.IndexListExpr:
		return nameOf(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// promoted returns the exported methods that a type gets from unexported types of its package and that package doc
// omits. Package doc stops at the first type that is embedded as a pointer.
func (in inner) promoted(t *doc.Type) (all []*doc.Func) {
	seen := map[string]bool{}
	for _, m := range t.Methods {
		seen[m.Name] = true
	}
	for level := in.embedded[t.Name]; len(level) > 0; {
		var next []string
		for _, name := range level {
			if ast.IsExported(name) { // the declaration of the type shows it
				continue
			}
			next = append(next, in.embedded[name]...)
			for _, f := range in.methods[name] {
				if !f.Name.IsExported() || seen[f.Name.Name] {
					continue
				}
				seen[f.Name.Name] = true
				of := *f
				receiver := *f.Recv.List[0]
				receiver.Type = ast.NewIdent(t.Name)
				of.Recv = &ast.FieldList{List: []*ast.Field{&receiver}}
				of.Doc = nil
				all = append(all, &doc.Func{Name: f.Name.Name, Decl: &of})
			}
		}
		level = next
	}
	return all
}

// page collects the texts of declarations.
type page struct {
	fset  *token.FileSet
	lines []string
	err   error
}

func (p *page) values(lists ...[]*doc.Value) {
	for _, v := range slices.Concat(lists...) {
		p.add(v.Decl)
	}
}

func (p *page) funcs(lists ...[]*doc.Func) {
	for _, f := range slices.Concat(lists...) {
		f.Decl.Body = nil
		p.add(f.Decl)
	}
}

func (p *page) add(d ast.Decl) {
	var b bytes.Buffer
	config := printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 8}
	if err := config.Fprint(&b, p.fset, d); err != nil {
		p.err = err
	}
	for line := range strings.Lines(b.String()) { // comments leave empty lines
		if line = strings.TrimRight(line, "\n"); line != "" {
			p.lines = append(p.lines, line)
		}
	}
}

func main() {
	all, err := modules(".")
	if err != nil {
		log.Fatal(err)
	}
	for _, module := range all {
		text, err := api(".", module)
		if err != nil {
			log.Fatal(err)
		}
		if len(text) == 0 {
			continue
		}
		if err := os.WriteFile(filepath.Join("docs", "api", fileOf(module)), text, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

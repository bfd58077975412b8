// Command exports writes the exported API of each released module into docs/api: a file for a module, with the
// declarations of its packages and without comments. A test compares the files with the code, so a review shows each
// change of the API. Run it at the root of the repository: make api.
package main

import (
	"bytes"
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
	c := build.Default
	c.GOOS, c.GOARCH, c.CgoEnabled = "linux", "amd64", false
	in, err := c.ImportDir(dir, 0)
	if _, none := err.(*build.NoGoError); none || err == nil && in.IsCommand() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range in.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	pkg, err := doc.NewFromFiles(fset, files, in.ImportPath)
	if err != nil {
		return nil, err
	}
	p := page{fset: fset}
	p.values(pkg.Consts, pkg.Vars)
	p.funcs(pkg.Funcs)
	for _, t := range pkg.Types {
		p.add(t.Decl)
		p.values(t.Consts, t.Vars)
		p.funcs(t.Funcs, t.Methods)
	}
	return p.lines, p.err
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

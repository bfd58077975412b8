// Package surface inspects the exported API of a module with the type checker. Tests use it to keep internal types out
// of exported declarations, and the types of a lower layer out of those of a higher one.
package surface

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Check type-checks the public packages of the module in the working directory, and returns their import paths. Its
// error lists each exported name whose declaration uses a type of an internal package.
func Check(module string) (packages []string, err error) {
	listed, err := load(module + "/...")
	if err != nil {
		return nil, err
	}
	var leaks []error
	for _, pkg := range listed {
		packages = append(packages, pkg.Path())
		for _, leak := range mentions(pkg, isInternal) {
			leaks = append(leaks, errors.New(leak))
		}
	}
	return packages, errors.Join(leaks...)
}

// Mentions returns a line for each type of other packages that the exported declarations of a package use.
func Mentions(path string, others ...string) ([]string, error) {
	listed, err := load(path)
	if err != nil {
		return nil, err
	}
	if len(listed) != 1 {
		return nil, fmt.Errorf("%s is not one public package", path)
	}
	return mentions(listed[0], func(path string) bool { return slices.Contains(others, path) }), nil
}

// load type-checks the public packages that a pattern matches.
func load(pattern string) (packages []*types.Package, err error) {
	listed, err := list(pattern)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for _, p := range listed {
		exports[p.ImportPath] = p.Export
	}
	compiled := importer.ForCompiler(token.NewFileSet(), "gc",
		func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, p := range listed {
		if !p.public() {
			continue
		}
		pkg, err := compiled.Import(p.ImportPath)
		if err != nil {
			return nil, fmt.Errorf("cannot type-check %s: %w", p.ImportPath, err)
		}
		packages = append(packages, pkg)
	}
	return packages, nil
}

// listing is what the go command says about a package.
type listing struct {
	ImportPath, Name, Export string
	DepOnly                  bool // does not match the pattern
}

// public reports whether users may import the package. Nobody imports a program.
func (p listing) public() bool { return !p.DepOnly && p.Name != "main" && !isInternal(p.ImportPath) }

// isInternal reports whether the go command keeps other modules from importing the package.
func isInternal(path string) bool { return slices.Contains(strings.Split(path, "/"), "internal") }

// list compiles the packages that a pattern matches and returns them, with all that they import.
func list(pattern string) (all []listing, err error) {
	cmd := exec.Command("go", "list", "-deps", "-export", "-json=ImportPath,Name,Export,DepOnly", pattern)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", cmd, err, stderr.String())
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listing
		switch err := d.Decode(&p); err {
		case nil:
			all = append(all, p)
		case io.EOF:
			return all, nil
		default:
			return nil, err
		}
	}
}

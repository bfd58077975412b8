// Package surface inspects the exported API of a module with the type checker. Tests use it to keep internal types out of exported
// declarations.
package surface

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Check type-checks the public packages of the module in the working directory, and returns their import paths. Its error lists
// each exported name whose declaration uses a type of an internal package.
func Check(module string) (packages []string, err error) {
	listed, err := list(module)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for _, p := range listed {
		exports[p.ImportPath] = p.Export
	}
	var leaks []error
	compiled := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, p := range listed {
		if !p.public() {
			continue
		}
		pkg, err := compiled.Import(p.ImportPath)
		if err != nil {
			return nil, fmt.Errorf("cannot type-check %s: %w", p.ImportPath, err)
		}
		packages = append(packages, p.ImportPath)
		for _, leak := range leaksOf(pkg) {
			leaks = append(leaks, errors.New(leak))
		}
	}
	return packages, errors.Join(leaks...)
}

// listing is what the go command says about a package.
type listing struct {
	ImportPath, Name, Export string
	DepOnly                  bool // not of the module, or not of its packages that were asked for
}

// public reports whether users may import the package. Nobody imports a program.
func (p listing) public() bool { return !p.DepOnly && p.Name != "main" && !isInternal(p.ImportPath) }

// isInternal reports whether the go command keeps other modules from importing the package.
func isInternal(path string) bool { return slices.Contains(strings.Split(path, "/"), "internal") }

// list compiles the packages of a module and returns them, with all that they import.
func list(module string) (all []listing, err error) {
	cmd := exec.Command("go", "list", "-deps", "-export", "-json=ImportPath,Name,Export,DepOnly", module+"/...")
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

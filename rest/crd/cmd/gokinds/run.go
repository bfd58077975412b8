package main

import (
	"errors"
	"flag"
	"fmt"
	"go/token"
	"io"
	"strings"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/manifests"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/rest/validate"
)

// The exit statuses.
const (
	done   = 0
	failed = 2
)

// flags are the arguments of the command.
type flags struct {
	paths        []string
	pkg, version string
}

var errUsage = errors.New("wrong arguments")

// run runs the command and returns the exit status.
func run(arguments []string, stdin io.Reader, stdout, stderr io.Writer) int {
	f, err := parse(arguments, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return done
	case err != nil:
		return failed
	}
	code, err := code(f, stdin)
	if err == nil {
		_, err = stdout.Write(code)
	}
	if err != nil {
		fmt.Fprintln(stderr, "gokinds:", strings.ReplaceAll(err.Error(), "\n", "\ngokinds: "))
		return failed
	}
	return done
}

// parse reads the arguments. It prints what is wrong with them before it returns an error.
func parse(arguments []string, stderr io.Writer) (flags, error) {
	var f flags
	set := flag.NewFlagSet("gokinds", flag.ContinueOnError)
	set.SetOutput(stderr)
	set.Func("f", "a `PATH` with CustomResourceDefinitions: a file, a folder with its subfolders, or - for standard "+
		"input; may be repeated", func(path string) error {
		f.paths = append(f.paths, path)
		return nil
	})
	set.StringVar(&f.pkg, "package", "main", "the `NAME` of the Go package")
	set.StringVar(&f.version, "version", "", "the `VERSION` to print; default: the storage version of each definition")
	if err := set.Parse(arguments); err != nil {
		return f, err
	}
	wrong := ""
	switch {
	case len(f.paths) == 0:
		wrong = "name at least one file with -f"
	case set.NArg() > 0:
		wrong = fmt.Sprintf("unexpected argument %q: name each file with -f", set.Arg(0))
	case !token.IsIdentifier(f.pkg):
		wrong = fmt.Sprintf("--package: %q cannot be the name of a Go package", f.pkg)
	default:
		return f, nil
	}
	fmt.Fprintln(stderr, "gokinds:", wrong)
	set.Usage()
	return f, errUsage
}

// code returns the Go code of the definitions in all files.
func code(f flags, stdin io.Reader) ([]byte, error) {
	to := newFile(f.pkg)
	found := false
	err := manifests.Each(f.paths, stdin, func(file string, text []byte) (err error) {
		for _, m := range validate.Read(file, text) {
			failed := m.Err()
			if failed == nil && m.Kind.Kind == "CustomResourceDefinition" {
				found = true
				failed = add(to, m.Kind.Version, m.JSON(), f.version)
			}
			if failed != nil {
				err = errors.Join(err, fmt.Errorf("%s:%d: %w", m.File, m.Line, failed))
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, fmt.Errorf("no CustomResourceDefinition in %s", strings.Join(f.paths, ", "))
	}
	return to.format()
}

// add adds one version of the kind of a definition to a file. The text is JSON.
func add(to *file, apiVersion string, text []byte, version string) error {
	if apiVersion != "v1" {
		return fmt.Errorf("the definition must be of version v1 of its API, not %s", apiVersion)
	}
	var d apiextensions.CustomResourceDefinition
	if err := codec.Unmarshal(text, &d); err != nil {
		return err
	}
	for i := range d.Spec.Versions {
		v := &d.Spec.Versions[i]
		if v.Name == version || version == "" && v.Storage {
			return to.add(&d.Spec, v)
		}
	}
	if version == "" {
		return errors.New("the definition has no storage version")
	}
	return fmt.Errorf("the definition has no version %q", version)
}

package main

import (
	"errors"
	"fmt"
	"io"

	"sigs.k8s.io/yaml"

	"github.com/decorum-go/decorum/internal/manifests"
	"github.com/decorum-go/decorum/rest/conventions"
	"github.com/decorum-go/decorum/rest/validate"
)

// read returns the objects of files, and of folders with all their subfolders. A document that cannot be read is an
// error.
func read(paths []string, in io.Reader) (all []validate.Manifest, err error) {
	err = manifests.Each(paths, in, func(file string, text []byte) (err error) {
		for _, m := range validate.Read(file, text) {
			if m.Err() != nil {
				err = errors.Join(err, fmt.Errorf("%s:%d: %w", m.File, m.Line, m.Err()))
			}
			all = append(all, m)
		}
		return err
	})
	return all, err
}

// readExceptions reads the file of exceptions. There are none without a file.
func readExceptions(file string) (conventions.Exceptions, error) {
	switch file {
	case "":
		return nil, nil
	case manifests.Stdin:
		return nil, errors.New("--exceptions: standard input is for definitions: name a file")
	}
	text, err := manifests.Text(file, nil)
	if err != nil {
		return nil, err
	}
	var list []struct{ Kind, Field, Rule, Reason string }
	if err := yaml.UnmarshalStrict(text, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var out conventions.Exceptions
	for _, e := range list {
		out = append(out, conventions.Exception{Kind: e.Kind, Field: e.Field, Rule: conventions.Rule(e.Rule),
			Reason: e.Reason})
	}
	return out, nil
}

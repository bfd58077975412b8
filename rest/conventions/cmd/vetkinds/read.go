package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"sigs.k8s.io/yaml"

	"github.com/decorum-go/decorum/rest/conventions"
	"github.com/decorum-go/decorum/rest/validate"
)

// stdin is the path of standard input.
const stdin = "-"

// maxFile is the largest size of a file in bytes. A file of definitions is much smaller, and a device may have no end.
const maxFile = 64 << 20

// read returns the objects of files, and of folders with all their subfolders. A document that cannot be read is an
// error.
func read(paths []string, in io.Reader) (all []validate.Manifest, err error) {
	for _, path := range paths {
		files, failed := filesOf(path)
		err = errors.Join(err, failed)
		for _, file := range files {
			text, failed := textOf(file, in)
			err = errors.Join(err, failed)
			for _, m := range validate.Read(file, text) {
				if m.Err() != nil {
					err = errors.Join(err, fmt.Errorf("%s:%d: %w", m.File, m.Line, m.Err()))
				}
				all = append(all, m)
			}
		}
	}
	return all, err
}

func textOf(file string, in io.Reader) ([]byte, error) {
	if file != stdin {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err == nil && len(text) > maxFile {
		return nil, fmt.Errorf("%s is larger than %d MiB", file, maxFile>>20)
	}
	return text, err
}

// filesOf returns the file at a path, or the manifests in a folder.
func filesOf(path string) (files []string, err error) {
	if path == stdin {
		return []string{path}, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	err = filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() &&
			slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(file)) {
			files = append(files, file)
		}
		return err
	})
	return files, err
}

// readExceptions reads the file of exceptions. There are none without a file.
func readExceptions(file string) (conventions.Exceptions, error) {
	if file == "" {
		return nil, nil
	}
	text, err := textOf(file, nil)
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

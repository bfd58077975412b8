// Package manifests finds and reads the files of Kubernetes objects that the command line of a program names.
package manifests

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Stdin is the path of standard input.
const Stdin = "-"

// maxFile is the largest size of a file in bytes. A file of objects is much smaller, and a device may have no end.
const maxFile = 64 << 20

// Text reads a file, or in if the file is [Stdin]. It refuses a file of more than 64 MiB.
func Text(file string, in io.Reader) ([]byte, error) {
	if file != Stdin {
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

// Files returns the file at a path, or the YAML and JSON files in a folder and in its subfolders. It follows links to
// files, and a path that is a link to a folder.
func Files(path string) (files []string, err error) {
	if path == Stdin {
		return []string{path}, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	err = filepath.WalkDir(path+string(filepath.Separator), func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(file)) {
			return err
		}
		info, err := os.Stat(file)
		if err == nil && !info.Mode().IsRegular() {
			err = fmt.Errorf("%s is neither a file nor a link to one", file)
		}
		files = append(files, file)
		return err
	})
	return files, err
}

// Each calls read with the text of each file that the paths lead to (see [Files] and [Text]). It continues after an error
// and returns all errors.
func Each(paths []string, in io.Reader, read func(file string, text []byte) error) (err error) {
	for _, path := range paths {
		files, failed := Files(path)
		err = errors.Join(err, failed)
		for _, file := range files {
			text, failed := Text(file, in)
			if failed == nil {
				failed = read(file, text)
			}
			err = errors.Join(err, failed)
		}
	}
	return err
}

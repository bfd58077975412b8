package offline

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/decorum-go/decorum/rest/validate"
)

// stdin is the path of standard input.
const stdin = "-"

// read returns the manifests of files and of folders with all their subfolders.
func read(paths []string, in io.Reader) (all []validate.Manifest, err error) {
	for _, path := range paths {
		files, err := filesOf(path)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			var text []byte
			if file == stdin {
				text, err = io.ReadAll(in)
			} else {
				text, err = os.ReadFile(file)
			}
			if err != nil {
				return nil, err
			}
			all = append(all, validate.Read(file, text)...)
		}
	}
	return all, nil
}

func filesOf(path string) (files []string, err error) {
	if path == stdin {
		return []string{path}, nil
	}
	err = filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if file == path || slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(file)) {
			files = append(files, file)
		}
		return nil
	})
	return files, err
}

package offline

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/decorum-go/decorum/rest/validate"
)

// stdin is the path of standard input.
const stdin = "-"

// maxFile is the largest size of a file in bytes. A file of manifests is much smaller, and a device may have no end.
const maxFile = 64 << 20

// read returns the manifests of files and of folders with all their subfolders. It reads several files at a time.
func read(paths []string, in io.Reader) ([]validate.Manifest, error) {
	var files []string
	for _, path := range paths {
		found, err := filesOf(path)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	manifests, errs := make([][]validate.Manifest, len(files)), make([]error, len(files))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		workers.Go(func() {
			for i := int(next.Add(1) - 1); i < len(files); i = int(next.Add(1) - 1) {
				var text []byte
				if text, errs[i] = textOf(files[i], in); errs[i] == nil {
					manifests[i] = validate.Read(files[i], text)
				}
			}
		})
	}
	workers.Wait()
	return slices.Concat(manifests...), errors.Join(errs...)
}

// textOf reads a file or standard input.
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
		err = fmt.Errorf("%s is larger than %d MiB", file, maxFile>>20)
	}
	return text, err
}

// filesOf returns the file at a path, or the manifests in a folder. It follows links to files, and a path that is a
// link to a folder.
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

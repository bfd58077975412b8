package offline

import (
	"errors"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/decorum-go/decorum/internal/manifests"
	"github.com/decorum-go/decorum/rest/validate"
)

// read returns the manifests of files and of folders with all their subfolders. It reads several files at a time.
func read(paths []string, in io.Reader) ([]validate.Manifest, error) {
	var files []string
	for _, path := range paths {
		found, err := manifests.Files(path)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	parsed, errs := make([][]validate.Manifest, len(files)), make([]error, len(files))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		workers.Go(func() {
			for i := int(next.Add(1) - 1); i < len(files); i = int(next.Add(1) - 1) {
				var text []byte
				if text, errs[i] = manifests.Text(files[i], in); errs[i] == nil {
					parsed[i] = validate.Read(files[i], text)
				}
			}
		})
	}
	workers.Wait()
	return slices.Concat(parsed...), errors.Join(errs...)
}

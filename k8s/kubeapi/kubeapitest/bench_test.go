package kubeapitest_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/k8s/kubeapi/kubeapitest"
)

// A test with an API of its own must cost little. The first API of a process also declares the kinds, so the benchmarks
// leave it out.
func BenchmarkNew(b *testing.B) { benchmark(b, kubeapitest.Options{}) }

// The definitions are those of the folder that DECORUM_CRDS names, by default of shared/crds beside the checkout.
func BenchmarkNewWithDefinitions(b *testing.B) {
	folder := os.Getenv("DECORUM_CRDS")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "..", "shared", "crds")
	}
	var files []string
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".yaml") {
			files = append(files, path)
		}
		return err
	})
	require.NoError(b, err)
	benchmark(b, kubeapitest.Options{CRDs: files})
	b.ReportMetric(float64(len(files)), "files")
}

func benchmark(b *testing.B, options kubeapitest.Options) {
	kubeapitest.New(b, options)
	b.ReportAllocs()
	for b.Loop() {
		kubeapitest.New(b, options)
	}
}

//go:build unix

package kubeapitest_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/k8s/kubeapi/kubeapitest"
)

// A test with an API of its own must cost little. The first API of a process also declares the kinds, so the benchmarks
// leave it out.
func BenchmarkNew(b *testing.B) { benchmark(b, kubeapitest.Options{}) }

func BenchmarkNewWithDefinitions(b *testing.B) {
	files := definitionFiles(b)
	benchmark(b, kubeapitest.Options{CRDs: files})
	b.ReportMetric(float64(len(files)), "files")
}

// definitionFiles returns the files in the folder that DECORUM_CRDS names, by default shared/crds beside the checkout.
func definitionFiles(tb testing.TB) (files []string) {
	folder := os.Getenv("DECORUM_CRDS")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "..", "shared", "crds")
	}
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".yaml") {
			files = append(files, path)
		}
		return err
	})
	require.NoError(tb, err)
	return files
}

func benchmark(b *testing.B, options kubeapitest.Options) {
	kubeapitest.New(b, options)
	b.ReportAllocs()
	least := time.Duration(0)
	for b.Loop() {
		before := processorTime(b)
		kubeapitest.New(b, options)
		if used := processorTime(b) - before; least == 0 || used < least {
			least = used
		}
	}
	b.ReportMetric(milliseconds(least), "least-cpu-ms")
}

// firstAPI is the variable that makes TestFirstAPI start an API: "plain", or "definitions" for one with definitions.
const firstAPI = "DECORUM_FIRST_API"

// BenchmarkProcess reports the processor time of a process that starts one API, beside that of one that starts none.
func BenchmarkProcess(b *testing.B) {
	for _, start := range []string{"", "plain", "definitions"} {
		b.Run("API="+start, func(b *testing.B) {
			least := time.Duration(0)
			for b.Loop() {
				process := exec.CommandContext(b.Context(), os.Args[0], "-test.run=^TestFirstAPI$")
				process.Env = append(os.Environ(), firstAPI+"="+start)
				output, err := process.CombinedOutput()
				require.NoError(b, err, "%s", output)
				if used := process.ProcessState.UserTime() + process.ProcessState.SystemTime(); least == 0 || used < least {
					least = used
				}
			}
			b.ReportMetric(milliseconds(least), "least-cpu-ms")
		})
	}
}

// TestFirstAPI is the process of BenchmarkProcess.
func TestFirstAPI(t *testing.T) {
	switch os.Getenv(firstAPI) {
	case "plain":
		kubeapitest.New(t, kubeapitest.Options{})
	case "definitions":
		kubeapitest.New(t, kubeapitest.Options{CRDs: definitionFiles(t)})
	}
}

func processorTime(tb testing.TB) time.Duration {
	var usage syscall.Rusage
	require.NoError(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

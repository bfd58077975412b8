//go:build unix

package offline_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/offline"
)

// BenchmarkRun validates the manifests of 100 shops, each in a file. It reports the documents in a second of processor
// time, which other programs on the machine hardly change.
func BenchmarkRun(b *testing.B) {
	text, err := os.ReadFile("testdata/shop.yaml")
	require.NoError(b, err)
	seen := []string{"Namespace", "LimitRange", "PriorityClass", "StorageClass", "ValidatingAdmissionPolicy",
		"ValidatingAdmissionPolicyBinding"}
	kind, name := regexp.MustCompile(`(?m)^kind: (\w+)$`), regexp.MustCompile(`(?m)^  name: (\S+)$`)
	documents := slices.DeleteFunc(strings.Split(string(text), "\n---\n"), func(d string) bool {
		return slices.Contains(seen, kind.FindStringSubmatch(d)[1]) // those that others see exist once
	})
	const shops = 100
	dir := b.TempDir()
	for i := range shops {
		var file bytes.Buffer
		for _, d := range documents {
			fmt.Fprintf(&file, "%s\n---\n", name.ReplaceAllString(d, fmt.Sprintf("  name: $1-%d", i)))
		}
		require.NoError(b, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d.yaml", i)), file.Bytes(), 0o600))
	}
	before := processorTime(b)
	for b.Loop() {
		require.Zero(b, offline.Run(b.Context(), []string{"-f", dir}, nil, io.Discard, io.Discard))
	}
	b.ReportMetric(float64(b.N*shops*len(documents))/(processorTime(b)-before).Seconds(), "documents/cpu-s")
}

func processorTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

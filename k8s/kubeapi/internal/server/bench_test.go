package server_test

import (
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/bootstrap"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/pki"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/server"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/rest/serviceaccount"
)

// newBenchmarked returns a function that starts a server. All its servers share what servers of one process can share.
func newBenchmarked(b *testing.B) func() *server.Server {
	secrets, err := pki.NewSecrets()
	require.NoError(b, err)
	types, objects := new(rest.TypeCache), bootstrap.Config{Common: new(bootstrap.Common)}
	return func() *server.Server {
		s, err := server.New(b.Context(), server.Config{Types: types, Objects: objects, Plugins: server.DefaultPlugins(nil),
			Accounts: serviceaccount.Options{Issuer: "https://example.com",
				Keys: []serviceaccount.Key{{Signer: secrets.AccountKey}}}})
		require.NoError(b, err)
		return s
	}
}

// A test with an API of its own must cost little. The first API of a process also builds the declarations, so the
// benchmark leaves it out.
func BenchmarkFurtherAPI(b *testing.B) {
	start := newBenchmarked(b)
	require.NoError(b, start().Close())
	for b.Loop() {
		require.NoError(b, start().Close())
	}
}

// BenchmarkMemoryOfPods reports what a server keeps in memory when it is idle, and for each Pod. The history holds no
// older states, because the Pods are only created.
func BenchmarkMemoryOfPods(b *testing.B) {
	const count = 10_000
	start := newBenchmarked(b)
	for b.Loop() {
		s := start()
		idle := liveBytes()
		pods := resttest.Client[corev1.Pod](b, s.API()).Namespace(metav1.NamespaceDefault)
		for i := range count {
			_, err := pods.Create(b.Context(),
				&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod-" + strconv.Itoa(i),
					Labels: map[string]string{"app": "example"}},
					Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "example", Image: "example.com/example:1.0"}}}})
			require.NoError(b, err)
		}
		b.ReportMetric(float64(idle), "idle-B")
		b.ReportMetric(float64(liveBytes()-idle)/count, "B/pod")
		require.NoError(b, s.Close())
	}
}

// liveBytes returns how many bytes of the heap are in use.
func liveBytes() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

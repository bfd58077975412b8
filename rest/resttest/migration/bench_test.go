package migration

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/decorum-go/decorum/rest/resttest"
)

// The cost of a test up to its first object. docs/testing.md has the figures.

func BenchmarkFakeClient(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		c := fake.NewClientBuilder().WithScheme(scheme()).WithStatusSubresource(&Ship{}).Build()
		require.NoError(b, c.Create(b.Context(), ship("victory")))
	}
}

func BenchmarkResttest(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		t := &startOnly{TB: b}
		s := resttest.New(t, ships())
		c, err := client.New(&rest.Config{Host: "http://resttest", Transport: s.RoundTripper()},
			client.Options{Scheme: scheme()})
		require.NoError(b, err)
		require.NoError(b, c.Create(b.Context(), ship("victory")))
		t.end()
	}
}

// The memory that each server keeps, with a client of its own, while all of them
// run.

func BenchmarkMemoryOfFakeClients(b *testing.B) {
	benchmarkMemory(b, func(*startOnly) any {
		c := fake.NewClientBuilder().WithScheme(scheme()).WithStatusSubresource(&Ship{}).Build()
		require.NoError(b, c.Create(b.Context(), ship("victory")))
		return c
	})
}

func BenchmarkMemoryOfResttest(b *testing.B) {
	benchmarkMemory(b, func(t *startOnly) any {
		s := resttest.New(t, ships())
		c, err := client.New(&rest.Config{Host: "http://resttest", Transport: s.RoundTripper()},
			client.Options{Scheme: scheme()})
		require.NoError(b, err)
		require.NoError(b, c.Create(b.Context(), ship("victory")))
		return []any{s, c}
	})
}

func benchmarkMemory(b *testing.B, start func(*startOnly) any) {
	const many = 100
	for b.Loop() {
		t := &startOnly{TB: b}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		held := make([]any, 0, many)
		for range many {
			held = append(held, start(t))
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/many/1024, "KiB/server")
		runtime.KeepAlive(held)
		t.end()
	}
}

// startOnly lets a benchmark end a server in each iteration.
type startOnly struct {
	testing.TB
	cleanups []func()
}

func (t *startOnly) Cleanup(f func()) { t.cleanups = append(t.cleanups, f) }

func (t *startOnly) end() {
	for _, f := range t.cleanups {
		f()
	}
	t.cleanups = nil
}

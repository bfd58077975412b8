package engine_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/heaptest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
	"github.com/decorum-go/decorum/storage/storagetest"
	"github.com/decorum-go/decorum/watch"
)

// sizes are the numbers of objects. With -short, the benchmarks skip the largest.
var sizes = []struct {
	name  string
	count int
}{{"10k", 10_000}, {"Large1M", 1_000_000}}

// typical returns an object of about 2 KB, as controllers write them: three labels, an owner, managed fields.
func typical(name string, n int, version watch.Revision) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"%s","namespace":"ns-%d","uid":"4a1f0c9e-6f0e-4a57-9d5e-%012d",`+
		`"resourceVersion":"%d","generation":3,"creationTimestamp":"2026-01-01T00:00:00Z","labels":{"app":"app-%d","tier":"backend","version":"v%d"},`+
		`"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"owner-%d","uid":"owner-uid-%024d"}],"managedFields":[%s]},`+
		`"spec":{"replicas":%d,"text":"%s"},"status":{"phase":"Running","n":%d}}`,
		name, n%20, n, version, n%50, n%5, n%1000, n%1000,
		strings.Repeat(`{"manager":"controller","operation":"Update","time":"2026-01-01T00:00:00Z","fieldsV1":{"f:spec":{"f:replicas":{}}}},`, 6)+"{}",
		n%10, strings.Repeat("some text of the spec. ", 36), n)
}

func typicalKey(n int) storage.Key {
	return storage.Key{Resource: pods, Namespace: fmt.Sprintf("ns-%d", n%20), Name: fmt.Sprintf("object-%07d", n)}
}

func fill(tb testing.TB, m *engine.Engine, count int) {
	for n := range count {
		key := typicalKey(n)
		_, err := m.Update(context.Background(), key,
			func(*storage.Record) ([]byte, error) { return typical(key.Name, n, m.Revision()), nil })
		require.NoError(tb, err)
	}
}

func benchmark(b *testing.B, run func(b *testing.B, m *engine.Engine, count int)) {
	for _, size := range sizes {
		b.Run(size.name, func(b *testing.B) {
			if size.count > 100_000 && testing.Short() {
				b.Skip("large")
			}
			m := newMemory(b, storage.Options{Start: 1_000_000_000})
			fill(b, m, size.count)
			b.ReportAllocs()
			b.ResetTimer()
			run(b, m, size.count)
		})
	}
}

func BenchmarkGet(b *testing.B) {
	benchmark(b, func(b *testing.B, m *engine.Engine, count int) {
		keys := make([]storage.Key, 4096)
		for i := range keys {
			keys[i] = typicalKey(i * 7919 % count)
		}
		for i := 0; b.Loop(); i++ {
			if _, err := m.Get(context.Background(), keys[i%len(keys)], 0); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// The function copies the text, because an encoder would write a new text each
// time.
func BenchmarkUpdate(b *testing.B) {
	benchmark(b, func(b *testing.B, m *engine.Engine, count int) {
		for i := 0; b.Loop(); i++ {
			_, err := m.Update(context.Background(), typicalKey(i*7919%count), func(current *storage.Record) ([]byte, error) {
				next := append([]byte(nil), storagetest.Text(current)...)
				next[len(next)-3] = '0' + (next[len(next)-3]+1)%10
				return next, nil
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkCreate(b *testing.B) {
	benchmark(b, func(b *testing.B, m *engine.Engine, count int) {
		text := typical("new", 1, m.Revision())
		for i := 0; b.Loop(); i++ {
			key := storage.Key{Resource: pods, Namespace: "new", Name: fmt.Sprint(i)}
			_, err := m.Update(context.Background(), key,
				func(*storage.Record) ([]byte, error) { return append([]byte(nil), text...), nil })
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkDeleteCreate(b *testing.B) {
	benchmark(b, func(b *testing.B, m *engine.Engine, count int) {
		for i := 0; b.Loop(); i++ {
			key := typicalKey(i * 7919 % count)
			r, err := m.Update(context.Background(), key, func(*storage.Record) ([]byte, error) { return nil, nil })
			if err != nil {
				b.Fatal(err)
			}
			if _, err = m.Update(context.Background(), key,
				func(*storage.Record) ([]byte, error) { return storagetest.Text(r), nil }); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkList(b *testing.B) {
	for name, opts := range map[string]storage.Query{
		"all":       {Within: watch.Key{Resource: pods}},
		"namespace": {Within: watch.Key{Resource: pods, Namespace: "ns-7"}},
		"labels": {Within: watch.Key{Resource: pods}, Match: func(r *storage.Record) bool {
			v, _ := r.Labels.Lookup("app")
			return v == "app-7"
		}},
		"limit=1": {Within: watch.Key{Resource: pods}, Limit: 1},
	} {
		b.Run(name, func(b *testing.B) {
			benchmark(b, func(b *testing.B, m *engine.Engine, count int) {
				var page storage.Listing
				var err error
				for b.Loop() {
					if page, err = m.List(context.Background(), opts, page.Records[:0]); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}

// The page belongs to a list that other writes have outdated: 1000 changes must be undone, once.
func BenchmarkListAtOldRevision(b *testing.B) {
	benchmark(b, func(b *testing.B, m *engine.Engine, count int) {
		revision := m.Revision()
		for n := range 1000 {
			key := typicalKey(n * 7919 % count)
			_, err := m.Update(context.Background(), key,
				func(*storage.Record) ([]byte, error) { return typical(key.Name, n+1, m.Revision()), nil })
			require.NoError(b, err)
		}
		opts := storage.Query{Within: watch.Key{Resource: pods}, Limit: 500, Revision: revision, Exact: true}
		var page storage.Listing
		var err error
		for b.Loop() {
			if page, err = m.List(context.Background(), opts, page.Records[:0]); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkExtract(b *testing.B) {
	text := typical("x", 1, 1_000_000)
	for name, extract := range map[string]storage.Extractor{
		"metadata": storage.ExtractMetadata, "interning": storage.NewExtractor(),
		"fields": storage.NewExtractor([]string{"spec", "nodeName"}, []string{"status", "phase"}),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := extract(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestMemoryPerObject measures the latest records only. The log, which holds no text of their creation, is compacted
// before.
func TestMemoryPerObject(t *testing.T) {
	const count = 10_000
	before := heaptest.InUse()
	m := newMemory(t, storage.Options{Start: 1_000_000_000})
	fill(t, m, count)
	withLog := heaptest.InUse() - before
	require.NoError(t, m.Compact(t.Context(), m.Revision()))
	compacted := heaptest.InUse() - before
	size := len(typical("object-0000000", 1, m.Revision()))
	t.Logf("%d bytes of JSON per object; memory use: %.3f times that, %.3f with the log", size,
		float64(compacted)/count/float64(size), float64(withLog)/count/float64(size))
	require.Less(t, float64(compacted), 1.25*float64(count*size))
	runtime.KeepAlive(m)
}

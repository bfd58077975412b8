package engine_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
	"github.com/decorum-go/decorum/storage/storagetest"
	"github.com/decorum-go/decorum/watch"
)

// newIndexed returns a store with the given number of indexes. Twenty objects share each value of the label app and of
// the first field.
func newIndexed(b *testing.B, count, indexes int) *engine.Engine {
	b.Helper()
	m := engine.New(storage.Options{Start: 1_000_000_000})
	b.Cleanup(func() { require.NoError(b, m.Close()) })
	all := []watch.Index{{Label: "app"}, {Field: 0}, {Field: 1}, {Label: "tier"}}
	require.NoError(b, m.Register(b.Context(),
		storage.Resource{Name: pods, Namespaced: true, Indexed: all[:indexes], Fingerprint: "1",
			Extract: storage.NewExtractor([]string{"spec", "text"}, []string{"status", "phase"})}))
	for n := range count {
		key := typicalKey(n)
		_, err := m.Update(context.Background(), key, func(*storage.Record) ([]byte, error) { return numbered(n), nil })
		require.NoError(b, err)
	}
	return m
}

func numbered(n int) []byte {
	return fmt.Appendf(nil,
		`{"metadata":{"name":"x","uid":"%d","resourceVersion":"1000000000","labels":{"app":"app-%d","tier":"backend"}},"spec":{"text":"node-%d"},"status":{"phase":"Running"}}`, n, n/20, n/20)
}

// BenchmarkListByTerm lists 20 objects among more and more others. With an index, the cost must depend on the 20 alone.
func BenchmarkListByTerm(b *testing.B) {
	for _, indexes := range []int{0, 1} {
		for _, count := range []int{1000, 10_000, 100_000} {
			b.Run(fmt.Sprintf("indexes=%d/objects=%d", indexes, count), func(b *testing.B) {
				m := newIndexed(b, count, indexes)
				opts := storage.Query{Within: watch.Key{Resource: pods},
					Terms: []watch.Term{{Index: watch.Index{Label: "app"}, Value: "app-17"}}}
				page, err := m.List(context.Background(), opts, nil)
				require.NoError(b, err)
				require.Len(b, page.Records, 20)
				b.ReportAllocs()
				for b.Loop() {
					if page, err = m.List(context.Background(), opts, page.Records[:0]); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkWriteWithIndexes measures what indexes add to a write that changes no indexed value.
func BenchmarkWriteWithIndexes(b *testing.B) {
	for _, indexes := range []int{0, 1, 4} {
		b.Run(fmt.Sprintf("indexes=%d", indexes), func(b *testing.B) {
			const count = 100_000
			m := newIndexed(b, count, indexes)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				n := i * 7919 % count
				_, err := m.Update(context.Background(), typicalKey(n), func(current *storage.Record) ([]byte, error) {
					next := append([]byte(nil), storagetest.Text(current)...)
					next[len(next)-5] ^= 1 // a letter of "Running"
					return next, nil
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkWatchByTerm measures a write while 10,000 watches wait for other values. The write must not wake them.
func BenchmarkWatchByTerm(b *testing.B) {
	for _, indexes := range []int{0, 1} {
		b.Run(fmt.Sprintf("indexes=%d", indexes), func(b *testing.B) {
			const watches = 10_000
			m := newIndexed(b, 1000, indexes)
			for i := range watches {
				cursor, err := m.Watch(context.Background(), watch.Key{Resource: pods}, m.Revision(),
					watch.Term{Index: watch.Index{Label: "app"}, Value: fmt.Sprint("other-", i)})
				require.NoError(b, err)
				ctx, cancel := context.WithCancel(context.Background())
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					defer cursor.Close()
					var changes []*watch.Change[storage.Record]
					for err == nil {
						changes, err = cursor.Next(ctx, changes[:0])
					}
				}()
				b.Cleanup(func() {
					cancel()
					<-ended
				})
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				_, err := m.Update(context.Background(), typicalKey(1), func(*storage.Record) ([]byte, error) {
					return fmt.Appendf(nil, `{"metadata":{"name":"x","uid":"%d","resourceVersion":"1000000000","labels":{"app":"app-1"}}}`, i), nil
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

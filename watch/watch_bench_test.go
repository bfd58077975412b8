package watch_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/decorum-go/decorum/watch"
)

// attach makes count cursors wait, each in its own goroutine, and returns the number of changes they have received so
// far.
func attach(b *testing.B, log *watch.Log[thing], count int,
	scope func(int) watch.Key) (delivered *atomic.Int64, stop func()) {
	b.Helper()
	delivered = new(atomic.Int64)
	var readers sync.WaitGroup
	for i := range count {
		c, err := log.Cursor(scope(i), 0)
		if err != nil {
			b.Fatal(err)
		}
		readers.Go(func() {
			defer c.Close()
			changes, err := c.Next(context.Background(), nil)
			for ; err == nil; changes, err = c.Next(context.Background(), changes[:0]) {
				delivered.Add(int64(len(changes)))
			}
		})
	}
	return delivered, func() { log.Close(); readers.Wait() }
}

// The cost of one change for a writer while cursors wait. The limit keeps the log as long as in a server.
func BenchmarkAppend(b *testing.B) {
	everything := func(int) watch.Key { return watch.Key{Resource: "things"} }
	elsewhere := func(i int) watch.Key {
		return watch.Key{Resource: "things", Namespace: fmt.Sprint("other-", i%100)}
	}
	for _, c := range []struct {
		name  string
		count int
		scope func(int) watch.Key
	}{
		{"watchers=0", 0, nil}, {"watchers=1", 1, everything}, {"watchers=100", 100, everything},
		{"watchers=1000", 1000, everything}, {"watchers=10000", 10_000, everything},
		{"uninterested=10000", 10_000, elsewhere},
	} {
		b.Run(c.name, func(b *testing.B) {
			log := watch.NewLog(watch.LogOptions[thing]{MaxBytes: func() int64 { return 16 << 20 }})
			delivered, stop := attach(b, log, c.count, c.scope)
			defer stop()
			k := key("default", "x")
			r := watch.Revision(0)
			b.ReportAllocs()
			for b.Loop() {
				r++
				if err := log.Append([]watch.Change[thing]{{Key: k, Revision: r}}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(delivered.Load())/float64(b.N), "delivered/op")
		})
	}
}

// The cost of one change for a writer when every cursor is idle: the median and the 99th percentile of Append itself.
func BenchmarkAppendPaced(b *testing.B) {
	for _, count := range []int{1, 100, 1000, 10_000} {
		b.Run(fmt.Sprintf("watchers=%d", count), func(b *testing.B) {
			log := watch.NewLog(watch.LogOptions[thing]{})
			delivered, stop := attach(b, log, count, func(int) watch.Key { return watch.Key{Resource: "things"} })
			defer stop()
			k := key("default", "x")
			var took []time.Duration
			r := watch.Revision(0)
			for b.Loop() {
				r++
				change := []watch.Change[thing]{{Key: k, Revision: r}}
				start := time.Now()
				if err := log.Append(change); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
				for delivered.Load() < int64(r)*int64(count) {
					runtime.Gosched()
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Nanoseconds()), "p50-append-ns")
			b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "p99-append-ns")
		})
	}
}

// A thousand changes go to every cursor as fast as possible; the time is per delivery.
func BenchmarkBurst(b *testing.B) {
	const burst = 1000
	for _, count := range []int{1, 100, 1000, 10_000} {
		b.Run(fmt.Sprintf("watchers=%d", count), func(b *testing.B) {
			log := watch.NewLog(watch.LogOptions[thing]{MaxBytes: func() int64 { return 64 << 20 }})
			delivered, stop := attach(b, log, count, func(int) watch.Key { return watch.Key{Resource: "things"} })
			defer stop()
			k := key("default", "x")
			r := watch.Revision(0)
			b.ReportAllocs()
			for b.Loop() {
				changes := make([]watch.Change[thing], burst)
				for i := range changes {
					r++
					changes[i] = watch.Change[thing]{Key: k, Revision: r}
					if err := log.Append(changes[i : i+1 : i+1]); err != nil {
						b.Fatal(err)
					}
				}
				for delivered.Load() < int64(r)*int64(count) {
					runtime.Gosched()
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(delivered.Load()), "ns/delivery")
		})
	}
}

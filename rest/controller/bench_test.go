package controller_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// BenchmarkEvents compares the cost of an event for an informer with that for a bare watch of the client, which decodes
// each object and keeps nothing. The events are in the store before the clock starts.
func BenchmarkEvents(b *testing.B) {
	const gears, batch = 1000, 10_000
	setup := func(b *testing.B) (*workshop, func(int)) {
		store := memory.New(storage.Options{MaxLogBytes: 1 << 30})
		api, err := rest.New(rest.Options{Store: store}, rest.Resource[Gear]{Group: group, Version: "v1", Plural: "gears"})
		require.NoError(b, err)
		b.Cleanup(func() {
			require.NoError(b, api.Close())
			require.NoError(b, store.Close())
		})
		all := resttest.Client[Gear](b, api)
		w := &workshop{t: b, api: api, store: store, all: all, gears: all.Namespace("default")}
		for i := range gears {
			w.create(gear(fmt.Sprint("gear-", i), 0, "app", "bench", "side", "left"))
		}
		n := int32(0)
		return w, func(events int) {
			for i := range events {
				n++
				w.modify(fmt.Sprint("gear-", i%gears), func(g *Gear) { g.Spec.Teeth = n })
			}
		}
	}

	b.Run("watch", func(b *testing.B) {
		w, write := setup(b)
		b.ReportAllocs()
		for left := b.N; left > 0; left -= batch {
			b.StopTimer()
			from := fmt.Sprint(w.revision())
			write(min(left, batch))
			b.StartTimer()
			seen := 0
			for _, err := range w.gears.Watch(context.Background(), rest.WatchOptions{ResourceVersion: from}) {
				require.NoError(b, err)
				if seen++; seen == min(left, batch) {
					break
				}
			}
			b.StopTimer()
			w.compact()
			b.StartTimer()
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
	})

	for _, indexes := range []int{0, 2} {
		b.Run(fmt.Sprintf("informer/indexes=%d", indexes), func(b *testing.B) {
			w, write := setup(b)
			options := controller.InformerOptions[Gear]{Indexes: map[string]controller.IndexFunc[Gear]{}}
			values := []string{"left"}
			for i := range indexes {
				options.Indexes[fmt.Sprint("index-", i)] = func(*Gear) []string { return values }
			}
			informer := gearInformer(w, options)
			arrived, goOn := make(chan struct{}), make(chan struct{})
			next := 0
			informer.AddHandler(controller.Handler[Gear]{OnUpdate: func(_, _ *Gear) {
				if next--; next <= 0 {
					arrived <- struct{}{}
					<-goOn
				}
			}})
			run(b, informer)
			require.NoError(b, informer.WaitForSync(context.Background()))
			write(1) // blocks the informer
			<-arrived
			b.ReportAllocs()
			b.ResetTimer()
			for left := b.N; left > 0; left -= batch {
				b.StopTimer()
				write(min(left, batch))
				next = min(left, batch)
				b.StartTimer()
				goOn <- struct{}{}
				<-arrived
			}
			b.StopTimer()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
			close(goOn)
		})
	}
}

func BenchmarkRead(b *testing.B) {
	for _, size := range []int{1000, 10_000} {
		w := newWorkshop(b)
		for i := range size {
			w.create(gear(fmt.Sprint("gear-", i), int32(i)))
		}
		informer := gearInformer(w, controller.InformerOptions[Gear]{Indexes: map[string]controller.IndexFunc[Gear]{
			"tens": func(g *Gear) []string { return []string{fmt.Sprint(g.Spec.Teeth / 10)} },
		}})
		stop := run(b, informer)
		require.NoError(b, informer.WaitForSync(context.Background()))
		b.Run(fmt.Sprintf("Get/%d", size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := informer.Get("default", "gear-500"); !ok {
					b.Fatal("not there")
				}
			}
		})
		b.Run(fmt.Sprintf("ByIndex10/%d", size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if gears, err := informer.ByIndex("tens", "50"); err != nil || len(gears) != 10 {
					b.Fatal(err, len(gears))
				}
			}
		})
		b.Run(fmt.Sprintf("List/%d", size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if len(informer.List()) != size {
					b.Fatal("events are missing")
				}
			}
		})
		stop()
	}
}

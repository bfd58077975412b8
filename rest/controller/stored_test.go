package controller_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"testing"
	"testing/synctest"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/heaptest"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
)

// An informer in the process of the store holds no copy of the objects.
func TestNoSecondCopyInTheProcess(t *testing.T) {
	const count = 20_000
	w := newWorkshop(t)
	w.stock(count)
	w.compact()
	byApp := func(g *Gear) []string { return []string{g.Labels["app"]} }
	perObject := func(indexes map[string]controller.IndexFunc[Gear]) int64 {
		before := heaptest.InUse()
		informer := gearInformer(w, controller.InformerOptions[Gear]{Indexes: indexes, DecodedBytes: -1})
		stop := run(t, informer)
		defer stop()
		require.NoError(t, informer.WaitForSync(t.Context()))
		defer runtime.KeepAlive(informer)
		return (heaptest.InUse() - before) / count
	}
	bare := perObject(nil)
	assert.Less(t, bare, int64(100), "bytes for each object of about 2 KB")
	assert.Less(t, perObject(map[string]controller.IndexFunc[Gear]{"app": byApp}), bare+60, "with an index")
}

// An informer keeps the most recently read objects decoded, within its budget.
func TestRecentObjectsStayDecoded(t *testing.T) {
	for _, c := range []struct {
		name  string
		bytes int64
		same  bool
	}{{"default", 0, true}, {"none", -1, false}, {"too small", 100, false}} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorkshop(t)
			w.create(gear("a", 1))
			informer := gearInformer(w, controller.InformerOptions[Gear]{DecodedBytes: c.bytes})
			run(t, informer)
			require.NoError(t, informer.WaitForSync(t.Context()))
			first, _ := informer.Get("default", "a")
			second, _ := informer.Get("default", "a")
			require.NotNil(t, first)
			assert.Equal(t, first, second)
			assert.Equal(t, c.same, first == second)
			assert.Equal(t, c.same, first == informer.List()[0])
		})
	}
}

// While a handler hangs, its informer keeps the last reported state of each object, and no later one.
func TestHandlerThatHangsKeepsNoHistory(t *testing.T) {
	w := newWorkshop(t)
	w.create(gear("a", 0))
	w.create(gear("gate", 0))
	informer := gearInformer(w, controller.InformerOptions[Gear]{})
	changes := make(chan string, 3)
	informer.AddHandler(controller.Handler[Gear]{OnUpdate: func(old, g *Gear) {
		changes <- fmt.Sprintf("update %s %d->%d", g.Name, old.Spec.Teeth, g.Spec.Teeth)
	}})
	arrived, letGo := held(informer)
	run(t, informer)
	require.NoError(t, informer.WaitForSync(t.Context()))
	w.modify("gate", func(g *Gear) { g.Spec.Teeth = 1 })
	within(t, arrived)
	assert.Equal(t, "update gate 0->1", within(t, changes))

	var history []weak.Pointer[storage.Record]
	for n := range int32(20) {
		w.modify("a", func(g *Gear) { g.Spec.Teeth = n + 1 })
		record, err := w.store.Get(t.Context(), storage.Key{Resource: "gears." + group, Namespace: "default", Name: "a"}, storage.MostRecent)
		require.NoError(t, err)
		history = append(history, weak.Make(record))
	}
	w.compact()
	for n, version := range history[:len(history)-1] {
		apitest.Await(t, fmt.Sprint("version ", n, " is freed"), func() bool {
			runtime.GC()
			return version.Value() == nil
		})
	}
	got, ok := informer.Get("default", "a")
	require.True(t, ok)
	assert.Equal(t, int32(0), got.Spec.Teeth, "not newer than what handlers have received")
	letGo()
	assert.Equal(t, "update a 0->20", within(t, changes))
}

// An object whose text does not fit its Go type hides no other objects.
func TestObjectThatCannotBeDecodedIsLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		w.create(gear("a", 1))
		key := storage.Key{Resource: "gears." + group, Namespace: "default", Name: "broken"}
		_, err := w.store.Update(context.Background(), key, func(*storage.Record) ([]byte, error) {
			return fmt.Appendf(nil, `{"apiVersion":"%s/v1","kind":"Gear","metadata":{"name":"broken","namespace":"default","uid":"u",`+
				`"resourceVersion":"%d"},"spec":{"teeth":"many"}}`, group, w.revision()), nil
		})
		require.NoError(t, err)
		var log bytes.Buffer
		informer := gearInformer(w, controller.InformerOptions[Gear]{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		var d diary
		informer.AddHandler(d.handler())
		run(t, informer)
		require.NoError(t, informer.WaitForSync(t.Context()))
		assert.Equal(t, []string{"add a 1", "synced"}, d.read())
		assert.Equal(t, []string{"a"}, names(informer.List()))
		_, ok := informer.Get("default", "broken")
		assert.False(t, ok)
		assert.Contains(t, log.String(), "default/broken")
		w.delete("a")
		assert.Equal(t, []string{"delete a 1"}, d.read())
	})
}

//go:build unix

package past_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/heaptest"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
)

// sized returns a widget of about 2 KB.
func sized(name string) *apitest.Widget {
	w := apitest.NewWidget(name, 1)
	w.Spec.Settings = map[string]string{}
	for i := range 18 {
		w.Spec.Settings[fmt.Sprint("setting-", i)] = strings.Repeat("x", 100)
	}
	return w
}

// server returns an API of one object of 2 KB that has as many former versions as its kind keeps.
func server(b *testing.B, definition rest.Definition) *rest.API {
	api := apitest.Start(b, rest.Options{}, definition)
	client := apitest.WidgetClient(b, api)
	_, err := client.Create(b.Context(), sized("first"))
	require.NoError(b, err)
	updates(b, api)(20)
	return api
}

// updates returns a function that changes the object n times.
func updates(b *testing.B, api *rest.API) func(n int) {
	patch, size := apitest.NewThingWriter(api, "PATCH", first, apitest.TypeMergePatch), 1
	return func(n int) {
		for range n {
			size = size%100 + 1
			require.Equal(b, 200, patch.Send(fmt.Appendf(nil, `{"spec":{"size":%d}}`, size)))
		}
	}
}

// sends returns a function that sends a request n times.
func sends(b *testing.B, api *rest.API, method, path, body string, code int) func(n int) {
	request := apitest.NewThingWriter(api, method, path, apitest.TypeJSON)
	return func(n int) {
		for range n {
			require.Equal(b, code, request.Send([]byte(body)))
		}
	}
}

// BenchmarkHistory prints the CPU time of requests beside others: the ratio is that of the best of ten rounds.
func BenchmarkHistory(b *testing.B) {
	keeps, plain := server(b, keeping(rest.History{Versions: 10})), server(b, apitest.WidgetResource())
	require.Len(b, versions(b, keeps).Items, 11)
	b.Run("PATCH beside PATCH without history", func(b *testing.B) {
		apitest.Compare(b, 500, updates(b, keeps), updates(b, plain))
	})
	b.Run("PATCH of the status beside the same without history", func(b *testing.B) {
		status := func(api *rest.API) func(int) {
			patch, replicas := apitest.NewThingWriter(api, "PATCH", first+"/status", apitest.TypeMergePatch), 0
			return func(n int) {
				for range n {
					replicas++
					require.Equal(b, 200, patch.Send(fmt.Appendf(nil, `{"status":{"replicas":%d}}`, replicas)))
				}
			}
		}
		apitest.Compare(b, 500, status(keeps), status(plain))
	})
	b.Run("list of 11 versions beside PATCH without history", func(b *testing.B) {
		apitest.Compare(b, 200, sends(b, keeps, "GET", first+"/history", "", 200), updates(b, plain))
	})
	b.Run("GET at a revision beside PATCH without history", func(b *testing.B) {
		oldest := versions(b, keeps).Items[10].ResourceVersion
		apitest.Compare(b, 200, sends(b, keeps, "GET", first+"/history?revision="+oldest, "", 200), updates(b, plain))
	})
	b.Run("undo beside PATCH without history", func(b *testing.B) {
		apitest.Compare(b, 200, sends(b, keeps, "POST", first+"/undo", undoOf("", ""), 201), updates(b, plain))
	})
}

// BenchmarkHistoryOf10 prints the memory and the file of objects of 2 KB with 10 former versions each, beside those of
// the same objects without a history, which were written as often.
func BenchmarkHistoryOf10(b *testing.B) {
	const objects, former = 400, 10
	measure := func(definition rest.Definition) (memory, file float64) {
		path := filepath.Join(b.TempDir(), "store")
		before := float64(heaptest.InUse())
		// The log of recent changes is not counted.
		store, err := bolt.Open(b.Context(), bolt.Options{Path: path, Engine: storage.Options{MaxLogBytes: 1}})
		require.NoError(b, err)
		api, err := rest.New(rest.Options{Store: store, Limits: rest.Limits{CacheBytes: -1}}, definition)
		require.NoError(b, err)
		client := apitest.WidgetClient(b, api)
		var writers sync.WaitGroup
		for i := range objects {
			writers.Go(func() {
				name := fmt.Sprint("w", i)
				_, err := client.Create(b.Context(), sized(name))
				assert.NoError(b, err)
				for n := range int32(former) {
					_, err := client.Modify(b.Context(), name, func(w *apitest.Widget) error { *w.Spec.Size = n + 2; return nil })
					assert.NoError(b, err)
				}
			})
		}
		writers.Wait()
		memory = (float64(heaptest.InUse()) - before) / objects
		inUse := store.Stats()
		require.NoError(b, api.Close())
		require.NoError(b, store.Close())
		return memory, float64(inUse.FileBytes-inUse.FreeBytes) / objects
	}
	memory, file := measure(keeping(rest.History{Versions: former}))
	plainMemory, plainFile := measure(apitest.WidgetResource())
	b.ReportMetric(memory, "B/object")
	b.ReportMetric(file, "file-B/object")
	b.ReportMetric(memory/plainMemory, "memory-ratio")
	b.ReportMetric(file/plainFile, "file-ratio")
	b.ReportMetric(0, "ns/op")
}

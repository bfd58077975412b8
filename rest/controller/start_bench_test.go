package controller_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/heaptest"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// stock puts Gears of about 2 KB into the store. They have labels, an owner and managedFields, as controllers write
// them.
func (w *workshop) stock(count int) {
	w.t.Helper()
	for n := range count {
		key := storage.Key{Resource: "gears." + group, Namespace: fmt.Sprint("ns-", n%20), Name: fmt.Sprintf("object-%07d", n)}
		_, err := w.store.Update(context.Background(), key, func(*storage.Record) ([]byte, error) {
			return fmt.Appendf(nil, `{"apiVersion":"%s/v1","kind":"Gear","metadata":{"name":"%s","namespace":"%s","uid":"4a1f0c9e-6f0e-4a57-9d5e-%012d",`+
				`"resourceVersion":"%d","generation":3,"creationTimestamp":"2026-01-01T00:00:00Z",`+
				`"labels":{"app":"app-%d","lot":"lot-%d","tier":"backend","version":"v%d"},"annotations":{"about":"%s"},`+
				`"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"owner-%d","uid":"owner-uid-%024d"}],"managedFields":[%s]},`+
				`"spec":{"teeth":%d,"color":"red"},"status":{"teeth":%d}}`,
				group, key.Name, key.Namespace, n, w.revision(), n%50, n/lot, n%5, strings.Repeat("some text of a note. ", 36), n%1000, n%1000,
				strings.Repeat(`{"manager":"controller","operation":"Update","time":"2026-01-01T00:00:00Z","fieldsV1":{"f:spec":{"f:replicas":{}}}},`, 5)+
					`{"manager":"other","operation":"Update","time":"2026-01-01T00:00:00Z","fieldsV1":{"f:status":{}}}`,
				n%10, n), nil
		})
		require.NoError(w.t, err)
	}
}

// lot is how many objects have the same label lot.
const lot = 100

// stocked is how many objects the benchmarks stock: 100,000, or DECORUM_OBJECTS.
func stocked(b *testing.B) int {
	text := os.Getenv("DECORUM_OBJECTS")
	if text == "" {
		return 100_000
	}
	count, err := strconv.Atoi(text)
	require.NoError(b, err, "DECORUM_OBJECTS")
	return count
}

// BenchmarkStart starts an informer of all objects. It reports the memory that the informer needs for each object, in
// addition to the store.
func BenchmarkStart(b *testing.B) {
	count := stocked(b)
	w := newWorkshop(b)
	w.stock(count)
	w.compact()
	for _, c := range []struct {
		name    string
		indexes map[string]controller.IndexFunc[Gear]
	}{
		{"indexes=0", nil},
		{"indexes=1", map[string]controller.IndexFunc[Gear]{"app": func(g *Gear) []string { return []string{g.Labels["app"]} }}},
		{"indexes=2", map[string]controller.IndexFunc[Gear]{
			"app":  func(g *Gear) []string { return []string{g.Labels["app"]} },
			"name": func(g *Gear) []string { return []string{g.Name} }}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			var bytes int64
			for b.Loop() {
				before := heaptest.InUse()
				informer := gearInformer(w, controller.InformerOptions[Gear]{Indexes: c.indexes})
				stop := run(b, informer)
				require.NoError(b, informer.WaitForSync(context.Background()))
				bytes += heaptest.InUse() - before
				stop()
				runtime.KeepAlive(informer)
			}
			b.ReportMetric(float64(bytes)/float64(b.N)/float64(count), "B/object")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(count), "ns/object")
		})
	}
}

// BenchmarkLot lists the 100 objects of one label from an informer that has decoded none of them yet. Limit: the indexed
// list of the store, and the decoding of its 100 texts.
func BenchmarkLot(b *testing.B) {
	count := stocked(b)
	declared := gears()
	declared.IndexedLabels = []string{"lot"}
	w := workshopOf(b, declared)
	w.stock(count)
	informer := gearInformer(w, controller.InformerOptions[Gear]{
		DecodedBytes: -1,
		Indexes: map[string]controller.IndexFunc[Gear]{
			"lot": func(g *Gear) []string { return []string{g.Labels["lot"]} },
		},
	})
	run(b, informer)
	require.NoError(b, informer.WaitForSync(context.Background()))
	lots, turn := count/lot, 0
	next := func() string {
		turn++
		return fmt.Sprint("lot-", turn*7919%lots)
	}
	apitest.Compare(b, 500, func(n int) {
		for range n {
			all, err := informer.ByIndex("lot", next())
			require.NoError(b, err)
			require.Len(b, all, lot)
		}
	}, func(n int) {
		for range n {
			page, err := w.store.List(context.Background(), storage.Query{Within: watch.Key{Resource: "gears." + group},
				Terms: []watch.Term{{Index: watch.Index{Label: "lot"}, Value: next()}}}, nil)
			require.NoError(b, err)
			require.Len(b, page.Records, lot)
			for _, r := range page.Records {
				text, err := r.JSON(context.Background())
				require.NoError(b, err)
				require.NoError(b, jsonv2.Unmarshal(text, new(Gear)))
			}
		}
	})
	b.ReportMetric(1.2, "aim")
}

package controller_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/heaptest"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/storage"
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
				`"labels":{"app":"app-%d","tier":"backend","version":"v%d"},"annotations":{"about":"%s"},`+
				`"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"owner-%d","uid":"owner-uid-%024d"}],"managedFields":[%s]},`+
				`"spec":{"teeth":%d,"color":"red"},"status":{"teeth":%d}}`,
				group, key.Name, key.Namespace, n, w.revision(), n%50, n%5, strings.Repeat("some text of a note. ", 36), n%1000, n%1000,
				strings.Repeat(`{"manager":"controller","operation":"Update","time":"2026-01-01T00:00:00Z","fieldsV1":{"f:spec":{"f:replicas":{}}}},`, 5)+
					`{"manager":"other","operation":"Update","time":"2026-01-01T00:00:00Z","fieldsV1":{"f:status":{}}}`,
				n%10, n), nil
		})
		require.NoError(w.t, err)
	}
}

// BenchmarkStart starts an informer of 100,000 objects. It reports the memory that the informer needs for each object,
// in addition to the store.
func BenchmarkStart(b *testing.B) {
	const count = 100_000
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
			b.ReportMetric(float64(bytes)/float64(b.N)/count, "B/object")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/count, "ns/object")
		})
	}
}

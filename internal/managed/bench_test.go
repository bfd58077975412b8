package managed_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/managed"
	"github.com/stretchr/testify/require"
)

// benchObject is an object of about 2 KB.
func benchObject(b testing.TB) doc.Value {
	var data bytes.Buffer
	data.WriteString(`{"apiVersion":"example.com/v1","kind":"Gear","metadata":{"name":"a","namespace":"default","uid":"u","labels":{"a":"b","c":"d"}},"spec":{"size":3,"teeth":[`)
	for i := range 12 {
		if i > 0 {
			data.WriteByte(',')
		}
		fmt.Fprintf(&data, `{"name":"tooth-%02d","length":%d,"note":"the quick brown fox jumps over the lazy dog, and then it sleeps until the morning"}`, i, i)
	}
	data.WriteString(`],"settings":{`)
	for i := range 12 {
		if i > 0 {
			data.WriteByte(',')
		}
		fmt.Fprintf(&data, `"setting-%02d":"a value of some length, %d"`, i, i)
	}
	data.WriteString(`}},"status":{"phase":"Ready","count":1}}`)
	return parse(b, data.String())
}

// The cost of keeping managedFields, in proportion to two other costs: "encodes" decodes and encodes the object, the
// minimum that a write costs otherwise, and "cores" is the minimum that structured-merge-diff has to do for an update.
// The two "general" cases show what the shortcuts save.
func BenchmarkManagedFields(b *testing.B) {
	k := gears(b)
	obj := benchObject(b)
	text := codec.AppendJSON(nil, obj)
	by := managed.Writer{Manager: "m", Part: managed.Whole, Time: "2026-01-02T03:04:05Z"}
	entries := k.Update(doc.Value{}, obj, doc.Value{}, by)
	owned := obj.WithAt(entries, "metadata", "managedFields")
	changed := obj.WithAt(doc.OfInt(7), "status", "count")
	other := managed.Writer{Manager: "other", Part: managed.Whole, Time: by.Time}
	config := parse(b, `{"apiVersion":"example.com/v1","kind":"Gear","metadata":{"name":"a"},"spec":{"size":3,"settings":{"setting-03":"mine"}}}`)
	smaller := config.WithAt(doc.Value{}, "spec", "size")
	applied, err := k.Apply(owned, config, other, true)
	require.NoError(b, err)
	tree := []byte(show(entries.At(0).Get("fieldsV1")))
	few := []byte(`{"f:spec":{"f:size":{}}}`)
	plainOld, plainNew := obj.Plain().(map[string]any), changed.Plain().(map[string]any)
	apply := func(live, config doc.Value) func() error {
		return func() error {
			_, err := k.Apply(live, config, other, true)
			return err
		}
	}
	limits := [2]func() error{
		func() error {
			v, _, err := codec.DecodeJSON(text)
			text = codec.AppendJSON(text[:0], v)
			return err
		},
		func() error { return k.Core(plainOld, plainNew, tree, few) },
	}
	for _, c := range []struct {
		name string
		f    func() error
	}{
		{"create", func() error { k.Update(doc.Value{}, obj, doc.Value{}, by); return nil }},
		{"update, owners kept", func() error { k.Update(owned, changed, doc.Value{}, by); return nil }},
		{"update, owners moved", func() error { k.Update(owned, changed, doc.Value{}, other); return nil }},
		{"apply again", apply(applied, config)},
		{"apply takes over", apply(owned, config)},
		{"apply drops", apply(applied, smaller)},
		{"update, general", func() error { _, err := k.General(owned, changed, entries, other); return err }},
		{"apply, general", func() error { _, err := k.GeneralApply(owned, config, other, true); return err }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			best := [3]time.Duration{time.Hour, time.Hour, time.Hour}
			measure := func(i, n int, f func() error) {
				start := time.Now()
				for range n {
					require.NoError(b, f())
				}
				best[i] = min(best[i], time.Since(start)/time.Duration(n))
			}
			const chunk = 20
			for done := 0; done < b.N; done += chunk {
				n := min(chunk, b.N-done)
				measure(0, n, c.f)
				b.StopTimer()
				measure(1, n, limits[0])
				measure(2, n, limits[1])
				b.StartTimer()
			}
			b.ReportMetric(float64(best[0])/float64(best[1]), "encodes")
			b.ReportMetric(float64(best[0])/float64(best[2]), "cores")
		})
	}
}

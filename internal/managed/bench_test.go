package managed_test

import (
	"bytes"
	"fmt"
	"testing"

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

// What keeping managedFields costs. "decode and encode" is the rest of a write at its least, the two "general" cases are
// what the shortcuts spare.
func BenchmarkManagedFields(b *testing.B) {
	k := gears(b)
	obj := benchObject(b)
	text := codec.AppendJSON(nil, obj)
	by := managed.Writer{Manager: "m", Part: managed.Whole, Time: "2026-01-02T03:04:05Z"}
	owned := obj.WithAt(k.Update(doc.Value{}, obj, doc.Value{}, by), "metadata", "managedFields")
	changed := obj.WithAt(doc.OfInt(7), "status", "count")
	other := managed.Writer{Manager: "other", Part: managed.Whole, Time: by.Time}
	config := parse(b, `{"apiVersion":"example.com/v1","kind":"Gear","metadata":{"name":"a"},"spec":{"size":3,"settings":{"setting-03":"mine"}}}`)
	applied, err := k.Apply(owned, config, other, true)
	require.NoError(b, err)
	tree := []byte(show(owned.Lookup("metadata", "managedFields").At(0).Get("fieldsV1")))
	few := []byte(`{"f:spec":{"f:size":{}}}`)
	plainOld, plainNew := obj.Plain().(map[string]any), changed.Plain().(map[string]any)
	for _, c := range []struct {
		name string
		f    func() error
	}{
		{"decode and encode", func() error {
			v, _, err := codec.DecodeJSON(text)
			text = codec.AppendJSON(text[:0], v)
			return err
		}},
		{"the least of structured-merge-diff", func() error { return k.Core(plainOld, plainNew, tree, few) }},
		{"create", func() error { k.Update(doc.Value{}, obj, doc.Value{}, by); return nil }},
		{"update, general", func() error { k.Update(owned, changed, doc.Value{}, other); return nil }},
		{"update, owners kept", func() error { k.Update(owned, changed, doc.Value{}, by); return nil }},
		{"apply again", func() error {
			_, err := k.Apply(applied, config, other, true)
			return err
		}},
		{"apply", func() error {
			_, err := k.Apply(owned, config, other, true)
			return err
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, c.f())
			}
		})
	}
}

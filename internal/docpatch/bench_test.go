package docpatch_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/docpatch"
	"github.com/stretchr/testify/require"
)

// object is a typical object of 2 KB.
func object(b *testing.B) doc.Value {
	var data strings.Builder
	for i := range 24 {
		fmt.Fprintf(&data, `,"setting-%02d":"%s"`, i, strings.Repeat("value ", 8))
	}
	body := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings","namespace":"default","uid":"5f0c1f9e-2c1b-4b6e-9a57-6f2f6a3f8f11",` +
		`"resourceVersion":"482910","creationTimestamp":"2026-03-04T05:06:07Z","labels":{"app":"web","tier":"frontend"},` +
		`"finalizers":["example.com/a","example.com/b"]},"data":{` + data.String()[1:] + `}}`
	b.SetBytes(int64(len(body)))
	return parse(b, []byte(body))
}

// benchmark measures parsing and applying separately.
func benchmark(b *testing.B, parse, apply func() error) {
	for name, work := range map[string]func() error{"parse": parse, "apply": apply} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := work(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkJSONPatch(b *testing.B) {
	d := object(b)
	body := []byte(`[{"op":"test","path":"/metadata/resourceVersion","value":"482910"},` +
		`{"op":"replace","path":"/data/setting-07","value":"other"},{"op":"add","path":"/metadata/labels/new","value":"x"},` +
		`{"op":"remove","path":"/metadata/finalizers/0"}]`)
	p, err := docpatch.ParseJSONPatch(body)
	require.NoError(b, err)
	benchmark(b,
		func() error { _, err := docpatch.ParseJSONPatch(body); return err },
		func() error { _, err := p.Apply(d); return err })
}

func BenchmarkMergePatch(b *testing.B) {
	d := object(b)
	body := []byte(`{"metadata":{"labels":{"new":"x"}},"data":{"setting-07":"other","setting-08":null}}`)
	p, err := docpatch.ParseMergePatch(body)
	require.NoError(b, err)
	benchmark(b,
		func() error { _, err := docpatch.ParseMergePatch(body); return err },
		func() error { p.Apply(d); return nil })
}

// The worst case: 10,000 operations on documents of 3 MiB.
func BenchmarkJSONPatchWorst(b *testing.B) {
	const n = docpatch.MaxOperations
	list := "[" + strings.Repeat("0,", 3<<19) + "0]"
	var members strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&members, `,"member%06d":0`, i)
	}
	for _, c := range []struct {
		name, doc string
		operation func(i int) string
	}{
		{"insert all over a list", list,
			func(i int) string { return fmt.Sprintf(`{"op":"add","path":"/%d","value":1}`, i*150) }},
		{"insert backwards", list, func(i int) string {
			return fmt.Sprintf(`{"op":"add","path":"/%d","value":1}`, (n-i)*150)
		}},
		{"remove from a list", list, func(i int) string { return fmt.Sprintf(`{"op":"remove","path":"/%d"}`, i*149) }},
		{"move in a list", list, func(i int) string {
			return fmt.Sprintf(`{"op":"move","from":"/%d","path":"/%d"}`, i*150, (n-i)*150)
		}},
		{"change a map", "{" + members.String()[1:] + "}",
			func(i int) string { return fmt.Sprintf(`{"op":"remove","path":"/member%06d"}`, i*19) }},
		{"copy", list, func(i int) string { return `{"op":"copy","from":"/0","path":"/-"}` }},
	} {
		b.Run(c.name, func(b *testing.B) {
			d := parse(b, []byte(c.doc))
			var body strings.Builder
			for i := range n {
				body.WriteString("," + c.operation(i))
			}
			p, err := docpatch.ParseJSONPatch([]byte("[" + body.String()[1:] + "]"))
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Apply(d); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

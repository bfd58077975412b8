package schema_test

import (
	"strings"
	"testing"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/stretchr/testify/require"
)

// typical returns a valid widget of about 2 KB in which every default is set.
func typical(t testing.TB) doc.Value {
	v := parse(t, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: default, uid: 7c9e6679-7425-40de-944b-e07fc1f90ae7,
		resourceVersion: "1234", generation: 3, creationTimestamp: "2024-05-06T07:08:09Z", labels: {app: web, tier: front, "example.com/team": blue},
		annotations: {note: "`+strings.Repeat("x", 300)+`"}, finalizers: [example.com/keep],
		managedFields: [{manager: kubectl, operation: Update, apiVersion: example.com/v1, time: "2024-05-06T07:08:09Z", fieldsType: FieldsV1,
			fieldsV1: {"f:metadata": {"f:labels": {"f:app": {}, "f:tier": {}}}, "f:spec": {"f:size": {}, "f:color": {}, "f:parts": {}}}}]},
		spec: {size: 5, color: blue, owner: me, code: abc, replicas: 3, big: 9007199254740993, weight: 1.5, paused: false, note: null, port: http,
			tags: [a, b, c, d], steps: [one, two, three], settings: {a: "1", b: "2", c: "3"}, limits: {cpu: "1", memory: 2Gi},
			parts: [{name: p1, count: 1, kind: bolt}, {name: p2, count: 2, kind: nut}, {name: p3, count: 3}, {name: p4, count: 4}],
			template: {image: "registry.example.com/x:1", args: [--a, --b, --c]}, extra: {deep: {list: [1, 2, {x: y}], text: "`+strings.Repeat("y", 300)+`"}}},
		status: {phase: Ready, replicas: 3, selector: app=web, observedGeneration: 3, conditions: [
			{type: Ready, status: "True", reason: AllGood, message: all parts are there, lastTransitionTime: "2024-05-06T07:08:09Z"},
			{type: Degraded, status: "False", reason: AllGood, message: nothing is missing, lastTransitionTime: "2024-05-06T07:08:09Z"}]}}`)
	size := len(codec.AppendJSON(nil, v))
	require.True(t, 1900 < size && size < 2400, "the document has %d bytes", size)
	return v
}

func TestWalksOverValidDocumentsAllocateNothing(t *testing.T) {
	s, v := widget(t), typical(t)
	for name, walk := range map[string]func(){
		"Prune":      func() { s.Prune(v) },
		"Default":    func() { s.Default(v) },
		"CheckTypes": func() { s.CheckTypes(nil, v) },
		"Validate":   func() { s.Validate(nil, v) },
		"an update":  func() { checkUpdate(s, v, v) },
	} {
		t.Run(name, func(t *testing.T) {
			if raceEnabled {
				t.Skip("the race detector allocates")
			}
			require.Zero(t, testing.AllocsPerRun(100, walk))
		})
	}
}

func BenchmarkWalk(b *testing.B) {
	s, v := widget(b), typical(b)
	bare := parse(b, `{metadata: {name: w}, spec: {size: 1, parts: [{name: p}]}}`)
	old := v.WithAt(doc.Of("other"), "spec", "owner")
	for _, walk := range []struct {
		name string
		run  func()
	}{
		{"Prune", func() { s.Prune(v) }},
		{"Default", func() { s.Default(v) }},
		{"Default/missing", func() { s.Default(bare) }},
		{"CheckTypes", func() { s.CheckTypes(nil, v) }},
		{"Validate", func() { s.Validate(nil, v) }},
		{"update", func() { checkUpdate(s, v, old) }},
	} {
		b.Run(walk.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				walk.run()
			}
		})
	}
}

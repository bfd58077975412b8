package docpatch_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/docpatch"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/stretchr/testify/require"
)

// workload has the parts of a pod that matter: keyed lists inside a keyed list, beside maps and
// plain lists.
type workload struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata"`
	Spec               struct {
		Containers []container `json:"containers" patchStrategy:"merge" patchMergeKey:"name"`
		Volumes    []struct {
			Name      string            `json:"name"`
			ConfigMap map[string]string `json:"configMap,omitempty"`
		} `json:"volumes,omitempty" patchStrategy:"merge,retainKeys" patchMergeKey:"name"`
		NodeName string `json:"nodeName,omitempty"`
	} `json:"spec"`
	Status struct {
		Phase      string `json:"phase,omitempty"`
		Conditions []struct {
			Type               string       `json:"type"`
			Status             string       `json:"status"`
			LastTransitionTime apimeta.Time `json:"lastTransitionTime,omitzero"`
		} `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type"`
	} `json:"status,omitzero"`
}

type container struct {
	Name  string   `json:"name"`
	Image string   `json:"image,omitempty"`
	Args  []string `json:"args,omitempty"`
	Env   []struct {
		Name  string `json:"name"`
		Value string `json:"value,omitempty"`
	} `json:"env,omitempty" patchStrategy:"merge" patchMergeKey:"name"`
	Ports []struct {
		ContainerPort int32  `json:"containerPort"`
		Protocol      string `json:"protocol,omitempty"`
	} `json:"ports,omitempty" patchStrategy:"merge" patchMergeKey:"containerPort"`
	Resources struct {
		Limits map[string]string `json:"limits,omitempty"`
	} `json:"resources,omitzero"`
}

// podLike is an object of 2 KB.
func podLike(b *testing.B) doc.Value {
	var env strings.Builder
	for i := range 8 {
		fmt.Fprintf(&env, `,{"name":"SETTING_%d","value":"some value %d"}`, i, i)
	}
	one := `{"name":"%s","image":"registry.example.com/team/%s:v1.2.3","args":["--verbose","--port=8080"],"env":[` +
		env.String()[1:] +
		`],"ports":[{"containerPort":8080,"protocol":"TCP"},{"containerPort":9090,"protocol":"TCP"}],"resources":{"limits":{"cpu":"500m","memory":"1Gi"}}}`
	body := `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-5f7","namespace":"default","uid":"5f0c1f9e-2c1b-4b6e-9a57-6f2f6a3f8f11",` +
		`"resourceVersion":"482910","creationTimestamp":"2026-03-04T05:06:07Z","labels":{"app":"web","tier":"frontend"},"finalizers":["example.com/a"]},` +
		`"spec":{"containers":[` + fmt.Sprintf(one, "web", "web") + `,` + fmt.Sprintf(one, "sidecar", "sidecar") + `],` +
		`"volumes":[{"name":"config","configMap":{"name":"settings"}}],"nodeName":"node-1"},` +
		`"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-03-04T05:06:09Z"},{"type":"Initialized","status":"True","lastTransitionTime":"2026-03-04T05:06:08Z"}]}}`
	b.SetBytes(int64(len(body)))
	return parse(b, []byte(body))
}

func BenchmarkStrategicMergePatch(b *testing.B) {
	s, err := schema.Derive(reflect.TypeFor[workload](), schema.Options{Builtin: true})
	require.NoError(b, err)
	d := podLike(b)
	for _, c := range []struct{ name, body string }{
		{"image", `{"spec":{"containers":[{"name":"web","image":"registry.example.com/team/web:v1.2.4"}]}}`},
		{"kubectl apply", `{"metadata":{"labels":{"tier":"backend"}},"spec":{"$setElementOrder/containers":[{"name":"web"},{"name":"sidecar"}],"containers":[` +
			`{"$setElementOrder/env":[{"name":"SETTING_1"},{"name":"SETTING_0"},{"name":"NEW"}],"name":"web","env":[{"name":"SETTING_1","value":"x"},{"name":"NEW","value":"y"},{"$patch":"delete","name":"SETTING_7"}]}]}}`},
		{"status",
			`{"status":{"$setElementOrder/conditions":[{"type":"Ready"},{"type":"Initialized"}],"conditions":[{"type":"Ready","status":"False","lastTransitionTime":"2026-03-04T06:00:00Z"}]}}`},
	} {
		b.Run(c.name+"/parse", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = docpatch.ParseStrategicMergePatch([]byte(c.body))
			}
		})
		p := parseStrategic(b, c.body)
		b.Run(c.name+"/apply", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Apply(d, s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The worst case for a body of 3 MiB.
func BenchmarkStrategicMergePatchWorst(b *testing.B) {
	const n = 60_000
	var old, items, order strings.Builder
	for i := range n {
		fmt.Fprintf(&old, `,{"name":"%d"}`, i)
		fmt.Fprintf(&items, `,{"name":"%d","image":"x"}`, (i*7919)%n)
		fmt.Fprintf(&order, `,{"name":"%d"}`, (i*7919)%n)
	}
	s, err := schema.Derive(reflect.TypeFor[workload](), schema.Options{Builtin: true})
	require.NoError(b, err)
	d := parse(b, []byte(`{"spec":{"containers":[`+old.String()[1:]+`]}}`))
	for _, c := range []struct{ name, body string }{
		{"merge all", `{"spec":{"containers":[` + items.String()[1:] + `]}}`},
		{"order all", `{"spec":{"$setElementOrder/containers":[` + order.String()[1:] + `]}}`},
		{"delete all", `{"spec":{"containers":[` + strings.ReplaceAll(items.String()[1:], `"image":"x"`,
			`"$patch":"delete"`) + `]}}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := parseStrategic(b, c.body)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Apply(d, s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

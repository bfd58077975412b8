package crd_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// plain is a definition for the fuzzer: an object of the kind is valid without a spec.
type plain struct {
	group, plural string
	cluster       bool
	subresources  []string
}

// plainOf reads a definition from a byte.
func plainOf(b byte) plain {
	d := plain{
		group:   []string{"clash.example.com", "v1.example.com"}[b>>6&1],
		plural:  []string{"namespaces", "status", "scale", "finalize", "watch", "proxy", "apis", "widgets"}[b&7],
		cluster: b>>3&1 == 1,
	}
	if b>>4&1 == 1 {
		d.subresources = append(d.subresources, "status: {}")
	}
	if b>>5&1 == 1 {
		d.subresources = append(d.subresources,
			"scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}")
	}
	return d
}

func (d plain) name() string { return d.plural + "." + d.group }

func (d plain) kind() string { return "Kind" + d.plural }

func (d plain) text() string {
	scope := map[bool]string{true: "Cluster", false: "Namespaced"}[d.cluster]
	const counted = "{type: object, properties: {replicas: {type: integer}}}"
	return fmt.Sprintf(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %s}
spec:
  group: %s
  names: {plural: %s, kind: %s}
  scope: %s
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {%s}
    schema: {openAPIV3Schema: {type: object, properties: {spec: %s, status: %s}}}
`, d.name(), d.group, d.plural, d.kind(), scope, strings.Join(d.subresources, ", "), counted, counted)
}

// path returns the path of the objects.
func (d plain) path() string {
	if d.cluster {
		return "/apis/" + d.group + "/v1/" + d.plural
	}
	return "/apis/" + d.group + "/v1/namespaces/default/" + d.plural
}

// Whatever definitions the API accepts, and in whatever order: their kinds, other kinds and /healthz work, also after a
// restart, and each definition can be deleted.
func FuzzDefinitionsBesideEachOther(f *testing.F) {
	const cluster, status, scale, other = 1 << 3, 1 << 4, 1 << 5, 1 << 6
	f.Add([]byte{0 | cluster | status, 1})                              // namespaces/NAME/status, and the list of status in a namespace
	f.Add([]byte{1 | status, 0 | cluster | status | scale})             // the other order
	f.Add([]byte{0 | cluster | status | scale, 2, 1 | scale})           // scale too
	f.Add([]byte{0 | status | scale, 1, 2, 4, 3})                       // a namespaced resource called namespaces
	f.Add([]byte{4, 7, 0 | cluster | status, 1 | cluster, 3 | cluster}) // watch, beside the paths of the old watches
	f.Add([]byte{4 | cluster, 0, 5, 6 | cluster | status})
	f.Add([]byte{0 | cluster | status | other, 1, 1 | other, 0, 2 | other, 6 | other})
	f.Fuzz(func(t *testing.T, choices []byte) {
		h, reopen := newHostOfFile(t)
		h.post(gears)
		accepted := map[string]plain{}
		check := func(when string) {
			t.Helper()
			require.Equal(t, 200, send(t, h, "GET /healthz", "", nil), when)
			require.Equal(t, 200, send(t, h, "GET "+gearPath, "", nil), when)
			for _, d := range accepted {
				require.Equal(t, 200, send(t, h, "GET "+d.path()+"/x", "", nil), "%s: %s", when, d.path())
			}
		}
		for _, b := range choices[:min(len(choices), 6)] {
			d := plainOf(b)
			if code := send(t, h, "POST "+definitions, d.text(), nil); code != 201 {
				require.Equal(t, 409, code, d.text())
				continue
			}
			await(t, h.API, d.name(), established)
			object := fmt.Sprintf(`{"apiVersion":"%s/v1","kind":"%s","metadata":{"name":"x"}}`, d.group, d.kind())
			require.Equal(t, 201, send(t, h, "POST "+d.path(), object, nil), d.path())
			accepted[d.name()] = d
			check("after " + d.name())
			reopen()
			check("after a restart with " + d.name())
		}
		for name, d := range accepted {
			delete(accepted, name)
			require.Equal(t, 200, send(t, h, "DELETE "+definitions+"/"+name, "", nil), d.text())
			await(t, h.API, name, gone)
			check("after the deletion of " + name)
		}
	})
}

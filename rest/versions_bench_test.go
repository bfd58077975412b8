//go:build unix

package rest_test

import (
	"fmt"
	"net/http"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// ThingV1beta1 is a Thing whose content stands under another name.
type ThingV1beta1 struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Content ThingSpec   `json:"content,omitzero"`
	Status  ThingStatus `json:"status,omitzero"`
}

const betaThingsIn = "/apis/" + thingGroup + "/v1beta1/namespaces/default/things"

func thingToStored(in *ThingV1beta1, out *Thing) error {
	out.Spec, out.Status = in.Content, in.Status
	return nil
}

func thingFromStored(in *Thing, out *ThingV1beta1) error {
	out.Content, out.Status = in.Spec, in.Status
	return nil
}

func newVersionedThings(b *testing.B, options rest.Options, objects int) *thingServer {
	r := thingResource()
	r.Versions = []rest.VersionOf[Thing]{rest.Converted(rest.Resource[ThingV1beta1]{Version: "v1beta1"}, thingToStored, thingFromStored)}
	s := newThingServer(b, options, r)
	s.fill(b, objects)
	return s
}

// get sends n requests straight to the handler.
func (w *thingWriter) get(b *testing.B, n int) {
	for range n {
		if w.send(nil); w.answer.bytes < benchObject { // a list does not say that it is 200
			b.Fatal(w.answer)
		}
	}
}

// Limit: the same request through the stored version, without a network.
func BenchmarkGetConverted(b *testing.B) {
	s := newVersionedThings(b, rest.Options{}, 1000)
	beta, stored := newThingWriter(s.api, "GET", betaThingsIn+"/n000500", ""), newThingWriter(s.api, "GET", thingsIn+"/n000500", "")
	compare(b, 5000, func(n int) { beta.get(b, n) }, func(n int) { stored.get(b, n) })
}

// Limit: the same list through the stored version, without a network.
func BenchmarkListConverted(b *testing.B) {
	s := newVersionedThings(b, rest.Options{}, 10_000)
	beta, stored := newThingWriter(s.api, "GET", betaThingsIn, ""), newThingWriter(s.api, "GET", thingsIn, "")
	beta.get(b, 1)
	compare(b, 5, func(n int) { beta.get(b, n) }, func(n int) { stored.get(b, n) })
}

// What the first reader pays. Limit: decode and encode of the same 2 KB, in each of the two types.
func BenchmarkFirstGetConverted(b *testing.B) {
	const objects = 1000
	s := newVersionedThings(b, rest.Options{MaxConvertedBytes: 2}, objects)
	w := newThingWriter(s.api, "GET", betaThingsIn+"/n000500", "")
	body := []byte(s.do("GET", thingsIn+"/n000500", "").Body)
	limit := func(n int) {
		for range n {
			var in Thing
			var out ThingV1beta1
			require.NoError(b, jsonv2.Unmarshal(body, &in))
			require.NoError(b, thingFromStored(&in, &out))
			out.ObjectMeta = in.ObjectMeta
			_, err := jsonv2.Marshal(&out)
			require.NoError(b, err)
		}
	}
	compare(b, 2000, func(n int) { w.get(b, n) }, limit)
}

// Limit: the same patch through the stored version.
func BenchmarkPatchConverted(b *testing.B) {
	s := newVersionedThings(b, rest.Options{}, 1000)
	patch := func(target, field string) func(n int) {
		w := newThingWriter(s.api, "PATCH", target+"/n000500", "application/merge-patch+json")
		return func(n int) {
			for i := range n {
				if code := w.send(fmt.Appendf(nil, `{"%s":{"size":%d}}`, field, i%1000)); code != http.StatusOK {
					b.Fatal(code)
				}
			}
		}
	}
	compare(b, 500, patch(betaThingsIn, "content"), patch(thingsIn, "spec"))
}

// LaterThing is a Thing with one more field, as of a later release of its host.
type LaterThing struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec   LaterThingSpec `json:"spec,omitzero"`
	Status ThingStatus    `json:"status,omitzero"`
}

type LaterThingSpec struct {
	ThingSpec
	Shape string `json:"shape,omitempty" api:"default=round"`
}

// What a start costs for each object that was stored under an older struct. Limit: decode and encode of the same 2 KB.
func BenchmarkUpgrade(b *testing.B) {
	const objects = 1000
	s := newThingServer(b, rest.Options{})
	s.fill(b, objects)
	later := rest.Resource[LaterThing]{Group: thingGroup, Version: "v1", Plural: "things", Names: rest.Names{Kind: "Thing"}}
	restart := func(definition rest.Definition) {
		api, err := rest.New(rest.Options{Store: s.store}, definition)
		require.NoError(b, err)
		require.NoError(b, api.Close())
	}
	decode := decodeAndEncode(b, []byte(s.do("GET", thingsIn+"/n000500", "").Body))
	compare(b, 2*objects, func(n int) {
		for range n / objects / 2 {
			restart(later)
			restart(thingResource())
		}
	}, decode)
}

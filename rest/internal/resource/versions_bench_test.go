//go:build unix

package resource_test

import (
	"fmt"
	"net/http"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// ThingV1beta1 is a Thing whose content stands under another name.
type ThingV1beta1 struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Content apitest.ThingSpec   `json:"content,omitzero"`
	Status  apitest.ThingStatus `json:"status,omitzero"`
}

const betaThingsIn = "/apis/" + apitest.ThingGroup + "/v1beta1/namespaces/default/things"

func thingToStored(in *ThingV1beta1, out *apitest.Thing) error {
	out.Spec, out.Status = in.Content, in.Status
	return nil
}

func thingFromStored(in *apitest.Thing, out *ThingV1beta1) error {
	out.Content, out.Status = in.Spec, in.Status
	return nil
}

func newVersionedThings(b *testing.B, options rest.Options, objects int) *apitest.ThingServer {
	r := apitest.ThingResource()
	r.Versions = []rest.VersionOf[apitest.Thing]{rest.Converted(rest.Resource[ThingV1beta1]{Version: "v1beta1"},
		thingToStored, thingFromStored)}
	s := apitest.NewThingServer(b, options, r)
	s.Fill(b, objects)
	return s
}

// Limit: the same request through the stored version, without a network.
func BenchmarkGetConverted(b *testing.B) {
	s := newVersionedThings(b, rest.Options{}, 1000)
	beta, stored := apitest.NewThingWriter(s.API, "GET", betaThingsIn+"/n000500", ""),
		apitest.NewThingWriter(s.API, "GET", apitest.Things+"/n000500", "")
	apitest.Compare(b, 5000, func(n int) { beta.Get(b, n) }, func(n int) { stored.Get(b, n) })
}

// Limit: the same list through the stored version, without a network.
func BenchmarkListConverted(b *testing.B) {
	s := newVersionedThings(b, rest.Options{}, 10_000)
	beta, stored := apitest.NewThingWriter(s.API, "GET", betaThingsIn, ""),
		apitest.NewThingWriter(s.API, "GET", apitest.Things, "")
	beta.Get(b, 1)
	apitest.Compare(b, 5, func(n int) { beta.Get(b, n) }, func(n int) { stored.Get(b, n) })
}

// What the first reader pays. Limit: decode and encode of the same 2 KB, in each of the two types.
func BenchmarkFirstGetConverted(b *testing.B) {
	const objects = 1000
	s := newVersionedThings(b, rest.Options{Limits: rest.Limits{CacheBytes: -1}}, objects)
	w := apitest.NewThingWriter(s.API, "GET", betaThingsIn+"/n000500", "")
	body := []byte(s.Do("GET", apitest.Things+"/n000500", "").Body)
	limit := func(n int) {
		for range n {
			var in apitest.Thing
			var out ThingV1beta1
			require.NoError(b, jsonv2.Unmarshal(body, &in))
			require.NoError(b, thingFromStored(&in, &out))
			out.ObjectMeta = in.ObjectMeta
			_, err := jsonv2.Marshal(&out)
			require.NoError(b, err)
		}
	}
	apitest.Compare(b, 2000, func(n int) { w.Get(b, n) }, limit)
}

// Limit: the same patch through the stored version.
func BenchmarkPatchConverted(b *testing.B) {
	s := newVersionedThings(b, rest.Options{}, 1000)
	patch := func(target, field string) func(n int) {
		w := apitest.NewThingWriter(s.API, "PATCH", target+"/n000500", "application/merge-patch+json")
		return func(n int) {
			for i := range n {
				if code := w.Send(fmt.Appendf(nil, `{"%s":{"size":%d}}`, field, i%1000)); code != http.StatusOK {
					b.Fatal(code)
				}
			}
		}
	}
	apitest.Compare(b, 500, patch(betaThingsIn, "content"), patch(apitest.Things, "spec"))
}

// LaterThing is a Thing with one more field, as of a later release of its host.
type LaterThing struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec   LaterThingSpec      `json:"spec,omitzero"`
	Status apitest.ThingStatus `json:"status,omitzero"`
}

type LaterThingSpec struct {
	apitest.ThingSpec
	Shape string `json:"shape,omitempty" api:"default=round"`
}

// What a start costs for each object that was stored under an older struct. Limit: decode and encode of the same 2 KB.
func BenchmarkUpgrade(b *testing.B) {
	const objects = 1000
	s := apitest.NewThingServer(b, rest.Options{})
	s.Fill(b, objects)
	later := rest.Resource[LaterThing]{Group: apitest.ThingGroup, Version: "v1", Plural: "things",
		Names: rest.Names{Kind: "Thing"}}
	restart := func(definition rest.Definition) {
		api, err := rest.New(rest.Options{Store: s.Store}, definition)
		require.NoError(b, err)
		require.NoError(b, api.Close())
	}
	decode := apitest.DecodeAndEncode(b, []byte(s.Do("GET", apitest.Things+"/n000500", "").Body))
	apitest.Compare(b, 2*objects, func(n int) {
		for range n / objects / 2 {
			restart(later)
			restart(apitest.ThingResource())
		}
	}, decode)
}

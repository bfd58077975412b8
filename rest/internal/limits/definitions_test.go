//go:build unix

package limits_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// openThings defines a kind with the fields, defaults and bounds of Things.
const openThings = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.opened.example.com"},
"spec":{"group":"opened.example.com","scope":"Namespaced","names":{"plural":"things","kind":"Thing"},"versions":[{"name":"v1","served":true,"storage":true,
"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","properties":{
"spec":{"type":"object","properties":{"size":{"type":"integer","format":"int32","default":1,"minimum":0,"maximum":1000000},
"color":{"type":"string","enum":["red","green","blue"]},"text":{"type":"string"},"ratio":{"type":"number"},"enabled":{"type":"boolean"},
"parts":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":{"type":"object","required":["name"],
"properties":{"name":{"type":"string"},"count":{"type":"integer","format":"int64"}}}},
"data":{"type":"object","additionalProperties":{"type":"string"}}}},
"status":{"type":"object","properties":{"phase":{"type":"string"},"seen":{"type":"integer","format":"int64"}}}}}}}]}}`

// ofDefinition returns a path or a body of the same kind from the definition. It is as long as that of the Go type.
func ofDefinition(text string) string {
	return strings.NewReplacer(apitest.ThingGroup, "opened.example.com").Replace(text)
}

// ofStruct returns a path or a body of the kind of a Go type.
func ofStruct(text string) string { return text }

// newDefinedThings is a server of the kind from the definition, with n objects.
func newDefinedThings(b *testing.B, n int) *apitest.ThingServer {
	s := &apitest.ThingServer{Store: apitest.NewStore(b)}
	s.API = apitest.Start(b, rest.Options{Store: s.Store, Limits: uncached.Limits,
		Plugins: []rest.Plugin{crd.New(crd.Options{})}})
	require.NoError(b, s.API.Start(b.Context()))
	answer := s.Do("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", openThings)
	require.Equal(b, http.StatusCreated, answer.Code, answer.Body)
	apitest.Await(b, "the kind is served",
		func() bool { return s.Do("GET", ofDefinition(apitest.Things), "").Code == http.StatusOK })
	for i := range n {
		answer := s.Do("POST", ofDefinition(apitest.Things),
			ofDefinition(string(apitest.PaddedThing(apitest.OwnName(i), apitest.BenchObject))))
		require.Equal(b, http.StatusCreated, answer.Code, answer.Body)
	}
	return s
}

// Limit: the same request to a kind of a Go type with the same fields.
func BenchmarkDefinition(b *testing.B) {
	for _, c := range []struct {
		name, method, target, media, body string
		requests, connections             int
	}{
		{"create", "POST", apitest.Things, apitest.TypeJSON,
			string(apitest.PaddedThing("m"+apitest.Counted, apitest.BenchObject)), 1000, writers},
		{"GET", "GET", ownObject, "", "", 4000, writers},
		{"LIST", "GET", apitest.Things, "", "", 20, 1},
		{"merge patch", "PATCH", ownObject, typeMerge, `{"spec":{"data":{"key001":"` + apitest.Counted + `"}}}`, 1000,
			writers},
		{"PUT", "PUT", ownObject, apitest.TypeJSON, "", 1000, writers},
	} {
		b.Run(c.name, func(b *testing.B) {
			const objects = 1000
			s := apitest.NewThingServer(b, uncached)
			s.Fill(b, objects)
			defined := newDefinedThings(b, objects)
			if c.method == "PUT" {
				c.body = changedObject(s)
			}
			ours, its := serve(b, defined.API), serve(b, s.API)
			clients := apitest.StartClients(b)
			send := func(address string, of func(string) string) func(int) {
				if c.method == "GET" {
					return clients.Caller(address, of(c.target), apitest.TypeJSON, c.connections).Send
				}
				return clients.Writer(address, c.method, of(c.target), c.media, of(c.body), c.connections).Send
			}
			apitest.Compare(b, c.requests, send(ours, ofDefinition), send(its, ofStruct))
			b.ReportMetric(1.05, "aim")
		})
	}
}

// Limit: the same change of an object of a Go type, which reaches as many streams.
func BenchmarkDefinitionWatch(b *testing.B) {
	defined, s := newDefinedThings(b, 1), apitest.NewThingServer(b, uncached)
	s.Fill(b, 1)
	ours, its := serve(b, defined.API), serve(b, s.API)
	c := apitest.StartClients(b)
	apitest.Compare(b, 20, changesWatched(b, c, defined, ours, ofDefinition), changesWatched(b, c, s, its, ofStruct))
	b.ReportMetric(1.05, "aim")
}

// changesWatched returns a function that changes an object n times, which 200 streams watch.
func changesWatched(b *testing.B, c *apitest.Clients, s *apitest.ThingServer, address string,
	of func(string) string) func(n int) {
	object := of(changed)
	change := changes(b, s, object)
	change()
	streams := c.Caller(address, fmt.Sprintf("%s?watch=1&resourceVersion=%d", of(apitest.Things), s.Store.Revision()),
		apitest.TypeJSON, 200)
	streams.Follow(0, func() {})
	return func(n int) {
		for range n {
			streams.Follow(change(), func() {})
		}
	}
}

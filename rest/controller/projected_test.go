package controller_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/controller"
)

// transcript is a transport that records the answers of the server.
type transcript struct {
	to   http.RoundTripper
	mu   sync.Mutex
	sent strings.Builder
}

func (s *transcript) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := s.to.RoundTrip(r)
	if err == nil {
		resp.Body = &recorded{resp.Body, s}
	}
	return resp, err
}

type recorded struct {
	io.ReadCloser
	by *transcript
}

func (r *recorded) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.by.mu.Lock()
	defer r.by.mu.Unlock()
	r.by.sent.Write(p[:n])
	return n, err
}

// text returns what the client has received.
func (s *transcript) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent.String()
}

// An informer of metadata receives only metadata from the server.
func TestInformerOfMetadata(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		g := gear("a", 1, "side", "left")
		g.Spec.Color = "red"
		w.create(g)
		wire := &transcript{to: rest.RoundTripper(w.api)}
		client, err := rest.ClientForEndpoint(
			rest.Endpoint{URL: "http://gears.example.com", HTTP: &http.Client{Transport: wire}},
			rest.Resource[apimeta.PartialObjectMetadata]{Group: group, Version: "v1", Plural: "gears"})
		require.NoError(t, err)
		informer := controller.NewInformer(client, controller.InformerOptions[apimeta.PartialObjectMetadata]{
			LabelSelector: "side",
			Indexes: map[string]controller.IndexFunc[apimeta.PartialObjectMetadata]{
				"side": func(m *apimeta.PartialObjectMetadata) []string { return []string{m.Labels["side"]} },
			}})
		var d diary
		informer.AddHandler(controller.Handler[apimeta.PartialObjectMetadata]{
			OnUpdate: func(_, m *apimeta.PartialObjectMetadata) { d.write("update %s to %s", m.Name, m.Labels["side"]) },
			OnDelete: func(m *apimeta.PartialObjectMetadata) { d.write("delete %s of %s", m.Name, m.Labels["side"]) },
		})
		run(t, informer)
		require.NoError(t, informer.WaitForSync(t.Context()))
		left, err := informer.ByIndex("side", "left")
		require.NoError(t, err)
		require.Len(t, left, 1)
		assert.NotEmpty(t, left[0].UID)
		w.modify("a", func(g *Gear) { g.Labels["side"] = "right" })
		w.delete("a")
		assert.Equal(t, []string{"update a to right", "delete a of right"}, d.read())
		assert.NotContains(t, wire.text(), "red")

		w.create(g)
		_, err = client.Namespace("default").Get(t.Context(), "a")
		require.NoError(t, err)
		patched, err := client.Namespace("default").Patch(t.Context(), "a", apimeta.MergePatch, []byte(`{"metadata":{"labels":{"x":"y"}}}`))
		require.NoError(t, err)
		assert.Equal(t, "y", patched.Labels["x"])
		require.NoError(t, client.Namespace("default").Delete(t.Context(), "a", rest.DeleteOptions{}))
		assert.NotContains(t, wire.text(), "red")
	})
}

// Sides is a Gear for a program that reads only the labels and the number of teeth.
type Sides struct {
	apimeta.TypeMeta `json:",inline"`
	Metadata         struct {
		Name            string            `json:"name,omitempty"`
		Namespace       string            `json:"namespace,omitempty"`
		UID             string            `json:"uid,omitempty"`
		ResourceVersion string            `json:"resourceVersion,omitempty"`
		Labels          map[string]string `json:"labels,omitempty"`
	} `json:"metadata,omitzero"`
	Spec struct {
		Teeth int32 `json:"teeth,omitempty"`
	} `json:"spec,omitzero"`
}

// The Go type of an informer may lack fields of the objects. The informer does not keep those fields, and the server does
// not send managedFields that the type lacks.
func TestInformerOfAGoTypeWithFewerFields(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		w.create(gear("a", 7, "side", "left"))
		wire := &transcript{to: rest.RoundTripper(w.api)}
		client, err := rest.ClientForEndpoint(
			rest.Endpoint{URL: "http://gears.example.com", HTTP: &http.Client{Transport: wire}},
			rest.Resource[Sides]{Group: group, Version: "v1", Plural: "gears", Names: rest.Names{Kind: "Gear"}})
		require.NoError(t, err)
		informer := controller.NewInformer(client, controller.InformerOptions[Sides]{})
		run(t, informer)
		require.NoError(t, informer.WaitForSync(t.Context()))
		a, ok := informer.Get("default", "a")
		require.True(t, ok)
		assert.Equal(t, int32(7), a.Spec.Teeth)
		assert.Equal(t, "left", a.Metadata.Labels["side"])
		w.modify("a", func(g *Gear) { g.Spec.Teeth = 8 })
		synctest.Wait()
		a, _ = informer.Get("default", "a")
		assert.Equal(t, int32(8), a.Spec.Teeth)
		assert.NotContains(t, wire.text(), "managedFields")
	})
}

// An informer of a type that has managedFields receives them.
func TestInformerKeepsManagedFields(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		w.create(gear("a", 7))
		client, err := rest.ClientForEndpoint(
			rest.Endpoint{URL: "http://gears.example.com", HTTP: &http.Client{Transport: rest.RoundTripper(w.api)}}, gears())
		require.NoError(t, err)
		informer := controller.NewInformer(client, controller.InformerOptions[Gear]{})
		run(t, informer)
		require.NoError(t, informer.WaitForSync(t.Context()))
		a, ok := informer.Get("default", "a")
		require.True(t, ok)
		assert.NotEmpty(t, a.ManagedFields)
	})
}

// Handlers, indexes and readers see the objects as Transform leaves them.
func TestTransform(t *testing.T) { overBoth(t, testTransform) }

func testTransform(t *testing.T, newWorkshop func(testing.TB) *workshop) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		w.create(gear("a", 1, "side", "left"))
		informer := gearInformer(w, controller.InformerOptions[Gear]{
			Transform: func(g *Gear) { g.Spec.Teeth *= 10; g.ManagedFields = nil },
			Indexes: map[string]controller.IndexFunc[Gear]{
				"managed": func(g *Gear) []string {
					if g.ManagedFields == nil {
						return []string{"no"}
					}
					return []string{"yes"}
				},
			},
		})
		var d diary
		informer.AddHandler(d.handler())
		run(t, informer)
		assert.Equal(t, []string{"add a 10", "synced"}, d.read())
		w.modify("a", func(g *Gear) { g.Spec.Teeth = 2 })
		assert.Equal(t, []string{"update a 10->20"}, d.read())
		bare, err := informer.ByIndex("managed", "no")
		require.NoError(t, err)
		assert.Equal(t, []string{"a"}, names(bare))
		w.delete("a")
		assert.Equal(t, []string{"delete a 20"}, d.read())
	})
}

package crd_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/lifecycle"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage/bolt"
)

// The program starts, and cannot serve a definition for now, because it does not evaluate rules. A namespace with
// objects of the definition stays until a later start serves them, and nobody who gets the name next sees them.
func TestNamespaceWithObjectsOfAnUnservedDefinition(t *testing.T) {
	ruled := strings.Replace(gears, "openAPIV3Schema: {type: object, ",
		"openAPIV3Schema: {type: object, x-kubernetes-validations: [{rule: 'true'}], ", 1)
	path := filepath.Join(t.TempDir(), "objects.db")
	run := func(options crd.Options, do func(api *rest.API, namespaces rest.Client[builtin.Namespace])) {
		t.Helper()
		store, err := bolt.Open(t.Context(), bolt.Options{Path: path})
		require.NoError(t, err)
		options.Logger = discard
		plugins := []rest.Plugin{crd.New(options), lifecycle.New(lifecycle.Options{Logger: discard})}
		api, err := rest.New(rest.Options{Store: store, Logger: discard, Plugins: plugins}, builtin.Namespaces())
		require.NoError(t, err)
		require.NoError(t, api.Start(t.Context()))
		do(api, resttest.Client[builtin.Namespace](t, api))
		require.NoError(t, api.Close())
		require.NoError(t, store.Close())
	}
	team := &builtin.Namespace{ObjectMeta: apimeta.ObjectMeta{Name: "team"}}
	run(crd.Options{IgnoreRules: true}, func(api *rest.API, namespaces rest.Client[builtin.Namespace]) {
		_, err := namespaces.Create(t.Context(), team)
		require.NoError(t, err)
		require.Equal(t, 201, send(t, api, "POST "+definitions, ruled, nil))
		await(t, api, "gears.example.org", established)
		require.Equal(t, 201, send(t, api, "POST /apis/example.org/v1/namespaces/team/gears", gear("note"), nil))
	})
	run(crd.Options{}, func(api *rest.API, namespaces rest.Client[builtin.Namespace]) {
		require.NoError(t, namespaces.Delete(t.Context(), "team", rest.DeleteOptions{}))
		condition := "True DiscoveryFailed Discovery failed for some resources, 1 failing: the namespace has objects that the API cannot delete, " +
			"because it does not serve them at the moment: gears.example.org"
		awaitNamespace(t, namespaces, "team", func(n *builtin.Namespace) bool {
			return slices.ContainsFunc(n.Status.Conditions, func(c builtin.NamespaceCondition) bool {
				return c.Type == "NamespaceDeletionDiscoveryFailure" &&
					fmt.Sprint(c.Status, " ", c.Reason, " ", c.Message) == condition
			})
		})
		_, err := namespaces.Create(t.Context(), team)
		require.True(t, status.IsAlreadyExists(err), "%v", err)
	})
	run(crd.Options{IgnoreRules: true}, func(_ *rest.API, namespaces rest.Client[builtin.Namespace]) {
		awaitNamespace(t, namespaces, "team", func(n *builtin.Namespace) bool { return n == nil })
		_, err := namespaces.Create(t.Context(), team)
		assert.NoError(t, err)
	})
}

// awaitNamespace waits until a namespace satisfies a condition. nil stands for a namespace that is gone.
func awaitNamespace(t *testing.T, namespaces rest.Client[builtin.Namespace], name string,
	holds func(*builtin.Namespace) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	page, err := namespaces.List(ctx, rest.ListOptions{FieldSelector: "metadata.name=" + name})
	require.NoError(t, err)
	if len(page.Items) == 0 && holds(nil) || len(page.Items) > 0 && holds(page.Items[0]) {
		return
	}
	for event, err := range namespaces.Watch(ctx,
		rest.WatchOptions{ResourceVersion: page.ResourceVersion, FieldSelector: "metadata.name=" + name}) {
		require.NoError(t, err)
		if event.Type == apimeta.EventDeleted && holds(nil) || event.Type != apimeta.EventDeleted && holds(event.Object) {
			return
		}
	}
}

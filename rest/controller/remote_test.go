package controller_test

import (
	"errors"
	"log/slog"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/resttest"
)

// quiet discards the log entries about injected failures.
var quiet = slog.New(slog.DiscardHandler)

// An informer over HTTP reports each change exactly once, even if its connection fails.
func TestInformerOverBrokenConnections(t *testing.T) {
	for _, c := range []struct {
		name   string
		faults []resttest.Fault
		expire bool
		want   []string
	}{
		{"nothing", nil, false, []string{"update a 1->2", "update a 2->3", "delete b 1", "add c 1"}},
		{"a cut stream", []resttest.Fault{{Verb: access.VerbWatch, Drop: true, Events: 1}}, false,
			[]string{"update a 1->2", "update a 2->3", "delete b 1", "add c 1"}},
		{"streams that end", []resttest.Fault{{Verb: access.VerbWatch, Events: 1}, {Verb: access.VerbWatch, Events: 1}}, false,
			[]string{"update a 1->2", "update a 2->3", "delete b 1", "add c 1"}},
		{"a server at its limit", []resttest.Fault{{Verb: access.VerbWatch, Drop: true, Events: 1},
			{Verb: access.VerbWatch, Code: 429},
			{Verb: access.VerbWatch, Code: 503}, {Verb: access.VerbWatch, Drop: true}}, false,
			[]string{"update a 1->2", "update a 2->3", "delete b 1", "add c 1"}},
		{"an expired watch", []resttest.Fault{{Verb: access.VerbWatch, Code: 410, Events: 1}}, false,
			[]string{"update a 1->2", "update a 2->3", "delete b 1", "add c 1"}},
		{"lost history", []resttest.Fault{{Verb: access.VerbWatch, Drop: true, Events: 1}}, true,
			[]string{"update a 1->2", "update a 2->3", "delete b 1", "add c 1"}},
		{"a proxy without a server",
			[]resttest.Fault{{Verb: access.VerbWatch, Drop: true, Events: 1}, {Verb: access.VerbWatch, Code: 404},
				{Verb: access.VerbWatch, Code: 502}}, false,
			[]string{"update a 1->2", "update a 2->3", "delete b 1", "add c 1"}},
		{"lost history and no list",
			[]resttest.Fault{{Verb: access.VerbWatch, Drop: true, Events: 1}, {Verb: access.VerbList, Skip: 1, Code: 500},
				{Verb: access.VerbList, Code: 404}}, true,
			[]string{"update a 1->2", "update a 2->3", "delete b 1", "add c 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := resttest.New(t, gears())
				w := &workshop{t: t, api: s.API, gears: resttest.Client[Gear](t, s.API).Namespace("default")}
				w.create(gear("a", 1))
				w.create(gear("b", 1))
				if len(c.faults) > 0 {
					s.Inject(c.faults[0])
				}
				client := elsewhere(t, s.RoundTripper())
				informer := controller.NewInformer(client, controller.InformerOptions[Gear]{Logger: quiet})
				var d diary
				informer.AddHandler(d.handler())
				run(t, informer)
				require.NoError(t, informer.WaitForSync(t.Context()))
				synctest.Wait()
				for _, fault := range c.faults[min(1, len(c.faults)):] {
					s.Inject(fault)
				}
				w.modify("a", func(g *Gear) { g.Spec.Teeth = 2 })
				synctest.Wait()
				w.modify("a", func(g *Gear) { g.Spec.Teeth = 3 })
				w.delete("b")
				w.create(gear("c", 1))
				if c.expire {
					s.Expire()
				}
				pass(time.Hour) // until all failures are over
				assert.Equal(t, append([]string{"add a 1", "add b 1", "synced"}, c.want...), d.read())
				w.modify("a", func(g *Gear) { g.Spec.Teeth = 4 })
				assert.Equal(t, []string{"update a 3->4"}, d.read())
			})
		})
	}
}

// An informer survives the end of its server. When another server starts, the informer takes over its state, even if
// that is older, as after a restore from a backup.
func TestInformerOutlivesItsServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := newWorkshop(t), newWorkshop(t)
		var serving atomic.Pointer[http.Handler]
		serve := func(w *workshop) {
			var h http.Handler = w.api
			serving.Store(&h)
		}
		refused := roundTrip(func(r *http.Request) (*http.Response, error) {
			if h := serving.Load(); h != nil {
				return rest.RoundTripper(*h).RoundTrip(r)
			}
			return nil, errors.New("connection refused")
		})
		client := elsewhere(t, refused)
		informer := controller.NewInformer(client, controller.InformerOptions[Gear]{Logger: quiet})
		var d diary
		informer.AddHandler(d.handler())
		run(t, informer)
		pass(time.Hour)
		assert.False(t, informer.HasSynced(), "the server has not started")

		second.create(gear("older", 1)) // the second server reuses the resource versions of the first
		first.create(gear("a", 1))
		pass(time.Second)
		first.create(gear("b", 2))
		serve(first)
		pass(time.Hour)
		assert.Equal(t, []string{"add a 1", "add b 2", "synced"}, d.read())

		serving.Store(nil)
		require.NoError(t, first.api.Close())
		pass(time.Hour)
		assert.Empty(t, d.read(), "the content is stale but consistent")
		assert.Equal(t, []string{"a", "b"}, names(informer.List()))

		again, err := rest.New(rest.Options{Store: first.store}, gears())
		require.NoError(t, err)
		first.api, first.gears = again, resttest.Client[Gear](t, again).Namespace("default")
		first.delete("a")
		serve(first)
		pass(time.Hour)
		assert.Equal(t, []string{"delete a 1"}, d.read(), "after a restart")

		require.Less(t, second.revision(), first.revision())
		serve(second)
		require.NoError(t, again.Close())
		pass(time.Hour)
		assert.Equal(t, []string{"delete b 2", "add older 1"}, d.read(), "after the restore of a backup")
		second.modify("older", func(g *Gear) { g.Spec.Teeth = 9 })
		assert.Equal(t, []string{"update older 1->9"}, d.read())
	})
}

// roundTrip is a transport that calls a function.
type roundTrip func(r *http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

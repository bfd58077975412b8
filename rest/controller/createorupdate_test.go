package controller_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
)

func TestCreateOrUpdate(t *testing.T) {
	w := newWorkshop(t)
	teeth := func(n int32) func(*Gear) error {
		return func(g *Gear) error { g.Spec.Teeth = n; return nil }
	}
	for _, c := range []struct {
		name string
		want controller.Outcome
		n    int32
	}{
		{"a new object", controller.Created, 2}, {"no change", controller.Unchanged, 2}, {"a change", controller.Updated, 3},
	} {
		before := w.revision()
		g, outcome, err := controller.CreateOrUpdate(t.Context(), w.gears, "a", teeth(c.n))
		require.NoError(t, err, c.name)
		assert.Equal(t, c.want, outcome, c.name)
		assert.Equal(t, c.n, g.Spec.Teeth, c.name)
		assert.NotEmpty(t, g.UID, c.name)
		assert.Equal(t, c.want == controller.Unchanged, w.revision() == before, c.name)
	}
	w.modify("a", func(g *Gear) { g.Spec.Color = "red" })
	g, _, err := controller.CreateOrUpdate(t.Context(), w.gears, "a", teeth(4))
	require.NoError(t, err)
	assert.Equal(t, GearSpec{Teeth: 4, Color: "red"}, g.Spec, "other fields keep their values")
}

func TestCreateOrUpdateFails(t *testing.T) {
	w := newWorkshop(t)
	w.create(gear("old", 1))
	missing := status.NotFound(apimeta.GroupResource{Resource: "oils"}, "x")
	for _, c := range []struct {
		name   string
		client rest.Client[Gear]
		object string
		mutate func(*Gear) error
		want   string
	}{
		{"the function refuses a new object", w.gears, "new", func(*Gear) error { return errors.New("no oil") }, "no oil"},
		{"the function refuses an old object", w.gears, "old", func(*Gear) error { return errors.New("no oil") }, "no oil"},
		{"the function misses something else", w.gears, "old", func(*Gear) error { return missing }, `oils "x" not found`},
		{"the function renames a new object", w.gears, "new", func(g *Gear) error { g.Name = "other"; return nil },
			`mutate changed the name of the new object from "new" to "other"`},
		{"the function renames an old object", w.gears, "old", func(g *Gear) error { g.Name = "other"; return nil }, "name"},
		{"the client has no namespace", resttest.Client[Gear](t, w.api), "new", func(*Gear) error { return nil },
			"has no namespace"},
		{"the object is invalid", w.gears, "New", func(*Gear) error { return nil }, "RFC 1123"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := w.revision()
			g, outcome, err := controller.CreateOrUpdate(t.Context(), c.client, c.object, c.mutate)
			require.ErrorContains(t, err, c.want)
			assert.Nil(t, g)
			assert.Equal(t, controller.Unchanged, outcome)
			assert.Equal(t, before, w.revision())
		})
	}
}

// Concurrent calls for the same object all succeed, and none overwrites the change of another.
func TestCreateOrUpdateRaces(t *testing.T) {
	w := newWorkshop(t)
	var all sync.WaitGroup
	outcomes := make(chan controller.Outcome, 8)
	for i := range 8 {
		all.Go(func() {
			_, outcome, err := controller.CreateOrUpdate(t.Context(), w.gears, "a", func(g *Gear) error {
				g.Spec.Teeth += 1 << i
				return nil
			})
			assert.NoError(t, err)
			outcomes <- outcome
		})
	}
	all.Wait()
	close(outcomes)
	count := map[controller.Outcome]int{}
	for o := range outcomes {
		count[o]++
	}
	assert.Equal(t, map[controller.Outcome]int{controller.Created: 1, controller.Updated: 7}, count)
	g, err := w.gears.Get(t.Context(), "a")
	require.NoError(t, err)
	assert.Equal(t, int32(255), g.Spec.Teeth)
}

// If another client creates the object between the read and the write, CreateOrUpdate updates it. If another client
// deletes it, CreateOrUpdate creates it.
func TestCreateOrUpdateMeetsOthers(t *testing.T) {
	w := newWorkshop(t)
	calls := 0
	_, outcome, err := controller.CreateOrUpdate(t.Context(), w.gears, "a", func(g *Gear) error {
		if calls++; calls == 1 {
			w.create(gear("a", 1))
		}
		g.Spec.Color = "red"
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, controller.Updated, outcome)

	calls = 0
	g, outcome, err := controller.CreateOrUpdate(t.Context(), w.gears, "a", func(g *Gear) error {
		if calls++; calls == 1 {
			w.delete("a")
		}
		g.Spec.Color = "blue"
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, controller.Created, outcome)
	assert.Equal(t, GearSpec{Color: "blue"}, g.Spec, "mutate received a new object")

	before := w.revision()
	_, _, err = controller.CreateOrUpdate(t.Context(), w.gears, "b", func(g *Gear) error {
		if g.UID == "" {
			w.create(gear("b", 1))
			return nil
		}
		w.delete("b")
		g.Spec.Color = "red"
		return nil
	})
	assert.True(t, status.IsAlreadyExists(err), "%v", err)
	assert.Less(t, uint64(w.revision()-before), uint64(100), "it gives up")
}

// ModifyStatus writes nothing if the status does not change.
func TestModifyStatusWithoutAChange(t *testing.T) {
	w := newWorkshop(t)
	w.create(gear("a", 1))
	ready := func() {
		t.Helper()
		_, err := w.gears.ModifyStatus(t.Context(), "a", func(g *Gear) error { g.Status.Teeth = g.Spec.Teeth; return nil })
		require.NoError(t, err)
	}
	before := w.revision()
	ready()
	written := w.revision()
	assert.Greater(t, written, before)
	ready()
	assert.Equal(t, written, w.revision())
}

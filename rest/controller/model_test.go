package controller_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
)

// Each selection matches one of the last Gears. Its arrival shows that everything before has arrived.
const lastGear = "zz-last"

// replica is the model: it applies every handler call, and checks that each call fits the previous one.
type replica struct {
	t        *testing.T
	name     string
	mu       sync.Mutex
	gears    map[string]*Gear
	synced   int
	complete bool
	arrived  chan struct{} // closed when a last Gear has arrived
}

func newReplica(t *testing.T, name string) *replica {
	return &replica{t: t, name: name, gears: map[string]*Gear{}, arrived: make(chan struct{})}
}

func (r *replica) handler() controller.Handler[Gear] {
	return controller.Handler[Gear]{
		OnAdd: func(g *Gear) {
			r.mu.Lock()
			defer r.mu.Unlock()
			assert.NotContains(r.t, r.gears, g.Name, "%s: added twice", r.name)
			r.gears[g.Name] = g
			if strings.HasPrefix(g.Name, lastGear) && !r.complete {
				r.complete = true
				close(r.arrived)
			}
		},
		OnUpdate: func(old, g *Gear) {
			r.mu.Lock()
			defer r.mu.Unlock()
			assert.Equal(r.t, r.gears[g.Name], old, "%s: old is the state of the last call", r.name)
			assert.Equal(r.t, old.UID, g.UID, "%s: an update of another object", r.name)
			assert.Greater(r.t, number(r.t, g.ResourceVersion), number(r.t, old.ResourceVersion), "%s: no newer version", r.name)
			r.gears[g.Name] = g
		},
		OnDelete: func(g *Gear) {
			r.mu.Lock()
			defer r.mu.Unlock()
			if assert.Contains(r.t, r.gears, g.Name, "%s: deleted twice", r.name) {
				assert.Equal(r.t, r.gears[g.Name].UID, g.UID, "%s: deleted another one", r.name)
			}
			delete(r.gears, g.Name)
		},
		OnSynced: func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.synced++
		},
	}
}

func number(t *testing.T, version string) uint64 {
	n, err := strconv.ParseUint(version, 10, 64)
	assert.NoError(t, err)
	return n
}

// versions returns the versions of all Gears except the last ones.
func versions(gears []*Gear) map[string]string {
	out := map[string]string{}
	for _, g := range gears {
		if !strings.HasPrefix(g.Name, lastGear) {
			out[g.Namespace+"/"+g.Name] = g.UID + "@" + g.ResourceVersion
		}
	}
	return out
}

// After any writes, and even if the store drops changes, the cache, its indexes, and the objects that early and late
// handlers know finally equal the store's list.
func TestReplicasEqualTheStore(t *testing.T) { overBoth(t, testReplicasEqualTheStore) }

func testReplicasEqualTheStore(t *testing.T, newWorkshop func(testing.TB) *workshop) {
	const writers, rounds, gearNames = 4, 400, 15
	w := newWorkshop(t)
	type observed struct {
		options  controller.InformerOptions[Gear]
		informer *controller.Informer[Gear]
		replicas []*replica
	}
	byColor := map[string]controller.IndexFunc[Gear]{"color": func(g *Gear) []string { return []string{g.Spec.Color} }}
	all := []*observed{
		{options: controller.InformerOptions[Gear]{}},
		{options: controller.InformerOptions[Gear]{DecodedBytes: -1}},
		{options: controller.InformerOptions[Gear]{LabelSelector: "side=left"}},
		{options: controller.InformerOptions[Gear]{LabelSelector: "side!=left"}},
		{options: controller.InformerOptions[Gear]{FieldSelector: "spec.color=red"}},
		{options: controller.InformerOptions[Gear]{LabelSelector: "side", FieldSelector: "spec.color!=red"}},
	}
	stalled := make(chan struct{}, len(all)) // each informer waits here once, so that the store drops its position
	compacted := make(chan struct{})
	for i, o := range all {
		o.options.Indexes = byColor
		o.informer = gearInformer(w, o.options)
		early := newReplica(t, fmt.Sprint("early ", i))
		o.replicas = append(o.replicas, early)
		o.informer.AddHandler(early.handler())
		var calls atomic.Int64
		count := func(*Gear) {
			if calls.Add(1) == 20 {
				stalled <- struct{}{}
				<-compacted
			}
		}
		o.informer.AddHandler(controller.Handler[Gear]{OnAdd: count, OnUpdate: func(_, g *Gear) { count(g) },
			OnDelete: count})
		run(t, o.informer)
	}

	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	var writing, helping sync.WaitGroup
	write := func(random *rand.Rand) {
		ctx := context.Background()
		name := fmt.Sprintf("n%02d", random.IntN(gearNames))
		var err error
		switch random.IntN(8) {
		case 0, 1:
			err = w.gears.Delete(ctx, name, rest.DeleteOptions{})
		case 2, 3:
			_, err = w.gears.Create(ctx, gear(name, random.Int32N(5), "side", "left"))
		default:
			_, err = w.gears.Modify(ctx, name, func(g *Gear) error {
				g.Spec.Teeth = random.Int32N(100)
				g.Spec.Color = []string{"red", "green", ""}[random.IntN(3)]
				g.Labels = []map[string]string{nil, {"side": "left"}, {"side": "right"}}[random.IntN(3)]
				return nil
			})
		}
		if err != nil && !status.IsNotFound(err) && !status.IsAlreadyExists(err) {
			assert.NoError(t, err)
		}
	}
	stop := make(chan struct{})
	for n := range writers {
		random := rand.New(rand.NewPCG(seed, uint64(n)))
		writing.Go(func() {
			for range rounds {
				write(random)
			}
			for { // the rounds end when every informer has stalled
				select {
				case <-stop:
					return
				default:
					write(random)
				}
			}
		})
	}
	helping.Go(func() {
		for range all {
			within(t, stalled)
		}
		close(stop)
		writing.Wait()
		w.compact()
		close(compacted)
	})
	for i, o := range all { // handlers that join under load
		late := newReplica(t, fmt.Sprint("late ", i))
		o.replicas = append(o.replicas, late)
		o.informer.AddHandler(late.handler())
	}
	helping.Wait()
	for n := range writers { // more writes while all informers must list again, and the store keeps dropping changes
		random := rand.New(rand.NewPCG(seed, uint64(writers+n)))
		writing.Go(func() {
			for i := range rounds {
				write(random)
				if n == 0 && i%7 == 0 {
					assert.NoError(t, w.store.Compact(context.Background(), w.revision()))
				}
			}
		})
	}
	writing.Wait()
	for _, side := range []string{"left", "right"} {
		last := gear(lastGear+"-"+side, 1, "side", side)
		last.Spec.Color = map[string]string{"left": "red", "right": "green"}[side]
		w.create(last)
	}
	for _, o := range all {
		for _, r := range o.replicas {
			within(t, r.arrived)
		}
	}
	for i, o := range all {
		page, err := resttest.Client[Gear](t, w.api).List(t.Context(),
			rest.ListOptions{LabelSelector: o.options.LabelSelector, FieldSelector: o.options.FieldSelector})
		require.NoError(t, err)
		want := versions(page.Items)
		assert.Equal(t, want, versions(o.informer.List()), "the cache of %d", i)
		indexed := map[string]string{}
		for _, color := range []string{"red", "green", ""} {
			gears, err := o.informer.ByIndex("color", color)
			require.NoError(t, err)
			for _, g := range gears {
				assert.Equal(t, color, g.Spec.Color)
			}
			maps.Copy(indexed, versions(gears))
		}
		assert.Equal(t, want, indexed, "the index of %d", i)
		for _, r := range o.replicas {
			r.mu.Lock()
			var told []*Gear
			for _, g := range r.gears {
				told = append(told, g)
			}
			assert.Equal(t, want, versions(told), r.name)
			assert.Equal(t, 1, r.synced, r.name)
			r.mu.Unlock()
		}
	}
}

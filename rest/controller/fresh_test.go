package controller_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
)

// A reconciler that writes through the client of its informer never reads an older state than the one it has written,
// even if its informer lags far behind.
func TestReconcilersReadTheirOwnWrites(t *testing.T) { overBoth(t, testReconcilersReadTheirOwnWrites) }

func testReconcilersReadTheirOwnWrites(t *testing.T, newWorkshop func(testing.TB) *workshop) {
	const gearNames = 10
	writes := 2000
	if text := os.Getenv("DECORUM_WRITES"); text != "" { // make soak
		var err error
		writes, err = strconv.Atoi(text)
		require.NoError(t, err, "DECORUM_WRITES")
	}
	w := newWorkshop(t)
	for n := range gearNames {
		w.create(gear(fmt.Sprint("gear-", n), 0))
	}
	informer := gearInformer(w, controller.InformerOptions[Gear]{})
	lag := func(*Gear) {
		for range rand.IntN(20) {
			runtime.Gosched()
		}
	}
	informer.AddHandler(controller.Handler[Gear]{OnAdd: lag, OnUpdate: func(_, g *Gear) { lag(g) }, OnDelete: lag})

	var mu sync.Mutex
	last := map[string]uint64{} // the last version of each Gear that the reconciler wrote, 0 for a deleted Gear
	reconciles, stale, removals := 0, 0, 0
	note := func(name string, seen uint64) (enough bool) {
		mu.Lock()
		defer mu.Unlock()
		if wrote, ok := last[name]; ok && seen != wrote { // the reconciler is the only writer
			stale++
		}
		reconciles++
		return reconciles > writes
	}
	ctx, stop := context.WithCancel(t.Context())
	reconcile := func(ctx context.Context, key controller.Key) (_ controller.Result, err error) {
		old, ok := informer.Get(key.Namespace, key.Name)
		seen := uint64(0)
		if ok {
			seen = number(t, old.ResourceVersion)
		}
		if note(key.Name, seen) {
			stop()
			return controller.Result{}, nil
		}
		client, removes := informer.Client().Namespace(key.Namespace), ok && rand.IntN(10) == 0
		now := &Gear{}
		switch {
		case removes:
			err = client.Delete(ctx, key.Name, rest.DeleteOptions{})
		case ok:
			now, err = client.Modify(ctx, key.Name, func(g *Gear) error { g.Spec.Teeth++; return nil })
		default:
			now, err = client.Create(ctx, gear(key.Name, 1))
		}
		if err != nil {
			return controller.Result{}, err
		}
		mu.Lock()
		defer mu.Unlock()
		if last[key.Name] = 0; removes {
			removals++
		} else {
			last[key.Name] = number(t, now.ResourceVersion)
		}
		return controller.Result{RequeueAfter: 1}, nil
	}
	options := controller.Options{Workers: 4, Logger: quiet}
	require.NoError(t, controller.New(reconcile, options, controller.For(informer)).Run(ctx))
	assert.Zero(t, stale, "reconciles that read an older state")
	assert.Positive(t, removals)
}

// A controller that counts its children before it creates one never creates a duplicate.
func TestReconcilersSeeTheChildrenTheyHaveCreated(t *testing.T) {
	const parents, children = 5, 20
	w := newWorkshop(t)
	for n := range parents {
		w.create(gear(fmt.Sprint("gear-", n), 0))
	}
	gears := gearInformer(w, controller.InformerOptions[Gear]{})
	teeth := controller.NewInformer(resttest.Client[Tooth](t, w.api), controller.InformerOptions[Tooth]{
		Indexes: map[string]controller.IndexFunc[Tooth]{"gear": func(tooth *Tooth) []string { return []string{tooth.Labels["gear"]} }},
	})
	teeth.AddHandler(controller.Handler[Tooth]{OnAdd: func(*Tooth) {
		for range rand.IntN(20) {
			runtime.Gosched()
		}
	}})
	ctx, stop := context.WithCancel(t.Context())
	var complete atomic.Int64
	reconcile := func(ctx context.Context, key controller.Key) (controller.Result, error) {
		mine, err := teeth.ByIndex("gear", key.Name)
		g, ok := gears.Get(key.Namespace, key.Name)
		if err != nil || !ok {
			return controller.Result{}, err
		}
		if len(mine) >= children {
			if complete.Add(1) == parents {
				stop()
			}
			return controller.Result{}, nil
		}
		tooth := &Tooth{ObjectMeta: apimeta.ObjectMeta{GenerateName: "tooth-", Labels: map[string]string{"gear": key.Name}}}
		if err := controller.SetControllerReference(g, tooth); err != nil {
			return controller.Result{}, err
		}
		_, err = teeth.Client().Namespace(key.Namespace).Create(ctx, tooth)
		return controller.Result{}, err
	}
	require.NoError(t, controller.New(reconcile, controller.Options{Workers: 2},
		controller.For(gears), controller.Owned(teeth, gears)).Run(ctx))
	page, err := resttest.Client[Tooth](t, w.api).List(t.Context(), rest.ListOptions{})
	require.NoError(t, err)
	assert.Len(t, page.Items, parents*children)
}

// A key that waits for the informer occupies no worker, and its wait is limited.
func TestKeysWaitForTheInformer(t *testing.T) {
	tests := []struct {
		name  string
		write func(t *testing.T, c rest.Client[Gear])
		want  string // what the reconciler reads once the informer has moved on
	}{
		{"update", func(t *testing.T, c rest.Client[Gear]) {
			_, err := c.Modify(t.Context(), "a", func(g *Gear) error { g.Spec.Teeth = 2; return nil })
			require.NoError(t, err)
		}, "2"},
		{"update of the status", func(t *testing.T, c rest.Client[Gear]) {
			_, err := c.ModifyStatus(t.Context(), "a", func(g *Gear) error { g.Status.Teeth = 1; return nil })
			require.NoError(t, err)
		}, "1"},
		{"deletion", func(t *testing.T, c rest.Client[Gear]) {
			require.NoError(t, c.Delete(t.Context(), "a", rest.DeleteOptions{}))
		}, "none"},
	}
	for _, tt := range tests {
		for _, hangs := range []bool{false, true} {
			t.Run(fmt.Sprint(tt.name, ", the informer hangs: ", hangs), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorkshop(t)
					w.create(gear("a", 1))
					w.create(gear("gate", 1))
					informer := gearInformer(w, controller.InformerOptions[Gear]{})
					arrived, letGo := held(informer)
					defer letGo()
					var d diary
					add := make(chan controller.Key)
					source := func(ctx context.Context, enqueue func(controller.Key), synced func()) error {
						synced()
						for {
							select {
							case key := <-add:
								enqueue(key)
							case <-ctx.Done():
								return nil
							}
						}
					}
					reconcile := func(_ context.Context, key controller.Key) (controller.Result, error) {
						g, ok := informer.Get(key.Namespace, key.Name)
						if !ok {
							d.write("%s none", key.Name)
							return controller.Result{}, nil
						}
						d.write("%s %d", key.Name, g.Spec.Teeth)
						return controller.Result{}, nil
					}
					run(t, controller.New(reconcile, controller.Options{}, source, controller.For(informer)))
					d.read()
					w.modify("gate", func(g *Gear) { g.Spec.Teeth = 2 })
					<-arrived
					d.read()
					tt.write(t, informer.Client().Namespace("default"))
					a, gate := controller.Key{Namespace: "default", Name: "a"}, controller.Key{Namespace: "default", Name: "gate"}
					add <- a
					add <- gate
					assert.Equal(t, []string{"gate 2"}, d.read(), "the only worker is free for other keys")
					if hangs {
						pass(10 * time.Second)
						assert.Equal(t, []string{"a 1"}, d.read(), "the wait has an end")
						return
					}
					letGo()
					assert.Subset(t, []string{"a " + tt.want, "gate 2"}, d.read())
				})
			})
		}
	}
}

// Failed writes and dry runs hold back no key.
func TestNothingWaitsForWritesThatChangeNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		w.create(gear("a", 1))
		informer := gearInformer(w, controller.InformerOptions[Gear]{})
		var d diary
		reconcile := func(ctx context.Context, key controller.Key) (controller.Result, error) {
			client := informer.Client().Namespace(key.Namespace)
			d.write("reconcile %s", key.Name)
			_, err := client.Create(ctx, gear(key.Name, 1))
			assert.True(t, status.IsAlreadyExists(err))
			_, err = client.DryRun().Modify(ctx, key.Name, func(g *Gear) error { g.Spec.Teeth = 9; return nil })
			assert.NoError(t, err)
			_, err = client.Modify(ctx, key.Name, func(*Gear) error { return nil })
			return controller.Result{RequeueAfter: time.Second}, err
		}
		run(t, controller.New(reconcile, controller.Options{}, controller.For(informer)))
		assert.Equal(t, []string{"reconcile a"}, d.read())
		pass(time.Second)
		assert.Equal(t, []string{"reconcile a"}, d.read())
	})
}

package controller_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
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

// The controller calls its reconciler for each existing object, each change and each deletion. The reconciler drives
// the status to the spec.
func TestReconcile(t *testing.T) { overBoth(t, testReconcile) }

func testReconcile(t *testing.T, newWorkshop func(testing.TB) *workshop) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		w.create(gear("a", 2))
		var d diary
		informer := gearInformer(w, controller.InformerOptions[Gear]{})
		run(t, controller.New(func(ctx context.Context, key controller.Key) (controller.Result, error) {
			g, err := w.gears.Get(ctx, key.Name)
			if status.IsNotFound(err) {
				d.write("%s is gone", key)
				return controller.Result{}, nil
			}
			if err != nil || g.Status.Teeth == g.Spec.Teeth {
				return controller.Result{}, err
			}
			g.Status.Teeth++
			d.write("%s has %d", key, g.Status.Teeth)
			_, err = w.gears.UpdateStatus(ctx, g)
			return controller.Result{}, err
		}, controller.Options{}, controller.For(informer)))

		assert.Equal(t, []string{"default/a has 1", "default/a has 2"}, d.read())
		w.modify("a", func(g *Gear) { g.Spec.Teeth = 3 })
		assert.Equal(t, []string{"default/a has 3"}, d.read())
		w.create(gear("b", 1))
		w.delete("a")
		lines := d.read()
		slices.Sort(lines)
		assert.Equal(t, []string{"default/a is gone", "default/b has 1"}, lines)
	})
}

// calls is a reconciler that records when it is called, and returns what the test wants.
type calls struct {
	diary
	begun  time.Time
	answer func(key controller.Key, call int) (controller.Result, error)
	count  map[controller.Key]int
}

func newCalls(answer func(key controller.Key, call int) (controller.Result, error)) *calls {
	return &calls{begun: time.Now(), answer: answer, count: map[controller.Key]int{}}
}

func (c *calls) reconcile(_ context.Context, key controller.Key) (controller.Result, error) {
	c.mu.Lock()
	c.count[key]++
	n := c.count[key]
	c.mu.Unlock()
	c.write("%s after %v", key.Name, time.Since(c.begun))
	return c.answer(key, n)
}

// pass advances the time of the bubble. Tests use it to show that something does not happen: no event says that no
// further call comes, so the clock must pass every delay.
func pass(d time.Duration) {
	synctest.Wait()
	<-time.After(d)
	synctest.Wait()
}

// The controller retries a failure, later each time; a success resets the delay. A panic is a failure, and failures do
// not affect other objects.
func TestFailuresAreRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		w.create(gear("bad", 1))
		w.create(gear("good", 1))
		c := newCalls(func(key controller.Key, call int) (controller.Result, error) {
			switch {
			case key.Name == "good", call == 4, call == 6:
				return controller.Result{}, nil
			case call == 2:
				panic("ouch")
			case call == 3:
				return controller.Result{},
					status.Conflict(apimeta.GroupResource{Resource: "gears"}, "bad", "another writer was faster")
			default:
				return controller.Result{RequeueAfter: time.Nanosecond}, errors.New("no oil")
			}
		})
		var log bytes.Buffer
		run(t, controller.New(c.reconcile, controller.Options{
			Queue:  controller.QueueOptions{BaseDelay: 10 * time.Millisecond, MaxDelay: time.Second},
			Logger: slog.New(slog.NewTextHandler(&log, nil)),
		}, controller.For(gearInformer(w, controller.InformerOptions[Gear]{}))))
		pass(time.Hour)
		assert.Equal(t, []string{"bad after 0s", "good after 0s", "bad after 10ms", "bad after 30ms", "bad after 70ms"},
			c.read())
		assert.Regexp(t, `level=ERROR msg="reconcile failed" key=default/bad failures=1 again=10ms error="no oil"`,
			log.String())
		assert.Regexp(t, `failures=2 again=20ms error=.*panic in a reconciler: ouch.*controller_test.go`, log.String())
		assert.NotContains(t, log.String(), "faster", "a conflict is not an error")

		w.modify("bad", func(g *Gear) { g.Spec.Teeth = 2 })
		pass(time.Hour)
		assert.Equal(t, []string{"bad after 1h0m0s", "bad after 1h0m0.01s"}, c.read(),
			"after a success the delays begin anew")
	})
}

// The controller logs the first NotFound error of an object at level Debug, and a repeated one at level Error.
func TestNotFoundIsLoggedWhenItRepeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		w.create(gear("deleted", 1))
		w.create(gear("stuck", 1))
		missing := status.NotFound(apimeta.GroupResource{Resource: "oils"}, "x")
		c := newCalls(func(key controller.Key, call int) (controller.Result, error) {
			if key.Name == "deleted" && call > 1 || call > 2 {
				return controller.Result{}, nil
			}
			return controller.Result{}, missing
		})
		var log bytes.Buffer
		run(t, controller.New(c.reconcile, controller.Options{
			Queue:  controller.QueueOptions{BaseDelay: 10 * time.Millisecond, MaxDelay: time.Second},
			Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		}, controller.For(gearInformer(w, controller.InformerOptions[Gear]{}))))
		pass(time.Hour)
		for _, line := range []string{
			`level=DEBUG msg="reconcile failed" key=default/deleted failures=1`,
			`level=DEBUG msg="reconcile failed" key=default/stuck failures=1`,
			`level=ERROR msg="reconcile failed" key=default/stuck failures=2`,
		} {
			assert.Contains(t, log.String(), line)
		}
		assert.NotContains(t, log.String(), "default/deleted failures=2")
	})
}

// A controller and an informer without a logger log failures to slog's default logger.
func TestFailuresAreSeenWithoutALogger(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	t.Cleanup(func() { slog.SetDefault(before) })
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		w.create(gear("a", 1))
		c := newCalls(func(_ controller.Key, call int) (controller.Result, error) {
			switch call {
			case 1:
				return controller.Result{}, errors.New("no oil")
			case 2:
				return controller.Result{},
					status.Conflict(apimeta.GroupResource{Resource: "gears"}, "a", "another writer was faster")
			}
			return controller.Result{}, nil
		})
		run(t, controller.New(c.reconcile, controller.Options{},
			controller.For(gearInformer(w, controller.InformerOptions[Gear]{}))))
		pass(time.Hour)
		assert.Len(t, c.read(), 3)
	})
	assert.Regexp(t, `^[^\n]*level=ERROR msg="reconcile failed"[^\n]*no oil[^\n]*\n$`, log.String())
}

func TestRequeueAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		w.create(gear("a", 1))
		c := newCalls(func(_ controller.Key, call int) (controller.Result, error) {
			return controller.Result{RequeueAfter: []time.Duration{time.Minute, time.Hour, -time.Second}[min(call, 3)-1]}, nil
		})
		run(t, controller.New(c.reconcile, controller.Options{},
			controller.For(gearInformer(w, controller.InformerOptions[Gear]{}))))
		pass(24 * time.Hour)
		assert.Equal(t, []string{"a after 0s", "a after 1m0s", "a after 1h1m0s"}, c.read())
	})
}

// Several workers take several objects, but never the same object at a time.
func TestWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		for i := range 5 {
			w.create(gear(fmt.Sprint("g", i), 1))
		}
		var d diary
		goOn := make(chan struct{})
		var mu sync.Mutex
		busy := map[controller.Key]bool{}
		run(t, controller.New(func(_ context.Context, key controller.Key) (controller.Result, error) {
			mu.Lock()
			assert.False(t, busy[key], "%s is with two workers", key)
			busy[key] = true
			mu.Unlock()
			d.write("%s", key.Name)
			<-goOn
			mu.Lock()
			busy[key] = false
			mu.Unlock()
			return controller.Result{}, nil
		}, controller.Options{Workers: 3}, controller.For(gearInformer(w, controller.InformerOptions[Gear]{}))))
		assert.ElementsMatch(t, []string{"g0", "g1", "g2"}, d.read())
		w.modify("g0", func(g *Gear) { g.Spec.Teeth = 2 })
		assert.Empty(t, d.read(), "all workers are busy")
		goOn <- struct{}{}
		assert.Len(t, d.read(), 1)
		close(goOn)
		assert.Len(t, d.read(), 2, "the rest, and g0 once more")
	})
}

func controlledBy(owner *apimeta.ObjectMeta, manages bool) []apimeta.OwnerReference {
	return []apimeta.OwnerReference{{APIVersion: group + "/v1", Kind: "Gear", Name: owner.Name, UID: owner.UID,
		Controller: &manages}}
}

// If an owned object changes, the controller reconciles its owner.
func TestOwned(t *testing.T) { overBoth(t, testOwned) }

func testOwned(t *testing.T, newWorkshop func(testing.TB) *workshop) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		ctx := t.Context()
		a, b := w.create(gear("a", 1)), w.create(gear("b", 1))
		machine, err := resttest.Client[Machine](t, w.api).Create(ctx, &Machine{ObjectMeta: apimeta.ObjectMeta{Name: "m"}})
		require.NoError(t, err)
		teeth := resttest.Client[Tooth](t, w.api).Namespace("default")
		ownedTeeth := controller.NewInformer(resttest.Client[Tooth](t, w.api), controller.InformerOptions[Tooth]{})
		gears := gearInformer(w, controller.InformerOptions[Gear]{})
		machines := controller.NewInformer(resttest.Client[Machine](t, w.api), controller.InformerOptions[Machine]{})
		var d diary
		reconciler := func(name string) controller.Reconciler {
			return func(_ context.Context, key controller.Key) (controller.Result, error) {
				d.write("%s %s", name, key)
				return controller.Result{}, nil
			}
		}
		run(t, controller.New(reconciler("gear"), controller.Options{}, controller.For(gears),
			controller.Owned(ownedTeeth, gears)))
		run(t, controller.New(reconciler("machine"), controller.Options{}, controller.For(machines),
			controller.Owned(ownedTeeth, machines)))
		assert.ElementsMatch(t, []string{"gear default/a", "gear default/b", "machine m"}, d.read())

		create := func(name string, owners []apimeta.OwnerReference) {
			t.Helper()
			_, err := teeth.Create(ctx, &Tooth{ObjectMeta: apimeta.ObjectMeta{Name: name, OwnerReferences: owners}})
			require.NoError(t, err)
		}
		create("owned", controlledBy(&a.ObjectMeta, true))
		assert.Equal(t, []string{"gear default/a"}, d.read())
		create("of-a-machine", controlledBy(&machine.ObjectMeta, true))
		assert.Equal(t, []string{"machine m"}, d.read(), "the owner may be outside of namespaces")
		create("nobodys", nil)
		create("not-managed", controlledBy(&a.ObjectMeta, false))
		create("of-an-earlier-a", controlledBy(&apimeta.ObjectMeta{Name: "a", UID: "another"}, true))
		assert.Empty(t, d.read())

		_, err = teeth.Modify(ctx, "owned", func(tooth *Tooth) error {
			tooth.OwnerReferences = controlledBy(&b.ObjectMeta, true)
			return nil
		})
		require.NoError(t, err)
		assert.ElementsMatch(t, []string{"gear default/a", "gear default/b"}, d.read(), "both the old owner and the new")
		require.NoError(t, teeth.Delete(ctx, "owned", rest.DeleteOptions{}))
		assert.Equal(t, []string{"gear default/b"}, d.read())
	})
}

// Owned enqueues nothing for objects without owners, even if their type cannot have any.
func TestOwnedOfATypeWithoutOwners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		api, err := rest.New(rest.Options{},
			rest.Resource[Foreign]{Group: "other.example.com", Version: "v1", Plural: "foreigns"})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, api.Close()) })
		client := resttest.Client[Foreign](t, api).Namespace("default")
		f := &Foreign{}
		f.Meta.Name = "a"
		_, err = client.Create(t.Context(), f)
		require.NoError(t, err)
		w.create(gear("a", 1))
		gears, foreigns := gearInformer(w, controller.InformerOptions[Gear]{}),
			controller.NewInformer(client, controller.InformerOptions[Foreign]{})
		c := newCalls(func(controller.Key, int) (controller.Result, error) { return controller.Result{}, nil })
		run(t, controller.New(c.reconcile, controller.Options{}, controller.For(gears), controller.Owned(foreigns, gears)))
		assert.Equal(t, []string{"a after 0s"}, c.read())
	})
}

// A host maps objects to the objects that depend on them, a relation that only the host knows.
func TestMapped(t *testing.T) { overBoth(t, testMapped) }

func testMapped(t *testing.T, newWorkshop func(testing.TB) *workshop) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		c := newCalls(func(controller.Key, int) (controller.Result, error) { return controller.Result{}, nil })
		gears := gearInformer(w, controller.InformerOptions[Gear]{})
		mapped := 0
		run(t, gears)
		stop := run(t, controller.New(c.reconcile, controller.Options{},
			controller.Mapped(gears, func(g *Gear) []controller.Key {
				mapped++
				var keys []controller.Key
				for label := range g.Labels {
					keys = append(keys, controller.Key{Name: label})
				}
				return keys
			})))
		assert.Empty(t, c.read())
		w.create(gear("a", 1, "x", "", "y", ""))
		assert.ElementsMatch(t, []string{"x after 0s", "y after 0s"}, c.read())
		w.modify("a", func(g *Gear) { g.Labels = map[string]string{"z": ""} })
		assert.ElementsMatch(t, []string{"x after 0s", "y after 0s", "z after 0s"}, c.read())
		assert.Equal(t, 3, mapped)
		stop()
		w.delete("a")
		synctest.Wait()
		assert.Equal(t, 3, mapped, "a stopped controller calls keys no more")
	})
}

// The controller reconciles nothing before all sources have synced, whether they are informers or the host's own.
func TestSourcesSyncFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		w.create(gear("a", 1))
		gears := gearInformer(w, controller.InformerOptions[Gear]{})
		c := newCalls(func(controller.Key, int) (controller.Result, error) { return controller.Result{}, nil })
		ready, shot := make(chan struct{}), make(chan controller.Key)
		mine := func(ctx context.Context, enqueue func(controller.Key), synced func()) error {
			<-ready
			synced()
			synced() // a second call does no harm
			for {
				select {
				case key := <-shot:
					enqueue(key)
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}
		short := func(_ context.Context, enqueue func(controller.Key), _ func()) error {
			enqueue(controller.Key{Name: "short"})
			return nil
		}
		run(t, controller.New(c.reconcile, controller.Options{}, controller.For(gears), mine, short))
		assert.Empty(t, c.read())
		assert.True(t, gears.HasSynced())
		close(ready)
		assert.ElementsMatch(t, []string{"a after 0s", "short after 0s"}, c.read())
		shot <- controller.Key{Name: "mine"}
		assert.Equal(t, []string{"mine after 0s"}, c.read())
	})
}

// A controller that loses a source ends with the reason, and ends its goroutines.
func TestControllerFails(t *testing.T) {
	nothing := func(context.Context, controller.Key) (controller.Result, error) { return controller.Result{}, nil }
	waits := func(ctx context.Context, _ func(controller.Key), _ func()) error {
		<-ctx.Done()
		return ctx.Err()
	}
	tests := []struct {
		name      string
		reconcile controller.Reconciler
		sources   func(w *workshop) []controller.Source
		message   string
	}{
		{"no source", nothing, func(*workshop) []controller.Source { return nil }, "needs a reconciler and a source"},
		{"no reconciler", nil, func(*workshop) []controller.Source { return []controller.Source{waits} },
			"needs a reconciler and a source"},
		{"an informer that cannot list", nothing, func(w *workshop) []controller.Source {
			return []controller.Source{waits,
				controller.For(gearInformer(w, controller.InformerOptions[Gear]{LabelSelector: "=="}))}
		}, "found '=='"},
		{"a source that fails", nothing, func(*workshop) []controller.Source {
			return []controller.Source{waits,
				func(context.Context, func(controller.Key), func()) error { return errors.New("no power") }}
		}, "no power"},
		{"a source that panics", nothing, func(*workshop) []controller.Source {
			return []controller.Source{waits, func(context.Context, func(controller.Key), func()) error { panic("ouch") }}
		}, "ouch"},
		{"a map that panics", nothing, func(w *workshop) []controller.Source {
			return []controller.Source{waits,
				controller.Mapped(gearInformer(w, controller.InformerOptions[Gear]{}),
					func(*Gear) []controller.Key { panic("ouch") })}
		}, "ouch"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorkshop(t)
				w.create(gear("a", 1))
				err := controller.New(tt.reconcile, controller.Options{}, tt.sources(w)...).Run(t.Context())
				require.ErrorContains(t, err, tt.message)
			})
		})
	}
}

// When the context ends, the reconcilers' context ends too, and Run waits for them. A second Run starts with every
// object.
func TestControllerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		w.create(gear("a", 1))
		w.create(gear("b", 1))
		var log bytes.Buffer
		var d diary
		var through atomic.Int64
		c := controller.New(func(ctx context.Context, key controller.Key) (controller.Result, error) {
			d.write("%s", key.Name)
			<-ctx.Done()
			through.Add(1)
			return controller.Result{}, ctx.Err()
		}, controller.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))},
			controller.For(gearInformer(w, controller.InformerOptions[Gear]{})))
		for i := range int64(2) {
			stop := run(t, c)
			assert.Equal(t, []string{"a"}, d.read())
			stop()
			assert.Equal(t, i+1, through.Load(), "Run has waited")
		}
		assert.Empty(t, d.read(), "Run starts no waiting key any more")
		assert.Empty(t, log.String(), "stopping is not a failure")
	})
}

func TestKey(t *testing.T) {
	assert.Equal(t, "default/a", controller.Key{Namespace: "default", Name: "a"}.String())
	assert.Equal(t, "a", controller.Key{Name: "a"}.String())
}

// The controller reconciles changed objects before the unchanged objects of the first list.
func TestChangesGoBeforeTheFirstList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkshop(t)
		for n := range 5 {
			w.create(gear(fmt.Sprint("gear-", n), 1))
		}
		informer := gearInformer(w, controller.InformerOptions[Gear]{})
		var d diary
		goOn := make(chan struct{})
		reconcile := func(_ context.Context, key controller.Key) (controller.Result, error) {
			d.write("reconcile %s", key.Name)
			<-goOn
			return controller.Result{}, nil
		}
		run(t, controller.New(reconcile, controller.Options{}, controller.For(informer)))
		assert.Equal(t, []string{"reconcile gear-0"}, d.read())
		w.modify("gear-3", func(g *Gear) { g.Spec.Teeth = 2 })
		w.create(gear("new", 1))
		synctest.Wait()
		close(goOn)
		assert.Equal(t, []string{"reconcile gear-3", "reconcile new", "reconcile gear-1", "reconcile gear-2",
			"reconcile gear-4"}, d.read())
	})
}

// The controller logs the key and the age of a reconciler call that does not return.
func TestStuckReconcilersAreReported(t *testing.T) {
	for _, c := range []struct {
		name  string
		after time.Duration
		want  int
	}{{"default", 0, 3}, {"later", 10 * time.Minute, 2}, {"never", -1, 0}} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorkshop(t)
				w.create(gear("a", 1))
				var log bytes.Buffer
				goOn := make(chan struct{})
				reconcile := func(context.Context, controller.Key) (controller.Result, error) {
					<-goOn
					return controller.Result{}, nil
				}
				options := controller.Options{StuckAfter: c.after, Logger: slog.New(slog.NewTextHandler(&log, nil))}
				run(t, controller.New(reconcile, options, controller.For(gearInformer(w, controller.InformerOptions[Gear]{}))))
				pass(25 * time.Minute)
				close(goOn)
				pass(24 * time.Hour)
				assert.Equal(t, c.want, strings.Count(log.String(), `msg="reconcile has not returned" key=default/a`), log.String())
			})
		})
	}
}

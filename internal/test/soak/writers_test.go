package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strconv"
	"sync"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

const (
	counters = 3  // the number of counters in each namespace
	poolSize = 24 // number of names that are created and deleted, in each namespace
)

// ledger holds the counts that were acknowledged to writers. A counter with less has lost an update.
type ledger struct {
	mu    sync.Mutex
	count map[string]int64 // the keys are namespace/name, and namespace/name/what
}

func (l *ledger) add(what string, n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count[what] += n
}

func (l *ledger) get(what string) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count[what]
}

func counterName(i int) string { return "counter-" + strconv.Itoa(i) }

func poolName(i int) string { return "pool-" + strconv.Itoa(i) }

func pick(random *rand.Rand, from ...string) string { return from[random.IntN(len(from))] }

// makeCounters creates the objects that always exist.
func (s *soak) makeCounters() error {
	for _, namespace := range namespaces {
		if err := s.makeNamespace(namespace); err != nil {
			return err
		}
		for i := range counters {
			if _, err := s.callers[0].write("POST", path(namespace, ""), mediaJSON, newGadget(counterName(i))); err != nil {
				return err
			}
		}
	}
	_, err := s.noises.Create(context.Background(), &Noise{ObjectMeta: apimeta.ObjectMeta{Name: "noise"}})
	return err
}

func newGadget(name string) *Gadget {
	return &Gadget{TypeMeta: apimeta.TypeMeta{APIVersion: group + "/v1", Kind: "Gadget"},
		ObjectMeta: apimeta.ObjectMeta{Name: name}}
}

// counted repeats an attempt until it meets no conflict, and notes the increment and the answer.
func (s *soak) counted(who, counter string, attempt func() (*Gadget, error)) error {
	for {
		out, err := attempt()
		if status.IsConflict(err) {
			s.totals.conflicts.Add(1)
			continue
		}
		if err != nil {
			return err
		}
		s.ledger.add(counter, 1)
		s.reads.addAnswer(who, out)
		return nil
	}
}

// put reads, increments and writes back, and repeats this after each conflict.
func (s *soak) put(who string, random *rand.Rand) error {
	namespace, name, c := pick(random, namespaces...), counterName(random.IntN(counters)), s.caller(random)
	return s.counted(who, namespace+"/"+name, func() (*Gadget, error) {
		g, err := c.get(namespace, name)
		if err != nil {
			return nil, err
		}
		g.Spec.Count++
		return c.write("PUT", path(namespace, name), mediaJSON, g)
	})
}

func (s *soak) modify(who string, random *rand.Rand) error {
	namespace, name := pick(random, namespaces...), counterName(random.IntN(counters))
	out, err := s.gadgets.Namespace(namespace).Modify(context.Background(), name,
		func(g *Gadget) error { g.Spec.Count++; return nil })
	if err != nil {
		return err
	}
	s.ledger.add(namespace+"/"+name, 1)
	s.reads.addAnswer(who, out)
	return nil
}

// modifyOlder is modify for a client of the older version.
func (s *soak) modifyOlder(who string, random *rand.Rand) error {
	namespace, name := pick(random, namespaces...), counterName(random.IntN(counters))
	out, err := s.betas.Namespace(namespace).Modify(context.Background(), name,
		func(g *GadgetBeta) error { g.Spec.Total++; return nil })
	if err != nil {
		return err
	}
	s.ledger.add(namespace+"/"+name, 1)
	s.reads.addAnswer(who, asGadget(out))
	return nil
}

func (s *soak) modifyStatus(who string, random *rand.Rand) error {
	namespace, name := pick(random, namespaces...), counterName(random.IntN(counters))
	out, err := s.gadgets.Namespace(namespace).ModifyStatus(context.Background(), name,
		func(g *Gadget) error { g.Status.Seen++; return nil })
	if err != nil {
		return err
	}
	s.ledger.add(namespace+"/"+name+"/seen", 1)
	s.reads.addAnswer(who, out)
	return nil
}

// update is put with the typed client.
func (s *soak) update(who string, random *rand.Rand) error {
	client, name := s.gadgets.Namespace("a"), counterName(random.IntN(counters))
	return s.counted(who, "a/"+name, func() (*Gadget, error) {
		g, err := client.Get(context.Background(), name)
		if err != nil {
			return nil, err
		}
		g.Spec.Count++
		return client.Update(context.Background(), g)
	})
}

// patch increments with a conditional patch: by a resourceVersion, or by a test of the value.
func (s *soak) patch(who string, random *rand.Rand) error {
	namespace, name, c := pick(random, namespaces...), counterName(random.IntN(counters)), s.caller(random)
	return s.counted(who, namespace+"/"+name, func() (*Gadget, error) {
		g, err := c.get(namespace, name)
		if err != nil {
			return nil, err
		}
		media, body := mediaMerge, fmt.Sprintf(`{"metadata":{"resourceVersion":%q},"spec":{"count":%d}}`, g.ResourceVersion,
			g.Spec.Count+1)
		if g.Spec.Count > 0 && random.IntN(2) == 0 {
			media, body = mediaPatch, fmt.Sprintf(`[{"op":"test","path":"/spec/count","value":%d},{"op":"replace","path":"/spec/count","value":%d}]`,
				g.Spec.Count, g.Spec.Count+1)
		}
		out, err := c.write("PATCH", path(namespace, name), media, body)
		if media == mediaPatch && status.IsInvalid(err) { // the test operation failed
			err = status.Conflict(apimeta.GroupResource{Resource: "gadgets"}, name, "the count has changed")
		}
		return out, err
	})
}

// mark increments a separate field, with an unconditional patch.
func (s *soak) mark(who string, random *rand.Rand) error {
	namespace, name := pick(random, namespaces...), counterName(random.IntN(counters))
	mine := namespace + "/" + name + "/" + who
	body := fmt.Sprintf(`{"spec":{"marks":{%q:%d}}}`, who, s.ledger.get(mine)+1)
	out, err := s.caller(random).write("PATCH", path(namespace, name), mediaMerge, body)
	if err != nil {
		return err
	}
	s.ledger.add(mine, 1)
	s.ledger.add(namespace+"/"+name+"/marks", 1)
	s.reads.addAnswer(who, out)
	return nil
}

// flip moves an object to other selections. If the object does not exist, flip does nothing.
func (s *soak) flip(who string, random *rand.Rand) error {
	namespace, name := place(random), poolName(random.IntN(poolSize))
	if random.IntN(8) == 0 {
		name = counterName(random.IntN(counters))
	}
	body := fmt.Sprintf(`{"metadata":{"labels":{%q:%s}},"spec":{"color":%s}}`, sideLabel,
		pick(random, `"left"`, `"right"`, "null"), pick(random, `"red"`, `"blue"`, "null"))
	out, err := s.caller(random).write("PATCH", path(namespace, name), mediaMerge, body)
	if status.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	s.reads.addAnswer(who, out)
	return nil
}

func (s *soak) create(who string, random *rand.Rand) error {
	g := newGadget(poolName(random.IntN(poolSize)))
	g.Labels = map[string]string{poolLabel: "yes", sideLabel: pick(random, "left", "right")}
	g.Spec.Color = pick(random, "red", "blue", "")
	if random.IntN(4) == 0 {
		g.Finalizers = []string{finalizer}
	}
	namespace := place(random)
	var out *Gadget
	var err error
	if random.IntN(2) == 0 {
		out, err = s.gadgets.Namespace(namespace).Create(context.Background(), g)
	} else {
		out, err = s.caller(random).write("POST", path(namespace, ""), mediaJSON, g)
	}
	if status.IsAlreadyExists(err) || turnedAway(namespace, err) {
		return nil
	}
	if err != nil {
		return err
	}
	s.reads.addAnswer(who, out)
	return nil
}

// remove deletes an object, and sometimes also removes its finalizers, or deletes a selection.
func (s *soak) remove(_ string, random *rand.Rand) error {
	namespace, name, c := place(random), poolName(random.IntN(poolSize)), s.caller(random)
	query := url.Values{}
	if policy := pick(random, "", "Background", "Foreground", "Orphan"); policy != "" {
		query.Set("propagationPolicy", policy)
	}
	var err error
	switch n := random.IntN(100); {
	case n == 0:
		query := selector{labels: poolLabel + "=yes," + sideLabel + "=left"}.query()
		err = c.do("DELETE", path(namespace, ""), query, mediaJSON, mediaJSON, nil, nil)
	case n < 20:
		var g *Gadget
		if g, err = c.get(namespace, name); err == nil {
			err = s.gadgets.Namespace(namespace).Delete(context.Background(), name,
				rest.DeleteOptions{Preconditions: &apimeta.Preconditions{UID: &g.UID}})
		}
	default:
		err = c.do("DELETE", path(namespace, name), query, mediaJSON, mediaJSON, nil, nil)
	}
	if err == nil && random.IntN(2) == 0 {
		_, err = c.write("PATCH", path(namespace, name), mediaMerge, `{"metadata":{"finalizers":null}}`)
	}
	if status.IsNotFound(err) || status.IsConflict(err) {
		return nil
	}
	return err
}

// beacons returns objects in the selections of all watchers.
func beacons() []item {
	return []item{
		{keyOf("a", poolName(1)), value{side: "left", color: "red"}},
		{keyOf("b", poolName(1)), value{side: "right", color: "blue"}},
		{keyOf("a", counterName(0)), value{}},
		{keyOf(passing[0], poolName(2)), value{}},
	}
}

// light ends a round with a change that every watcher sees and that no writer reverts. It distinguishes an up-to-date
// watcher from one that has yet to list, whose list might be empty.
func (s *soak) light() error {
	for _, b := range beacons() {
		if err := s.makeNamespace(b.key.Namespace); err != nil {
			return err
		}
		client := s.gadgets.Namespace(b.key.Namespace)
		change := func(g *Gadget) error {
			g.Labels = map[string]string{poolLabel: "yes", sideLabel: b.value.side}
			if b.value.side == "" {
				g.Labels = nil
			}
			g.Spec.Color = b.value.color
			g.Spec.Count++
			return nil
		}
		_, err := client.Modify(context.Background(), b.key.Name, change)
		if status.IsNotFound(err) {
			g := newGadget(b.key.Name)
			_ = change(g)
			_, err = client.Create(context.Background(), g)
		}
		if err != nil {
			return err
		}
		s.ledger.add(b.key.Namespace+"/"+b.key.Name, 1)
	}
	return nil
}

// noise writes another kind to use up revisions.
func (s *soak) noise(string, *rand.Rand) error {
	_, err := s.noises.Modify(context.Background(), "noise", func(n *Noise) error { n.Spec.Count++; return nil })
	return err
}

// checkLedger compares the counters with the acknowledged counts.
func (s *soak) checkLedger(objects state) (problems []error) {
	for _, namespace := range namespaces {
		for i := range counters + 1 {
			name := pairName
			if i < counters {
				name = counterName(i)
			}
			what := namespace + "/" + name
			v := objects[keyOf(namespace, name)]
			got := [3]int64{v.count, v.seen, v.marks}
			want := [3]int64{s.ledger.get(what), s.ledger.get(what + "/seen"), s.ledger.get(what + "/marks")}
			if got != want {
				problems = append(problems,
					fmt.Errorf("no update may be lost: %s has counted %d (count, seen, marks), writers received %d", what, got, want))
			}
		}
	}
	return problems
}

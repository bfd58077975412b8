package soak

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/hangtest"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/lifecycle"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

const (
	usual = 4 * time.Second
	// These are the shares of the duration for TestSoak and for each of the other tests.
	ofHistory, ofChapter = 0.6, 0.1
	// round is the time of load between two checks. It bounds the journal, which is held in memory.
	round = 2500 * time.Millisecond
	// patience bounds how long a watcher may take to show the last event of a round.
	patience = hangtest.Deadline
	// shown is the number of violations that are printed.
	shown = 5
)

// soak is one run.
type soak struct {
	api        *rest.API
	gadgets    rest.Client[Gadget]
	betas      rest.Client[GadgetBeta]
	spaces     rest.Client[Namespace]
	parts      rest.Client[Part]
	noises     rest.Client[Noise]
	journal    *journal
	callers    []*caller // over a socket and in process
	selectors  []selector
	ledger     ledger
	reads      reads
	totals     totals
	tapes      []*tape
	chronicles []*chronicle
	base       atomic.Uint64 // the revision at which the round began
}

// totals counts what happened.
type totals struct {
	commits, conflicts, streams, events, bookmarks, expiredWatches, relists, expiredPages, pages, compactions, followed,
	expiredFollows, razed, collected atomic.Int64
}

func (s *soak) caller(random *rand.Rand) *caller { return s.callers[random.IntN(len(s.callers))] }

// actor repeats one action until the round is over.
type actor struct {
	name string
	act  func(who string, random *rand.Rand) error
}

func (s *soak) actors() []actor {
	return []actor{
		{"put 1", s.put}, {"put 2", s.put}, {"update", s.update}, {"modify", s.modify}, {"modify older", s.modifyOlder},
		{"modify status", s.modifyStatus},
		{"patch", s.patch}, {"mark 1", s.mark}, {"mark 2", s.mark}, {"flip 1", s.flip}, {"flip 2", s.flip},
		{"flip 3", s.flip},
		{"create 1", s.create}, {"create 2", s.create}, {"remove 1", s.remove}, {"noise", s.noise},
		{"together 1", s.together}, {"together 2", s.together}, {"found", s.found}, {"raze", s.raze}, {"depend", s.depend},
		{"get", s.get}, {"page 1", s.page}, {"page 2", s.page}, {"exact", s.exact}, {"compact", s.compact},
	}
}

// lasting returns how long a part of the soak runs.
func lasting(t *testing.T, share float64) time.Duration {
	all := usual
	if text := os.Getenv("DECORUM_SOAK"); text != "" {
		var err error
		all, err = time.ParseDuration(text)
		require.NoError(t, err, "DECORUM_SOAK")
	} else if testing.Short() {
		all = round
	}
	return time.Duration(share * float64(all))
}

// TestSoak checks consistency under load; see the package documentation.
func TestSoak(t *testing.T) {
	duration, seed := lasting(t, ofHistory), rand.Uint64()
	if text := os.Getenv("DECORUM_SOAK_SEED"); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err, "DECORUM_SOAK_SEED")
	}
	t.Logf("%s, DECORUM_SOAK_SEED=%d", duration, seed)

	s := newSoak(t)
	require.NoError(t, s.makeCounters())
	require.NoError(t, s.makePair())
	h, err := s.journal.take(state{}, s.base.Load())
	require.NoError(t, err)
	objects := h.final()
	s.base.Store(h.end())

	ctx, stop := context.WithCancel(t.Context())
	var watching sync.WaitGroup
	s.startWatchers(ctx, &watching, seed)
	s.startFollowers(ctx, &watching, seed)
	watching.Go(func() { assert.NoError(t, lifecycle.CollectGarbage(ctx, s.api, lifecycleOptions())) })
	watching.Go(func() { assert.NoError(t, lifecycle.EmptyNamespaces(ctx, s.api, lifecycleOptions())) })
	defer watching.Wait()
	defer stop()

	began, rounds := time.Now(), 0
	for ; time.Since(began) < duration && !t.Failed(); rounds++ {
		if err := s.load(min(round, duration-time.Since(began)), seed+uint64(rounds)); err != nil {
			t.Errorf("round %d: an unexpected answer: %v", rounds, err)
		}
		require.NoError(t, s.settle(), "round %d", rounds)
		require.NoError(t, s.quiet(s.chronicles[0]), "round %d", rounds)
		require.NoError(t, s.light())
		var problems []error
		if objects, problems = s.check(objects); len(problems) > 0 {
			for _, p := range problems[:min(len(problems), shown)] {
				t.Errorf("round %d: %v", rounds, p)
			}
			t.Errorf("%d violations in round %d", len(problems), rounds)
		}
	}
	c, took := &s.totals, time.Since(began)
	t.Logf("%d rounds, %s", rounds, took.Round(time.Millisecond))
	t.Logf("%d commits (%.0f/s), %d conflicts; %d pages (%.0f/s), %d of them 410; %d compactions",
		c.commits.Load(), float64(c.commits.Load())/took.Seconds(), c.conflicts.Load(), c.pages.Load(),
		float64(c.pages.Load())/took.Seconds(),
		c.expiredPages.Load(), c.compactions.Load())
	t.Logf("%d watchers: %d events (%.0f/s), %d streams, %d bookmarks, %d times 410, %d differences after it",
		len(s.tapes), c.events.Load(), float64(c.events.Load())/took.Seconds(), c.streams.Load(), c.bookmarks.Load(),
		c.expiredWatches.Load(), c.relists.Load())
	t.Logf("%d followers of everything: %d changes, %d times 410; %d namespaces deleted, %d parts collected",
		len(s.chronicles), c.followed.Load(), c.expiredFollows.Load(), c.razed.Load(), c.collected.Load())
	if duration >= time.Minute && !t.Failed() { // what did not happen was not tested
		require.NotZero(t, c.conflicts.Load(), "no write met a conflict")
		require.NotZero(t, c.expiredWatches.Load(), "no watcher fell behind")
		require.NotZero(t, c.relists.Load(), "no Follow fell behind")
		require.NotZero(t, c.bookmarks.Load(), "no watch had a bookmark")
		require.NotZero(t, c.expiredFollows.Load(), "no follower of everything fell behind")
		require.NotZero(t, c.razed.Load(), "no namespace was deleted")
		require.NotZero(t, c.collected.Load(), "no object was collected")
	}
}

func newSoak(t *testing.T) *soak {
	memory := memory.New(storage.Options{MaxLogBytes: 2 << 20, MaxWait: 250 * time.Millisecond})
	s := &soak{journal: &journal{Store: memory}, selectors: selectors(), ledger: ledger{count: map[string]int64{}}}
	s.base.Store(uint64(memory.Revision()))
	var err error
	s.api, err = rest.New(rest.Options{Store: s.journal}, definitions()...)
	require.NoError(t, err)
	s.gadgets, s.betas, s.spaces = resttest.Client[Gadget](t, s.api), resttest.Client[GadgetBeta](t, s.api),
		resttest.Client[Namespace](t, s.api)
	s.parts, s.noises = resttest.Client[Part](t, s.api), resttest.Client[Noise](t, s.api)
	server := httptest.NewServer(s.api)
	transport := server.Client().Transport.(*http.Transport)
	transport.MaxIdleConnsPerHost = 64
	for _, older := range []bool{false, true} {
		s.callers = append(s.callers, &caller{server.Client(), server.URL, older},
			&caller{&http.Client{Transport: rest.RoundTripper(s.api)}, "http://in.process", older})
	}
	t.Cleanup(func() {
		require.NoError(t, s.api.Close())
		server.Close()
		require.NoError(t, memory.Close())
	})
	return s
}

// startWatchers starts a watcher of each kind for each selector, in turns.
func (s *soak) startWatchers(ctx context.Context, group *sync.WaitGroup, seed uint64) {
	accepts := []string{mediaJSON, mediaTable, mediaMeta}
	for i, sel := range s.selectors {
		typed := s.typed(sel)
		if i%2 == 1 {
			typed = s.olderTyped(sel)
		}
		for kind := range 4 {
			random := rand.New(rand.NewPCG(seed, uint64(i*4+kind)))
			var t *tape
			var run func()
			switch kind {
			case 0:
				t = newTape("Watch", sel)
				run = func() { s.watcher(ctx, t, typed, random) }
			case 1:
				t = newTape("Follow", sel)
				run = func() { s.follower(ctx, t, typed, random) }
			default:
				accept := accepts[(i+kind)%len(accepts)]
				t = newTape("HTTP watch of "+accept, sel)
				t.metadata = isMetadata(accept)
				raw := rawSource{s.callers[(i+kind)%len(s.callers)], sel, accept, random}
				run = func() { s.watcher(ctx, t, raw, random) }
			}
			s.tapes = append(s.tapes, t)
			group.Go(run)
		}
	}
}

// startFollowers starts followers of all objects. One of them never starts over.
func (s *soak) startFollowers(ctx context.Context, group *sync.WaitGroup, seed uint64) {
	for i := range 3 {
		c := newChronicle(fmt.Sprint("follower of everything ", i))
		s.chronicles = append(s.chronicles, c)
		random := rand.New(rand.NewPCG(seed, uint64(1000+i)))
		group.Go(func() { s.everything(ctx, c, i > 0, random) })
	}
}

// load lets all actors act for a while, and returns unexpected errors.
func (s *soak) load(length time.Duration, seed uint64) error {
	ctx, cancel := context.WithTimeout(context.Background(), length)
	defer cancel()
	actors := s.actors()
	errs := make([]error, len(actors))
	var acting sync.WaitGroup
	for i, a := range actors {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		acting.Go(func() {
			for ctx.Err() == nil {
				if err := a.act(a.name, random); err != nil {
					errs[i] = fmt.Errorf("%s: %w", a.name, err)
					return
				}
			}
		})
	}
	acting.Wait()
	return errors.Join(errs...)
}

// check compares what the clients saw in a finished round with the journal, and returns the final state.
func (s *soak) check(start state) (state, []error) {
	h, err := s.journal.take(start, s.base.Load())
	if err != nil {
		return start, []error{err}
	}
	s.totals.commits.Add(int64(len(h.entries)))
	for _, e := range h.entries {
		if e.gone && e.key.Resource == parts {
			s.totals.collected.Add(1)
		}
	}
	var problems []error
	if got := s.after(); got != h.end() {
		problems = append(problems, fmt.Errorf("every revision must be a commit that a writer received: the store is at %d, the journal ends at %d", got, h.end()))
	}
	deadline := time.Now().Add(patience)
	for _, t := range s.tapes {
		if err := t.check(h, deadline); err != nil {
			problems = append(problems, fmt.Errorf("%s %s: %w", t.name, t.sel, err))
		}
	}
	for _, c := range s.chronicles {
		if err := c.check(h, deadline); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", c.name, err))
		}
	}
	problems = append(problems, s.reads.check(h)...)
	final := h.final()
	problems = append(problems, s.checkLedger(final)...)
	s.base.Store(h.end())
	return final, problems
}

// check replays a tape whenever something arrives, until it covers the whole history.
func (t *tape) check(h *history, deadline time.Time) error {
	for {
		notes, broken := t.read()
		r := newReplay(h, t)
		i, err := r.run(notes)
		switch {
		case broken != nil:
			return fmt.Errorf("%w\n%s", broken, lastNotes(notes, len(notes)-1))
		case err == nil:
			t.begun = true
			t.forget(len(notes))
			return nil
		case !errors.Is(err, errMissing) || time.Now().After(deadline):
			return fmt.Errorf("%w\n  last notes:\n%s  history:\n%s", err, lastNotes(notes, i), h.around(r.at))
		}
		timer := time.NewTimer(time.Until(deadline))
		select {
		case <-t.arrived:
		case <-timer.C:
		}
		timer.Stop()
	}
}

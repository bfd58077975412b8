package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// operation is a part of the load.
type operation struct {
	name string
	// run carries out its part of a round, and returns the processor time of the server for one operation.
	run func(ctx context.Context, p plan, s *server) (time.Duration, error)
}

var operations = []operation{
	{"GET", gets}, {"LIST after a change", listsAfterChanges}, {"LIST again", lists}, {"CREATE", creates}, {"PUT", puts},
	{"merge PATCH", patches}, {"WATCH, a delivery", deliveries},
}

// cost returns the processor time of the server for each of n operations, which do carries out. It repeats them until
// the server has used enough time for an exact figure.
func (s *server) cost(enough time.Duration, n int, do func() error) (time.Duration, error) {
	before, err := s.cpu()
	if err != nil {
		return 0, err
	}
	for times := 1; ; times++ {
		if err := do(); err != nil {
			return 0, err
		}
		after, err := s.cpu()
		if used := after - before; err != nil || used >= enough {
			return used / time.Duration(n*times), err
		}
	}
}

func gets(ctx context.Context, p plan, s *server) (time.Duration, error) {
	return s.cost(p.enough, p.gets, func() error {
		return inParallel(p.gets, func(_, i int) error {
			_, err := s.do(ctx, http.MethodGet, thing(things, i%p.objects), nil)
			return err
		})
	})
}

// listsAfterChanges lists after each change once. The change does not count.
func listsAfterChanges(ctx context.Context, p plan, s *server) (time.Duration, error) {
	var sum time.Duration
	times := 0
	for ; times < p.lists || sum < p.enough; times++ {
		if _, err := s.do(ctx, http.MethodPatch, thing(things, 0), patch()); err != nil {
			return 0, err
		}
		cost, err := s.cost(0, 1, func() error { return s.list(ctx) })
		if err != nil {
			return 0, err
		}
		sum += cost
	}
	return sum / time.Duration(times), nil
}

// lists lists what has not changed since the list before.
func lists(ctx context.Context, p plan, s *server) (time.Duration, error) {
	return s.cost(p.enough, p.lists, func() error {
		for range p.lists {
			if err := s.list(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *server) list(ctx context.Context) error {
	_, err := s.do(ctx, http.MethodGet, thingsIn(things), nil)
	return err
}

// names numbers what the load creates.
var names atomic.Int64

// creates does not repeat, so that all servers have as many objects at the end.
func creates(ctx context.Context, p plan, s *server) (time.Duration, error) {
	return s.cost(0, p.creates, func() error {
		return inParallel(p.creates, func(int, int) error {
			_, err := s.do(ctx, http.MethodPost, thingsIn(created), body(nameOf(int(names.Add(1)))))
			return err
		})
	})
}

// puts lets each connection replace an object of its own, as the last answer showed it.
func puts(ctx context.Context, p plan, s *server) (time.Duration, error) {
	var last [connections][]byte
	if err := inParallel(connections, func(worker, _ int) (err error) {
		last[worker], err = s.do(ctx, http.MethodGet, thing(things, worker), nil)
		return err
	}); err != nil {
		return 0, err
	}
	return s.cost(p.enough, p.writes, func() error {
		return inParallel(p.writes, func(worker, _ int) (err error) {
			last[worker], err = s.do(ctx, http.MethodPut, thing(things, worker), changed(last[worker]))
			return err
		})
	})
}

func patches(ctx context.Context, p plan, s *server) (time.Duration, error) {
	return s.cost(p.enough, p.writes, func() error {
		return inParallel(p.writes, func(worker, _ int) error {
			_, err := s.do(ctx, http.MethodPatch, thing(things, worker), patch())
			return err
		})
	})
}

// deliveries changes an object that all watches show. A delivery contains its share of the change.
func deliveries(ctx context.Context, p plan, s *server) (time.Duration, error) {
	open, err := s.watch(ctx, p.streams)
	if err != nil {
		return 0, err
	}
	defer open.close()
	return s.cost(p.enough, p.changes*p.streams, func() error {
		for range p.changes {
			if err := open.change(ctx, s, p.streams); err != nil {
				return err
			}
		}
		return nil
	})
}

// fill creates the objects and checks that the server does the work that the table says.
func (s *server) fill(ctx context.Context, p plan, defined bool) error {
	if defined {
		if err := s.define(ctx); err != nil {
			return err
		}
	} else if _, err := s.do(ctx, http.MethodPost, thingsIn(watched), body(nameOf(1))); err != nil {
		return err
	}
	if err := inParallel(p.objects, func(_, i int) error {
		_, err := s.do(ctx, http.MethodPost, thingsIn(things), body(nameOf(i)))
		return err
	}); err != nil {
		return err
	}
	return s.check(ctx, p.objects)
}

// object is what the check reads of an answer.
type object struct {
	Metadata struct{ Name, ResourceVersion string }
	Spec     struct {
		Size int
		Data map[string]string
	}
	Items []json.RawMessage
}

// check makes sure that a server does the work that the table says.
func (s *server) check(ctx context.Context, objects int) error {
	path := thing(things, 0)
	get := func(target string) (text []byte, o object, err error) {
		if text, err = s.do(ctx, http.MethodGet, target, nil); err == nil {
			err = json.Unmarshal(text, &o)
		}
		return text, o, err
	}
	text, before, err := get(path)
	if err != nil {
		return err
	}
	if before.Metadata.Name != nameOf(0) || len(before.Spec.Data) < 30 {
		return fmt.Errorf("%s: a GET answers %s", s.name, text)
	}
	if _, list, err := get(thingsIn(things)); err != nil || len(list.Items) != objects {
		return fmt.Errorf("%s: a list of %d objects instead of %d: %w", s.name, len(list.Items), objects, err)
	}
	for i, change := range []struct {
		method string
		body   []byte
	}{{http.MethodPut, size.ReplaceAll(text, []byte(`"size":17`))}, {http.MethodPatch, []byte(`{"spec":{"size":18}}`)}} {
		if _, err := s.do(ctx, change.method, path, change.body); err != nil {
			return err
		}
		_, after, err := get(path)
		if err != nil || after.Spec.Size != 17+i || len(after.Spec.Data) != len(before.Spec.Data) ||
			after.Metadata.ResourceVersion == before.Metadata.ResourceVersion {
			return fmt.Errorf("%s: a %s has no effect: %+v %w", s.name, change.method, after, err)
		}
	}
	_, err = s.do(ctx, http.MethodPut, path, text)
	if f := (*failure)(nil); !errors.As(err, &f) || f.code != http.StatusConflict ||
		!strings.Contains(f.text, `"Conflict"`) {
		return fmt.Errorf("%s: a PUT of an old version is not refused: %w", s.name, err)
	}
	return nil
}

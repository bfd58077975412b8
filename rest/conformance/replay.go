package conformance

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"sync"
	"time"
)

// play is one case that was played against a server.
type play struct {
	area *Area
	test *Case

	transcript transcript
	err        error
	took       time.Duration
}

func (p *play) id() string { return p.area.Name + "/" + p.test.Name }

// replayAll plays all cases, jobs at a time, and returns them in the order of the
// files. It calls done with each case when it ends, one call at a time. It returns
// only the error of the context: a failed case is not an error.
func replayAll(ctx context.Context, c *client, areas []Area, jobs int, done func(*play)) ([]*play, error) {
	var plays []*play
	for i := range areas {
		for _, test := range areas[i].Cases {
			plays = append(plays, &play{area: &areas[i], test: test})
		}
	}
	next := make(chan *play)
	var workers sync.WaitGroup
	var one sync.Mutex
	for range max(1, jobs) {
		workers.Go(func() {
			for p := range next {
				p.run(ctx, c)
				if ctx.Err() != nil {
					continue // the end of the context made it fail
				}
				one.Lock()
				done(p)
				one.Unlock()
			}
		})
	}
	for _, p := range plays {
		if ctx.Err() != nil {
			break
		}
		next <- p
	}
	close(next)
	workers.Wait()
	return plays, ctx.Err()
}

func (p *play) run(ctx context.Context, c *client) {
	start := time.Now()
	r := &replay{
		client: c, area: p.area, test: p.test,
		vars: variables{"u": randomName(10)}, streams: map[string]*stream{},
	}
	maps.Copy(r.vars, p.area.vars)
	p.transcript, p.err = r.run(ctx)
	if !c.keep {
		r.cleanUp(ctx)
	}
	p.took = time.Since(start)
}

// replay is the state of one running case.
type replay struct {
	client  *client
	area    *Area
	test    *Case
	vars    variables
	streams map[string]*stream // started but not collected
	answers []*answer

	namespaces []string // the namespaces that the case has created
}

func (r *replay) run(ctx context.Context) (transcript, error) {
	defer func() {
		for _, st := range r.streams {
			st.stop()
		}
	}()
	if err := r.namespace(ctx, "ns", "cf-"); err != nil {
		return nil, err
	}
	r.vars["ns2"] = "cg-" + randomName(10)
	if strings.Contains(r.test.text, "${ns2}") {
		if err := r.namespace(ctx, "ns2", "cg-"); err != nil {
			return nil, err
		}
	}
	for i, short := range r.test.given {
		if err := r.give(ctx, short); err != nil {
			return nil, fmt.Errorf("given %d: %w", i+1, err)
		}
	}
	for i, s := range r.test.steps {
		for range s.times() {
			if err := r.do(ctx, s); err != nil {
				return nil, fmt.Errorf("step %d: %w", i+1, err)
			}
		}
	}
	return normalise(r)
}

// do runs a step once.
func (r *replay) do(ctx context.Context, s *step) error {
	if err := pause(ctx, time.Duration(s.Sleep)); err != nil {
		return err
	}
	if s.Collect != "" {
		return r.collect(s)
	}
	if s.Method == "" {
		return nil
	}
	req := r.request(s)
	if s.Watch != nil {
		st := r.client.open(ctx, s, req)
		if s.Start == "" {
			a, err := st.collect(s.Watch)
			return r.record(s, s, a, err)
		}
		if old := r.streams[s.Start]; old != nil {
			old.stop()
		}
		r.streams[s.Start] = st
		st.waitOpen(ctx)
		return nil
	}
	if s.Until != nil {
		a, err := r.poll(ctx, s.Until, req)
		return r.record(s, s, a, err)
	}
	a, err := r.exchange(ctx, req)
	return r.record(s, s, a, err)
}

// pause waits as long as a case asks. No other code sleeps.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// request returns the request of a step, with variables replaced.
func (r *replay) request(s *step) request {
	req := request{method: s.Method, path: r.vars.expand(s.Path)}
	if len(s.Query) > 0 {
		query := url.Values{}
		for _, q := range s.Query {
			query.Add(q.name, r.vars.expand(q.value))
		}
		separator := "?"
		if strings.Contains(req.path, "?") {
			separator = "&"
		}
		req.path += separator + query.Encode()
	}
	if s.Type != "" {
		req.headers = append(req.headers, pair{"Content-Type", s.Type})
	}
	for _, h := range s.Headers {
		req.headers = append(req.headers, pair{h.name, r.vars.expand(h.value)})
	}
	if s.payload != nil {
		req.body = new(r.vars.expandBody(*s.payload))
	}
	return req
}

// collect ends a watch that was started earlier. The transcript holds its events at
// the collecting step.
func (r *replay) collect(s *step) error {
	st := r.streams[s.Collect]
	if st == nil {
		return fmt.Errorf("no watch %q was started", s.Collect)
	}
	delete(r.streams, s.Collect)
	until := st.step.Watch
	if s.Watch != nil {
		until = s.Watch
	}
	a, err := st.collect(until)
	return r.record(s, st.step, a, err)
}

// record keeps the answer to a step, and captures variables from it.
func (r *replay) record(s, sent *step, a *answer, err error) error {
	if err != nil {
		return err
	}
	if a.path = r.vars.expand(sent.Path); s.Hidden {
		r.answers = append(r.answers, a)
		return nil
	}
	a.step = s
	a.request = sent.Method + " " + r.area.readable(sent.Path)
	for i, q := range sent.Query {
		separator := "&"
		if i == 0 && !strings.Contains(a.request, "?") {
			separator = "?"
		}
		a.request += separator + q.name + "=" + q.value
	}
	if !s.CheckPretty {
		a.pretty = nil
	}
	r.answers = append(r.answers, a)
	for name, path := range s.Capture {
		v, ok := a.find(path)
		if !ok {
			return fmt.Errorf("%s: nothing at %q to capture (status %d, %s)", a.request, path, a.status,
				cut(jsonText(a.body), 300))
		}
		r.vars[name] = text(v)
	}
	return nil
}

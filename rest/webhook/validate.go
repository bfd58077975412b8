package webhook

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/status"
)

// maxParallel is how many validating webhooks are called at a time for one write.
const maxParallel = 32

// call is one call of a validating webhook.
type call struct {
	*webhook
	request doc.Value
	answer  *answer
	err     error
	// panicked describes a panic, with its stack. It is empty without one.
	panicked string
}

// validate calls the validating webhooks side by side, and refuses the write with the first error in their order.
func (d *dispatch) validate(ctx context.Context, registered []*webhook) error {
	calls, err := d.calls(ctx, registered)
	if err != nil || len(calls) == 0 {
		return err
	}
	if ctx.Err() != nil {
		return status.Timeout("request did not complete within requested timeout", 0)
	}
	d.callAll(ctx, calls)
	var first error
	for i := range calls {
		c := &calls[i]
		if c.answer != nil {
			d.heed(ctx, c.webhook, c.answer)
		}
		if err := d.outcome(ctx, c.webhook, c.err); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// calls returns the calls of the webhooks that see the write. Webhooks that see the same version get the same request.
func (d *dispatch) calls(ctx context.Context, registered []*webhook) (calls []call, err error) {
	requests := map[admission.KindVersion]doc.Value{}
	for _, w := range registered {
		in, matches, err := d.matches(ctx, w)
		if err != nil {
			return nil, err
		}
		if !matches {
			continue
		}
		request, known := requests[in]
		if !known {
			if request, err = d.question(in); err != nil {
				return nil, err
			}
			requests[in] = request
		}
		calls = append(calls, call{webhook: w, request: request})
	}
	return calls, nil
}

// callAll makes the calls, a bounded number at a time. The write counts once among those that wait, however many
// webhooks see it.
func (d *dispatch) callAll(ctx context.Context, calls []call) {
	ids := make([]string, len(calls))
	for i, c := range calls {
		ids[i] = c.id()
	}
	done, err := d.waitOutside(ctx, strings.Join(ids, " "))
	if err != nil {
		for i, c := range calls {
			calls[i].err = &callError{c.name, err}
		}
		return
	}
	defer done()
	if len(calls) == 1 { // needs no goroutine
		d.callValidating(ctx, &calls[0])
		return
	}
	var running sync.WaitGroup
	next := make(chan *call)
	for range min(len(calls), maxParallel) {
		running.Go(func() {
			for c := range next {
				d.callRecovered(ctx, c)
			}
		})
	}
	for i := range calls {
		next <- &calls[i]
	}
	close(next)
	running.Wait()
	for i := range calls {
		if calls[i].panicked != "" {
			panic(calls[i].panicked) // the API answers a panic of a hook, but only in the goroutine of the hook
		}
	}
}

func (d *dispatch) callRecovered(ctx context.Context, c *call) {
	defer func() {
		if p := recover(); p != nil {
			c.panicked = fmt.Sprintf("webhook %s: %v\n%s", c.name, p, debug.Stack())
		}
	}()
	d.callValidating(ctx, c)
}

func (d *dispatch) callValidating(ctx context.Context, c *call) {
	if c.err = d.checkDryRun(c.webhook); c.err != nil {
		return
	}
	if c.answer, c.err = d.ask(ctx, c.webhook, c.request); c.err == nil && !c.answer.Allowed {
		c.err = c.answer.refusal(c.name)
	}
}

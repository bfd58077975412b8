package rest

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/exchange"
	"github.com/decorum-go/decorum/rest/internal/front"
	"github.com/decorum-go/decorum/rest/internal/write"
)

// withdrawWithin is how long WithdrawResources waits for the requests under way.
const withdrawWithin = 10 * time.Second

// exchangeKey marks the context of the hooks that run within an exchange.
type exchangeKey struct{}

// exchange changes what the API serves. plan returns the next resources and fills in the exchange.
func (a *API) exchange(ctx context.Context, what string,
	plan func(*front.Serving, *exchange.Exchange) ([]*front.Served, error)) error {
	err := a.flights.EnterCall(nil)
	if err != nil {
		return err
	}
	defer a.flights.LeaveCall(nil)
	if ctx.Value(exchangeKey{}) == a {
		err = errors.New("called by a hook that runs within another AddResources or ReplaceResources")
	} else {
		err = a.exchanges.Do(ctx, func(x *exchange.Exchange) error { return a.exchangeNow(ctx, x, plan) })
	}
	if err != nil {
		return fmt.Errorf("rest.API.%s: %w", what, err)
	}
	return nil
}

// exchangeNow makes an exchange in its turn, which it ends.
func (a *API) exchangeNow(ctx context.Context, x *exchange.Exchange,
	plan func(*front.Serving, *exchange.Exchange) ([]*front.Served, error)) error {
	defer x.Unlock()
	next, err := a.next(func() ([]*front.Served, error) { return plan(a.front.Serving(), x) })
	if err == nil {
		err = x.Prepare(context.WithValue(&call{Context: ctx, host: a.options.HostUser}, exchangeKey{}, a))
	}
	if err != nil {
		return err
	}
	a.front.Serve(next)
	x.Complete()
	a.ending.Retire(x.Retires)
	x.Unlock()
	if !write.InHook(ctx, a.env) { // where it would wait for the write that runs the hook
		waiting, cancel := context.WithTimeout(ctx, withdrawWithin)
		defer cancel()
		a.flights.Await(waiting, x.GivenUp)
	}
	return x.End(context.WithoutCancel(ctx))
}

// next builds the next state without changing what the API or the store serve. So a declaration that cannot
// be served, or that makes the API panic, leaves everything else as it is.
func (a *API) next(plan func() ([]*front.Served, error)) (s *front.Serving, err error) {
	defer func() {
		if p := recover(); p != nil {
			a.options.Logger.Error("a declaration makes the API panic, so the API does not serve it", "panic", p, "stack",
				string(debug.Stack()))
			err = errors.New("the declaration makes the API panic; the log of the program says where")
		}
	}()
	stored, err := plan()
	if err == nil {
		err = checkNames(stored)
	}
	if err != nil {
		return nil, err
	}
	return a.front.Next(stored), nil
}

// index returns the place of a resource in s.Kinds, or -1.
func index(s *front.Serving, gr apimeta.GroupResource) int {
	return slices.IndexFunc(s.Kinds, func(res *front.Served) bool { return res.GR == gr })
}

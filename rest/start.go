package rest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/decorum-go/decorum/rest/internal/notes"
)

// plugins starts and stops the plug-ins of an API.
type plugins struct {
	turn    chan struct{} // holds one token; whoever has it starts or stops plug-ins
	parts   []PluginParts // those with Start, in order
	started []startedPart // in the order in which they were started
	waiting atomic.Bool   // some have not started

	leaving context.Context // ends when the API begins to shut down
	leave   context.CancelCauseFunc
}

// errLeaving is the cause of the end of plugins.leaving.
var errLeaving = errors.New("the API has been closed")

// startedPart is a plug-in whose Start has been called without an error.
type startedPart struct {
	PluginParts
	end context.CancelFunc
}

func newPlugins() *plugins {
	p := &plugins{turn: make(chan struct{}, 1)}
	p.turn <- struct{}{}
	p.leaving, p.leave = context.WithCancelCause(context.Background())
	return p
}

// add registers the parts of a plug-in, in the order of starting.
func (p *plugins) add(parts PluginParts) {
	if parts.Start != nil {
		p.parts = append(p.parts, parts)
		p.waiting.Store(true)
	}
}

// names lists the plug-ins that the API has to start.
func (p *plugins) names() string {
	var names []string
	for i := range p.parts {
		names = append(names, p.parts[i].Name)
	}
	return strings.Join(names, ", ")
}

// Start starts the plug-ins in the order of [Options.Plugins], and returns when all of them are ready. A host calls it
// after [New] and before it listens. Until then, /readyz fails if there is anything to start.
//
// If a plug-in fails, or if ctx ends first, Start stops those that it has started, in reverse order, and returns the
// error, which names the plug-in; Start can then be called again. Afterwards ctx does not matter: [API.Shutdown] and
// [API.Close] stop the plug-ins. Start returns an error if the plug-ins run already, or if the API has been closed.
func (a *API) Start(ctx context.Context) error {
	p := a.plugins
	select {
	case <-p.turn:
		defer func() { p.turn <- struct{}{} }()
	case <-ctx.Done():
		return fmt.Errorf("rest: Start: %w", context.Cause(ctx))
	}
	switch {
	case p.leaving.Err() != nil || a.closing():
		return fmt.Errorf("rest: Start: %w", errLeaving)
	case len(p.started) > 0:
		return errors.New("rest: Start: the plug-ins run already")
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(p.leaving, func() { cancel(errLeaving) })()
	for i := range p.parts {
		part := startedPart{PluginParts: p.parts[i]}
		var living context.Context
		living, part.end = context.WithCancel(notes.With(context.WithoutCancel(ctx), a.store, a.ending))
		release := context.AfterFunc(ctx, part.end)
		err := part.Start(living, a)
		if !release() && err == nil {
			p.started = append(p.started, part) // ctx has ended, and with it living
			err = context.Cause(ctx)
		}
		if err != nil {
			part.end()
			err = fmt.Errorf("rest: Start: plug-in %q: %w", part.Name, err)
			return errors.Join(err, p.stop(context.WithoutCancel(ctx)))
		}
		p.started = append(p.started, part)
	}
	p.waiting.Store(false)
	return nil
}

// stopAll stops the plug-ins that run, in reverse order. It ends a Start under way.
func (p *plugins) stopAll(ctx context.Context) error {
	p.leave(errLeaving)
	select {
	case <-p.turn:
	default:
		select {
		case <-p.turn:
		case <-ctx.Done():
			return fmt.Errorf("rest: plug-ins are still starting or stopping: %w", context.Cause(ctx))
		}
	}
	defer func() { p.turn <- struct{}{} }()
	return p.stop(ctx)
}

// stop stops the plug-ins that run, in reverse order. Those that fail count as running.
func (p *plugins) stop(ctx context.Context) error {
	var errs []error
	var running []startedPart
	for _, part := range slices.Backward(p.started) {
		part.end()
		if part.Stop == nil {
			continue
		}
		if err := part.Stop(ctx); err != nil {
			errs = append(errs, fmt.Errorf("rest: stopping plug-in %q: %w", part.Name, err))
			running = append(running, part)
		}
	}
	slices.Reverse(running)
	p.started = running
	return errors.Join(errs...)
}

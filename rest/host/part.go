package host

import (
	"context"
	"errors"
	"fmt"
)

// part is a goroutine that runs until its context ends.
type part struct {
	name   string
	cancel context.CancelFunc
	ended  chan struct{}
	err    error // valid once ended is closed
}

// start starts a part. If the part fails, it calls failed.
func start(ctx context.Context, name string, run func(ctx context.Context) error, failed func()) *part {
	ctx, cancel := context.WithCancel(ctx)
	p := &part{name: name, cancel: cancel, ended: make(chan struct{})}
	go func() {
		defer close(p.ended)
		p.err = run(ctx)
		if p.err != nil {
			failed()
		}
	}()
	return p
}

// stop ends the part, waits for it until ctx ends, and returns its failure.
func (p *part) stop(ctx context.Context) error {
	p.cancel()
	select {
	case <-p.ended:
		if errors.Is(p.err, context.Canceled) {
			return nil
		}
		return p.err
	case <-ctx.Done():
		return fmt.Errorf("host: %s did not end in time", p.name)
	}
}

package events

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"
)

const (
	// flushTime limits how long Run continues after its context has ended.
	flushTime = 5 * time.Second
	// reportTime is the minimum time between two reports about dropped events.
	reportTime = time.Minute
)

// report holds the figures that Run logged last about dropped events.
type report struct {
	dropped, overflowed int64
	at                  time.Time
}

// Run writes the recorded events until ctx ends. Then it tries for at most 5 seconds to write the waiting events and
// the counts of all series, and returns nil. It returns an error if an option is invalid, if the recorder is already
// running, or if the client's API in the same process closes. Between two calls of Run, the recorder buffers events.
// All goroutines that Run starts end before it returns.
func (r *Recorder) Run(ctx context.Context) error {
	if err := r.check(); err != nil {
		return err
	}
	if !r.running.TryLock() {
		return errors.New("events: the recorder is already running")
	}
	defer r.running.Unlock()
	finish, refresh := time.NewTicker(finishTime), time.NewTicker(refreshTime)
	defer finish.Stop()
	defer refresh.Stop()
	for {
		var err error
		select {
		case o := <-r.queue:
			err = r.handle(ctx, o)
		case <-finish.C:
			err = r.finish(ctx)
		case <-refresh.C:
			err = r.refresh(ctx)
		case <-ctx.Done():
			r.flush(context.WithoutCancel(ctx))
			return nil
		}
		if err != nil {
			return err
		}
		r.report(reportTime)
	}
}

// handle records one occurrence.
func (r *Recorder) handle(ctx context.Context, o occurrence) error {
	if o.err != nil {
		r.dropped.Add(1)
		r.options.Logger.Log(ctx, slog.LevelError, "an event is lost", "reason", o.event.Reason, "note", o.event.Message,
			"error", o.err)
		return nil
	}
	return r.take(ctx, o.event)
}

// flush writes the remaining events until its time is over.
func (r *Recorder) flush(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	held := r.held
	r.held = nil
	var err error
	for i := 0; i < len(held) && err == nil; i++ {
		err = r.write(ctx, held[i])
	}
	for len(r.queue) > 0 && ctx.Err() == nil && err == nil {
		err = r.handle(ctx, <-r.queue)
	}
	if err == nil {
		err = r.refresh(ctx)
	}
	for _, t := range r.held {
		r.lose(t, cmp.Or(err, ctx.Err()))
	}
	r.held = nil
	r.report(0)
}

// report logs how many events were dropped since the last report, at most once per pause. It uses level Info if only
// objects with too many events are the cause, because that is part of normal operation.
func (r *Recorder) report(pause time.Duration) {
	dropped, overflowed := r.dropped.Load(), r.overflowed.Load()
	if dropped == r.reported.dropped || time.Since(r.reported.at) < pause {
		return
	}
	level := slog.LevelInfo
	if overflowed > r.reported.overflowed {
		level = slog.LevelError
	}
	r.options.Logger.Log(context.Background(), level, "events were dropped", "count", dropped-r.reported.dropped, "waited",
		overflowed-r.reported.overflowed)
	r.reported = report{dropped, overflowed, time.Now()}
}

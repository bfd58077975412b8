package requestlog

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/decorum-go/decorum/internal/errorlog"
	"github.com/decorum-go/decorum/internal/memo"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/status"
)

// Options configure a [Log]. The zero value logs every request but health checks.
type Options struct {
	// Logger receives the lines. Default: slog's default logger.
	Logger *slog.Logger
	// Level is the lowest level of a line. It can change while the program runs, if it is a [slog.LevelVar]. The Logger
	// may drop more. Default: [slog.LevelInfo].
	//
	// A request is a warning if it was slow, if it failed with a 5xx, or if its answer was broken off. Successful health
	// checks, and the beginnings of watches and streams, are on [slog.LevelDebug]. All else is on [slog.LevelInfo].
	Level slog.Leveler
	// Slow is the time from which on a request is slow. Its line then has the time of each step. Watches and streams are
	// never slow. Default: no request is slow, and no step is timed.
	Slow time.Duration
}

// Log is the plug-in that logs requests. Calls of in-process clients are not requests, and are not logged. One Log may
// serve several APIs.
type Log struct {
	options  Options
	handlers memo.Map[route, slog.Handler]
}

// New returns the plug-in, which a host lists in [rest.Options].Plugins.
func New(options Options) *Log {
	if options.Logger == nil {
		options.Logger = slog.Default()
	}
	if options.Level == nil {
		options.Level = slog.LevelInfo
	}
	return &Log{options: options}
}

// Plug implements [rest.Plugin].
func (l *Log) Plug(rest.PluginAPI) (rest.PluginParts, error) {
	return rest.PluginParts{Name: "requestlog", Observer: (*observer)(l)}, nil
}

// observer implements [observe.Observer], apart from [Log] so that a host sees only the plug-in.
type observer Log

// Observe implements [observe.Observer].
func (o *observer) Observe(ctx context.Context, r *observe.Request) (context.Context, observe.Observation, error) {
	if !o.logs(ctx, slog.LevelWarn) {
		return nil, observe.Observation{}, nil
	}
	q := &request{log: o, ctx: ctx, Request: r}
	observation := observe.Observation{Ended: q.ended}
	switch {
	case r.LongRunning:
		observation.Started, observation.Sent = q.started, q.sent
	case o.options.Slow > 0:
		observation.Times, observation.Brief, observation.Step = true, true, q.times.begin
	}
	if r.Access.Verb == access.VerbCreate {
		observation.Changed = q.changed
	}
	return nil, observation, nil
}

// logs reports whether a line of a level is written.
func (o *observer) logs(ctx context.Context, level slog.Level) bool {
	return level >= o.options.Level.Level() && o.options.Logger.Enabled(ctx, level)
}

// request is a request whose line is to be written.
type request struct {
	*observe.Request
	log     *observer
	ctx     context.Context
	times   times
	created string // the name of the object that the request has created
	events  int    // the number of events of a watch
}

// started logs the beginning of a watch or a stream.
func (q *request) started(code int) {
	level, message := slog.LevelDebug, "stream began"
	if q.isWatch() {
		message = "watch began"
	}
	if q.log.logs(q.ctx, level) {
		q.write(level, message, &observe.Ended{Code: code}, time.Now())
	}
}

func (q *request) sent(int) { q.events++ }

// changed notes the name of a new object, which is not in the URL. Hooks may have created others before, so the last
// one counts.
func (q *request) changed(c observe.ObjectChange) {
	if c.Before == nil && c.Namespace == q.Access.Namespace &&
		c.Resource == resourceOf(q.Access.Group, q.Access.Resource) {
		q.created = c.Name
	}
}

// ended logs the request.
func (q *request) ended(e observe.Ended) {
	level, message := slog.LevelInfo, "request"
	switch {
	case q.isWatch():
		message = "watch ended"
	case q.LongRunning:
		message = "stream ended"
	case q.isSlow(&e):
		level, message = slog.LevelWarn, "slow request"
	}
	switch {
	case e.Code >= http.StatusInternalServerError || e.Aborted:
		level = slog.LevelWarn
	case level == slog.LevelInfo && e.Code == http.StatusOK && isHealth(q.Access.Path):
		level = slog.LevelDebug
	}
	if q.log.logs(q.ctx, level) {
		q.write(level, message, &e, q.Received.Add(e.Duration))
	}
}

func (q *request) isWatch() bool { return q.Access.Verb == access.VerbWatch }

func (q *request) isSlow(e *observe.Ended) bool {
	slow := q.log.options.Slow
	return slow > 0 && e.Duration >= slow && !q.LongRunning
}

// isHealth reports whether a path belongs to a health check.
func isHealth(path string) bool {
	return strings.HasPrefix(path, "/livez") || strings.HasPrefix(path, "/readyz") || strings.HasPrefix(path, "/healthz")
}

// write writes a line. e describes the request, which may still be running.
func (q *request) write(level slog.Level, message string, e *observe.Ended, at time.Time) {
	line := slog.NewRecord(at, level, message, 0)
	a := &q.Access
	attrs := make(attributes, 0, 20)
	handler := q.log.handler(q.Request, &attrs)
	attrs.text("namespace", a.Namespace)
	attrs.text("name", a.Name+q.created)
	if !status.IsUnauthorized(q.Refused) {
		attrs.text("user", a.User.Name)
	}
	if q.Sender != nil {
		attrs.text("impersonatedBy", q.Sender.Name)
	}
	attrs.text("from", q.HTTP.RemoteAddr)
	attrs.text("userAgent", q.HTTP.UserAgent())
	attrs.text("auditID", q.AuditID)
	if q.DryRun {
		attrs.add(slog.Bool("dryRun", true))
	}
	attrs.add(slog.Int("code", e.Code))
	if e.Duration > 0 {
		attrs.outcome(q, e)
	}
	line.AddAttrs(attrs...)
	// The log cannot report its own error.
	_ = handler.Handle(q.ctx, line)
}

// attributes are the attributes of a line.
type attributes []slog.Attr

func (all *attributes) add(a slog.Attr) { *all = append(*all, a) }

// text adds a text that a client may have chosen, unless it is empty.
func (all *attributes) text(key, value string) {
	if value != "" {
		all.add(slog.String(key, errorlog.Safe(value, errorlog.MaxText)))
	}
}

// outcome adds how a request has ended.
func (all *attributes) outcome(q *request, e *observe.Ended) {
	if e.Status != nil && e.Status.Reason != "" {
		all.text("reason", string(e.Status.Reason))
	}
	all.add(slog.Int64("bytes", e.Bytes))
	if q.isWatch() {
		all.add(slog.Int("events", q.events))
	}
	all.add(slog.Duration("latency", e.Duration))
	for _, mark := range []struct {
		key string
		set bool
	}{{"panicked", e.Panic != nil}, {"aborted", e.Aborted}, {"abandoned", e.Abandoned}} {
		if mark.set {
			all.add(slog.Bool(mark.key, true))
		}
	}
	if q.isSlow(e) {
		all.add(slog.Attr{Key: "steps", Value: slog.GroupValue(q.times.attributes(e.Steps())...)})
	}
}

// resourceOf returns the plural of a resource with its group, as in [observe.ObjectChange]. It is empty for a path
// outside of all resources.
func resourceOf(group, resource string) string {
	if group == "" || resource == "" {
		return resource
	}
	return resource + "." + group
}

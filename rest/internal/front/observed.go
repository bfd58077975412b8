package front

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/steps"
	"github.com/decorum-go/decorum/rest/internal/stream"
	"github.com/decorum-go/decorum/rest/internal/write"
	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// observed collects what the observers of a request and Ended report. It is nil if nobody observes the API: the methods
// that handlers call then do nothing. It implements [steps.Observer].
type observed struct {
	request observe.Request // Received, Authorized and Decision are known before the others
	writer  observedWriter

	// mu makes the calls of observers come one at a time, and guards what follows.
	mu       sync.Mutex
	by       []observe.Observation
	some     [4]observe.Observation // the memory of by, as long as it suffices
	observed bool                   // Observe has been called
	bodies   bool
	answers  int64        // the largest answer that an observer wants
	timed    bool         // an observer wants the times of the steps of writes
	times    *steps.Times // of the writes, from the first one on
	reports  bool         // an observer wants each step of a write
	list     storage.Loan // has the list in the answer, which observers get as a whole
	ended    bool
	end      observe.Ended
}

// beginObserving is a stage.
func (q *request) beginObserving() error {
	if q.api.options.Observers == nil {
		return nil
	}
	o := new(observed)
	o.request.Received = time.Now()
	o.writer = observedWriter{ResponseWriter: q.w, of: o, isHead: q.r.Method == http.MethodHead}
	o.by = o.some[:0]
	q.observed = o
	q.writeTo(&o.writer)
	return nil
}

// observe is a stage. A request that ends before the API knows its user is observed at its end.
func (q *request) observe() error {
	if q.observed == nil || !q.admitted {
		return nil
	}
	return q.callObservers()
}

// callObservers calls the observers, and returns the first error of one.
func (q *request) callObservers() (failed error) {
	o := q.observed
	r := &o.request
	r.HTTP, r.AuditID, r.Access, r.Sender = q.r, q.auditID[0], q.access(), q.sender
	r.DryRun, r.Refused = len(q.query["dryRun"]) > 0, q.refused
	r.Unknown = q.at.unknown || q.at.subresource != "" && q.through == nil
	r.Deprecated = q.res != nil && q.res.Kind.Warning != ""
	if !r.Unknown {
		r.Declared = cmp.Or(q.at.declared, r.Access.Path)
	}
	r.LongRunning = r.Access.Verb == kind.Watch || q.isStream()
	ctx := q.r.Context()
	for _, observer := range q.api.options.Observers {
		next, observation, err := observer.Observe(ctx, r)
		if next != nil {
			ctx = next
		}
		o.add(observation)
		if failed == nil {
			failed = err
		}
	}
	o.observed = true
	q.continueAs(q.r.WithContext(steps.In(ctx, o)))
	return failed
}

// endObserving reports the end of the request. A request that was answered early is observed only now.
func (q *request) endObserving() {
	o := q.observed
	if !o.observed {
		_ = q.callObservers()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	end := o.end
	end.Duration, end.Code, end.Bytes, end.Abandoned = time.Since(o.request.Received), o.writer.code, o.writer.bytes,
		q.heir != nil
	switch {
	case end.Code != 0 || end.Aborted:
	case stream.WantsSocket(q.r): // a host's proxy has taken over the connection
		end.Code = http.StatusSwitchingProtocols
	default:
		end.Code = http.StatusOK // net/http sends it for a handler that writes nothing
	}
	if o.times != nil {
		end.Times = (*write.StepTimes)(o.times)
	}
	for i := range o.by {
		if ended := o.by[i].Ended; ended != nil {
			q.callEnded(ended, end)
		}
	}
	o.list.Release()
}

// callEnded calls the function of one observer. A panic goes to the log, because the request has been answered, and
// other observers must learn of its end.
func (q *request) callEnded(ended func(observe.Ended), end observe.Ended) {
	defer func() {
		if p := recover(); p != nil {
			q.api.options.Logger.LogAttrs(context.Background(), slog.LevelError, "an observer has panicked",
				slog.String("auditID", q.auditID[0]), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
		}
	}()
	ended(end)
}

// add adds what one observer wants to know.
func (o *observed) add(by observe.Observation) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.by = append(o.by, by)
	switch {
	case !by.Bodies:
	case by.MaxAnswer == 0:
		o.answers = math.MaxInt64
	default:
		o.answers = max(o.answers, by.MaxAnswer)
	}
	o.bodies, o.timed, o.reports = o.bodies || by.Bodies, o.timed || by.Times, o.reports || by.Step != nil && !by.Brief
}

// tell calls f for each observation, unless the request has ended.
func (o *observed) tell(f func(*observe.Observation)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return
	}
	for i := range o.by {
		f(&o.by[i])
	}
}

// started reports that the answer begins.
func (o *observed) started(code int) {
	o.tell(func(by *observe.Observation) {
		if by.Started != nil {
			by.Started(code)
		}
	})
}

// sentFunc returns the function that reports an event of a watch, or nil if no observer wants to know.
func (o *observed) sentFunc() func(bytes int) {
	if o == nil || !slices.ContainsFunc(o.by, func(by observe.Observation) bool { return by.Sent != nil }) {
		return nil
	}
	return o.sent
}

// sent reports an event of a watch.
func (o *observed) sent(bytes int) {
	o.tell(func(by *observe.Observation) {
		if by.Sent != nil {
			by.Sent(bytes)
		}
	})
}

// listedFunc returns the function that reports that a watch has sent the existing objects, or nil if no observer wants
// to know.
func (o *observed) listedFunc() func() {
	if o == nil || !slices.ContainsFunc(o.by, func(by observe.Observation) bool { return by.Listed != nil }) {
		return nil
	}
	return o.listed
}

// listed reports that a watch has sent the existing objects.
func (o *observed) listed() {
	o.tell(func(by *observe.Observation) {
		if by.Listed != nil {
			by.Listed()
		}
	})
}

// Pipeline implements [steps.Observer].
func (o *observed) Pipeline() (times *steps.Times, each bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.timed && o.times == nil && !o.ended {
		o.times = new(steps.Times)
	}
	return o.times, o.reports
}

// Begin implements [steps.Observer]. A write has about 20 steps, so a step allocates nothing but its end, and not even
// that if no observer waits for it.
func (o *observed) Begin(ctx context.Context, s observe.Step) (context.Context, func(observe.StepResult)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return ctx, observe.Unobserved
	}
	var ended func(observe.StepResult) // of the first observer that waits for the end
	var others []func(observe.StepResult)
	for i := range o.by {
		if o.by[i].Step == nil || o.by[i].Brief && s.Kind == observe.StepPipeline {
			continue
		}
		within, end := o.by[i].Step(ctx, s)
		if within != nil {
			ctx = within
		}
		switch {
		case end == nil:
		case ended == nil:
			ended = end
		default:
			others = append(others, end)
		}
	}
	if ended == nil {
		return ctx, observe.Unobserved
	}
	return ctx, func(r observe.StepResult) { o.endStep(r, ended, others) }
}

// endStep reports the end of a step, unless the request has ended.
func (o *observed) endStep(r observe.StepResult, ended func(observe.StepResult), others []func(observe.StepResult)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return
	}
	ended(r)
	for _, other := range others {
		other(r)
	}
}

// Committed implements [steps.Observer].
func (o *observed) Committed(_ context.Context, c observe.Change) {
	o.tell(func(by *observe.Observation) {
		if by.Changed != nil {
			by.Changed(c)
		}
	})
}

// failed notes the error with which the API answers, and the panic behind it if there is one.
func (o *observed) failed(err error, answer *status.Status) {
	if o == nil {
		return
	}
	o.end.Err, o.end.Status = err, answer
	if p, ok := errors.AsType[*resource.PanicError](err); ok {
		o.end.Panic, o.end.Stack = p.Value, p.Stack
	}
}

// wantsBodies reports whether an observer wants the objects of the request and of the answer.
func (o *observed) wantsBodies() bool { return o != nil && o.bodies }

// read notes the body of the request.
func (o *observed) read(body []byte) {
	if o.wantsBodies() {
		o.end.Request = body
	}
}

// decoded notes the object in the body of the request. isJSON says that the body is the object as JSON.
func (o *observed) decoded(obj doc.Value, isJSON bool) {
	if o == nil {
		return
	}
	m := objectmeta.Of(obj)
	o.end.Body = observe.ObjectMetadata{
		Namespace: m.Get(objectmeta.Namespace).Text(), Name: m.Get(objectmeta.Name).Text(), UID: m.Get(objectmeta.UID).Text(),
		ResourceVersion: m.Get(objectmeta.ResourceVersion).Text(),
	}
	if o.bodies && !isJSON {
		o.end.Request = codec.AppendObject(nil, obj)
	}
}

// wantsAnswer reports whether an observer wants the object in the answer, if it is small enough.
func (o *observed) wantsAnswer() bool { return o.wantsBodies() && o.answers > 0 }

// answered notes the object in the answer.
func (o *observed) answered(object []byte) {
	switch {
	case !o.wantsAnswer() || o.end.Status != nil:
	case int64(len(object)) > o.answers:
		o.end.LeftOut = true
	default:
		o.end.Answer = object
	}
}

// answeredStatus notes that the answer to a successful request is a Status.
func (o *observed) answeredStatus(s status.Status) {
	if o != nil {
		o.end.Status = &s
	}
}

// observedWriter counts what is written to the client.
type observedWriter struct {
	http.ResponseWriter
	of     *observed
	isHead bool // net/http leaves the body out
	code   int  // 0 until the answer begins
	bytes  int64
}

// Unwrap is for [http.ResponseController].
func (w *observedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements [http.ResponseWriter].
func (w *observedWriter) WriteHeader(code int) {
	if w.code == 0 && (code >= http.StatusOK || code == http.StatusSwitchingProtocols) {
		w.begin(code)
	}
	w.ResponseWriter.WriteHeader(code)
}

// begin notes that the answer begins.
func (w *observedWriter) begin(code int) {
	w.code = code
	w.of.started(code)
}

// Write implements [http.ResponseWriter].
func (w *observedWriter) Write(p []byte) (int, error) {
	if w.code == 0 {
		w.begin(http.StatusOK)
	}
	n, err := w.ResponseWriter.Write(p)
	if !w.isHead {
		w.bytes += int64(n)
	}
	return n, err
}

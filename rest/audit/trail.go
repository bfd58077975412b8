package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/status"
)

const (
	decisionKey  = "authorization.k8s.io/decision"
	reasonKey    = "authorization.k8s.io/reason"
	truncatedKey = "audit.k8s.io/truncated"

	maxUserAgent = 1024
	maxURI       = 4096
)

// trailKey is the key under which a context carries the trail of its request.
type trailKey struct{}

// Annotate adds an annotation to the later events of a request. ctx is the context of a hook of this request, or
// derived from it. With any other context, or if the request is not recorded, Annotate does nothing. The first value
// of a key counts. Annotate fits the option Audit of rest/webhook and of rest/policy.
//
// Annotations are recorded at [LevelMetadata], so they must not contain secrets.
func Annotate(ctx context.Context, key, value string) {
	if t, ok := ctx.Value(trailKey{}).(*trail); ok {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.annotate(key, value)
	}
}

// trail makes the events of one request.
type trail struct {
	audit    *Audit
	decision Decision
	withheld bool // the objects are confidential
	unknown  bool // the credentials are invalid
	isCut    bool // the event contains only the beginning of the URI
	request  *observe.Request

	mu       sync.Mutex
	event    Event // what is known of the event so far
	isShared bool  // a sink has an event with the annotations of this one
	isDone   bool  // a sink has the event itself

	// The memory of what most events point to.
	ref    ObjectReference
	answer status.Status
}

func newTrail(a *Audit, r *observe.Request, client access.Access, d Decision, withheld bool) *trail {
	t := &trail{audit: a, decision: d, withheld: withheld, unknown: status.IsUnauthorized(r.Refused), request: r}
	t.event = Event{
		TypeMeta: apimeta.TypeMeta{APIVersion: apiVersion, Kind: "Event"},
		Level:    d.Level, AuditID: r.AuditID, RequestURI: cut(uriOf(r.HTTP), maxURI), Verb: string(client.Verb),
		User:      userOf(client.User),
		SourceIPs: r.SourceIPs(), UserAgent: cut(r.HTTP.UserAgent(), maxUserAgent), RequestReceivedTimestamp: apimeta.NewMicroTime(r.Received),
	}
	if client.Path == "" {
		t.ref = referenceOf(client)
		t.event.ObjectRef = &t.ref
	}
	if t.isCut = len(t.event.RequestURI) > maxURI; t.isCut {
		t.ref = t.ref.clone() // a part of the URI would keep the whole URI in memory
		t.annotate(truncatedKey, "true")
	}
	return t
}

// uriOf returns the URI as the client sent it. Middleware may have changed the URL.
func uriOf(r *http.Request) string {
	if len(r.RequestURI) > 0 && r.RequestURI[0] == '/' {
		return r.RequestURI
	}
	return r.URL.RequestURI()
}

// cut returns a text of at most limit bytes, or its beginning with a mark.
func cut(text string, limit int) string {
	if len(text) > limit {
		return text[:limit] + "...TRUNCATED"
	}
	return text
}

// annotate sets an annotation, unless it is set. The caller holds the lock.
func (t *trail) annotate(key, value string) {
	if _, set := t.event.Annotations[key]; set || t.isDone {
		return
	}
	t.own()
	if t.event.Annotations == nil {
		t.event.Annotations = map[string]string{}
	}
	t.event.Annotations[key] = value
}

// own copies what a sink has of the event, so that the event may change.
func (t *trail) own() {
	if !t.isShared {
		return
	}
	t.isShared = false
	t.event.Annotations = maps.Clone(t.event.Annotations)
}

// received records the first stage, and then what the Authorizer has decided, which only later stages show.
func (t *trail) received(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.record(ctx, StageRequestReceived, t.request.Received); err != nil {
		return err
	}
	r := t.request
	if r.Sender != nil && (r.Authorized || r.Refused == nil) {
		impersonated := userOf(r.Access.User)
		t.event.ImpersonatedUser = &impersonated
	}
	if r.Authorized {
		_, some := r.Decision.Only()
		word := "forbid"
		if some || r.Decision.Allowed() {
			word = "allow"
		}
		t.annotate(decisionKey, word)
		t.annotate(reasonKey, r.Decision.Reason())
	}
	return nil
}

// started records that a watch or a stream begins.
func (t *trail) started(code int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.event.ResponseStatus = &status.Status{Code: int32(code)}
	_ = t.record(t.request.HTTP.Context(), StageResponseStarted, time.Now())
}

// ended records the last stage.
func (t *trail) ended(end observe.Ended) {
	t.mu.Lock()
	defer t.mu.Unlock()
	stage := StageResponseComplete
	switch {
	case t.unknown:
		stage = StageResponseStarted
	case end.Panic != nil:
		stage = StagePanic
	}
	t.answered(&end)
	t.refer(end.Body)
	t.objects(end)
	t.recordLast(stage, t.request.Received.Add(end.Duration))
}

// answered notes what the answer says. The message and the causes of a failure may quote a confidential object, so they
// are left out, unless the request failed before it was about an object: such a failure quotes only the URL and the
// user.
func (t *trail) answered(end *observe.Ended) {
	s := &t.answer
	s.Code = int32(end.Code)
	if end.Status != nil {
		*s = *end.Status
		s.TypeMeta = apimeta.TypeMeta{}
		s.Code = cmp.Or(s.Code, int32(end.Code))
	}
	if t.withheld && s.Status == status.Failure && t.request.Refused == nil {
		s.Message = ""
		if s.Details != nil {
			details := *s.Details
			details.Causes = nil
			s.Details = &details
		}
	}
	if s.Details != nil { // it may name the object with a part of the URI or of the body
		details := *s.Details
		details.Name, details.UID = strings.Clone(details.Name), strings.Clone(details.UID)
		s.Details = &details
	}
	t.event.ResponseStatus = s
}

// refer completes the reference to the object with what the client has sent. It copies the texts, because they are
// parts of the body, which must not stay in memory as long as the event.
func (t *trail) refer(sent observe.ObjectMetadata) {
	ref := t.event.ObjectRef
	if ref == nil {
		return
	}
	ref.Namespace = cmp.Or(ref.Namespace, strings.Clone(sent.Namespace))
	ref.Name = cmp.Or(ref.Name, strings.Clone(sent.Name))
	ref.UID, ref.ResourceVersion = strings.Clone(sent.UID), strings.Clone(sent.ResourceVersion)
}

// objects adds the objects that the level includes.
func (t *trail) objects(end observe.Ended) {
	if t.event.ObjectRef == nil || !t.decision.Level.includes(LevelRequest) {
		return
	}
	t.event.RequestObject = t.object(end.Request)
	if !t.decision.Level.includes(LevelRequestResponse) || t.request.LongRunning && end.Status == nil {
		return
	}
	answer := end.Answer
	switch {
	case end.Status != nil:
		answer = encodeStatus(end.Status)
	case end.LeftOut:
		t.annotate(truncatedKey, "true")
	}
	t.event.ResponseObject = t.object(answer)
}

// object returns an object as an event shows it.
func (t *trail) object(text []byte) json.RawMessage {
	if len(text) > t.audit.maxObject {
		t.annotate(truncatedKey, "true")
		return nil
	}
	return asJSON(text, t.decision.OmitManagedFields)
}

// record sends the event as it is now. The event gets its own object reference, because that of the trail would keep
// the whole trail in memory. The caller holds the lock.
func (t *trail) record(ctx context.Context, s Stage, at time.Time) error {
	if t.decision.Omits(s) {
		return nil
	}
	e := t.event
	e.Stage, e.StageTimestamp = s, apimeta.NewMicroTime(at)
	if e.ObjectRef != nil {
		ref := *e.ObjectRef
		e.ObjectRef = &ref
	}
	t.isShared = true
	return t.audit.record(ctx, &e)
}

// recordLast is record for the last stage. The sinks get the event itself, and with it the memory of the trail. So the
// trail gives up the request.
func (t *trail) recordLast(s Stage, at time.Time) {
	ctx := t.request.HTTP.Context()
	t.isDone, t.request = true, nil
	if !t.decision.Omits(s) {
		t.event.Stage, t.event.StageTimestamp = s, apimeta.NewMicroTime(at)
		_ = t.audit.record(ctx, &t.event)
	}
}

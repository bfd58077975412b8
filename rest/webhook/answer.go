package webhook

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"slices"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/errorlog"
	"github.com/decorum-go/decorum/rest/callout"
	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/status"
)

// The AdmissionReview of both versions.
const (
	reviewGroup = "admission.k8s.io"
	reviewKind  = "AdmissionReview"
	v1          = "v1"
	v1beta1     = "v1beta1"
	usualSize   = 4 << 10 // the usual size of the text of a review
)

// reply is an AdmissionReview from a webhook.
type reply struct {
	APIVersion string  `json:"apiVersion"`
	Kind       string  `json:"kind"`
	Response   *answer `json:"response"`
}

// answer is what a webhook says about a write.
type answer struct {
	UID              string            `json:"uid"`
	Allowed          bool              `json:"allowed"`
	Result           *status.Status    `json:"status"`
	Patch            []byte            `json:"patch"`
	PatchType        *string           `json:"patchType"`
	AuditAnnotations map[string]string `json:"auditAnnotations"`
	Warnings         []string          `json:"warnings"`
}

// sortedAnnotations yields the audit annotations in the order of their keys.
func (a *answer) sortedAnnotations() iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		for _, key := range slices.Sorted(maps.Keys(a.AuditAnnotations)) {
			if !yield(key, a.AuditAnnotations[key]) {
				return
			}
		}
	}
}

// result is how the call of a webhook ended, for those who observe the request.
func (d *dispatch) result(w *webhook, a *answer, err error) observe.StepResult {
	switch {
	case err != nil:
		result := observe.StepResult{Err: err, FailedOpen: w.failOpen}
		if answered, ok := errors.AsType[*callout.CodeError](err); ok {
			result.Code = answered.Code
		}
		return result
	case !a.Allowed:
		return observe.StepResult{Err: a.refusal(w.name), Code: http.StatusOK, Refused: true}
	}
	return observe.StepResult{Code: http.StatusOK}
}

// ask sends a request to a webhook and returns its answer. All errors are callErrors.
func (d *dispatch) ask(ctx context.Context, w *webhook, request doc.Value) (a *answer, err error) {
	ctx, ended := observe.BeginStep(ctx, observe.Step{
		Kind: observe.StepWebhook, Name: w.name, Operation: d.request.Operation, Mutating: d.phase == mutating,
	})
	defer func() { ended(d.result(w, a, err)) }()
	i := slices.IndexFunc(w.versions, func(v string) bool { return v == v1 || v == v1beta1 })
	if i < 0 {
		return nil, &callError{w.name,
			errors.New("could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)")}
	}
	ctx, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	leave, err := w.turns.Enter(ctx)
	if err != nil {
		return nil, &callError{w.name, fmt.Errorf("failed to call webhook: %w", err)}
	}
	defer leave()
	uid, apiVersion := d.api.NewUID(), reviewGroup+"/"+w.versions[i]
	sent := codec.AppendJSON(make([]byte, 0, usualSize),
		doc.MapOf(doc.Member{Key: "apiVersion", Value: doc.Of(apiVersion)},
			doc.Member{Key: "kind", Value: doc.Of(reviewKind)},
			doc.Member{Key: "request", Value: request.With("uid", doc.Of(uid))}))
	var received reply
	if err := d.options.Calls.Post(ctx, w.target, json.RawMessage(sent), &received); err != nil {
		return nil, &callError{w.name, fmt.Errorf("failed to call webhook: %w", err)}
	}
	if err := received.check(apiVersion, uid, d.phase); err != nil {
		return nil, &callError{w.name, fmt.Errorf("received invalid webhook response: %w", w.withheld(err))}
	}
	return received.Response, nil
}

// check verifies that a reply belongs to the question, and that its patch is complete. Servers of v1beta1 were never
// held to the first.
func (r *reply) check(apiVersion, uid string, k phase) error {
	a := r.Response
	if a == nil {
		return errors.New("webhook response was absent")
	}
	if apiVersion == reviewGroup+"/"+v1beta1 {
		a.PatchType = nil // every patch is a JSON patch
		return nil
	}
	patched := len(a.Patch) > 0
	switch {
	case a.UID != uid:
		return fmt.Errorf("expected response.uid=%q, got %q", uid, a.UID)
	case r.APIVersion != apiVersion || r.Kind != reviewKind:
		return fmt.Errorf("expected webhook response of %s, Kind=%s, got %s, Kind=%s", apiVersion, reviewKind,
			cmp.Or(r.APIVersion, "/"), r.Kind)
	case k == validating && patched:
		return errors.New("validating webhook may not return response.patch")
	case k == validating && a.PatchType != nil:
		return errors.New("validating webhook may not return response.patchType")
	case patched && a.PatchType == nil:
		return errors.New("webhook returned response.patch but not response.patchType")
	case !patched && a.PatchType != nil:
		return errors.New("webhook returned response.patchType but not response.patch")
	case a.PatchType != nil && *a.PatchType == "":
		return errors.New(`webhook returned invalid response.patchType of ""`)
	}
	return nil
}

// withheld returns an error with words that the webhook has chosen, which may quote the object.
func (w *webhook) withheld(err error) error {
	return errorlog.Withhold(err, fmt.Sprintf("webhook %q gave an invalid answer, which may quote the object", w.name))
}

// refusal returns the error for the client of a write that a webhook does not allow. The webhook may choose the code,
// the reason, the details and the text.
func (a *answer) refusal(name string) error {
	var s status.Status
	if a.Result != nil {
		s = *a.Result
	}
	text := fmt.Sprintf("admission webhook %q denied the request", name)
	switch {
	case s.Message != "":
		text += ": " + s.Message
	case s.Reason != "":
		text += ": " + string(s.Reason)
	default:
		text += " without explanation"
	}
	if s.Code < http.StatusBadRequest || s.Code > maxCode {
		s.Code = http.StatusBadRequest
	}
	refused := &status.Error{Status: status.Status{Status: status.Failure, Message: text, Reason: s.Reason,
		Details: s.Details, Code: s.Code}}
	return errorlog.Withhold(refused, fmt.Sprintf("admission webhook %q denied the request with code %d", name, s.Code))
}

// maxCode is the highest code of an answer that HTTP knows.
const maxCode = 599

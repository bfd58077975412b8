package webhook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/errorlog"
	"github.com/decorum-go/decorum/rest/admission"
	ar "github.com/decorum-go/decorum/rest/admissionregistration"
	"github.com/decorum-go/decorum/rest/internal/matching"
	"github.com/decorum-go/decorum/status"
)

// dispatch shows one write to the webhooks of one phase.
type dispatch struct {
	*webhooks
	phase    phase
	request  *admission.Request
	matching *matching.Request
}

// matches reports whether a webhook sees the write, and in which version.
func (d *dispatch) matches(ctx context.Context, w *webhook) (in admission.KindVersion, matches bool, err error) {
	if in, matches, err = d.matching.Match(ctx, &w.criteria); matches && w.fault != nil {
		return in, false, status.InternalError(w.fault)
	}
	if matches {
		matches, err = d.meets(ctx, w, in)
	}
	return in, matches, err
}

// waitOutside registers that the write begins to wait for webhooks, or returns an error if too many writes wait.
func (d *dispatch) waitOutside(ctx context.Context, service string) (done func(), err error) {
	return d.api.WaitOutside(ctx, "admission/"+service)
}

// objects returns the new and the old object in a version. Either is absent if the operation has no such object.
func (d *dispatch) objects(in admission.KindVersion) (objects matching.Objects, err error) {
	if _, err = d.request.ObjectIn(in, &objects.Object); err == nil {
		_, err = d.request.OldObjectIn(in, &objects.Old)
	}
	return objects, err
}

// question returns the request of an AdmissionReview, which lacks only its uid.
func (d *dispatch) question(in admission.KindVersion) (doc.Value, error) {
	shown, err := d.objects(in)
	if err != nil {
		return doc.Value{}, status.InternalError(err)
	}
	described, err := d.matching.Describe(in, matching.Objects{Object: orNull(shown.Object), Old: orNull(shown.Old)})
	return described.With("options", orNull(described.Get("options"))), err
}

func orNull(v doc.Value) doc.Value {
	if v.IsAbsent() {
		return doc.NullValue()
	}
	return v
}

// callError says that a webhook could not be called, or that its answer makes no sense. The failure policy decides
// about the write.
type callError struct {
	webhook string
	reason  error
}

// Error is the text that clients see.
func (e *callError) Error() string {
	return fmt.Sprintf("failed calling webhook %q: %v", e.webhook, e.reason)
}

// Unwrap returns the reason.
func (e *callError) Unwrap() error { return e.reason }

// outcome turns the error of a call into the answer to the client. It returns nil if the failure policy lets the write
// go on.
func (d *dispatch) outcome(ctx context.Context, w *webhook, err error) error {
	failed, ok := errors.AsType[*callError](err)
	switch {
	case !ok:
		return err
	case !w.failOpen:
		return status.InternalError(failed)
	}
	d.options.Logger.LogAttrs(ctx, slog.LevelWarn, "a webhook failed, and its failure policy is Ignore",
		slog.String("configuration", w.configuration), slog.String("webhook", w.name), slog.Any("error", errorlog.Bound(failed)))
	if ctx.Err() != nil { // the client has left, or its time is up
		return status.Timeout("request did not complete within requested timeout", 0)
	}
	return nil
}

// checkDryRun refuses a dry run if a webhook may have side effects.
func (d *dispatch) checkDryRun(w *webhook) error {
	if !d.request.DryRun {
		return nil
	}
	switch {
	case w.sideEffects == nil:
		return &callError{w.name, errors.New("Webhook SideEffects is nil")}
	case *w.sideEffects == ar.SideEffectClassNone || *w.sideEffects == ar.SideEffectClassNoneOnDryRun:
		return nil
	}
	return status.BadRequest(fmt.Sprintf("admission webhook %q does not support dry run", w.name))
}

// heed passes on the warnings and the audit annotations of an answer.
func (d *dispatch) heed(ctx context.Context, w *webhook, a *answer) {
	for _, text := range a.Warnings {
		d.request.WarnAlways(text)
	}
	if d.options.Audit == nil {
		return
	}
	for key, value := range a.sortedAnnotations() {
		d.options.Audit(ctx, w.name+"/"+key, value)
	}
}

package webhook

import (
	"context"
	"errors"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/rules"
	"github.com/decorum-go/decorum/rest/admission"
	ar "github.com/decorum-go/decorum/rest/admissionregistration"
	"github.com/decorum-go/decorum/rest/internal/matching"
	"github.com/decorum-go/decorum/status"
)

// errNoLanguage is the error of matchConditions on a server that cannot evaluate them. Only an object of another server
// has any.
var errNoLanguage = errors.New("this server does not evaluate matchConditions")

// visible is what matchConditions see besides the objects and the request.
func visible() rules.Visible { return rules.Visible{Authorizer: true} }

// compile returns the fault of a condition. It compiles one condition at a time, so that a large configuration occupies
// one processor.
func (h *webhooks) compile(expression string) error {
	if h.language == nil {
		return errNoLanguage
	}
	h.checking.Lock()
	defer h.checking.Unlock()
	if h.scope == nil {
		scope, err := h.language.Scope()
		if err != nil {
			return err
		}
		h.scope = scope
	}
	_, err := h.scope.Compile(expression, rules.Bool, visible())
	return err
}

// compileAll compiles the conditions of a webhook.
func (h *webhooks) compileAll(conditions []ar.MatchCondition) (*rules.Conditions, error) {
	if h.language == nil {
		return nil, errNoLanguage
	}
	scope, err := h.language.Scope()
	if err != nil {
		return nil, err
	}
	all := make([]rules.Condition, len(conditions))
	for i, c := range conditions {
		all[i] = rules.Condition{Name: c.Name, Expression: c.Expression}
	}
	return rules.CompileConditions(scope, all, visible()), nil
}

// meets reports whether the write meets the matchConditions of a webhook. If they fail, the failure policy decides: the
// webhook is not called, or the write is refused.
func (d *dispatch) meets(ctx context.Context, w *webhook, in admission.KindVersion) (bool, error) {
	if w.conditions == nil {
		return true, nil
	}
	objects, err := d.objects(in)
	if err != nil {
		return false, status.InternalError(err)
	}
	request := func() (doc.Value, error) { return d.matching.Describe(in, matching.Objects{}) }
	matches, err := d.evaluate(ctx, w, &rules.Input{Object: objects.Object, OldObject: objects.Old, Request: request,
		Authorize: func(c rules.Check) rules.Ruling { return authorize(ctx, c) }})
	switch {
	case err == nil:
		return matches, nil
	case w.failOpen:
		return false, nil
	}
	return false, status.Forbidden(d.request.Resource.GroupResource(), d.request.Name, err.Error()).WithCause(err)
}

func (d *dispatch) evaluate(ctx context.Context, w *webhook, in *rules.Input) (matches bool, err error) {
	conditions, err := w.conditions()
	if err != nil {
		return false, err
	}
	matches, _, err = conditions.Match(ctx, in)
	return matches, err
}

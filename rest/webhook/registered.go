package webhook

import (
	"errors"
	"sync"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/rules"
	ar "github.com/decorum-go/decorum/rest/admissionregistration"
	"github.com/decorum-go/decorum/rest/callout"
	"github.com/decorum-go/decorum/rest/internal/matching"
	"github.com/decorum-go/decorum/rest/internal/turns"
)

const (
	// defaultMaxCalls is the default of Options.MaxCalls.
	defaultMaxCalls = 100
	// waitingPerCall is how many calls may wait for each that may be under way.
	waitingPerCall = 4
)

// webhook is a registered webhook.
type webhook struct {
	configuration, name string
	criteria            matching.Criteria
	fault               error // the fault of the selectors; nil if they are valid
	target              callout.Target
	timeout             time.Duration
	versions            []string // versions of AdmissionReview
	sideEffects         *ar.SideEffectClass
	failOpen            bool // the failure policy is Ignore
	reinvocable         bool
	conditions          func() (*rules.Conditions, error) // nil without match conditions
	turns               *turns.Turns
}

func (h *webhooks) newMutating(configuration string, m *ar.MutatingWebhook) *webhook {
	w := h.newWebhook(configuration, &ar.ValidatingWebhook{
		Name: m.Name, ClientConfig: m.ClientConfig, Rules: m.Rules, FailurePolicy: m.FailurePolicy,
		MatchPolicy:       m.MatchPolicy,
		NamespaceSelector: m.NamespaceSelector, ObjectSelector: m.ObjectSelector, SideEffects: m.SideEffects,
		TimeoutSeconds:          m.TimeoutSeconds,
		AdmissionReviewVersions: m.AdmissionReviewVersions, MatchConditions: m.MatchConditions,
	})
	w.reinvocable = m.ReinvocationPolicy != nil && *m.ReinvocationPolicy == ar.IfNeededReinvocationPolicy
	return w
}

func (h *webhooks) newWebhook(configuration string, v *ar.ValidatingWebhook) *webhook {
	w := &webhook{
		configuration: configuration, name: v.Name, versions: v.AdmissionReviewVersions, sideEffects: v.SideEffects,
		target:   targetOf(v.ClientConfig),
		timeout:  time.Duration(valueOr(v.TimeoutSeconds, 10)) * time.Second,
		failOpen: valueOr(v.FailurePolicy, ar.Fail) == ar.Ignore,
		turns:    turns.New(h.options.MaxCalls, h.options.MaxCalls*waitingPerCall),
		criteria: matching.Criteria{Equivalent: valueOr(v.MatchPolicy, ar.Equivalent) == ar.Equivalent},
	}
	for _, r := range v.Rules {
		w.criteria.Rules = append(w.criteria.Rules, ruleOf(&r))
	}
	var namespaceFault, objectFault error
	w.criteria.Namespaces, namespaceFault = selectorOf(v.NamespaceSelector)
	w.criteria.Objects, objectFault = selectorOf(v.ObjectSelector)
	w.fault = errors.Join(namespaceFault, objectFault)
	if len(v.MatchConditions) > 0 {
		w.conditions = sync.OnceValues(func() (*rules.Conditions, error) { return h.compileAll(v.MatchConditions) })
	}
	return w
}

// valueOr returns the value of a field that may be missing from an object that an older server has stored.
func valueOr[T any](value *T, or T) T {
	if value == nil {
		return or
	}
	return *value
}

func targetOf(c ar.WebhookClientConfig) callout.Target {
	target := callout.Target{URL: valueOr(c.URL, ""), CABundle: c.CABundle}
	if s := c.Service; s != nil {
		target.Service = &callout.Service{Namespace: s.Namespace, Name: s.Name, Path: valueOr(s.Path, ""),
			Port: valueOr(s.Port, 0)}
	}
	return target
}

func ruleOf(r *ar.RuleWithOperations) matching.Rule {
	out := matching.Rule{APIGroups: r.APIGroups, APIVersions: r.APIVersions, Resources: r.Resources,
		Scope: string(valueOr(r.Scope, ar.AllScopes))}
	for _, operation := range r.Operations {
		out.Operations = append(out.Operations, string(operation))
	}
	return out
}

// selectorOf returns the selector of a field. A missing selector selects everything, as its default does.
func selectorOf(s *apimeta.LabelSelector) (apimeta.LabelMatcher, error) {
	if s == nil {
		return apimeta.LabelMatcher{}, nil
	}
	return s.Matcher()
}

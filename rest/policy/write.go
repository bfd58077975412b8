package policy

import (
	"context"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/rules"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/matching"
	"github.com/decorum-go/decorum/status"
)

// reviewed is one write as the policies see it.
type reviewed struct {
	policies *policies
	request  *admission.Request
	matching *matching.Request

	namespace *doc.Value // nil until it is needed
	rulings   map[rules.Check]rules.Ruling
}

func (p *policies) newWrite(r *admission.Request) *reviewed {
	return &reviewed{policies: p, request: r, matching: matching.For(r), rulings: map[rules.Check]rules.Ruling{}}
}

// invocation is a policy that a binding puts into effect for the write, with one object of its parameters.
type invocation struct {
	*policy
	binding *binding
	in      admission.KindVersion // the version in which the policy sees the object
	params  doc.Value             // absent without params
}

// input returns the variables of the expressions of an invocation.
func (w *reviewed) input(ctx context.Context, i invocation) (*rules.Input, error) {
	var object, old doc.Value
	if _, err := w.request.ObjectIn(i.in, &object); err != nil {
		return nil, err
	}
	if _, err := w.request.OldObjectIn(i.in, &old); err != nil {
		return nil, err
	}
	request := func() (doc.Value, error) { return w.matching.Describe(i.in, matching.Objects{}) }
	namespace, err := w.namespaceObject(ctx)
	if err != nil {
		return nil, err
	}
	return &rules.Input{Object: object, OldObject: old, Request: request, Namespace: namespace, Params: i.params,
		Authorize: func(c rules.Check) rules.Ruling { return w.authorize(ctx, c) }}, nil
}

// namespaceObject returns the variable namespaceObject. It is absent for cluster-scoped objects, including namespaces.
func (w *reviewed) namespaceObject(ctx context.Context) (doc.Value, error) {
	if w.namespace == nil {
		var v doc.Value
		if !w.request.IsNamespace() {
			if _, err := w.request.NamespaceObject(ctx, &v); err != nil {
				return doc.Value{}, err
			}
		}
		w.namespace = &v
	}
	return *w.namespace, nil
}

// authorize answers a question of an expression. It answers the same question once for all policies.
func (w *reviewed) authorize(ctx context.Context, c rules.Check) rules.Ruling {
	if known, ok := w.rulings[c]; ok {
		return known
	}
	a := access.Access{Verb: access.Verb(c.Verb), Path: c.Path}
	if c.Path == "" {
		a = access.Access{Verb: access.Verb(c.Verb), Group: c.Group, Version: "*", Resource: c.Resource,
			Subresource: c.Subresource, Namespace: c.Namespace, Name: c.Name, FieldSelector: c.FieldSelector,
			LabelSelector: c.LabelSelector}
	}
	if c.ServiceAccount != "" {
		a.User = access.ServiceAccountUser(c.ServiceAccountNamespace, c.ServiceAccount)
	}
	decision, err := access.Authorize(ctx, a)
	ruling := rules.Ruling{Allowed: decision.Allowed(), Reason: decision.Reason(), Err: err}
	w.rulings[c] = ruling
	return ruling
}

// failure says why a policy cannot be evaluated. binding is empty if the fault is the policy's own, and reason if the
// policy or the binding is at fault, not an expression.
type failure struct {
	policy  *policy
	binding string
	message string
	reason  status.Reason
}

// misconfigured returns the failure of a policy that cannot be evaluated. b is nil if the binding does not matter.
func misconfigured(p *policy, b *binding, err error) failure {
	if b == nil {
		return failure{policy: p, message: "failed to configure policy: " + err.Error()}
	}
	return failure{policy: p, binding: b.name, message: "failed to configure binding: " + err.Error()}
}

// invocations finds the policies that see the write. The failures are those of policies and bindings that cannot be
// evaluated.
func (w *reviewed) invocations(ctx context.Context, active []activePolicy) (all []invocation, failures []failure) {
	for _, p := range active {
		in, matches, err := w.match(ctx, &p.criteria)
		switch {
		case err != nil:
			failures = append(failures, misconfigured(p.policy, nil, err))
			continue
		case !matches:
			continue
		}
		params, err := w.paramsOf(p.policy)
		if err != nil {
			failures = append(failures, misconfigured(p.policy, nil, err))
			continue
		}
		for _, b := range p.bindings {
			if b.criteria != nil {
				if _, matches, err := w.match(ctx, b.criteria); err != nil {
					failures = append(failures, misconfigured(p.policy, b, err))
					continue
				} else if !matches {
					continue
				}
			}
			objects, err := w.collect(ctx, params, b.params)
			if err != nil {
				failures = append(failures, misconfigured(p.policy, b, err))
				continue
			}
			for _, object := range objects {
				all = append(all, invocation{p.policy, b, in, object})
			}
		}
	}
	return all, failures
}

func (w *reviewed) match(ctx context.Context, c *criteria) (admission.KindVersion, bool, error) {
	if c.fault != nil {
		return admission.KindVersion{}, false, c.fault
	}
	return w.matching.Match(ctx, &c.Criteria)
}

// result is the result of an expression, or its error. Both are missing for an expression that is left out.
type result struct {
	value doc.Value
	err   error
}

// evaluate evaluates expressions one after another. It returns an error if their budget is spent.
func evaluate(ctx context.Context, e rules.Evaluation, list []expression) ([]result, error) {
	out := make([]result, len(list))
	for i, x := range list {
		switch {
		case x.fault != nil:
			out[i].err = rules.NotCompiled(x.fault)
		case x.Expression != nil:
			out[i].value, out[i].err = e.Value(ctx, x.Expression)
			if isExhausted(out[i].err) {
				return nil, out[i].err
			}
		}
	}
	return out, nil
}

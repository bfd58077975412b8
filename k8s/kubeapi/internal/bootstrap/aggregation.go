package bootstrap

import (
	"cmp"
	"context"
	"reflect"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/rbac"
	"github.com/decorum-go/decorum/status"
)

// AggregateRoles writes the rules of the ClusterRoles that an aggregationRule selects into the ClusterRole that has it,
// until ctx ends. The authorizer needs only the selectors. The rules are for clients that show or copy a role.
func AggregateRoles(ctx context.Context, api *rest.API) error {
	client, err := rest.ClientForType[rbac.ClusterRole](api)
	if err != nil {
		return err
	}
	client = client.FieldManager("clusterrole-aggregation-controller")
	roles := controller.NewInformer(client, controller.InformerOptions[rbac.ClusterRole]{})
	reconcile := func(ctx context.Context, key controller.Key) (controller.Result, error) {
		role, ok := roles.Get("", key.Name)
		if !ok || role.AggregationRule == nil {
			return controller.Result{}, nil
		}
		rules, err := aggregated(role, roles.List())
		if err != nil || slices.EqualFunc(rules, role.Rules, sameRule) {
			return controller.Result{}, err
		}
		_, err = client.Modify(ctx, key.Name, func(r *rbac.ClusterRole) error {
			if r.AggregationRule != nil {
				r.Rules = rules
			}
			return nil
		})
		if status.IsNotFound(err) {
			err = nil
		}
		return controller.Result{}, err
	}
	// A role with other rules or labels may belong to any of the roles that aggregate.
	dependents := func(*rbac.ClusterRole) (keys []controller.Key) {
		for _, r := range roles.List() {
			if r.AggregationRule != nil {
				keys = append(keys, controller.Key{Name: r.Name})
			}
		}
		return keys
	}
	return controller.New(reconcile, controller.Options{}, controller.Mapped(roles, dependents)).Run(ctx)
}

// aggregated returns the rules of the roles that the aggregationRule of whole selects, each once: in the order of the
// selectors, and then of the names.
func aggregated(whole *rbac.ClusterRole, all []*rbac.ClusterRole) (rules []rbac.PolicyRule, err error) {
	all = slices.SortedFunc(slices.Values(all), func(a, b *rbac.ClusterRole) int { return cmp.Compare(a.Name, b.Name) })
	for _, s := range whole.AggregationRule.ClusterRoleSelectors {
		selector, err := s.Matcher()
		if err != nil {
			return nil, err
		}
		for _, part := range all {
			if part.Name == whole.Name || !selector.Matches(apimeta.LabelsOf(part.Labels)) {
				continue
			}
			for _, rule := range part.Rules {
				if !slices.ContainsFunc(rules, func(r rbac.PolicyRule) bool { return sameRule(r, rule) }) {
					rules = append(rules, rule)
				}
			}
		}
	}
	return rules, nil
}

func sameRule(a, b rbac.PolicyRule) bool { return reflect.DeepEqual(a, b) }

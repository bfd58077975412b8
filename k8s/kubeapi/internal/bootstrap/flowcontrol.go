package bootstrap

import (
	"context"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/rest"
)

// flowControl creates the objects by which an API server shares its capacity among its users.
func flowControl(ctx context.Context, api *rest.API, _ Config) error {
	if err := ensure(ctx, api, "",
		limited("catch-all", 5, 0, nil),
		flowcontrolv1.PriorityLevelConfiguration{ObjectMeta: updated("exempt"),
			Spec: flowcontrolv1.PriorityLevelConfigurationSpec{
				Type: flowcontrolv1.PriorityLevelEnablementExempt,
				Exempt: &flowcontrolv1.ExemptPriorityLevelConfiguration{NominalConcurrencyShares: new(int32),
					LendablePercent: new(int32)}}},
		limited("system", 30, 33, queues(64, 6)),
		limited("node-high", 40, 25, queues(64, 6)),
		limited("leader-election", 10, 0, queues(16, 4)),
		limited("workload-high", 40, 50, queues(128, 6)),
		limited("workload-low", 100, 90, queues(128, 6)),
		limited("global-default", 20, 50, queues(128, 6)),
	); err != nil {
		return err
	}
	everyone, nodes := groups("system:unauthenticated", "system:authenticated"), groups("system:nodes")
	system := []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindServiceAccount,
		ServiceAccount: &flowcontrolv1.ServiceAccountSubject{Namespace: metav1.NamespaceSystem, Name: flowcontrolv1.NameAll}}}
	leases := resources([]string{"get", "create", "update"}, "coordination.k8s.io", false, "leases")
	const byUser, byNamespace = flowcontrolv1.FlowDistinguisherMethodByUserType,
		flowcontrolv1.FlowDistinguisherMethodByNamespaceType
	return ensure(ctx, api, "",
		flow("exempt", "exempt", 1, "", everything(groups("system:masters"))),
		flow("catch-all", "catch-all", 10000, byUser, everything(everyone)),
		flow("system-nodes", "system", 500, byUser, everything(nodes)),
		flow("system-node-high", "node-high", 400, byUser,
			flowcontrolv1.PolicyRulesWithSubjects{Subjects: nodes, ResourceRules: []flowcontrolv1.ResourcePolicyRule{
				resources(all(), "", true, "nodes", "nodes/status"), resources(all(), "coordination.k8s.io", false, "leases")}}),
		flow("probes", "exempt", 2, "", flowcontrolv1.PolicyRulesWithSubjects{Subjects: everyone,
			NonResourceRules: []flowcontrolv1.NonResourcePolicyRule{{Verbs: []string{"get"},
				NonResourceURLs: []string{"/healthz", "/readyz", "/livez"}}}}),
		flow("system-leader-election", "leader-election", 100, byUser, flowcontrolv1.PolicyRulesWithSubjects{
			Subjects:      append(users("system:kube-controller-manager", "system:kube-scheduler"), system...),
			ResourceRules: []flowcontrolv1.ResourcePolicyRule{leases}}),
		flow("kube-controller-manager", "workload-high", 800, byNamespace,
			everything(users("system:kube-controller-manager"))),
		flow("kube-scheduler", "workload-high", 800, byNamespace, everything(users("system:kube-scheduler"))),
		flow("kube-system-service-accounts", "workload-high", 900, byNamespace, everything(system)),
		flow("service-accounts", "workload-low", 9000, byUser, everything(groups("system:serviceaccounts"))),
		flow("global-default", "global-default", 9900, byUser, everything(everyone)),
	)
}

// updated returns the metadata of objects that a later release may change.
func updated(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Annotations: map[string]string{flowcontrolv1.AutoUpdateAnnotationKey: "true"}}
}

// limited returns a level with a share of the capacity. It lends some percent of the share. Without queues, it refuses
// requests beyond the share.
func limited(name string, shares, lends int32,
	queuing *flowcontrolv1.QueuingConfiguration) flowcontrolv1.PriorityLevelConfiguration {
	response := flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject}
	if queuing != nil {
		response = flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeQueue, Queuing: queuing}
	}
	return flowcontrolv1.PriorityLevelConfiguration{ObjectMeta: updated(name),
		Spec: flowcontrolv1.PriorityLevelConfigurationSpec{
			Type: flowcontrolv1.PriorityLevelEnablementLimited,
			Limited: &flowcontrolv1.LimitedPriorityLevelConfiguration{NominalConcurrencyShares: &shares, LendablePercent: &lends,
				LimitResponse: response}}}
}

func queues(n, hand int32) *flowcontrolv1.QueuingConfiguration {
	return &flowcontrolv1.QueuingConfiguration{Queues: n, HandSize: hand, QueueLengthLimit: 50}
}

// flow returns a schema that sends requests to a level. The method tells apart the flows that share the level; "" puts
// all into one.
func flow(name, level string, precedence int32, method flowcontrolv1.FlowDistinguisherMethodType,
	rules flowcontrolv1.PolicyRulesWithSubjects) flowcontrolv1.FlowSchema {
	spec := flowcontrolv1.FlowSchemaSpec{PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: level},
		MatchingPrecedence: precedence, Rules: []flowcontrolv1.PolicyRulesWithSubjects{rules}}
	if method != "" {
		spec.DistinguisherMethod = &flowcontrolv1.FlowDistinguisherMethod{Type: method}
	}
	return flowcontrolv1.FlowSchema{ObjectMeta: updated(name), Spec: spec}
}

// all returns a list that matches everything.
func all() []string { return []string{"*"} }

// everything returns the rule that matches all requests of some subjects.
func everything(subjects []flowcontrolv1.Subject) flowcontrolv1.PolicyRulesWithSubjects {
	return flowcontrolv1.PolicyRulesWithSubjects{Subjects: subjects,
		ResourceRules:    []flowcontrolv1.ResourcePolicyRule{resources(all(), "*", true, "*")},
		NonResourceRules: []flowcontrolv1.NonResourcePolicyRule{{Verbs: all(), NonResourceURLs: all()}}}
}

func resources(verbs []string, group string, cluster bool, names ...string) flowcontrolv1.ResourcePolicyRule {
	return flowcontrolv1.ResourcePolicyRule{Verbs: verbs, APIGroups: []string{group}, Resources: names,
		ClusterScope: cluster, Namespaces: all()}
}

func groups(names ...string) (subjects []flowcontrolv1.Subject) {
	for _, name := range names {
		subjects = append(subjects, flowcontrolv1.Subject{Kind: flowcontrolv1.SubjectKindGroup,
			Group: &flowcontrolv1.GroupSubject{Name: name}})
	}
	return subjects
}

func users(names ...string) (subjects []flowcontrolv1.Subject) {
	for _, name := range names {
		subjects = append(subjects, flowcontrolv1.Subject{Kind: flowcontrolv1.SubjectKindUser,
			User: &flowcontrolv1.UserSubject{Name: name}})
	}
	return subjects
}

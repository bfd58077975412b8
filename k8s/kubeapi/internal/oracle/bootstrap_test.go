package oracle_test

import (
	"context"
	"encoding/json"
	"net/netip"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	flowcontrolbootstrap "k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/bootstrap"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/rbac"
	"github.com/decorum-go/decorum/rest/resttest"
)

// newCluster returns an API with the objects that exist from the start, and only with the kinds of these objects: this
// module has other versions of k8s.io/api than the declarations of the kinds.
func newCluster(t *testing.T) *rest.API {
	roles, err := rbac.New(rbac.Options{Administrators: []string{"system:masters"}})
	require.NoError(t, err)
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{roles}}, rest.NamespacesOf[corev1.Namespace](),
		builtin[schedulingv1.PriorityClass]("scheduling.k8s.io", "priorityclasses", rest.ScopeCluster),
		builtin[corev1.ComponentStatus]("", "componentstatuses", rest.ScopeCluster),
		builtin[corev1.ConfigMap]("", "configmaps", rest.ScopeNamespaced),
		builtin[corev1.Service]("", "services", rest.ScopeNamespaced),
		builtin[networkingv1.ServiceCIDR]("networking.k8s.io", "servicecidrs", rest.ScopeCluster),
		builtin[discoveryv1.EndpointSlice]("discovery.k8s.io", "endpointslices", rest.ScopeNamespaced),
		builtin[flowcontrolv1.FlowSchema]("flowcontrol.apiserver.k8s.io", "flowschemas", rest.ScopeCluster),
		builtin[flowcontrolv1.PriorityLevelConfiguration]("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations",
			rest.ScopeCluster))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, api.Close()) })
	require.NoError(t, api.Start(t.Context()))
	require.NoError(t, bootstrap.Create(t.Context(), api,
		bootstrap.Config{ServiceRange: netip.MustParsePrefix("10.0.0.0/24")}))
	return api
}

func builtin[T any](group, plural string, scope rest.Scope) rest.Definition {
	return rest.Resource[T]{Group: group, Version: "v1", Plural: plural, Scope: scope,
		Wire: rest.Wire{Dialect: rest.DialectBuiltin}}
}

// all returns the objects of a kind in a server as objects of Kubernetes' own type T, without what the server adds to
// metadata.
func all[Ours, T any](t *testing.T, s *rest.API) (objects []T) {
	for obj, err := range resttest.Client[Ours](t, s).All(context.Background(), rest.ListOptions{}) {
		require.NoError(t, err)
		text, err := json.Marshal(obj)
		require.NoError(t, err)
		var out T
		require.NoError(t, json.Unmarshal(text, &out))
		objects = append(objects, out)
	}
	return objects
}

// named returns what belongs to each object, by its namespace and name.
func named[T, V any](objects []T, metadata func(*T) *metav1.ObjectMeta, value func(*T) V) map[string]V {
	out := map[string]V{}
	for _, obj := range objects {
		m := metadata(&obj)
		out[m.Namespace+"/"+m.Name] = value(&obj)
	}
	return out
}

// role holds the rights that a role grants. It has each right once, regardless of the rules that contain the right.
type role struct {
	Labels, Annotations map[string]string
	Aggregates          *rbacv1.AggregationRule
	Rights              []string
}

func rightsOf(rules []rbacv1.PolicyRule) (rights []string) {
	for _, r := range rules {
		for _, verb := range r.Verbs {
			for _, path := range r.NonResourceURLs {
				rights = append(rights, verb+" "+path)
			}
			for _, group := range r.APIGroups {
				for _, resource := range r.Resources {
					names := r.ResourceNames
					if len(names) == 0 {
						names = []string{"*"}
					}
					for _, name := range names {
						rights = append(rights, verb+" "+group+" "+resource+" "+name)
					}
				}
			}
		}
	}
	slices.Sort(rights)
	return slices.Compact(rights)
}

// binding is who has which role.
type binding struct {
	Role     rbacv1.RoleRef
	Subjects []rbacv1.Subject
}

// A new cluster has the same roles, bindings and flow control objects as one of Kubernetes.
func TestObjectsFromTheStart(t *testing.T) {
	s := newCluster(t)
	clusterRole := func(r *rbacv1.ClusterRole) role {
		if slices.Contains([]string{"cluster-admin", "system:discovery", "system:basic-user", "system:public-info-viewer"},
			r.Name) {
			r.Annotations = nil // package rbac creates them, and does not update them later
		}
		if r.AggregationRule != nil { // a controller computes the rights
			return role{r.Labels, r.Annotations, r.AggregationRule, nil}
		}
		return role{r.Labels, r.Annotations, nil, rightsOf(r.Rules)}
	}
	clusterRoleMeta := func(r *rbacv1.ClusterRole) *metav1.ObjectMeta { return &r.ObjectMeta }
	wantClusterRoles := slices.Concat(bootstrappolicy.ClusterRoles(), bootstrappolicy.ControllerRoles())
	assertSame(t, named(annotated(wantClusterRoles, clusterRoleMeta), clusterRoleMeta, clusterRole),
		named(all[rbac.ClusterRole, rbacv1.ClusterRole](t, s), clusterRoleMeta, clusterRole))

	clusterBindingMeta := func(b *rbacv1.ClusterRoleBinding) *metav1.ObjectMeta { return &b.ObjectMeta }
	clusterBinding := func(b *rbacv1.ClusterRoleBinding) binding { return binding{b.RoleRef, b.Subjects} }
	wantClusterBindings := slices.Concat(bootstrappolicy.ClusterRoleBindings(), bootstrappolicy.ControllerRoleBindings())
	assertSame(t, named(wantClusterBindings, clusterBindingMeta, clusterBinding),
		named(all[rbac.ClusterRoleBinding, rbacv1.ClusterRoleBinding](t, s), clusterBindingMeta, clusterBinding))

	roleMeta := func(r *rbacv1.Role) *metav1.ObjectMeta { return &r.ObjectMeta }
	rights := func(r *rbacv1.Role) []string { return rightsOf(r.Rules) }
	assertSame(t, named(slices.Concat(values(bootstrappolicy.NamespaceRoles())...), roleMeta, rights),
		named(all[rbac.Role, rbacv1.Role](t, s), roleMeta, rights))

	bindingMeta := func(b *rbacv1.RoleBinding) *metav1.ObjectMeta { return &b.ObjectMeta }
	ofNamespace := func(b *rbacv1.RoleBinding) binding { return binding{b.RoleRef, b.Subjects} }
	assertSame(t, named(slices.Concat(values(bootstrappolicy.NamespaceRoleBindings())...), bindingMeta, ofNamespace),
		named(all[rbac.RoleBinding, rbacv1.RoleBinding](t, s), bindingMeta, ofNamespace))

	schemaMeta := func(f *flowcontrolv1.FlowSchema) *metav1.ObjectMeta { return &f.ObjectMeta }
	schema := func(f *flowcontrolv1.FlowSchema) any { return []any{f.Annotations, f.Spec} }
	assertSame(t, named(pointed(flowcontrolbootstrap.MandatoryFlowSchemas, flowcontrolbootstrap.SuggestedFlowSchemas),
		schemaMeta, schema), named(all[flowcontrolv1.FlowSchema, flowcontrolv1.FlowSchema](t, s), schemaMeta, schema))

	levelMeta := func(l *flowcontrolv1.PriorityLevelConfiguration) *metav1.ObjectMeta { return &l.ObjectMeta }
	level := func(l *flowcontrolv1.PriorityLevelConfiguration) any { return []any{l.Annotations, l.Spec} }
	assertSame(t, named(pointed(flowcontrolbootstrap.MandatoryPriorityLevelConfigurations,
		flowcontrolbootstrap.SuggestedPriorityLevelConfigurations), levelMeta, level),
		named(all[flowcontrolv1.PriorityLevelConfiguration, flowcontrolv1.PriorityLevelConfiguration](t, s), levelMeta,
			level))
}

// assertSame compares what belongs to objects, and names those that differ.
func assertSame[V any](t *testing.T, want, got map[string]V) {
	t.Helper()
	for name, value := range want {
		if other, ok := got[name]; assert.True(t, ok, "%s is missing", name) {
			assert.Equal(t, value, other, name)
		}
	}
	for name := range got {
		assert.Contains(t, want, name)
	}
}

// annotated returns objects with the annotation that kube-apiserver sets when it creates them.
func annotated[T any](objects []T, metadata func(*T) *metav1.ObjectMeta) []T {
	for i := range objects {
		metadata(&objects[i]).Annotations = map[string]string{rbacv1.AutoUpdateAnnotationKey: "true"}
	}
	return objects
}

func values[T any](m map[string][]T) (lists [][]T) {
	for _, list := range m {
		lists = append(lists, list)
	}
	return lists
}

func pointed[T any](lists ...[]*T) (objects []T) {
	for _, p := range slices.Concat(lists...) {
		objects = append(objects, *p)
	}
	return objects
}

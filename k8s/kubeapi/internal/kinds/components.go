package kinds

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
)

// componentStatuses returns the deprecated kind ComponentStatus, which clients only read. The server has one component:
// the store, which has the name of the first etcd of a cluster (see package bootstrap).
func componentStatuses() rest.Resource[corev1.ComponentStatus] {
	words := map[corev1.ConditionStatus]string{corev1.ConditionTrue: "Healthy", corev1.ConditionFalse: "Unhealthy",
		corev1.ConditionUnknown: "Unknown"}
	cell := func(name, description string, of func(corev1.ComponentCondition) any) rest.Column {
		return rest.ColumnFunc(rest.Column{Name: name, Description: description}, func(s *corev1.ComponentStatus) any {
			for _, c := range s.Conditions {
				if c.Type == corev1.ComponentHealthy {
					return of(c)
				}
			}
			return of(corev1.ComponentCondition{Status: corev1.ConditionUnknown})
		})
	}
	return rest.Resource[corev1.ComponentStatus]{
		Stage:   rest.Stage{Deprecated: true, Warning: "v1 ComponentStatus is deprecated in v1.19+"},
		Version: "v1", Plural: "componentstatuses", Names: rest.Names{Short: []string{"cs"}}, Scope: rest.ScopeCluster,
		Verbs: []access.Verb{access.VerbGet, access.VerbList}, Wire: rest.Wire{Dialect: rest.DialectBuiltin, Untracked: true},
		Overlay: map[string]string{
			"k8s.io/api/core/v1.ComponentCondition.status": "publishRequired",
			"k8s.io/api/core/v1.ComponentCondition.type":   "publishRequired",
		},
		Columns: []rest.Column{
			cell("Status", "Whether the component is healthy.",
				func(c corev1.ComponentCondition) any { return words[c.Status] }),
			cell("Message", "What the component says.", func(c corev1.ComponentCondition) any { return c.Message }),
			cell("Error", "Why the component did not answer.", func(c corev1.ComponentCondition) any { return c.Error }),
		},
	}
}

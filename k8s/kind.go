package k8s

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/decorum-go/decorum/rest"
)

// kind is what a kind's Go type and its schema do not say. It is the same for all versions of the kind.
type kind struct {
	plural                 string
	scope                  rest.Scope
	shortNames, categories []string
	names                  rest.NameRule
	// createOnUpdate and versionRequired: whether PUT makes what is not there, and whether it needs a resourceVersion.
	createOnUpdate, versionRequired bool
	generation                      bool
	// plainMetadata: only the rules for metadata that all kinds share.
	plainMetadata bool
	// returnDeleted: DELETE answers the object also when it is gone.
	returnDeleted bool
	// selectable are the fields that Kubernetes lets a field selector name, as far as they are fields of the object.
	selectable []string
	scale      *rest.Scale
	columns    []column
}

// kindOf returns what is known of a kind. The alpha and beta groups of old go with their successors.
func kindOf(gk schema.GroupKind) (kind, bool) {
	var group map[string]kind
	switch gk.Group {
	case "":
		group = core()
	case "apps":
		group = apps()
	case "extensions":
		group = extensions()
	case "batch":
		group = batch()
	case "autoscaling":
		group = autoscaling()
	case "policy":
		group = policy()
	case "events.k8s.io":
		group = events()
	case "coordination.k8s.io":
		group = coordination()
	case "discovery.k8s.io":
		group = discovery()
	case "networking.k8s.io":
		group = networking()
	case "rbac.authorization.k8s.io":
		group = rbac()
	case "certificates.k8s.io":
		group = certificates()
	case "admissionregistration.k8s.io":
		group = admissionregistration()
	case "flowcontrol.apiserver.k8s.io":
		group = flowcontrol()
	case "storage.k8s.io":
		group = storage()
	case "storagemigration.k8s.io":
		group = storagemigration()
	case "internal.apiserver.k8s.io":
		group = apiserverinternal()
	case "scheduling.k8s.io":
		group = scheduling()
	case "node.k8s.io":
		group = node()
	case "resource.k8s.io":
		group = resource()
	case "lifecycle.k8s.io":
		group = lifecycle()
	}
	k, ok := group[gk.Kind]
	return k, ok
}

// scaled is the scale of a workload, whose fields all workloads have in the same places.
func scaled() *rest.Scale {
	return &rest.Scale{SpecReplicas: ".spec.replicas", StatusReplicas: ".status.replicas", Selector: ".spec.selector"}
}

package k8s

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/decorum-go/decorum/rest"
)

// kind states what the Go type and the schema of a kind do not. It holds for all versions of the kind.
type kind struct {
	plural                 string
	scope                  rest.Scope
	shortNames, categories []string
	names                  rest.NameRule
	// createOnUpdate and versionRequired report whether PUT creates a missing object, and whether it needs a
	// resourceVersion.
	createOnUpdate, versionRequired bool
	generation                      bool
	// plainMetadata limits the validation of metadata to the rules that all kinds share.
	plainMetadata bool
	// returnDeleted makes DELETE answer with the object even if it is gone.
	returnDeleted bool
	// selectable are the fields that Kubernetes supports in field selectors.
	selectable []string
	scale      *rest.Scale
	columns    []column
}

// kindOf returns the facts of a kind. The former alpha and beta versions have the facts of their successors.
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

// scaled returns the scale of a workload. All workloads have its fields in the same places.
func scaled() *rest.Scale {
	return &rest.Scale{SpecReplicas: ".spec.replicas", StatusReplicas: ".status.replicas", Selector: ".spec.selector"}
}

package matching

import (
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
)

// all stands for everything in a list of a [Rule], and for all subresources.
const all = "*"

// The values of [Rule.Scope]. Every other value but "*" and the empty one matches nothing.
const (
	clusterScope    = "Cluster"
	namespacedScope = "Namespaced"
)

// Rule selects writes by their operation and their resource. Each list must contain the value of the write, or "*".
type Rule struct {
	Operations, APIGroups, APIVersions []string
	// Resources are plurals. A subresource follows a slash; "*/*" is everything, and "*" is all resources without their
	// subresources.
	Resources []string
	Scope     string
	// Names are the names of the objects. Empty selects all. Only policies have names.
	Names []string
}

// subject is what rules depend on. The resource may be another version of the one in the request.
type subject struct {
	operation, subresource, name string
	// namespaced is false for namespaces as well.
	namespaced bool
}

// matches reports whether the rule selects a write in a version of its resource.
func (r *Rule) matches(w *subject, resource apimeta.GroupVersionResource) bool {
	return r.inScope(w.namespaced) && has(r.Operations, w.operation) && has(r.APIGroups, resource.Group) &&
		has(r.APIVersions, resource.Version) &&
		slices.ContainsFunc(r.Resources,
			func(pattern string) bool { return covers(pattern, resource.Resource, w.subresource) })
}

// names reports whether the rule selects objects of this name.
func (r *Rule) names(name string) bool { return len(r.Names) == 0 || slices.Contains(r.Names, name) }

func (r *Rule) inScope(namespaced bool) bool {
	switch r.Scope {
	case "", all:
		return true
	case namespacedScope:
		return namespaced
	case clusterScope:
		return !namespaced
	}
	return false
}

func has(list []string, value string) bool {
	return slices.Contains(list, all) || slices.Contains(list, value)
}

// covers reports whether a pattern of Resources covers a resource or its subresource.
func covers(pattern, resource, subresource string) bool {
	of, sub, _ := strings.Cut(pattern, "/")
	return (of == all || of == resource) && (sub == all || sub == subresource)
}

package audit

import (
	"slices"

	"github.com/decorum-go/decorum/rest/access"
)

// confidential are the resources whose objects contain credentials: secrets, tokens, and the reviews of tokens.
func confidential() []GroupResources {
	return []GroupResources{
		{Resources: []string{"secrets", "secrets/*", "serviceaccounts/token"}},
		{Group: "authentication.k8s.io"},
	}
}

// withhold lowers a decision to [LevelMetadata] if the request is about a confidential resource that the rule does not
// name. It reports whether the request is about a confidential resource and recorded at this level.
func (d *Decision) withhold(a *access.Access, confidential []GroupResources) bool {
	about := func(g GroupResources) bool { return g.match(a) }
	if a.Path != "" || !slices.ContainsFunc(confidential, about) {
		return false
	}
	if d.Level.includes(LevelRequest) && !d.rule.namesResource(a) {
		d.Level = LevelMetadata
	}
	return d.Level == LevelMetadata
}

// namesResource reports whether the rule names the resource of a request, and does not only match it.
func (r *PolicyRule) namesResource(a *access.Access) bool {
	return slices.ContainsFunc(r.Resources, func(g GroupResources) bool {
		return g.Group == a.Group && slices.ContainsFunc(g.Resources, func(pattern string) bool { return names(pattern, a) })
	})
}

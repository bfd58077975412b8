package audit

import (
	"slices"
	"strings"

	"github.com/decorum-go/decorum/rest/access"
)

// Level says how much of a request an [Event] records. Each level records what the levels before it record.
type Level string

const (
	// LevelNone records nothing.
	LevelNone Level = "None"
	// LevelMetadata records who did what to which object, and the outcome.
	LevelMetadata Level = "Metadata"
	// LevelRequest also records the object in the request. A request to a path outside all resources has none.
	LevelRequest Level = "Request"
	// LevelRequestResponse also records the object in the answer.
	LevelRequestResponse Level = "RequestResponse"
)

// levels are the levels that a rule can have, each above the ones before it.
var levels = [...]Level{LevelNone, LevelMetadata, LevelRequest, LevelRequestResponse}

// includes reports whether a level records what other records.
func (l Level) includes(other Level) bool {
	return slices.Index(levels[:], l) >= slices.Index(levels[:], other)
}

// Stage is the moment of a request at which an [Event] is recorded.
type Stage string

const (
	// StageRequestReceived is when the user of the request is known, and nothing has been done yet.
	StageRequestReceived Stage = "RequestReceived"
	// StageResponseStarted is when the answer to a watch or a stream begins. Other requests do not have this stage, but
	// for one with invalid credentials, which has no other.
	StageResponseStarted Stage = "ResponseStarted"
	// StageResponseComplete is when the answer has been sent.
	StageResponseComplete Stage = "ResponseComplete"
	// StagePanic is when a request ends because a hook of the host or the server panics.
	StagePanic Stage = "Panic"
)

// stages are the stages that a policy can omit.
var stages = [...]Stage{StageRequestReceived, StageResponseStarted, StageResponseComplete, StagePanic}

// Policy says which requests are recorded, and how much of each. Its JSON form is a Policy of audit.k8s.io/v1, which
// [ParsePolicy] reads. A Policy must not be changed once [New] has it.
type Policy struct {
	// Rules are tried in order, and the first that matches a request decides. A request that no rule matches is not
	// recorded. At least one rule is required.
	Rules []PolicyRule
	// OmitStages are the stages that are recorded of no request.
	OmitStages []Stage
	// OmitManagedFields leaves metadata.managedFields out of recorded objects, unless a rule says otherwise.
	OmitManagedFields bool

	ignored []string
}

// PolicyRule says how the requests that it matches are recorded. It matches a request that meets all of its conditions.
// An empty condition is met by every request. Resources and Namespaces exclude NonResourceURLs.
type PolicyRule struct {
	// Level is required.
	Level Level
	// Users are names of users. The client counts, also if it acts as another user.
	Users []string
	// UserGroups match users who belong to at least one of these groups.
	UserGroups []string
	// Verbs are verbs of resources, or HTTP methods in lower case for paths outside all resources.
	Verbs []string
	// Resources match requests to resources.
	Resources []GroupResources
	// Namespaces match requests to resources. The empty string is the namespace of a request without one.
	Namespaces []string
	// NonResourceURLs match requests to paths outside all resources. "*" matches every path, and "/healthz*" each that
	// begins with /healthz.
	NonResourceURLs []string
	// OmitStages are the stages that are not recorded, in addition to those of the policy.
	OmitStages []Stage
	// OmitManagedFields replaces the value of the policy, unless it is nil.
	OmitManagedFields *bool
}

// GroupResources name resources of one group, for rules of a [Policy] and for [Options].Confidential.
type GroupResources struct {
	// Group is the name of the group, empty for the core group. "*" names all groups.
	Group string
	// Resources are plurals, such as "pods". "pods/log" is a subresource, "pods/*" are all subresources of pods, "*/scale"
	// are the subresources scale of all resources, and "*" is everything. Default: all resources and subresources of the
	// group.
	Resources []string
	// ResourceNames are names of objects. They need Resources. Default: all objects.
	ResourceNames []string
}

// Decision is what a [Policy] says about a request.
type Decision struct {
	Level             Level
	OmitManagedFields bool

	omitted [2][]Stage  // the stages that the policy omits, and those that the rule omits
	rule    *PolicyRule // nil if none matches
}

// Omits reports whether no event is recorded at a stage.
func (d Decision) Omits(s Stage) bool {
	return slices.Contains(d.omitted[0], s) || slices.Contains(d.omitted[1], s)
}

// Evaluate returns what the policy says about a request, as kube-apiserver decides it. a.User is the client, also if it
// acts as another user, and the zero User if the client is unknown.
func (p *Policy) Evaluate(a access.Access) Decision {
	for i := range p.Rules {
		r := &p.Rules[i]
		if !r.matches(&a) {
			continue
		}
		d := Decision{Level: r.Level, OmitManagedFields: p.OmitManagedFields, omitted: [2][]Stage{p.OmitStages, r.OmitStages},
			rule: r}
		if r.OmitManagedFields != nil {
			d.OmitManagedFields = *r.OmitManagedFields
		}
		return d
	}
	return Decision{Level: LevelNone, OmitManagedFields: p.OmitManagedFields, omitted: [2][]Stage{p.OmitStages}}
}

func (r *PolicyRule) matches(a *access.Access) bool {
	inGroup := func(group string) bool { return slices.Contains(r.UserGroups, group) }
	switch {
	case len(r.Users) > 0 && (a.User.Name == "" || !slices.Contains(r.Users, a.User.Name)),
		len(r.UserGroups) > 0 && !slices.ContainsFunc(a.User.Groups, inGroup),
		len(r.Verbs) > 0 && !slices.Contains(r.Verbs, string(a.Verb)):
		return false
	case len(r.Namespaces) > 0 || len(r.Resources) > 0:
		return a.Path == "" && r.matchesResource(a)
	case len(r.NonResourceURLs) > 0:
		return a.Path != "" && r.matchesPath(a.Path)
	}
	return true
}

func (r *PolicyRule) matchesPath(path string) bool {
	return slices.ContainsFunc(r.NonResourceURLs, func(url string) bool {
		return url == path || strings.HasSuffix(url, "*") && strings.HasPrefix(path, strings.TrimRight(url, "*"))
	})
}

func (r *PolicyRule) matchesResource(a *access.Access) bool {
	if len(r.Namespaces) > 0 && !slices.Contains(r.Namespaces, a.Namespace) {
		return false
	}
	return len(r.Resources) == 0 || slices.ContainsFunc(r.Resources, func(g GroupResources) bool { return g.match(a) })
}

// match reports whether the request is about one of the resources.
func (g *GroupResources) match(a *access.Access) bool {
	switch {
	case g.Group != "*" && g.Group != a.Group:
		return false
	case len(g.Resources) == 0:
		return true
	case len(g.ResourceNames) > 0 && !slices.Contains(g.ResourceNames, a.Name):
		return false
	}
	return slices.ContainsFunc(g.Resources, func(pattern string) bool { return pattern == "*" || names(pattern, a) })
}

// names reports whether a pattern other than "*" names the resource or the subresource of a request.
func names(pattern string, a *access.Access) bool {
	resource, subresource, both := strings.Cut(pattern, "/")
	switch {
	case !both:
		return a.Subresource == "" && resource == a.Resource
	case subresource == "*" && resource == a.Resource: // upstream's "*" includes the object itself, too
		return true
	}
	return a.Subresource != "" && subresource == a.Subresource && (resource == "*" || resource == a.Resource)
}

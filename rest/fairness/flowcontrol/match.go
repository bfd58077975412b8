package flowcontrol

import (
	"slices"
	"strings"

	"github.com/decorum-go/decorum/rest/access"
)

// Matches reports whether the FlowSchema is about a request with this access.
func (s *FlowSchema) Matches(a *access.Access) bool {
	return slices.ContainsFunc(s.Spec.Rules, func(r PolicyRulesWithSubjects) bool {
		switch {
		case !slices.ContainsFunc(r.Subjects, func(s Subject) bool { return s.is(&a.User) }):
			return false
		case a.Resource != "":
			return slices.ContainsFunc(r.ResourceRules, func(r ResourcePolicyRule) bool { return r.matches(a) })
		}
		return slices.ContainsFunc(r.NonResourceRules, func(r NonResourcePolicyRule) bool { return r.matches(a) })
	})
}

// accountPrefix begins the names of the users that are service accounts.
const accountPrefix = "system:serviceaccount:"

// is reports whether the subject is a user.
func (s *Subject) is(u *access.User) bool {
	switch {
	case s.Kind == UserKind && s.User != nil:
		return s.User.Name == all || s.User.Name == u.Name
	case s.Kind == GroupKind && s.Group != nil:
		return s.Group.Name == all || slices.Contains(u.Groups, s.Group.Name)
	case s.Kind == ServiceAccountKind && s.ServiceAccount != nil:
		name, ok := strings.CutPrefix(u.Name, accountPrefix+s.ServiceAccount.Namespace+":")
		return ok && (s.ServiceAccount.Name == all || s.ServiceAccount.Name == name)
	}
	return false
}

func (r *ResourcePolicyRule) matches(a *access.Access) bool {
	if !has(r.Verbs, string(a.Verb)) || !has(r.APIGroups, a.Group) || !r.hasResource(a) {
		return false
	}
	if a.Namespace == "" {
		return r.ClusterScope
	}
	return has(r.Namespaces, a.Namespace)
}

func (r *ResourcePolicyRule) hasResource(a *access.Access) bool {
	if a.Subresource == "" {
		return has(r.Resources, a.Resource)
	}
	return isAll(r.Resources) || slices.Contains(r.Resources, a.Resource+"/"+a.Subresource)
}

func (r *NonResourcePolicyRule) matches(a *access.Access) bool {
	return has(r.Verbs, string(a.Verb)) &&
		slices.ContainsFunc(r.NonResourceURLs, func(url string) bool { return covers(url, a.Path) })
}

// covers reports whether a URL of a rule covers a path: "*" covers all paths, and any other URL itself and the paths
// below it.
func covers(url, path string) bool {
	if url == all || url == path {
		return true
	}
	folder := strings.TrimSuffix(strings.TrimSuffix(url, "*"), "/") + "/"
	return strings.HasPrefix(path, folder)
}

// has reports whether a list contains a value, or everything.
func has(list []string, value string) bool { return isAll(list) || slices.Contains(list, value) }

func isAll(list []string) bool { return len(list) == 1 && list[0] == all }

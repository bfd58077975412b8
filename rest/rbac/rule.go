package rbac

import (
	"slices"
	"strings"

	"github.com/decorum-go/decorum/rest/access"
)

// allows reports whether a rule allows an access.
func (r *PolicyRule) allows(a *access.Access) bool {
	if !has(r.Verbs, string(a.Verb)) {
		return false
	}
	if a.Path != "" {
		return slices.ContainsFunc(r.NonResourceURLs, func(pattern string) bool { return coversPath(pattern, a.Path) })
	}
	return has(r.APIGroups, a.Group) && r.hasResource(a.Resource, a.Subresource) &&
		(len(r.ResourceNames) == 0 || slices.Contains(r.ResourceNames, a.Name))
}

// has reports whether a list contains everything, or this entry.
func has(list []string, entry string) bool {
	for _, e := range list {
		if e == all || e == entry {
			return true
		}
	}
	return false
}

// hasResource reports whether the rule covers a resource or, if subresource is not empty, its subresource. It compares
// without joining the two, because it runs for each rule.
func (r *PolicyRule) hasResource(resource, subresource string) bool {
	for _, e := range r.Resources {
		if e == all || subresource == "" && e == resource {
			return true
		}
		if of, sub, ok := strings.Cut(e, "/"); ok && subresource != "" && sub == subresource &&
			(of == all || of == resource) {
			return true
		}
	}
	return false
}

// coversPath reports whether a path, or a pattern that ends with "*", covers another.
func coversPath(pattern, path string) bool {
	return pattern == path || strings.HasSuffix(pattern, all) && strings.HasPrefix(path, strings.TrimRight(pattern, all))
}

// atoms splits rules into rules for one verb on one resource or path, and one name if there are names.
func atoms(rules []PolicyRule) (out []PolicyRule) {
	for _, r := range rules {
		for _, verb := range r.Verbs {
			for _, path := range r.NonResourceURLs {
				out = append(out, PolicyRule{Verbs: []string{verb}, NonResourceURLs: []string{path}})
			}
			for _, group := range r.APIGroups {
				for _, resource := range r.Resources {
					atom := PolicyRule{Verbs: []string{verb}, APIGroups: []string{group}, Resources: []string{resource}}
					if len(r.ResourceNames) == 0 {
						out = append(out, atom)
					}
					for _, name := range r.ResourceNames {
						atom.ResourceNames = []string{name}
						out = append(out, atom)
					}
				}
			}
		}
	}
	return out
}

// missing returns the atoms of wanted that no rule of owned covers.
func missing(owned, wanted []PolicyRule) []PolicyRule {
	return slices.DeleteFunc(atoms(wanted), func(atom PolicyRule) bool {
		return slices.ContainsFunc(owned, func(r PolicyRule) bool { return r.covers(&atom) })
	})
}

// covers reports whether a rule allows everything that an atom allows.
func (r *PolicyRule) covers(atom *PolicyRule) bool {
	if !has(r.Verbs, atom.Verbs[0]) {
		return false
	}
	if len(atom.NonResourceURLs) > 0 {
		return slices.ContainsFunc(r.NonResourceURLs,
			func(pattern string) bool { return coversPath(pattern, atom.NonResourceURLs[0]) })
	}
	named := len(r.ResourceNames) == 0 ||
		len(atom.ResourceNames) > 0 && slices.Contains(r.ResourceNames, atom.ResourceNames[0])
	return named && has(r.APIGroups, atom.APIGroups[0]) && r.coversResource(atom.Resources[0])
}

// coversResource is like hasResource for a resource in the words of a rule, which may have patterns of its own.
func (r *PolicyRule) coversResource(resource string) bool {
	_, sub, below := strings.Cut(resource, "/")
	return has(r.Resources, resource) || below && slices.Contains(r.Resources, all+"/"+sub)
}

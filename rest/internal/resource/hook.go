package resource

import (
	"context"
	"slices"
	"strings"
)

// operation is what a write does, as admission sees it.
type operation string

const (
	createOperation  operation = "CREATE"
	updateOperation  operation = "UPDATE"
	deleteOperation  operation = "DELETE"
	connectOperation operation = "CONNECT"
)

// Hook is a hook of the host's on the writes of many resources.
type Hook struct {
	Name string
	// Operations and Resources are those that the hook sees; none are all.
	Operations []string
	Resources  []string
	// RunsDry says that the hook may run in a dry run.
	RunsDry bool
	// Mutate and Validate may be nil.
	Mutate, Validate func(ctx context.Context, r *Review) error
}

// sees reports whether the hook is for these writes.
func (h *Hook) sees(res *Resource, subresource string, op operation) bool {
	return (len(h.Operations) == 0 || slices.Contains(h.Operations, string(op))) &&
		(len(h.Resources) == 0 || slices.ContainsFunc(h.Resources, func(p string) bool { return patternNames(p, res, subresource) }))
}

// PatternServed reports whether a resource has something that the pattern names.
func PatternServed(pattern string, res *Resource) bool {
	return patternNames(pattern, res, "") ||
		slices.ContainsFunc(res.Subresources, func(s *Subresource) bool { return patternNames(pattern, res, s.Name) })
}

// patternNames reports whether a pattern names a resource, or its subresource.
func patternNames(pattern string, res *Resource, subresource string) bool {
	of, sub, _ := strings.Cut(pattern, "/")
	if pattern == "*/*" {
		return true
	}
	return (of == "*" || of == res.GR.String()) && (sub == subresource || sub == "*" && subresource != "")
}

// hooksOf returns the hooks that may concern a resource.
func (env *Environment) hooksOf(res *Resource) (hooks []*Hook) {
	for _, h := range env.Admission {
		if len(h.Resources) == 0 || slices.ContainsFunc(h.Resources, func(p string) bool { return PatternServed(p, res) }) {
			hooks = append(hooks, h)
		}
	}
	return hooks
}

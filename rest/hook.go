package rest

import (
	"context"
	"slices"
	"strings"
)

// Operation is what a write does, as admission sees it.
type operation string

const (
	createOperation  operation = "CREATE"
	updateOperation  operation = "UPDATE"
	deleteOperation  operation = "DELETE"
	connectOperation operation = "CONNECT"
)

// hook is a hook of the host's on the writes of many resources.
type hook struct {
	Name string
	// Operations and Resources are those that the hook sees; none are all.
	Operations []string
	Resources  []string
	// RunsDry says that the hook may run in a dry run.
	RunsDry bool
	// Mutate and Validate may be nil.
	Mutate, Validate func(ctx context.Context, r *review) error
}

// sees reports whether the hook is for these writes.
func (h *hook) sees(res *resource, subresource string, op operation) bool {
	return (len(h.Operations) == 0 || slices.Contains(h.Operations, string(op))) &&
		(len(h.Resources) == 0 || slices.ContainsFunc(h.Resources, func(p string) bool { return patternNames(p, res, subresource) }))
}

// patternServed reports whether a resource has something that the pattern names.
func patternServed(pattern string, res *resource) bool {
	return patternNames(pattern, res, "") ||
		slices.ContainsFunc(res.subresources, func(s *subresource) bool { return patternNames(pattern, res, s.name) })
}

// patternNames reports whether a pattern names a resource, or its subresource.
func patternNames(pattern string, res *resource, subresource string) bool {
	of, sub, _ := strings.Cut(pattern, "/")
	if pattern == "*/*" {
		return true
	}
	return (of == "*" || of == res.gr.String()) && (sub == subresource || sub == "*" && subresource != "")
}

// hooksOf returns the hooks that may concern a resource.
func (env *environment) hooksOf(res *resource) (hooks []*hook) {
	for _, h := range env.Admission {
		if len(h.Resources) == 0 || slices.ContainsFunc(h.Resources, func(p string) bool { return patternServed(p, res) }) {
			hooks = append(hooks, h)
		}
	}
	return hooks
}

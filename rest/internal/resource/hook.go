package resource

import (
	"context"
	"slices"
	"strings"
)

// operation is the operation of a write, in the words of admission.
type operation string

const (
	createOperation  operation = "CREATE"
	updateOperation  operation = "UPDATE"
	deleteOperation  operation = "DELETE"
	connectOperation operation = "CONNECT"
)

// Hook is an admission hook of the host. It may see the writes of many resources.
type Hook struct {
	Name string
	// Operations and Resources select the writes that the hook sees. An empty list selects all.
	Operations []string
	Resources  []string
	// RunsDry says that the hook may run in a dry run. If it may not, a dry run that the hook sees is refused.
	RunsDry bool
	// Mutate and Validate may each be nil.
	Mutate, Validate func(ctx context.Context, r *Review) error
}

// sees reports whether the hook sees this operation on the resource or, if subresource is not "", on the subresource.
func (h *Hook) sees(res *Resource, subresource string, op operation) bool {
	return (len(h.Operations) == 0 || slices.Contains(h.Operations, string(op))) &&
		(len(h.Resources) == 0 || slices.ContainsFunc(h.Resources, func(p string) bool { return patternNames(p, res, subresource) }))
}

// PatternServed reports whether a pattern names the resource or one of its subresources.
func PatternServed(pattern string, res *Resource) bool {
	return patternNames(pattern, res, "") ||
		slices.ContainsFunc(res.Subresources, func(s *Subresource) bool { return patternNames(pattern, res, s.Name) })
}

// patternNames reports whether a pattern names the resource itself or, if subresource is not "", the subresource.
func patternNames(pattern string, res *Resource, subresource string) bool {
	of, sub, _ := strings.Cut(pattern, "/")
	if pattern == "*/*" {
		return true
	}
	return (of == "*" || res.isCalled(of)) && (sub == subresource || sub == "*" && subresource != "")
}

// hooksOf returns the hooks that may see a write of the resource or of its subresources.
func (env *Environment) hooksOf(res *Resource) (hooks []*Hook) {
	for _, h := range env.Admission {
		if len(h.Resources) == 0 || slices.ContainsFunc(h.Resources, func(p string) bool { return PatternServed(p, res) }) {
			hooks = append(hooks, h)
		}
	}
	return hooks
}

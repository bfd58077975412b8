package write

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

// sees reports whether a hook sees this operation on the resource or, if subresource is not "", on the subresource.
func sees(h *admission.Hook, res *resource.Resource, subresource string, op admission.Operation) bool {
	names := func(pattern string) bool { return patternNames(pattern, res, subresource) }
	return (len(h.Operations) == 0 || slices.Contains(h.Operations, op)) &&
		(len(h.Resources) == 0 || slices.ContainsFunc(h.Resources, names))
}

// runsDry reports whether a hook may run in a dry run. If it may not, a dry run that it sees is refused.
func runsDry(h *admission.Hook) bool {
	if h.SideEffects == "" {
		return h.Mutate == nil
	}
	return h.SideEffects != admission.SideEffectsSome
}

// isIdle reports whether a hook has nothing to do at present. A panic of the host counts as work, so that the hook
// itself reports it.
func isIdle(ctx context.Context, h *admission.Hook) (idle bool) {
	if h.Idle == nil {
		return false
	}
	defer func() {
		if recover() != nil {
			idle = false
		}
	}()
	return h.Idle(ctx)
}

// patternServed reports whether a pattern names the resource or one of its subresources.
func patternServed(pattern string, res *resource.Resource) bool {
	return patternNames(pattern, res, "") ||
		slices.ContainsFunc(res.Subresources,
			func(s *resource.Subresource) bool { return patternNames(pattern, res, s.Name) })
}

// patternNames reports whether a pattern names the resource itself or, if subresource is not "", the subresource.
func patternNames(pattern string, res *resource.Resource, subresource string) bool {
	of, sub, _ := strings.Cut(pattern, "/")
	if pattern == "*/*" {
		return true
	}
	group, wholeGroup := strings.CutPrefix(of, "*.")
	return (of == "*" || wholeGroup && res.IsIn(group) || res.IsCalled(of)) &&
		(sub == subresource || sub == "*" && subresource != "")
}

// patternMayArrive reports whether a pattern may name a resource that the API does not serve yet. It may not if one of
// these resources has the name, as its plural, singular or short name.
func patternMayArrive(pattern string, resources []*resource.Resource) bool {
	of, sub, below := strings.Cut(pattern, "/")
	plural, group, ok := strings.Cut(of, ".")
	invalid := below && sub != "*" && len(apimeta.ValidateDNS1123Label(sub)) > 0
	if !ok || invalid || len(apimeta.ValidateDNS1123Subdomain(group)) > 0 {
		return false
	}
	has := func(res *resource.Resource) bool { return res.IsIn(group) && slices.Contains(res.Kind.Names(), plural) }
	return plural == "*" || len(apimeta.ValidateDNS1035Label(plural)) == 0 && !slices.ContainsFunc(resources, has)
}

// hooksOf returns the hooks that may see a write of the resource or of its subresources.
func (all *Writes) hooksOf(res *resource.Resource) (hooks []*admission.Hook) {
	if len(all.hooks) == 0 {
		return nil
	}
	if known, ok := all.seeing.Load(res); ok {
		return known.([]*admission.Hook)
	}
	for _, h := range all.hooks {
		if len(h.Resources) == 0 || slices.ContainsFunc(h.Resources, func(p string) bool { return patternServed(p, res) }) {
			hooks = append(hooks, h)
		}
	}
	all.seeing.Store(res, hooks)
	if res.Retired() { // Forget may have come before Store
		all.seeing.Delete(res)
	}
	return hooks
}

// MayRunHooks reports whether a write of the resource, or a request to one of its subresources, may run code of the
// host that gets a context.
func (all *Writes) MayRunHooks(res *resource.Resource, through *resource.Subresource) bool {
	return through != nil && !through.OfItself || res.Kind.Virtual || len(all.hooksOf(res)) > 0 ||
		res.ConvertedOutside() || res.GoType.SetHooks() != resource.HookSet{} ||
		res.Stored.GoType.SetHooks() != resource.HookSet{}
}

// CheckHooks validates the hooks of an API that begins with these resources.
func (all *Writes) CheckHooks(resources []*resource.Resource) error {
	names := map[string]bool{}
	for _, h := range all.hooks {
		if err := checkHook(h, resources); err != nil {
			return fmt.Errorf("admission %q: %w", h.Name, err)
		}
		if names[h.Name] {
			return fmt.Errorf("admission %q: duplicate name", h.Name)
		}
		names[h.Name] = true
	}
	return nil
}

// checkHook validates a hook. It refuses a pattern that no resource matches and that cannot name one that arrives later.
func checkHook(h *admission.Hook, resources []*resource.Resource) error {
	if msgs := apimeta.ValidateDNS1123Subdomain(h.Name); len(msgs) > 0 {
		return fmt.Errorf("name: %s", msgs[0])
	}
	if h.Mutate == nil && h.Validate == nil {
		return errors.New("neither Mutate nor Validate is set")
	}
	operations := []admission.Operation{admission.Create, admission.Update, admission.Delete, admission.Connect}
	for _, op := range h.Operations {
		if !slices.Contains(operations, op) {
			return fmt.Errorf("Operations: unknown operation %q", op)
		}
	}
	effects := []admission.SideEffects{"", admission.SideEffectsNone, admission.SideEffectsNoneOnDryRun, admission.SideEffectsSome}
	if !slices.Contains(effects, h.SideEffects) {
		return fmt.Errorf("SideEffects: unknown value %q: must be None, NoneOnDryRun or Some", h.SideEffects)
	}
	for _, pattern := range h.Resources {
		served := slices.ContainsFunc(resources, func(res *resource.Resource) bool { return patternServed(pattern, res) })
		if !served && !patternMayArrive(pattern, resources) {
			return fmt.Errorf("Resources: the API does not serve %q", pattern)
		}
	}
	return nil
}

package validate

import (
	"context"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
)

// stage is when an object is created so that others see it.
type stage int

const (
	definitions stage = iota
	changed           // definitions that Input.Old has too
	namespaces
	others
	policies // last, because they decide about what comes later
	never
)

// stager finds the stage of an object.
type stager struct {
	keep   func(kind apimeta.GroupKind) bool
	old    map[string]bool            // names of definitions in Input.Old
	params map[apimeta.GroupKind]bool // kinds of the parameters of policies
}

func (r *run) newStager() *stager {
	s := &stager{keep: r.options.Keep, old: map[string]bool{}, params: map[apimeta.GroupKind]bool{}}
	for _, m := range r.in.Old {
		if isDefinition(&m) {
			s.old[m.Name] = true
		}
	}
	for _, m := range slices.Concat(r.in.Given, r.in.Manifests) {
		gv, err := apimeta.ParseGroupVersion(textOf(m.object, "spec", "paramKind", "apiVersion"))
		if kind := textOf(m.object, "spec", "paramKind", "kind"); err == nil && isPolicy(&m) {
			s.params[gv.WithKind(kind).GroupKind()] = true
		}
	}
	return s
}

// of returns the stage of an object of Input.Manifests.
func (s *stager) of(m *Manifest) stage {
	kind := m.Kind.GroupKind()
	switch {
	case m.err != nil:
		return never
	case isDefinition(m) && s.old[m.Name]:
		return changed
	case isDefinition(m):
		return definitions
	case kind == namespaceKind.GroupKind():
		return namespaces
	case isPolicy(m):
		return policies
	case s.params[kind] || s.keep != nil && s.keep(kind):
		return others
	default:
		return never
	}
}

// ofGiven returns the stage of an object of Input.Given. All of them exist.
func (s *stager) ofGiven(m *Manifest) stage {
	if at := s.of(m); at != never {
		return at
	}
	return others
}

// ofOld returns the stage of an object of Input.Old.
func (s *stager) ofOld(m *Manifest) stage {
	switch at := s.ofGiven(m); at {
	case changed:
		return definitions
	case policies:
		return others
	default:
		return at
	}
}

var namespaceKind = apimeta.GroupVersionKind{Version: "v1", Kind: "Namespace"}

func isDefinition(m *Manifest) bool {
	return m.Kind.GroupKind() == apimeta.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}
}

func isPolicy(m *Manifest) bool {
	return m.Kind.Group == "admissionregistration.k8s.io" && strings.Contains(m.Kind.Kind, "AdmissionPolicy")
}

// callsOut reports whether the API would call another server because of an object, which nothing in the input can
// answer for.
func callsOut(m *Manifest) bool {
	return m.Kind.Group == "admissionregistration.k8s.io" && strings.HasSuffix(m.Kind.Kind, "WebhookConfiguration") ||
		m.Kind.Group == "apiregistration.k8s.io"
}

// prepare creates the objects on which others depend.
func (r *run) prepare(ctx context.Context) error {
	s := r.newStager()
	old := func(at stage) step { return step{r.in.Old, s.ofOld, at, r.remember} }
	given := func(at stage) step { return step{r.in.Given, s.ofGiven, at, r.give} }
	own := func(at stage) step { return step{r.in.Manifests, s.of, at, r.keep} }
	for _, group := range [][]step{
		{old(definitions), given(definitions), own(definitions)},
		{old(namespaces), given(namespaces), own(namespaces)},
		{old(others)},
		{given(changed), own(changed)},
		{given(others), own(others)},
		{given(policies), own(policies)},
	} {
		for _, step := range group {
			if err := step.run(ctx); err != nil {
				return err
			}
		}
		var err error
		switch group[0].at {
		case definitions, changed:
			err = r.settle(ctx)
		case namespaces:
			err = r.assume(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// step creates the objects of one stage.
type step struct {
	in   []Manifest
	of   func(*Manifest) stage
	at   stage
	make func(context.Context, *Manifest) error
}

func (s step) run(ctx context.Context) error {
	for i := range s.in {
		if m := &s.in[i]; s.of(m) == s.at {
			if err := s.make(ctx, m); err != nil {
				return err
			}
		}
	}
	return nil
}

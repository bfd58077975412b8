package rest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/front"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/media"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

// serve builds the stored version and then the others, which refer to it.
func (r *declared) serve(env *resource.Environment) (*front.Served, error) {
	r.Names.Kind = r.kindName()
	res, err := r.build(env, nil)
	if err == nil {
		err = addVersions(res, r.versions)
	}
	if err != nil {
		return nil, fmt.Errorf("kind %q: %w", r.Names.Kind, err)
	}
	return res, nil
}

// build makes one version of the resource. stored is the stored version, or nil if this is the stored version itself.
func (r *declared) build(env *resource.Environment, stored *front.Served) (*front.Served, error) {
	res := &front.Served{Unserved: r.Stage.NotServed, InCache: new(byte)}
	d, err := r.declaration()
	if err != nil {
		return nil, err
	}
	r.declareSubresources(&d, func(sub *front.Subresource) { res.Shown = append(res.Shown, sub) })
	var storedVersion *resource.Resource
	var storedMedia *media.Kind
	if stored != nil {
		storedVersion, storedMedia = stored.Resource, stored.Media
	}
	if res.Resource, err = resource.New(env, d, storedVersion); err != nil {
		return nil, err
	}
	empty, err := res.Empty()
	if err != nil {
		return nil, err
	}
	message, err := media.MessageOf(r.goType, env.KnownTypes())
	if err != nil {
		return nil, err
	}
	res.Media, err = media.NewKind(media.Declaration{
		Kind: res.Kind, Dialect: res.Dialect, Message: message, Columns: shownColumns(r.Columns), GoType: res.GoType,
		Empty: empty, Show: res.Show, Now: env.Now, Stored: storedMedia,
	})
	if err != nil {
		return nil, err
	}
	return res, showSubresources(res)
}

// declareSubresources adds the host's subresources to a declaration. It calls built with each subresource once that is
// built.
func (r *declared) declareSubresources(d *resource.Declaration, built func(*front.Subresource)) {
	for _, s := range r.subresources {
		d.Subresources = append(d.Subresources, func(parent *resource.Resource) (*resource.Subresource, error) {
			if s == nil {
				return nil, errors.New("a subresource is nil")
			}
			sub, err := s.subresource(parent)
			if err != nil {
				return nil, err
			}
			built(sub)
			return sub.Subresource, nil
		})
	}
}

// declaration translates a Resource for package resource, which knows no Go types of kinds and no HTTP.
func (r *declared) declaration() (d resource.Declaration, err error) {
	d = resource.Declaration{
		Kind: &kind.Kind{
			GroupVersionKind: apimeta.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: r.Names.Kind},
			Plural:           r.Plural, Singular: r.Names.Singular, ListKind: r.Names.ListKind,
			ShortNames: slices.Clone(r.Names.Short), Categories: slices.Clone(r.Names.Categories),
			Description: r.Description, Namespaced: r.Scope == ScopeNamespaced, Virtual: r.has("Call"),
			SelectableFields: slices.Clone(r.SelectableFields),
		},
		Dialect: r.Wire.Dialect.rules(),
		Traits: resource.Traits{
			CheckName: r.Names.Rule.check, Singleton: r.Singleton, CreateOnUpdate: r.Wire.CreateOnUpdate,
			RemoveWhenDue: r.RemoveWhenDue,
			TimeToLive:    r.TimeToLive, MarkedFor: r.Wire.MarkedFor, ReturnDeleted: r.Wire.ReturnDeleted,
			Untracked: r.Wire.Untracked, Strategy: r.strategy,
			StatusOnCreate: r.Wire.StatusOnCreate, AnswerStatus: r.Wire.AnswerStatus, Parts: slices.Clone(r.Wire.Parts),
			StatusParts: slices.Clone(r.Wire.StatusParts),
		},
		GoType: r, Overlay: r.Overlay, IndexedLabels: slices.Clone(r.IndexedLabels),
	}
	switch virtual := r.has("Call"); {
	case r.Wire.AnswerStatus && !virtual:
		return d, errors.New("Wire.AnswerStatus needs Hooks.Call")
	case r.has("CallDryRun") && !virtual:
		return d, errors.New("Hooks.CallDryRun needs Hooks.Call")
	}
	if d.Traits.History, err = r.History.traits(r.Group == "" && r.Plural == "secrets"); err != nil {
		return d, err
	}
	if d.Rules, err = setOf(r.Rules); err != nil {
		return d, fmt.Errorf("Rules: %w", err)
	}
	for _, v := range r.Verbs {
		d.Kind.Verbs = append(d.Kind.Verbs, string(v))
	}
	if d.Kind.ListKind == "" {
		d.Kind.ListKind = r.Names.Kind + "List"
	}
	if d.Kind.Singular == "" {
		d.Kind.Singular = strings.ToLower(r.Names.Kind)
	}
	if r.Stage.Deprecated {
		if d.Kind.Warning = r.Stage.Warning; d.Kind.Warning == "" {
			d.Kind.Warning = fmt.Sprintf("%s %s is deprecated", d.Kind.GroupVersion(), r.Names.Kind)
		}
	}
	if r.Wire.Generation {
		d.Dialect.Generation = true
	}
	if r.Wire.VersionRequired {
		d.Dialect.UnconditionalUpdate = false
	}
	if r.Wire.PlainMetadata {
		d.Dialect.CoreMetadata = false
	}
	if r.Scale != nil {
		paths := resource.ScalePaths(*r.Scale)
		d.Scale = &paths
	}
	return d, r.declareSchema(&d)
}

// showSubresources puts the subresources that the API adds itself, such as status and scale, in front of those of the
// host. This is their order in discovery.
func showSubresources(res *front.Served) error {
	var own []*front.Subresource
	for _, sub := range res.Resource.Subresources[:len(res.Resource.Subresources)-len(res.Shown)] {
		shown := &front.Subresource{Subresource: sub}
		if sub.History || sub.Undo {
			shown.Media = media.OfSubresource(res.Kind, res.Dialect, nil)
		}
		if sub.KindImplied {
			var err error
			if shown.Media, err = res.Media.Scale(sub.Schema); err != nil {
				return err
			}
		}
		own = append(own, shown)
	}
	res.Shown = append(own, res.Shown...)
	return nil
}

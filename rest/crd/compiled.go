package crd

import (
	"context"
	"errors"
	"fmt"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/status"
)

// compiled are the definitions of the kinds that the host declares itself, by name. Clients read them, and only the
// plug-in writes them.
type compiled map[string]*apiextensions.CustomResourceDefinition

// compiledOf returns the definitions of the kinds in [Options].Compiled. A kind that a definition cannot describe is
// left out, and the log names it.
func (o Options) compiledOf() (compiled, error) {
	all := compiled{}
	for _, declared := range o.Compiled {
		object, _, err := manifestOf(declared)
		if err != nil {
			o.Logger.Warn("crd: a kind of the host is not shown as a definition", "reason", reasonOf(err))
			continue
		}
		text, err := codec.Marshal(object)
		if err != nil {
			return nil, err
		}
		d := &apiextensions.CustomResourceDefinition{}
		if err := codec.Unmarshal(text, d); err != nil {
			return nil, err
		}
		d.Annotations = map[string]string{apiextensions.CompiledAnnotation: "true"}
		if all[d.Name] != nil {
			return nil, fmt.Errorf("crd: Options.Compiled has the kind %q twice", d.Name)
		}
		all[d.Name] = d
	}
	return all, nil
}

// isCompiled reports whether a stored definition shows a kind of a host. A replica of another release may have written
// it, so the mark counts, and not only what this host declares.
func isCompiled(d *apiextensions.CustomResourceDefinition) bool {
	return d.Annotations[apiextensions.CompiledAnnotation] != ""
}

// withoutCompiled returns the definitions whose kinds the plug-in serves.
func withoutCompiled(all []*apiextensions.CustomResourceDefinition) (others []*apiextensions.CustomResourceDefinition) {
	for _, d := range all {
		if !isCompiled(d) {
			others = append(others, d)
		}
	}
	return others
}

// ownKey is the key of the context value of the plug-in's own writes.
type ownKey struct{}

// isOwn reports whether a write is the plug-in's own.
func isOwn(ctx context.Context) bool { return ctx.Value(ownKey{}) != nil }

// admission returns the hooks that refuse what clients may not write: the definitions of the host's kinds, or any
// definition if the host says so. The validation of definitions protects the mark.
func (d *Definitions) admission(all compiled) []admission.Hook {
	if len(all) == 0 && !d.options.ReadOnly {
		return nil
	}
	refuse := func(ctx context.Context, r *admission.Request) error {
		why := "this server serves only the kinds that it was compiled with"
		switch {
		case isOwn(ctx), all[r.Name] == nil && !d.options.ReadOnly:
			return nil
		case all[r.Name] != nil:
			why = "the server itself declares this kind; its definition only shows it"
		}
		return status.Forbidden(apimeta.GroupResource{Group: apiextensions.Group, Resource: "customresourcedefinitions"},
			r.Name, why)
	}
	// Mutate refuses before the validation of the definition does, and Validate refuses deletions too.
	return []admission.Hook{{Name: "compiled.definitions", Mutate: refuse, Validate: refuse,
		SideEffects: admission.SideEffectsNone,
		Operations:  []admission.Operation{admission.Create, admission.Update, admission.Delete},
		Resources:   []string{resourceName, "customresourcedefinitions." + apiextensions.Group + "/*"}}}
}

// errForeign is the error for a definition that a client has stored under the name of a kind of the host.
var errForeign = errors.New("a client has stored this definition, but the host declares the kind itself: delete the " +
	"definition with a host that does not show it, or rename the kind")

// show makes the store have the definitions of the host's kinds, and no others with the mark.
func (k *kinds) show(ctx context.Context, all compiled) error {
	ctx = context.WithValue(ctx, ownKey{}, true)
	stored, _, err := k.list(ctx)
	if err != nil {
		return err
	}
	found := map[string]bool{}
	for _, d := range stored {
		switch wanted := all[d.Name]; {
		case !isCompiled(d) && wanted != nil:
			return fmt.Errorf("crd: definition %q: %w", d.Name, errForeign)
		case !isCompiled(d):
		case wanted == nil || d.DeletionTimestamp != nil: // a former start may have ended between the steps of hide
			err = k.hide(ctx, d.Name)
		default:
			found[d.Name] = true
			err = k.showAgain(ctx, wanted)
		}
		if err != nil {
			return fmt.Errorf("crd: definition %q: %w", d.Name, err)
		}
	}
	for name, d := range all {
		if found[name] {
			continue
		}
		if err := k.showFirst(ctx, d); err != nil {
			return fmt.Errorf("crd: definition %q: %w", name, err)
		}
	}
	return nil
}

// showFirst creates a definition. Another replica may do so at the same time.
func (k *kinds) showFirst(ctx context.Context, wanted *apiextensions.CustomResourceDefinition) error {
	created := *wanted
	_, err := k.client.Create(ctx, &created)
	if status.IsAlreadyExists(err) {
		return k.showAgain(ctx, wanted)
	}
	if err == nil {
		err = k.reportShown(ctx, wanted.Name)
	}
	return err
}

// showAgain updates a definition of an earlier release. If the kind has given up a version, the definition is made
// anew, because a definition keeps the versions in which objects may be stored.
func (k *kinds) showAgain(ctx context.Context, wanted *apiextensions.CustomResourceDefinition) error {
	_, err := k.client.Modify(ctx, wanted.Name, func(d *apiextensions.CustomResourceDefinition) error {
		d.Spec = wanted.Spec
		return nil
	})
	if status.IsInvalid(err) {
		if err = k.hide(ctx, wanted.Name); err != nil {
			return err
		}
		return k.showFirst(ctx, wanted)
	}
	if err == nil {
		err = k.reportShown(ctx, wanted.Name)
	}
	return err
}

// reportShown writes the status of a definition whose kind the host serves.
func (k *kinds) reportShown(ctx context.Context, name string) error {
	_, err := k.client.ModifyStatus(ctx, name, func(d *apiextensions.CustomResourceDefinition) error {
		d.Status.AcceptedNames = d.Spec.Names
		now := k.api.Objects().Now
		set(&d.Status, condition{Type: apiextensions.NamesAccepted, Status: apimeta.ConditionTrue, Reason: "NoConflicts",
			Message: "no conflicts found"}, now)
		set(&d.Status, condition{Type: apiextensions.Established, Status: apimeta.ConditionTrue,
			Reason: "InitialNamesAccepted", Message: "the initial names have been accepted"}, now)
		return nil
	})
	return err
}

// hide removes a definition with the mark. The deletion adds a finalizer, as for every definition, but there is nothing
// to wait for: the objects of the kind are the host's.
func (k *kinds) hide(ctx context.Context, name string) error {
	err := k.client.Delete(ctx, name, rest.DeleteOptions{})
	if err == nil {
		_, err = k.client.Modify(ctx, name, func(d *apiextensions.CustomResourceDefinition) error {
			d.Finalizers = nil
			return nil
		})
	}
	if status.IsNotFound(err) {
		return nil
	}
	return err
}

package crd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/rest/internal/notes"
	"github.com/decorum-go/decorum/storage"
)

// forms keep the older generations of definitions that the API serves because it cannot serve the newest ones. So the
// API serves them again after a restart, and on replicas that start later. They are notes in the store, by the name of
// the definition.
//
// A form must not outlive the moment in which some replica serves the newest generation: objects may have fields of
// that generation from then on, which an older one prunes. It belongs to run.
type forms struct {
	notes *notes.Notes
	kept  map[string]bool // the definitions that may have a form
}

// openForms drops the forms of definitions that are gone.
func openForms(ctx context.Context, n *notes.Notes,
	definitions []*apiextensions.CustomResourceDefinition) (*forms, error) {
	f := &forms{notes: n, kept: map[string]bool{}}
	all, _, err := n.List(ctx)
	if err != nil {
		return nil, err
	}
	present := map[string]bool{}
	for _, d := range definitions {
		present[d.Name] = true
	}
	for _, form := range all {
		f.kept[form.Name] = present[form.Name]
		if !present[form.Name] {
			if err := n.Delete(ctx, form.Name); err != nil && !isOfStore(err) {
				return nil, err
			}
		}
	}
	return f, nil
}

// keep keeps the form in which the API serves a kind.
func (f *forms) keep(ctx context.Context, kind *kindOf) error {
	if f.kept[kind.definition] {
		return nil
	}
	form := apiextensions.CustomResourceDefinition{Spec: kind.spec}
	form.Name, form.UID, form.Generation = kind.definition, kind.uid, kind.generation
	form.Annotations, form.Spec.Versions = kind.history, nil
	for _, v := range kind.spec.Versions { // their schemas may be texts, which cannot be encoded
		if text := v.Schema.Text(); text != nil {
			v.Schema = &apiextensions.CustomResourceValidation{}
			if err := codec.Unmarshal(text, &v.Schema.OpenAPIV3Schema); err != nil {
				return err
			}
		}
		form.Spec.Versions = append(form.Spec.Versions, v)
	}
	content, err := codec.Marshal(&form)
	if err != nil {
		return err
	}
	err = f.notes.Put(ctx, kind.definition, json.RawMessage(content), func(old notes.Note) bool {
		other, err := apiextensions.ReadStored(old.Content) // another replica may be ahead
		return err == nil && other.UID == kind.uid && other.Generation >= kind.generation
	})
	if err == nil {
		f.kept[kind.definition] = true
	}
	return err
}

// find returns the form of a definition, or nil if it has none.
func (f *forms) find(ctx context.Context, d *definition) (*kindOf, error) {
	note, err := f.notes.Get(ctx, d.Name, storage.MostRecent)
	if errors.Is(err, storage.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	f.kept[d.Name] = true
	form, err := apiextensions.ReadStored(note.Content)
	if err != nil {
		return nil, fmt.Errorf("the form of definition %s: %w", d.Name, err)
	}
	if form.UID != d.UID || form.Spec.Scope != d.Spec.Scope {
		return nil, nil
	}
	return newKind(&definition{CustomResourceDefinition: form}, form.Spec.Names), nil
}

// drop drops the form of a definition, which another replica may have kept.
func (f *forms) drop(ctx context.Context, d *definition) error {
	if !f.kept[d.Name] && establishedReason(d) != reasonOlder {
		return nil
	}
	err := f.notes.Delete(ctx, d.Name)
	if err == nil {
		delete(f.kept, d.Name)
	}
	return err
}

// reasonOlder is the reason of the condition Established while the API serves an older generation.
const reasonOlder = "OlderGenerationServed"

func establishedReason(d *definition) string {
	for _, c := range d.Status.Conditions {
		if c.Type == apiextensions.Established {
			return c.Reason
		}
	}
	return ""
}

// keepForm keeps the older generation that the API serves after an attempt to serve the newest one, which has failed
// unless failed is nil, or drops it if nothing needs it any more.
func (k *kinds) keepForm(ctx context.Context, d *definition, failed error) error {
	switch served := k.served[d.Name]; {
	case d.DeletionTimestamp != nil:
		return k.forms.drop(ctx, d)
	case served == nil || failed != nil && isOfStore(failed):
		return nil
	case failed == nil:
		return k.forms.drop(ctx, d)
	default:
		return k.forms.keep(ctx, served)
	}
}

// serveOlder serves a definition in the last form that worked, if the API cannot serve the newest generation since its
// start. It reports whether it does. The form may need the webhook, so serveOlder waits no longer than patience.
func (k *kinds) serveOlder(ctx context.Context, d *definition) bool {
	if d.DeletionTimestamp != nil {
		return false // its objects can be deleted without a schema
	}
	form, err := k.forms.find(ctx, d)
	if err == nil && form != nil {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		err = k.declare(ctx, form, k.api.AddResources)
	}
	if err != nil && ctx.Err() == nil {
		k.options.Logger.Error("crd: the API cannot serve the older generation of a definition", "definition", d.Name,
			"error", err)
	}
	return err == nil && form != nil
}

package objectmeta

import (
	"fmt"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// Stage says where duplicate owner references were found. The warning depends on it.
type Stage string

const (
	// AsSent: in what the client sent.
	AsSent Stage = ""
	// AfterMutation: in the result of a patch or of a mutating admission hook.
	AfterMutation Stage = " after mutating admission happens"
)

// WithoutRepeatedOwners drops duplicate owner references. The warning is empty if there are none.
func WithoutRepeatedOwners(obj doc.Value, stage Stage) (without doc.Value, warning string) {
	owners := Of(obj).Get(Owners)
	if owners.Kind() != doc.List || owners.Len() < 2 {
		return obj, ""
	}
	var kept []doc.Value
	var repeated []string
	seen := map[string]bool{} // by text: owner references hold no numbers, so equal ones have equal texts
	var text []byte
	for _, owner := range owners.Elements() {
		text = codec.AppendJSON(text[:0], owner)
		if seen[string(text)] {
			repeated = append(repeated, owner.Get("uid").Text())
			continue
		}
		seen[string(text)] = true
		kept = append(kept, owner)
	}
	if len(repeated) == 0 {
		return obj, ""
	}
	warning = fmt.Sprintf(".metadata.ownerReferences contains duplicate entries%s; API server dedups owner references in 1.20+, "+
		"and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: %s", stage, strings.Join(repeated, ", "))
	return obj.WithAt(doc.ListOf(kept...), "metadata", Owners), warning
}

func validateOwners(owners doc.Value) status.FieldErrors {
	if owners.Len() == 0 {
		return nil
	}
	path := at(Owners)
	var errs status.FieldErrors
	controller, shown := "", 0
	for _, owner := range owners.Elements() {
		if len(errs) >= maxErrors {
			break
		}
		apiVersion, kind, name := owner.Get("apiVersion").Text(), owner.Get("kind").Text(), owner.Get("name").Text()
		gv, err := apimeta.ParseGroupVersion(apiVersion)
		switch {
		case err != nil || gv.Version == "":
			errs = append(errs, status.InvalidField(path.Child("apiVersion"), apiVersion, "version must not be empty"))
		case gv.Group == "" && gv.Version == "v1" && kind == "Event":
			errs = append(errs, status.InvalidField(path, ownerReference(owner), "/v1, Kind=Event is disallowed from being an owner"))
		}
		for _, field := range []string{"kind", "name", "uid"} {
			if owner.Get(field).Text() == "" {
				errs = append(errs, status.InvalidField(path.Child(field), "", "must not be empty"))
			}
		}
		if !owner.Get("controller").Bool() {
			continue
		}
		if controller == "" {
			controller = kind + "/" + name
			continue
		}
		errs = append(errs, status.InvalidField(path, ownerReferences(owners),
			fmt.Sprintf("Only one reference can have Controller set to true. Found \"true\" in references for %s and %s/%s", controller, kind, name)))
		if shown += owners.Len(); shown > maxErrors {
			break // each of these errors shows all owners
		}
	}
	return errs
}

func ownerReference(v doc.Value) apimeta.OwnerReference {
	o := apimeta.OwnerReference{APIVersion: v.Get("apiVersion").Text(), Kind: v.Get("kind").Text(), Name: v.Get("name").Text(), UID: v.Get("uid").Text()}
	for field, into := range map[string]**bool{"controller": &o.Controller, "blockOwnerDeletion": &o.BlockOwnerDeletion} {
		if b := v.Get(field); b.Kind() == doc.Bool {
			set := b.Bool()
			*into = &set
		}
	}
	return o
}

func ownerReferences(v doc.Value) []apimeta.OwnerReference {
	var out []apimeta.OwnerReference
	for _, o := range v.Elements() {
		out = append(out, ownerReference(o))
	}
	return out
}

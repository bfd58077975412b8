package objectmeta

import (
	"fmt"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// maxErrors is about how many errors of one part of the metadata are reported: an answer must not be many times the size of
// its request.
const maxErrors = 100

// Rules are the facts about a kind that the rules of its metadata depend on.
type Rules struct {
	// CheckName returns what is wrong with a name.
	CheckName func(name string) []string
	// Namespaced objects have a namespace.
	Namespaced bool
	// Nameless objects are never stored and need no name.
	Nameless bool
	// Core adds the rules of the core group: a finalizer needs a domain, and updates check generateName too.
	Core bool
	// WarnOfBareFinalizers accepts a new finalizer without a domain with a warning.
	WarnOfBareFinalizers bool
}

// Validate checks an object's metadata. old is absent on create. The warnings do not make the metadata invalid.
func (r Rules) Validate(obj, old doc.Value) (errs status.FieldErrors, warnings []string) {
	m := Of(obj)
	errs = append(r.validateNames(m, old), r.validateNamespace(m, old)...)
	if generation, ok := m.Get(Generation).Int(); ok && generation < 0 && old.IsAbsent() {
		errs = append(errs, status.InvalidField(at(Generation), generation, "must be greater than or equal to 0"))
	}
	errs = append(errs, validateLabels(m.Get(Labels))...)
	errs = append(errs, validateAnnotations(m.Get(Annotations))...)
	errs = append(errs, validateOwners(m.Get(Owners))...)
	ofFinalizers, warnings := r.validateFinalizers(obj, old)
	errs = append(errs, ofFinalizers...)
	if !old.IsAbsent() {
		errs = append(errs, validateUpdate(obj, old)...)
	}
	return errs, warnings
}

// at is the path of a member of the metadata.
func at(field string) *status.Path { return status.Field("metadata", field) }

func (r Rules) validateNames(m, old doc.Value) (errs status.FieldErrors) {
	if base := m.Get(GenerateName).Text(); base != "" && (old.IsAbsent() || r.Core) {
		for _, msg := range r.CheckName(asPrefix(base)) {
			errs = append(errs, status.InvalidField(at(GenerateName), base, msg))
		}
	}
	switch name := m.Get(Name).Text(); {
	case r.Nameless:
	case name == "":
		errs = append(errs, status.RequiredField(at(Name), "name or generateName is required"))
	case old.IsAbsent():
		for _, msg := range r.CheckName(name) {
			errs = append(errs, status.InvalidField(at(Name), name, msg))
		}
	}
	return errs
}

func (r Rules) validateNamespace(m, old doc.Value) (errs status.FieldErrors) {
	switch namespace := m.Get(Namespace).Text(); {
	case r.Namespaced && namespace != "" && old.IsAbsent():
		for _, msg := range apimeta.ValidateDNS1123Label(namespace) {
			errs = append(errs, status.InvalidField(at(Namespace), namespace, msg))
		}
	case r.Namespaced && namespace == "":
		errs = append(errs, status.RequiredField(at(Namespace), ""))
	case !r.Namespaced && namespace != "":
		errs = append(errs, status.ForbiddenField(at(Namespace), "not allowed on this type"))
	}
	return errs
}

// validateUpdate checks what may not change in an update.
func validateUpdate(obj, old doc.Value) status.FieldErrors {
	var errs status.FieldErrors
	m, before := Of(obj), Of(old)
	if uid := m.Get(UID); uid.Text() != before.Get(UID).Text() {
		errs = append(errs, status.InvalidField(at(UID), uid.Text(), "field is immutable"))
	}
	for _, field := range []string{DeletionTimestamp, GracePeriod} {
		if v, was := m.Get(field), before.Get(field); !doc.Equal(v, was) {
			errs = append(errs, status.InvalidField(at(field), shown(v), "field is immutable"))
		}
	}
	if Deleting(old) {
		had := setOf(FinalizersOf(old))
		var added []string
		for _, f := range FinalizersOf(obj) {
			if !had[f] {
				added = append(added, f)
			}
		}
		if len(added) > 0 {
			errs = append(errs, status.ForbiddenField(at(Finalizers),
				fmt.Sprintf("no new finalizers can be added if the object is being deleted, found new finalizers %#v", added)))
		}
	}
	return errs
}

// shown is a value as an error shows it.
func shown(v doc.Value) any {
	if i, ok := v.Int(); ok {
		return i
	}
	return v.Text()
}

func validateLabels(labels doc.Value) (errs status.FieldErrors) {
	if labels.Len() == 0 {
		return nil
	}
	path := at(Labels)
	for key, value := range labels.Members() {
		if len(errs) >= maxErrors {
			break
		}
		for _, msg := range apimeta.ValidateLabelKey(key) {
			errs = append(errs, status.InvalidField(path, key, msg))
		}
		for _, msg := range apimeta.ValidateLabelValue(value.Text()) {
			errs = append(errs, status.InvalidField(path, value.Text(), msg))
		}
	}
	return errs
}

func validateAnnotations(annotations doc.Value) (errs status.FieldErrors) {
	if annotations.Len() == 0 {
		return nil
	}
	path := at(Annotations)
	total := 0
	for key, value := range annotations.Members() {
		if len(errs) < maxErrors {
			for _, msg := range apimeta.ValidateQualifiedName(strings.ToLower(key)) {
				errs = append(errs, status.InvalidField(path, key, msg))
			}
		}
		total += len(key) + len(value.Text())
	}
	if total > apimeta.TotalAnnotationsLimit {
		errs = append(errs, status.TooLongField(path, "", apimeta.TotalAnnotationsLimit))
	}
	return errs
}

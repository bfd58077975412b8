package objectmeta

import (
	"fmt"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// Finalizers whose names need no domain (API conventions, Metadata).
const (
	FinalizerOrphan     = "orphan"
	FinalizerForeground = "foregroundDeletion"
	FinalizerNamespace  = "kubernetes"
)

// FinalizersOf returns the finalizers of an object.
func FinalizersOf(obj doc.Value) []string {
	var out []string
	for _, f := range Of(obj).Get(Finalizers).Elements() {
		out = append(out, f.Text())
	}
	return out
}

// validateFinalizers refuses finalizers that are not qualified names. A finalizer without a domain is an error or, if it is
// new, a warning, as the rules say.
func (r Rules) validateFinalizers(obj, old doc.Value) (errs status.FieldErrors, warnings []string) {
	finalizers := FinalizersOf(obj)
	if len(finalizers) == 0 {
		return nil, nil
	}
	path := at(Finalizers)
	var bare status.FieldErrors
	for i, f := range finalizers {
		if len(errs)+len(bare) >= maxErrors {
			break
		}
		errs = append(errs, UnqualifiedFinalizer(path, f)...)
		if r.Core {
			bare = append(bare, BareFinalizer(path.Index(i), f)...)
		}
	}
	if slices.Contains(finalizers, FinalizerOrphan) && slices.Contains(finalizers, FinalizerForeground) {
		errs = append(errs, status.InvalidField(path, finalizers, "finalizer orphan and foregroundDeletion cannot be both set"))
	}
	if r.WarnOfBareFinalizers && len(errs) == 0 {
		warnings = bareFinalizerWarnings(finalizers, FinalizersOf(old))
	}
	return append(errs, bare...), warnings
}

// UnqualifiedFinalizer returns the errors of a finalizer that is not a qualified name.
func UnqualifiedFinalizer(path *status.Path, finalizer string) (errs status.FieldErrors) {
	for _, msg := range apimeta.ValidateQualifiedName(finalizer) {
		errs = append(errs, status.InvalidField(path, finalizer, msg))
	}
	return errs
}

// BareFinalizer returns the error of a finalizer that needs a domain and has none.
func BareFinalizer(path *status.Path, finalizer string) status.FieldErrors {
	if !isBare(finalizer) {
		return nil
	}
	return status.FieldErrors{status.InvalidField(path, finalizer, "name is neither a standard finalizer name nor is it fully qualified")}
}

func isBare(finalizer string) bool {
	return !strings.Contains(finalizer, "/") && finalizer != FinalizerOrphan && finalizer != FinalizerForeground && finalizer != FinalizerNamespace
}

func bareFinalizerWarnings(finalizers, before []string) (warnings []string) {
	if !slices.ContainsFunc(finalizers, isBare) {
		return nil
	}
	had := setOf(before)
	added := slices.DeleteFunc(slices.Clone(finalizers), func(f string) bool { return !isBare(f) || had[f] })
	slices.Sort(added)
	for _, f := range added {
		better := "a domain-qualified finalizer name"
		if strings.Contains(f, ".") {
			better += " including a path (/)"
		}
		warnings = append(warnings, fmt.Sprintf("metadata.finalizers: %q: prefer %s to avoid accidental conflicts with other finalizer writers", f, better))
	}
	return warnings
}

func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

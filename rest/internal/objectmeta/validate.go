package objectmeta

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// maxErrors is about how many errors in one part of the metadata are reported. Without a limit, an answer could be many
// times as large as its request.
const maxErrors = 100

// Rules are the facts about a kind on which the rules of its metadata depend.
type Rules struct {
	// CheckName returns the faults of a name.
	CheckName func(name string) []string
	// Namespaced says that the objects have a namespace.
	Namespaced bool
	// Nameless says that the objects are never stored and need no name.
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

// at returns the path of a field of the metadata.
func at(field string) *status.Path { return status.NewPath("metadata", field) }

// validateNames checks the name and the generateName.
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

// validateNamespace checks that a namespaced object has a valid namespace, and any other object none.
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

// validateUpdate checks that an update does not change immutable metadata.
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

// shown returns a value in the form in which errors show it.
func shown(v doc.Value) any {
	if i, ok := v.Int(); ok {
		return i
	}
	return v.Text()
}

// validateLabels checks the keys and the values of labels.
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

// validateAnnotations checks the keys of annotations and their total size.
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

// The finalizers that need no domain in their names (API conventions, Metadata).
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

// validateFinalizers refuses finalizers that are not qualified names. For a finalizer without a domain, the rules
// decide: it is an error or, if it is new, a warning.
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
		errs = append(errs, status.InvalidField(path, finalizers,
			"finalizer orphan and foregroundDeletion cannot be both set"))
	}
	if r.WarnOfBareFinalizers && len(errs) == 0 {
		warnings = bareFinalizerWarnings(finalizers, FinalizersOf(old))
	}
	return append(errs, bare...), warnings
}

// UnqualifiedFinalizer returns the errors for a finalizer that is not a qualified name.
func UnqualifiedFinalizer(path *status.Path, finalizer string) (errs status.FieldErrors) {
	for _, msg := range apimeta.ValidateFinalizerName(finalizer) {
		errs = append(errs, status.InvalidField(path, finalizer, msg))
	}
	return errs
}

// BareFinalizer returns the errors for a finalizer that needs a domain but has none.
func BareFinalizer(path *status.Path, finalizer string) (errs status.FieldErrors) {
	for _, msg := range apimeta.ValidateBuiltinFinalizerName(finalizer) {
		errs = append(errs, status.InvalidField(path, finalizer, msg))
	}
	return errs
}

func isBare(finalizer string) bool { return len(apimeta.ValidateBuiltinFinalizerName(finalizer)) > 0 }

// bareFinalizerWarnings returns a warning for each new finalizer that needs a domain but has none.
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

// Stage says where duplicate owner references were found. The text of the warning contains it.
type Stage string

const (
	// AsSent: in the body that the client sent.
	AsSent Stage = ""
	// AfterMutation: in the result of a patch or of a mutating admission hook.
	AfterMutation Stage = " after mutating admission happens"
)

// WithoutRepeatedOwners removes duplicate owner references. The warning is empty if it found none.
func WithoutRepeatedOwners(obj doc.Value, stage Stage) (without doc.Value, warning string) {
	owners := Of(obj).Get(Owners)
	if owners.Kind() != doc.List || owners.Len() < 2 {
		return obj, ""
	}
	var kept []doc.Value
	var repeated []string
	seen := map[string]bool{} // the keys are JSON; owner references hold no numbers, so equal ones have equal texts
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
		"and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: %s", stage,
		strings.Join(repeated, ", "))
	return obj.WithAt(doc.ListOf(kept...), "metadata", Owners), warning
}

// validateOwners checks each owner reference, and that at most one of them is the controller.
func validateOwners(owners doc.Value) status.FieldErrors {
	if owners.Len() == 0 {
		return nil
	}
	path := at(Owners)
	var errs status.FieldErrors
	controller, shown := "", 0
	for i, owner := range owners.Elements() {
		if len(errs) >= maxErrors {
			break
		}
		apiVersion, kind, name := owner.Get("apiVersion").Text(), owner.Get("kind").Text(), owner.Get("name").Text()
		gv, err := apimeta.ParseGroupVersion(apiVersion)
		for _, field := range []string{"apiVersion", "kind", "name", "uid"} {
			if owner.Get(field).Text() == "" {
				errs = append(errs, status.RequiredField(path.Index(i).Child(field), "must not be empty"))
			}
		}
		if apiVersion != "" && (err != nil || gv.Version == "") {
			errs = append(errs, status.InvalidField(path.Index(i).Child("apiVersion"), apiVersion,
				"must be <group>/<version> or <version>"))
		}
		if gv == (apimeta.GroupVersion{Version: "v1"}) && kind == "Event" {
			errs = append(errs, status.InvalidField(path.Index(i), ownerReference(owner),
				"/v1, Kind=Event is disallowed from being an owner"))
		}
		if !owner.Get("controller").Bool() {
			continue
		}
		if controller == "" {
			controller = kind + "/" + name
			continue
		}
		errs = append(errs, status.InvalidField(path, ownerReferences(owners),
			fmt.Sprintf("Only one reference can have Controller set to true. Found \"true\" in references for %s and %s/%s",
				controller, kind, name)))
		if shown += owners.Len(); shown > maxErrors {
			break // each of these errors shows all owners, so a few make a large answer
		}
	}
	return errs
}

// ownerReference decodes an owner reference for an error, which shows it as a Go value.
func ownerReference(v doc.Value) apimeta.OwnerReference {
	o := apimeta.OwnerReference{APIVersion: v.Get("apiVersion").Text(), Kind: v.Get("kind").Text(),
		Name: v.Get("name").Text(), UID: v.Get("uid").Text()}
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

const (
	// maxFieldManager is the longest name of a field manager, in bytes.
	maxFieldManager = 128
	// maxSubresourceName is the longest name of a subresource in an entry of managedFields, in bytes.
	maxSubresourceName = 256
)

// ManagerOf returns the field manager of a client that names none: its User-Agent up to the first slash, without the
// characters that cannot be printed, cut off at the longest name of a field manager.
func ManagerOf(userAgent string) string {
	name, _, _ := strings.Cut(userAgent, "/")
	if len(name) <= maxFieldManager && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return name
	}
	var out strings.Builder
	for _, r := range name {
		switch {
		case !unicode.IsPrint(r):
		case out.Len()+utf8.RuneLen(r) > maxFieldManager:
			return out.String()
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// ValidateFieldManager refuses a name of a field manager that is too long or contains characters that cannot be
// printed.
func ValidateFieldManager(path *status.Path, manager string) status.FieldErrors {
	if len(manager) > maxFieldManager {
		return status.FieldErrors{status.TooLongField(path, manager, maxFieldManager)}
	}
	var errs status.FieldErrors
	for i, r := range manager {
		if !strconv.IsPrint(r) {
			errs = append(errs, status.InvalidField(path, manager, fmt.Sprintf("invalid character %#U (at position %d)", r, i)))
		}
	}
	return errs
}

// ValidateManagedFields refuses entries with an invalid name of a manager or a subresource. Package managed checks the
// form of the entries when it reads them.
func ValidateManagedFields(obj doc.Value) status.FieldErrors {
	var errs status.FieldErrors
	for i, e := range Of(obj).Get(ManagedFields).Elements() {
		path := func(member string) *status.Path { return at(ManagedFields).Index(i).Child(member) }
		if len(errs) >= maxErrors {
			break
		}
		manager := e.Get("manager").Text()
		if len(ValidateFieldManager(nil, manager)) > 0 { // only an error needs a path
			errs = append(errs, ValidateFieldManager(path("manager"), manager)...)
		}
		if len(e.Get("subresource").Text()) > maxSubresourceName {
			errs = append(errs, status.TooLongField(path("subresource"), "", maxSubresourceName))
		}
	}
	return errs
}

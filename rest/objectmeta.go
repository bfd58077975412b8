package rest

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// Members of metadata that the pipeline reads or writes.
const (
	fieldName              = "name"
	fieldGenerateName      = "generateName"
	fieldNamespace         = "namespace"
	fieldUID               = "uid"
	fieldResourceVersion   = "resourceVersion"
	fieldGeneration        = "generation"
	fieldCreationTimestamp = "creationTimestamp"
	fieldDeletionTimestamp = "deletionTimestamp"
	fieldGracePeriod       = "deletionGracePeriodSeconds"
	fieldLabels            = "labels"
	fieldAnnotations       = "annotations"
	fieldOwners            = "ownerReferences"
	fieldFinalizers        = "finalizers"
	fieldManagedFields     = "managedFields"
	fieldSelfLink          = "selfLink"
)

// Finalizers with a meaning of their own (API conventions, Metadata).
const (
	finalizerOrphan     = apimeta.FinalizerOrphanDependents
	finalizerForeground = apimeta.FinalizerDeleteDependents
)

func metadataOf(obj doc.Value) doc.Value { return obj.Get("metadata") }

func nameOf(obj doc.Value) string { return metadataOf(obj).Get(fieldName).Text() }

func finalizersOf(obj doc.Value) []string {
	var out []string
	for _, f := range metadataOf(obj).Get(fieldFinalizers).Elements() {
		out = append(out, f.Text())
	}
	return out
}

func isDeleting(obj doc.Value) bool {
	return metadataOf(obj).Get(fieldDeletionTimestamp).Kind() == doc.String
}

// metadataForCreate fills in what the server sets on a new object and clears what a client may not set
// (API conventions, Metadata). The resourceVersion is put in at commit.
func (res *resource) metadataForCreate(obj doc.Value, namespace string) doc.Value {
	changes := []doc.Member{ // sorted
		{Key: fieldCreationTimestamp, Value: doc.Of(res.timestamp())},
		{Key: fieldGracePeriod},
		{Key: fieldDeletionTimestamp},
		{Key: fieldGeneration},
		{Key: fieldManagedFields, Value: metadataOf(obj).Get(fieldManagedFields)},
		{Key: fieldNamespace, Value: metadataOf(obj).Get(fieldNamespace)},
		{Key: fieldResourceVersion},
		{Key: fieldSelfLink},
		{Key: fieldUID},
	}
	set := func(key string, value doc.Value) {
		i := slices.IndexFunc(changes, func(m doc.Member) bool { return m.Key == key })
		changes[i].Value = value
	}
	set(fieldNamespace, doc.Value{}) // an object of the cluster is in none, whatever the body says
	if res.namespaced {
		set(fieldNamespace, doc.Of(namespace))
	}
	if !res.virtual {
		set(fieldUID, doc.Of(res.newUID()))
		switch {
		case res.generation:
			set(fieldGeneration, doc.OfInt(1))
		case !res.kindRequired: // a built-in kind that does not count leaves it to the client
			set(fieldGeneration, metadataOf(obj).Get(fieldGeneration))
		}
	}
	return obj.With("metadata", metadataOf(obj).WithAll(changes))
}

// metadataForUpdate restores what an update cannot change.
func (res *resource) metadataForUpdate(obj, old doc.Value) doc.Value {
	m, before := metadataOf(obj), metadataOf(old)
	changes := make([]doc.Member, 0, 8) // sorted
	for _, field := range []string{fieldCreationTimestamp, fieldGracePeriod, fieldDeletionTimestamp, fieldGeneration, fieldManagedFields,
		fieldNamespace, fieldResourceVersion, fieldUID} {
		value := before.Get(field)
		switch field {
		case fieldDeletionTimestamp: // one that is there never changes
			if given := m.Get(field); !isDeleting(old) && given.Text() != "" {
				value = given
			}
		case fieldGracePeriod, fieldManagedFields, fieldUID: // what is given is checked; what is not is as it was
			if given := m.Get(field); !given.IsAbsent() && !given.IsNull() && (given.Kind() != doc.String || given.Text() != "") {
				value = given
			}
		}
		changes = append(changes, doc.Member{Key: field, Value: value})
	}
	return obj.With("metadata", m.WithAll(changes))
}

func (res *resource) timestamp() string { return res.now().UTC().Format(time.RFC3339) }

// Random suffixes of generated names: no vowels, so no words, and nothing that is misread.
const (
	suffixAlphabet     = "bcdfghjklmnpqrstvwxz2456789"
	suffixLength       = 5
	generatedNameLimit = 63
	generateAttempts   = 8
)

// generatedName returns base with a random suffix, cut so that the whole is a DNS label in length.
func generatedName(base string) string {
	if limit := generatedNameLimit - suffixLength; len(base) > limit {
		base = base[:limit]
	}
	suffix := make([]byte, suffixLength)
	for i := range suffix {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(suffixAlphabet))))
		if err != nil {
			panic("crypto/rand does not fail: " + err.Error())
		}
		suffix[i] = suffixAlphabet[n.Int64()]
	}
	return base + string(suffix)
}

// randomUID returns a random UUID (RFC 9562, version 4).
func randomUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never returns an error
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	var out [36]byte
	hex.Encode(out[:8], b[:4])
	hex.Encode(out[9:13], b[4:6])
	hex.Encode(out[14:18], b[6:8])
	hex.Encode(out[19:23], b[8:10])
	hex.Encode(out[24:], b[10:])
	out[8], out[13], out[18], out[23] = '-', '-', '-', '-'
	return string(out[:])
}

// maxMetadataErrors is about how many faults of one part of the metadata are named: the answer must not be many times the
// size of the question.
const maxMetadataErrors = 100

// validateMetadata checks an object's metadata by the rules that all kinds share.
func (res *resource) validateMetadata(obj, old doc.Value, o *writeOptions) status.FieldErrors {
	m := metadataOf(obj)
	var errs status.FieldErrors
	if generate := m.Get(fieldGenerateName).Text(); generate != "" && (old.IsAbsent() || res.coreMetadata) {
		for _, msg := range res.names.check(asPrefix(generate)) {
			errs = append(errs, status.InvalidField(inMetadataOf(fieldGenerateName), generate, msg))
		}
	}
	switch name := m.Get(fieldName).Text(); {
	case res.virtual:
	case name == "":
		errs = append(errs, status.RequiredField(inMetadataOf(fieldName), "name or generateName is required"))
	case old.IsAbsent():
		for _, msg := range res.names.check(name) {
			errs = append(errs, status.InvalidField(inMetadataOf(fieldName), name, msg))
		}
	}
	switch namespace := m.Get(fieldNamespace).Text(); {
	case res.namespaced && namespace != "" && old.IsAbsent():
		for _, msg := range apimeta.ValidateDNS1123Label(namespace) {
			errs = append(errs, status.InvalidField(inMetadataOf(fieldNamespace), namespace, msg))
		}
	case res.namespaced && namespace == "":
		errs = append(errs, status.RequiredField(inMetadataOf(fieldNamespace), ""))
	case !res.namespaced && namespace != "":
		errs = append(errs, status.ForbiddenField(inMetadataOf(fieldNamespace), "not allowed on this type"))
	}
	if generation, ok := m.Get(fieldGeneration).Int(); ok && generation < 0 && old.IsAbsent() {
		errs = append(errs, status.InvalidField(inMetadataOf(fieldGeneration), generation, "must be greater than or equal to 0"))
	}
	errs = append(errs, validateLabels(m.Get(fieldLabels))...)
	errs = append(errs, validateAnnotations(m.Get(fieldAnnotations))...)
	errs = append(errs, validateOwners(m.Get(fieldOwners))...)
	errs = append(errs, res.validateFinalizers(obj, old, o)...)
	if !old.IsAbsent() {
		errs = append(errs, validateMetadataUpdate(obj, old)...)
	}
	return errs
}

// inMetadataOf is the path of a member of the metadata. It is made when there is something to say.
func inMetadataOf(field string) *status.Path { return status.Field("metadata", field) }

// asPrefix is a base of generated names as a name by itself: the dash that it may end in stands before something.
func asPrefix(base string) string {
	if len(base) > 1 && strings.HasSuffix(base, "-") {
		return base[:len(base)-2] + "a"
	}
	return base
}

// validateMetadataUpdate checks what may not change in an update.
func validateMetadataUpdate(obj, old doc.Value) status.FieldErrors {
	var errs status.FieldErrors
	m, before := metadataOf(obj), metadataOf(old)
	if uid := m.Get(fieldUID); uid.Text() != before.Get(fieldUID).Text() {
		errs = append(errs, status.InvalidField(inMetadataOf(fieldUID), uid.Text(), "field is immutable"))
	}
	for _, field := range []string{fieldDeletionTimestamp, fieldGracePeriod} {
		if v, was := m.Get(field), before.Get(field); !doc.Equal(v, was) {
			errs = append(errs, status.InvalidField(inMetadataOf(field), fieldValue(v), "field is immutable"))
		}
	}
	if isDeleting(old) {
		had := setOf(finalizersOf(old))
		var added []string
		for _, f := range finalizersOf(obj) {
			if !had[f] {
				added = append(added, f)
			}
		}
		if len(added) > 0 {
			errs = append(errs, status.ForbiddenField(inMetadataOf(fieldFinalizers),
				fmt.Sprintf("no new finalizers can be added if the object is being deleted, found new finalizers %#v", added)))
		}
	}
	return errs
}

func fieldValue(v doc.Value) any {
	if i, ok := v.Int(); ok {
		return i
	}
	return v.Text()
}

func validateLabels(labels doc.Value) status.FieldErrors {
	if labels.Len() == 0 {
		return nil
	}
	path := inMetadataOf(fieldLabels)
	var errs status.FieldErrors
	for key, value := range labels.Members() {
		if len(errs) >= maxMetadataErrors {
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

func validateAnnotations(annotations doc.Value) status.FieldErrors {
	if annotations.Len() == 0 {
		return nil
	}
	path := inMetadataOf(fieldAnnotations)
	var errs status.FieldErrors
	total := 0
	for key, value := range annotations.Members() {
		if len(errs) < maxMetadataErrors {
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

func validateOwners(owners doc.Value) status.FieldErrors {
	if owners.Len() == 0 {
		return nil
	}
	path := inMetadataOf(fieldOwners)
	var errs status.FieldErrors
	controller, shown := "", 0
	for _, owner := range owners.Elements() {
		if len(errs) >= maxMetadataErrors {
			break
		}
		apiVersion, kind, name := owner.Get("apiVersion").Text(), owner.Get("kind").Text(), owner.Get("name").Text()
		gv, err := apimeta.ParseGroupVersion(apiVersion)
		switch {
		case err != nil:
			errs = append(errs, status.InvalidField(path.Child("apiVersion"), apiVersion, "version must not be empty"))
		case gv.Version == "":
			errs = append(errs, status.InvalidField(path.Child("apiVersion"), apiVersion, "version must not be empty"))
		case gv.Group == "" && gv.Version == "v1" && kind == "Event":
			errs = append(errs, status.InvalidField(path, ownerReference(owner), "/v1, Kind=Event is disallowed from being an owner"))
		}
		for _, field := range []string{"kind", "name", "uid"} {
			if owner.Get(field).Text() == "" {
				errs = append(errs, status.InvalidField(path.Child(field), "", "must not be empty"))
			}
		}
		if owner.Get("controller").Bool() {
			if controller != "" {
				errs = append(errs, status.InvalidField(path, ownerReferences(owners),
					fmt.Sprintf("Only one reference can have Controller set to true. Found \"true\" in references for %s and %s/%s", controller, kind, name)))
				if shown += owners.Len(); shown > maxMetadataErrors {
					break // each of these errors shows all owners
				}
			} else {
				controller = kind + "/" + name
			}
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

// validateFinalizers checks that finalizers are qualified names. One without a domain is refused or, where it is new,
// warned of, as the dialect has it.
func (res *resource) validateFinalizers(obj, old doc.Value, o *writeOptions) status.FieldErrors {
	finalizers := finalizersOf(obj)
	if len(finalizers) == 0 {
		return nil
	}
	path := inMetadataOf(fieldFinalizers)
	var errs, bare status.FieldErrors
	for i, f := range finalizers {
		if len(errs)+len(bare) >= maxMetadataErrors {
			break
		}
		errs = append(errs, unqualified(path, f)...)
		if res.coreMetadata {
			bare = append(bare, withoutDomain(path.Index(i), f)...)
		}
	}
	if slices.Contains(finalizers, finalizerOrphan) && slices.Contains(finalizers, finalizerForeground) {
		errs = append(errs, status.InvalidField(path, finalizers, "finalizer orphan and foregroundDeletion cannot be both set"))
	}
	if res.finalizerWarnings && len(errs) == 0 && slices.ContainsFunc(finalizers, isBare) {
		warnOfBareFinalizers(finalizers, finalizersOf(old), o)
	}
	return append(errs, bare...)
}

// unqualified refuses a finalizer that is no qualified name.
func unqualified(path *status.Path, finalizer string) (errs status.FieldErrors) {
	for _, msg := range apimeta.ValidateFinalizerName(finalizer) {
		errs = append(errs, status.InvalidField(path, finalizer, msg))
	}
	return errs
}

// withoutDomain refuses a finalizer that has no domain and needs one.
func withoutDomain(path *status.Path, finalizer string) (errs status.FieldErrors) {
	for _, msg := range apimeta.ValidateBuiltinFinalizerName(finalizer) {
		errs = append(errs, status.InvalidField(path, finalizer, msg))
	}
	return errs
}

// isBare reports whether a finalizer has no domain and needs one.
func isBare(finalizer string) bool { return len(apimeta.ValidateBuiltinFinalizerName(finalizer)) > 0 }

func setOf(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

func warnOfBareFinalizers(finalizers, before []string, o *writeOptions) {
	had := setOf(before)
	added := slices.DeleteFunc(slices.Clone(finalizers), func(f string) bool { return !isBare(f) || had[f] })
	slices.Sort(added)
	for _, f := range added {
		better := "a domain-qualified finalizer name"
		if strings.Contains(f, ".") {
			better += " including a path (/)"
		}
		o.warn(fmt.Sprintf("metadata.finalizers: %q: prefer %s to avoid accidental conflicts with other finalizer writers", f, better))
	}
}

// withoutNulls makes of the nulls among labels, annotations and in the lists of the metadata what a decoder into Go does:
// empty texts and objects.
func withoutNulls(m doc.Value) doc.Value {
	for _, field := range [...]string{fieldLabels, fieldAnnotations, fieldFinalizers, fieldOwners, fieldManagedFields} {
		kind, rewrite := doc.Map, textForNull
		switch field {
		case fieldFinalizers:
			kind = doc.List
		case fieldOwners, fieldManagedFields:
			kind, rewrite = doc.List, objectForNull
		}
		values := m.Get(field)
		if values.Kind() != kind {
			continue
		}
		if after := values.Rewrite(rewrite); after != values {
			m = m.With(field, after)
		}
	}
	return m
}

func textForNull(_ int, _ string, v doc.Value) doc.Value {
	if v.IsNull() {
		return doc.Of("")
	}
	return v
}

func objectForNull(_ int, _ string, v doc.Value) doc.Value {
	if v.IsNull() {
		return doc.MapOf()
	}
	return v
}

package resource

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
)

// Conversions turns the host's conversion functions between a version and the stored one into functions on documents.
func Conversions(
	version, stored *Resource, toStored, fromStored func(in, out any) error,
) (to, from func(doc.Value) (doc.Value, error)) {
	if stored.outside != nil {
		return stored.outside.between(version, stored), stored.outside.between(stored, version)
	}
	there := typedConversion{version, stored, toStored, fromStored}
	back := typedConversion{stored, version, fromStored, toStored}
	return there.convert, back.convert
}

// typedConversion is the conversion of a kind from one version to another with the host's function f; back is its
// inverse. If f is nil, fields are converted by their names. back may be nil as well.
type typedConversion struct {
	from, to *Resource
	f, back  func(in, out any) error
}

// convert converts a document.
func (c typedConversion) convert(v doc.Value) (doc.Value, error) {
	from, to := c.from, c.to
	if c.f == nil {
		common, _ := to.Schema.Prune(to.WithKind(v))
		return to.defaultConverted(common)
	}
	converted, err := callConversion(from, to, c.f, v)
	if err != nil {
		return doc.Value{}, conversionFailed(from, to, objectmeta.NameOf(v), err)
	}
	converted = to.WithKind(converted)
	if !to.Dialect.GoWritten {
		converted = c.withZeros(v, converted)
	}
	return to.defaultConverted(converted)
}

// withZeros adds the zero values that Go's encoding left out of converted, which the host's function made from v. A
// zero of v stays if no default would replace it. So does the zero of a field that depends on a zero of v, or that
// managedFields name in the version of a request: a client has set it to zero, or to what the stored version expresses
// by another value.
//
// If a default would replace the zero, Go does not show whether the function set the field to zero or did not set it.
// The field is then zero if that makes the object, converted back, more like v than the default does.
func (c typedConversion) withZeros(v, converted doc.Value) doc.Value {
	to := c.to
	converted = to.TypeView.SharedZeros(converted, v)
	converted = c.withDependentZeros(v, converted)
	if to != to.Stored && to.Managed != nil {
		converted = to.TypeView.ZerosBeside(converted, to.Managed.Owned(converted))
	}
	doubtful := to.TypeView.DoubtfulZeros(converted)
	if len(doubtful) == 0 {
		return converted
	}
	was, err := c.from.TypeView.Show(v)
	if err != nil {
		return converted
	}
	lost := func(converted doc.Value) int { // the number of differences from v after a round trip
		converted, _ = to.Schema.DefaultWithin(converted, to.MaxDefaults())
		again, err := c.from.TypeView.Show(c.from.WithKind(converted))
		if c.back != nil {
			again, err = callConversion(to, c.from, c.back, converted)
		}
		if err != nil {
			return math.MaxInt
		}
		return differencesAt(v, was, again)
	}
	var zeros []schema.Field
	least := lost(converted)
	for _, field := range doubtful {
		if least == 0 {
			break
		}
		tried := append(slices.Clip(zeros), field)
		if n := lost(to.TypeView.WithZeros(converted, tried)); n < least {
			zeros, least = tried, n
		}
	}
	return to.TypeView.WithZeros(converted, zeros)
}

// maxAlterations bounds how often one conversion calls the host's function with altered zeros.
const maxAlterations = 16

// withDependentZeros adds the zero values that Go's encoding left out of converted, and that depend on zeros of v under
// other names. These fields are the ones that change if other values replace the zeros of v. Zeros of one kind are
// altered together: a function often copies them, but seldom lets one decide about another. If the function refuses the
// altered values, half of them are altered at a time.
func (c typedConversion) withDependentZeros(v, converted doc.Value) doc.Value {
	left, known := maxAlterations, converted
	var alter func(kind doc.Kind, first, end int)
	alter = func(kind doc.Kind, first, end int) {
		altered, zeros := c.from.Schema.Altered(v, known, schema.Alteration{Kind: kind, From: first, To: end})
		if end = min(end, zeros); first >= end || left == 0 {
			return
		}
		left--
		changed, err := callConversion(c.from, c.to, c.f, altered)
		if changed = changed.Without("metadata"); err == nil && kind == doc.Map {
			converted = c.to.TypeView.EmptyBeside(converted, changed)
			return
		}
		if err == nil {
			converted = c.to.TypeView.ZerosBeside(converted, changed)
			return
		}
		if middle := (first + end) / 2; middle > first {
			alter(kind, first, middle)
			alter(kind, middle, end)
		}
	}
	for _, kind := range []doc.Kind{doc.Bool, doc.Number, doc.String, doc.List, doc.Map} {
		alter(kind, 0, math.MaxInt)
	}
	return converted
}

// differencesAt counts the places of v in which a and b differ.
func differencesAt(v, a, b doc.Value) (n int) {
	switch {
	case doc.Equal(a, b):
		return 0
	case v.Kind() == doc.Map && a.Kind() == doc.Map && b.Kind() == doc.Map:
		for key, value := range v.Members() {
			n += differencesAt(value, a.Get(key), b.Get(key))
		}
		return n
	case v.Kind() == doc.List && v.Len() == a.Len() && v.Len() == b.Len():
		for i, value := range v.Elements() {
			n += differencesAt(value, a.At(i), b.At(i))
		}
		return n
	}
	return 1
}

// callConversion runs the host's function f on a document. The function may change labels and annotations, but no other
// metadata.
func callConversion(from, to *Resource, f func(in, out any) error, v doc.Value) (converted doc.Value, err error) {
	defer RecoverHook("conversion", &err)
	in, err := from.FromDocument(v)
	if err != nil {
		return doc.Value{}, err
	}
	// The function finds the kind and the metadata already in out.
	begin := to.Bare().With("metadata", objectmeta.Of(v))
	out, err := to.FromDocument(begin)
	if err != nil {
		return doc.Value{}, err
	}
	if err := f(in, out); err != nil {
		return doc.Value{}, err
	}
	if converted, err = to.ToDocument(out, v); err != nil {
		return doc.Value{}, err
	}
	metadata, after := objectmeta.Of(v), objectmeta.Of(converted)
	if doc.Equal(after, metadata) {
		return converted, nil
	}
	if !doc.Equal(withoutLabels(after), withoutLabels(metadata)) {
		// A field that the version's Go type cannot hold does not count as changed.
		untouched, err := to.FromDocument(begin)
		if err != nil {
			return doc.Value{}, err
		}
		before, err := to.ToDocument(untouched, begin)
		if err != nil {
			return doc.Value{}, err
		}
		if field := firstDifference(withoutLabels(objectmeta.Of(before)), withoutLabels(after)); field != "" {
			return doc.Value{}, status.InternalError(fmt.Errorf("it changed metadata.%s", field))
		}
	}
	metadata = metadata.With(objectmeta.Labels, after.Get(objectmeta.Labels))
	return converted.With("metadata", metadata.With(objectmeta.Annotations, after.Get(objectmeta.Annotations))), nil
}

// withoutLabels returns the metadata that a conversion must not change.
func withoutLabels(metadata doc.Value) doc.Value {
	return metadata.Without(objectmeta.Labels, objectmeta.Annotations)
}

// conversionFailed returns the error for an object that cannot be converted. Clients see the message of the host's
// error only if it is a Status; the log gets it in any case.
func conversionFailed(from, to *Resource, name string, err error) error {
	text := fmt.Sprintf("conversion of %s %q from %s to %s failed", from.GVK.GroupKind(), name, from.VersionBeside(to),
		to.VersionBeside(from))
	if told := (*status.Error)(nil); errors.As(err, &told) {
		text += ": " + told.Status.Message
	}
	return status.InternalError(errors.New(text)).WithCause(err)
}

// firstDifference returns the name of a member in which two maps differ, or "".
func firstDifference(a, b doc.Value) string {
	for key, value := range a.Members() {
		if !doc.Equal(value, b.Get(key)) {
			return key
		}
	}
	for key := range b.Members() {
		if !a.Has(key) {
			return key
		}
	}
	return ""
}

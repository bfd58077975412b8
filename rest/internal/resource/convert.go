package resource

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
)

// Conversions turns the host's conversion functions between a version and the stored one into functions on documents.
func Conversions[V, T any](version, stored *Resource, toStored func(in *V, out *T) error, fromStored func(in *T, out *V) error) (to, from func(doc.Value) (doc.Value, error)) {
	if stored.outside != nil {
		return stored.outside.between(version, stored), stored.outside.between(stored, version)
	}
	to = func(v doc.Value) (doc.Value, error) { return convertBy(version, stored, toStored, fromStored, v) }
	from = func(v doc.Value) (doc.Value, error) { return convertBy(stored, version, fromStored, toStored, v) }
	return to, from
}

// convertBy converts a document from one version of a kind to another with the host's function f; back is its inverse. If f is nil,
// fields are converted by their names. back may be nil as well.
func convertBy[A, B any](from, to *Resource, f func(in *A, out *B) error, back func(in *B, out *A) error, v doc.Value) (doc.Value, error) {
	if f == nil {
		common, _ := to.Schema.Prune(to.WithKind(v))
		return to.settleConverted(common)
	}
	converted, err := callConversion(to, f, v)
	if err != nil {
		return doc.Value{}, conversionFailed(from, to, objectmeta.NameOf(v), err)
	}
	converted = to.WithKind(converted)
	if !to.Dialect.GoWritten {
		converted = withConvertedZeros(from, to, back, v, converted)
	}
	return to.settleConverted(converted)
}

// withConvertedZeros adds the zero values that Go's encoding left out of converted, which the host's function made from v. A zero of v
// stays if no default would replace it. If a default would, Go does not show whether the function set the field to zero or did not set
// it. The field is then zero if that makes the object, converted back, more like v than the default does.
func withConvertedZeros[A, B any](from, to *Resource, back func(in *B, out *A) error, v, converted doc.Value) doc.Value {
	converted = to.view.SharedZeros(converted, v)
	doubtful := to.view.DoubtfulZeros(converted)
	if len(doubtful) == 0 {
		return converted
	}
	was, err := from.view.Show(v)
	if err != nil {
		return converted
	}
	lost := func(converted doc.Value) int { // the number of differences from v after a round trip
		converted = to.Schema.Default(converted)
		again, err := from.view.Show(from.WithKind(converted))
		if back != nil {
			again, err = callConversion(from, back, converted)
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
		if n := lost(to.view.WithZeros(converted, tried)); n < least {
			zeros, least = tried, n
		}
	}
	return to.view.WithZeros(converted, zeros)
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

// callConversion runs the host's function f on a document. The function may change labels and annotations, but no other metadata.
func callConversion[A, B any](to *Resource, f func(in *A, out *B) error, v doc.Value) (converted doc.Value, err error) {
	defer RecoverHook("conversion", &err)
	in, out := new(A), new(B)
	if err := codec.ToGo(v, in); err != nil {
		return doc.Value{}, err
	}
	// The function finds the kind and the metadata already in out.
	begin := to.bare().With("metadata", objectmeta.Of(v))
	if err := codec.ToGo(begin, out); err != nil {
		return doc.Value{}, err
	}
	if err := f(in, out); err != nil {
		return doc.Value{}, err
	}
	if converted, err = codec.FromGo(out); err != nil {
		return doc.Value{}, err
	}
	metadata, after := objectmeta.Of(v), objectmeta.Of(converted)
	if doc.Equal(after, metadata) {
		return converted, nil
	}
	if !doc.Equal(withoutLabels(after), withoutLabels(metadata)) {
		// A field that the version's Go type cannot hold does not count as changed.
		untouched := new(B)
		if err := codec.ToGo(begin, untouched); err != nil {
			return doc.Value{}, err
		}
		before, err := codec.FromGo(untouched)
		if err != nil {
			return doc.Value{}, err
		}
		if field := firstDifference(withoutLabels(objectmeta.Of(before)), withoutLabels(after)); field != "" {
			return doc.Value{}, status.InternalError(fmt.Errorf("it changed metadata.%s", field))
		}
	}
	return converted.With("metadata", metadata.With(objectmeta.Labels, after.Get(objectmeta.Labels)).With(objectmeta.Annotations, after.Get(objectmeta.Annotations))), nil
}

// withoutLabels returns the metadata that a conversion must not change.
func withoutLabels(metadata doc.Value) doc.Value {
	return metadata.Without(objectmeta.Labels, objectmeta.Annotations)
}

// conversionFailed returns the error for an object that cannot be converted. Clients see the message of the host's error only if it is a
// Status; the log gets it in any case.
func conversionFailed(from, to *Resource, name string, err error) error {
	text := fmt.Sprintf("conversion of %s %q from %s to %s failed", from.GVK.GroupKind(), name, from.versionBeside(to), to.versionBeside(from))
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

package rest

import (
	"errors"
	"fmt"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
)

// convertBy converts a document from one version of a kind to another with a function of the host's.
func convertBy[A, B any](from, to *resource, f func(in *A, out *B) error, v doc.Value) (doc.Value, error) {
	if f == nil {
		common, _ := to.schema.Prune(to.withKind(v))
		return to.settled(common)
	}
	converted, err := callConversion(to, f, v)
	if err != nil {
		return doc.Value{}, conversionFailed(from, to, objectmeta.NameOf(v), err)
	}
	return to.settled(to.withKind(converted))
}

func callConversion[A, B any](to *resource, f func(in *A, out *B) error, v doc.Value) (converted doc.Value, err error) {
	defer recoverHook("conversion", &err)
	in, out := new(A), new(B)
	if err := codec.ToGo(v, in); err != nil {
		return doc.Value{}, err
	}
	// What the function finds in out.
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
		// It is no change that the version's type cannot hold something.
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

// withoutLabels is what of metadata no conversion may change.
func withoutLabels(metadata doc.Value) doc.Value {
	return metadata.Without(objectmeta.Labels, objectmeta.Annotations)
}

// conversionFailed is the answer to an object that cannot be shown or stored in a version. As of every hook, the text of
// an error that is no Status goes to the log only.
func conversionFailed(from, to *resource, name string, err error) error {
	text := fmt.Sprintf("conversion of %s %q from %s to %s failed", from.gvk.GroupKind(), name, from.gvk.Version, to.gvk.Version)
	if told := (*status.Error)(nil); errors.As(err, &told) {
		text += ": " + told.Status.Message
	}
	return status.InternalError(errors.New(text)).WithCause(err)
}

// firstDifference names a member in which two maps differ, or is "".
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

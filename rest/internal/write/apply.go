package write

import (
	"bytes"
	"fmt"
	"slices"
	"unicode"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/managed"
	"github.com/decorum-go/decorum/internal/words"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// ManagerRequired returns the error for an apply that does not name its field manager.
func ManagerRequired() *status.FieldError {
	return status.RequiredField(status.NewPath("fieldManager"), "is required for apply patch")
}

// ApplyText makes the write an apply of a configuration in YAML or JSON. The message about a malformed one depends on
// whether it looks like JSON, as upstream.
func (w *Write) ApplyText(data []byte) error {
	v, lines, err := codec.DecodeYAML(data, w.Asked.Validation != apimeta.FieldValidationIgnore)
	switch {
	case err != nil && bytes.HasPrefix(bytes.TrimLeftFunc(data, unicode.IsSpace), []byte("{")):
		return status.BadRequest("error decoding patch: error converting YAML to JSON: " + err.Error())
	case err != nil:
		return status.BadRequest("error encoding patch: " + err.Error())
	case v.Kind() != doc.Map && !v.IsNull():
		return status.BadRequest("error decoding patch: error unmarshaling JSON: while decoding JSON: " +
			words.NotOfType(v.JSONName(), "map[string]interface {}"))
	}
	if w.Body.repeated = lines; w.Asked.Validation != apimeta.FieldValidationStrict {
		w.Body.Problems = lines
	}
	return w.Apply(v)
}

// Apply makes the write an apply of a configuration: the fields that the client wants to own, with their values (API
// concepts, Server-Side Apply). Through /scale, the configuration becomes one of the object that holds only the
// replicas field. The manager then owns that field.
func (w *Write) Apply(config doc.Value) error {
	if sub := w.Through; w.ThroughOwnKind() {
		if err := managed.NewKind(sub.Schema, sub.Kind, doc.Value{}, nil).Check(config); err != nil {
			return err
		}
		replicas := config.Lookup("spec", "replicas")
		config = w.res.Bare().With("metadata", objectmeta.Of(config)).WithAt(replicas, sub.Applied...)
	}
	w.way, w.config, w.want = applied, config, w.applyTo
	return nil
}

// applyTo returns the old object with the configuration applied. It is the Change of an apply.
func (w *Write) applyTo(old doc.Value) (doc.Value, error) {
	if err := w.checkNumbers(w.config); err != nil {
		return doc.Value{}, err // refused first, because Managed.Apply may convert the configuration
	}
	by := w.writer()
	if w.Part() == resource.StatusPart {
		for _, name := range w.res.Strategy.Except.StatusKeeps { // the client cannot own them
			if objectmeta.Of(w.config).Has(name) {
				by.Unowned = append(slices.Clip(by.Unowned), []string{"metadata", name})
			}
		}
	}
	obj, err := w.res.Managed.Apply(old, w.config, by, w.Asked.Force)
	if err != nil {
		return doc.Value{}, err
	}
	if w.res.Dialect.AppliedMetaLenient {
		obj = withoutUnreadable(w.res, obj)
	}
	if w.Asked.Validation == apimeta.FieldValidationStrict && len(w.Body.repeated) > 0 {
		return doc.Value{}, status.BadRequest("error strict decoding YAML: error converting YAML to JSON: " +
			codec.DuplicateLines(w.Body.repeated))
	}
	if uid := objectmeta.Of(obj).Get(objectmeta.UID).Text(); old.IsAbsent() && uid != "" {
		return doc.Value{}, status.Conflict(w.res.GR, w.Name,
			fmt.Sprintf("uid mismatch: the provided object specified uid %s, and no existing object was found", uid))
	}
	return obj, nil
}

// withoutUnreadable drops the fields of metadata whose values have a wrong type. Upstream reads the metadata of a
// custom resource field by field and skips those.
func withoutUnreadable(res *resource.Resource, obj doc.Value) doc.Value {
	m := objectmeta.Of(obj)
	if len(res.Metadata.CheckTypes(nil, m)) == 0 {
		return obj
	}
	return obj.With("metadata", m.Rewrite(func(_ int, name string, v doc.Value) doc.Value {
		if field := res.Metadata.Member(name); field != nil && len(field.CheckTypes(nil, v)) > 0 {
			return doc.Value{}
		}
		return v
	}))
}

// inconvertible returns the error for a configuration that fits the schema of a built-in kind but not its Go type. It
// has upstream's text, and the code for a configuration that does not fit the schema.
func inconvertible(config doc.Value, err error) error {
	m, gvk := objectmeta.Of(config), gvkOf(config)
	return status.BadRequest(fmt.Sprintf("failed to convert new object (%s/%s; %s) to proper version: "+
		"unable to convert unstructured object to %s: %v",
		m.Get(objectmeta.Namespace).Text(), m.Get(objectmeta.Name).Text(), gvk, gvk, err))
}

// withAskedNulls restores the nulls that [schema.Schema.Default] has dropped from an applied configuration of a custom
// kind. A null in a configuration is a value that its manager wants to own. Nulls in metadata stay dropped, and so does
// a status that is null.
func withAskedNulls(obj, sent doc.Value) doc.Value {
	sent = sent.Without("metadata")
	if sent.Get("status").IsNull() {
		sent = sent.Without("status")
	}
	return withNullsOf(obj, sent)
}

// withNullsOf returns v with the nulls of sent wherever v has no value.
func withNullsOf(v, sent doc.Value) doc.Value {
	switch {
	case v.IsAbsent() && sent.IsNull():
		return sent
	case v.Kind() == doc.Map && sent.Kind() == doc.Map:
		var changes []doc.Member
		for key, value := range sent.Members() {
			before := v.Get(key)
			if after := withNullsOf(before, value); after != before {
				changes = append(changes, doc.Member{Key: key, Value: after})
			}
		}
		if len(changes) > 0 {
			return v.WithAll(changes)
		}
	case v.Kind() == doc.List && v.Len() == sent.Len():
		return v.Rewrite(func(i int, _ string, e doc.Value) doc.Value { return withNullsOf(e, sent.At(i)) })
	}
	return v
}

package write

import (
	"errors"
	"reflect"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/gotype"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// decodeEmbedded returns an object with the metadata of its embedded resources as Go writes it. It returns an error if
// an embedded resource cannot be decoded: its apiVersion and kind must be texts, and its metadata must have the types
// of object metadata.
func decodeEmbedded(res *resource.Resource, obj doc.Value) (decoded doc.Value, err error) {
	decoded = res.Schema.RewriteEmbedded(nil, obj, func(at *status.Path, v doc.Value) doc.Value {
		for _, name := range []string{"apiVersion", "kind"} {
			if text := v.Get(name); err == nil && !text.IsAbsent() && text.Kind() != doc.String {
				err = errors.New(status.InvalidField(at.Child(name), text.Plain(), "must be a string").Error())
			}
		}
		m := objectmeta.Of(v)
		if err != nil || m.IsAbsent() {
			return v
		}
		if m.IsNull() {
			return v.With("metadata", doc.MapOf())
		}
		if wrong := gotype.DecodingError(codec.AppendJSON(nil, m), reflect.TypeFor[apimeta.ObjectMeta]()); wrong != nil {
			err = errors.New(status.InvalidField(at.Child("metadata"), m.Plain(), wrong.Error()).Error())
			return v
		}
		var written doc.Value
		written, err = writeMetadata(res, v.With("metadata", objectmeta.WithoutNulls(m)))
		return written
	})
	return decoded, err
}

// checkEmbedded checks embedded resources as objects of their own. Updates are checked like new objects, as upstream
// does.
func checkEmbedded(res *resource.Resource, obj doc.Value) (errs status.FieldErrors) {
	res.Schema.RewriteEmbedded(nil, obj, func(at *status.Path, v doc.Value) doc.Value {
		apiVersion, kind := v.Get("apiVersion"), v.Get("kind")
		errs = append(errs, checkEmbeddedText(at.Child("apiVersion"), apiVersion, func(text string) string {
			if _, err := apimeta.ParseGroupVersion(text); err != nil {
				return err.Error()
			}
			return ""
		})...)
		errs = append(errs, checkEmbeddedText(at.Child("kind"), kind, func(text string) string {
			if msgs := apimeta.ValidateDNS1035Label(strings.ToLower(text)); len(msgs) > 0 {
				return "may have mixed case, but should otherwise match: " + strings.Join(msgs, ",")
			}
			return ""
		})...)
		rules := objectmeta.Rules{CheckName: apimeta.ValidatePathSegmentName, Nameless: objectmeta.NameOf(v) == "",
			Namespaced: objectmeta.Of(v).Get(objectmeta.Namespace).Text() != ""}
		if objectmeta.Of(v).IsAbsent() {
			return v
		}
		faults, _ := rules.Validate(v, doc.Value{})
		for _, fault := range faults {
			fault.Field = at.String() + "." + fault.Field
			errs = append(errs, fault)
		}
		return v
	})
	return errs
}

// checkEmbeddedText checks the apiVersion or the kind of an embedded resource. fault returns the reason why a text is
// invalid, or "".
func checkEmbeddedText(at *status.Path, v doc.Value, fault func(text string) string) status.FieldErrors {
	switch {
	case v.IsAbsent():
		return status.FieldErrors{status.RequiredField(at, "")}
	case v.Kind() != doc.String:
		return status.FieldErrors{status.InvalidField(at, v.Plain(), "must be a string")}
	case v.Text() == "":
		return status.FieldErrors{status.InvalidField(at, "", "must not be empty")}
	}
	if text := fault(v.Text()); text != "" {
		return status.FieldErrors{status.InvalidField(at, v.Text(), text)}
	}
	return nil
}

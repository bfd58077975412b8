package resource

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
)

// isPatch reports whether the object comes of a patch or a configuration of the client's.
func (w *Write) isPatch() bool { return w.form == applied || w.form == patched && !w.translated }

// prune drops what the schema does not know and reports it as the request asks for. It refuses a wrong type within metadata, because
// everything after relies on it; for built-in kinds every wrong type comes before unknown fields, as in a decoder.
func (w *Write) prune(context.Context) error {
	sent, res := w.obj, w.res
	if err := w.checkNumbers(sent); err != nil {
		return err
	}
	obj, unknown := res.Schema.Prune(sent)
	if res.Dialect.TypesFirst && (len(unknown) > 0 || len(w.problems()) > 0) {
		if errs := res.Schema.CheckTypes(nil, obj); len(errs) > 0 {
			return w.wrongType(sent, errs)
		}
	}
	if m := objectmeta.Of(obj); m.IsAbsent() || m.IsNull() {
		obj = obj.With("metadata", doc.MapOf())
	} else if after := objectmeta.WithoutNulls(m); after != m {
		obj = obj.With("metadata", after)
	}
	m := objectmeta.Of(obj)
	if errs := res.metadata.CheckTypes(status.Field("metadata"), m); len(errs) > 0 {
		if w.form == applied {
			return w.wrongType(sent, errs)
		}
		return w.undecodable(sent, w.metadataTypeError(m, errs))
	}
	if refused := w.Report(unknown); refused != "" {
		return w.undecodable(sent, errors.New(refused))
	}
	if errs := w.checkOverlooked(obj); len(errs) > 0 {
		return w.wrongType(sent, errs)
	}
	how := objectmeta.AsSent
	if w.isPatch() {
		how = objectmeta.AfterMutation
	}
	w.obj = w.dropRepeatedOwners(obj, how)
	return nil
}

// BodyFirst returns what is wrong with a body, or err if nothing is: a client is told of a body that cannot be decoded before
// anything that is found by comparing it with something else.
func (w *Write) BodyFirst(obj doc.Value, err error) error {
	body := *w
	body.attempt = attempt{obj: obj}
	body.Warnings.reset()
	if bad := body.prune(context.Background()); bad != nil {
		return bad
	}
	return body.typesFirst(err)
}

// typesFirst is BodyFirst for a body that has been pruned.
func (w *Write) typesFirst(err error) error {
	if !w.res.Dialect.TypesFirst {
		return err
	}
	if errs := w.res.Schema.CheckTypes(nil, w.obj); len(errs) > 0 {
		return w.wrongType(w.obj, errs)
	}
	return err
}

// checkNumbers refuses numbers that nobody means and that a Go type would read for minutes, before it is asked.
func (w *Write) checkNumbers(obj doc.Value) error {
	if text, found := w.res.Schema.EndlessNumber(obj); found {
		return w.undecodable(obj, EndlessNumber(text))
	}
	return nil
}

// EndlessNumber is what is wrong with such a number.
func EndlessNumber(text string) error { return fmt.Errorf("the number %q has too many digits", text) }

// checkOverlooked checks the types of what a write leaves out of a body, and nobody looks at afterwards. A decoder into Go
// reads it nevertheless.
func (w *Write) checkOverlooked(obj doc.Value) status.FieldErrors {
	res := w.res
	switch {
	case !res.Dialect.WholeBodyChecked || !res.HasStatus():
		return nil
	case w.part() == MainPart && !res.life.wholeBody:
		obj = doc.MapOf(doc.Member{Key: "status", Value: obj.Get("status")})
	}
	return res.Schema.CheckTypes(nil, obj)
}

// wrongType is the answer to values of a wrong type in a body of a built-in kind.
func (w *Write) wrongType(sent doc.Value, errs status.FieldErrors) error {
	err := w.decodingError(sent)
	if err == nil {
		err = errs[0]
	}
	if text := w.res.Schema.Misfit(sent); w.form == applied && text != "" {
		err = errors.New(text)
	}
	return w.undecodable(sent, err)
}

// decodingError says in the words that clients know why an object does not fit its Go type. Of several values of a wrong type
// it names the first one in the body.
func (w *Write) decodingError(obj doc.Value) error {
	t := w.res.GoType.ObjectType()
	if w.Body.Text != nil && !w.translated && !w.isPatch() {
		if err := schema.DecodingError(w.Body.Text, t); err != nil {
			return err
		}
	}
	return schema.DecodingError(codec.AppendJSON(nil, obj), t)
}

// metadataTypeError says in the words that clients know why this metadata cannot be decoded: within its object for a built-in
// kind, by itself for a custom one.
func (w *Write) metadataTypeError(m doc.Value, errs status.FieldErrors) error {
	var err error
	if w.res.Dialect.MetadataAlone {
		err = schema.DecodingError(codec.AppendJSON(nil, m), reflect.TypeFor[apimeta.ObjectMeta]())
	} else {
		err = w.decodingError(doc.MapOf(doc.Member{Key: "metadata", Value: m}))
	}
	if err != nil {
		return err
	}
	return errs[0]
}

func (w *Write) undecodable(obj doc.Value, err error) error {
	return w.undecodableAs(w.res.GVK, obj, err)
}

// undecodableAs is the answer to an object that is of a kind and cannot be read as such.
func (w *Write) undecodableAs(kind apimeta.GroupVersionKind, obj doc.Value, err error) error {
	switch {
	case w.form == applied:
		return inconvertible(w.config, err)
	case w.isPatch():
		return w.patchedInvalid(obj, err.Error())
	}
	return Undecodable(kind, err)
}

// Undecodable is the answer to a body that cannot be read as the kind that it is of.
func Undecodable(kind apimeta.GroupVersionKind, err error) error {
	return status.BadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", kind.Kind, kind.Version, kind.Kind, err))
}

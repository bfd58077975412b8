package resource

import (
	"context"
	"fmt"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
)

// Configuration is what a client applies: the fields it wants to own, with their values.
type Configuration struct {
	Config doc.Value
	// repeated are the members that stand twice in its text, a line for each.
	repeated []string
	// check refuses or changes what would come of it; nil does neither.
	check func(ctx context.Context, old, obj doc.Value) (doc.Value, error)
}

// ManagerRequired is what is wrong with an apply that does not say who applies.
func ManagerRequired() *status.FieldError {
	return status.RequiredField(status.Field("fieldManager"), "is required for apply patch")
}

func ParseConfiguration(data []byte, o *WriteOptions) (Configuration, error) {
	v, lines, err := codec.DecodeYAML(data, o.Validation != ValidationIgnore)
	switch {
	case err != nil:
		return Configuration{}, status.BadRequest("error decoding YAML: error converting YAML to JSON: " + err.Error())
	case v.Kind() != doc.Map && !v.IsNull():
		return Configuration{}, status.BadRequest("error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal " +
			v.JSONName() + " into Go value of type map[string]interface {}")
	}
	return Configuration{Config: v, repeated: lines}, nil
}

// Apply brings an object, or its status, to what a configuration says (API concepts, Server-Side Apply). An object that
// does not exist is created.
func (res *Resource) Apply(ctx context.Context, namespace, name string, which Part, c Configuration, o WriteOptions) (result, error) {
	o.FromPatch, o.applied, o.part, o.config = true, true, which, c.Config
	if o.Validation != ValidationStrict {
		o.Problems = c.repeated
	}
	return res.Update(ctx, namespace, name, which, func(old doc.Value) (doc.Value, error) {
		if err := res.checkNumbers(c.Config, &o); err != nil {
			return doc.Value{}, err // it may be converted
		}
		obj, err := res.Managed.Apply(old, c.Config, res.writer(&o), o.Force)
		if err != nil {
			return doc.Value{}, err
		}
		if res.Dialect.AppliedMetaLenient {
			obj = res.withoutUnreadable(obj)
		}
		if o.Validation == ValidationStrict && len(c.repeated) > 0 {
			return doc.Value{}, status.BadRequest("error strict decoding YAML: error converting YAML to JSON: " + codec.DuplicateLines(c.repeated))
		}
		if uid := objectmeta.Of(obj).Get(objectmeta.UID).Text(); old.IsAbsent() && uid != "" {
			return doc.Value{}, status.Conflict(res.GR, name, fmt.Sprintf("uid mismatch: the provided object specified uid %s, and no existing object was found", uid))
		}
		if err := res.checkApplied(obj, namespace, name); err != nil {
			return doc.Value{}, res.typesFirst(obj, &o, err)
		}
		if c.check == nil {
			return obj, nil
		}
		return c.check(ctx, old, obj)
	}, o)
}

// withoutUnreadable drops what of the metadata is no value of its type: that of a custom resource is read member by member.
func (res *Resource) withoutUnreadable(obj doc.Value) doc.Value {
	m := objectmeta.Of(obj)
	if len(res.metadata.CheckTypes(nil, m)) == 0 {
		return obj
	}
	return obj.With("metadata", m.Rewrite(func(_ int, name string, v doc.Value) doc.Value {
		if field := res.metadata.Member(name); field != nil && len(field.CheckTypes(nil, v)) > 0 {
			return doc.Value{}
		}
		return v
	}))
}

// internalServerError is the code of a fault of the server. The room knows no HTTP.
const internalServerError = 500

// inconvertible is the answer to a configuration that fits the schema of a built-in kind and not its Go type. Upstream takes
// that for a fault of its own, as it does with one that does not fit the schema.
func inconvertible(config doc.Value, err error) error {
	m, gvk := objectmeta.Of(config), gvkOf(config)
	return status.Generic(internalServerError, fmt.Sprintf("failed to convert new object (%s/%s; %s) to proper version: unable to convert unstructured object to %s: %v",
		m.Get(objectmeta.Namespace).Text(), m.Get(objectmeta.Name).Text(), gvk, gvk, err))
}

// checkApplied refuses a configuration of another object than that of the URL.
func (res *Resource) checkApplied(obj doc.Value, namespace, name string) error {
	if err := res.CheckNamespace(obj, namespace); err != nil {
		return err
	}
	if objectmeta.NameOf(obj) == "" {
		return NameUndeterminable(name)
	}
	return res.CheckIdentity(obj, namespace, name)
}

// withAskedNulls puts back what [schema.Schema.Default] has dropped from a configuration of a custom kind: a null in it is a
// value that its owner asks for, and not one that is left out. Those in metadata stay dropped, and so does a status of which
// nothing is left.
func (res *Resource) withAskedNulls(obj, sent doc.Value, o *WriteOptions) doc.Value {
	if !o.applied || !res.Dialect.AppliedNullsOwned {
		return obj
	}
	sent = sent.Without("metadata")
	if sent.Get("status").IsNull() {
		sent = sent.Without("status")
	}
	return withNullsOf(obj, sent)
}

// withNullsOf returns v with the nulls of sent in the places where v has nothing.
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

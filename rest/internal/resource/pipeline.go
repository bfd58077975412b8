package resource

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// The way of a write, whatever verb and whatever client it came from:
//
//	admit     drop unknown fields, check the metadata's types
//	metadata  reset what the verb may not touch (status, system metadata)
//	finish    default -> hooks -> managed fields -> validate -> generation
//	encode    convert to the version that is stored, write the JSON
//	commit    compare, number, append: the store's part
//
// All of it but the commit runs outside every lock, against a snapshot, and runs again when the object has changed
// meanwhile. A host's hook may therefore call the API.

// Part is what a write is about: the object without its status, the status alone, or what a namespace's /finalize
// changes.
type Part int

const (
	MainPart Part = iota
	StatusPart
	finalizePart
)

// take returns what of obj counts for a write of this part; the rest is as it was.
func (res *Resource) take(which Part, obj, old doc.Value) doc.Value {
	var written doc.Value
	switch {
	case which == StatusPart && res.Dialect.StatusMetadata:
		written = objectmeta.ForUpdate(old.With("status", obj.Get("status")).With("metadata", objectmeta.Of(obj)), old)
	case which == StatusPart:
		written = old.With("status", obj.Get("status"))
	default:
		if written = objectmeta.ForUpdate(obj, old); res.HasStatus() {
			written = written.With("status", old.Get("status"))
		}
	}
	if res.Traits.Namespaces {
		written = updatedNamespace(written, old, which)
	}
	return res.Schema.Reconcile(written, old)
}

// result is what a write did.
type result struct {
	JSON    []byte // the object as it is now, or as it was when it went
	UID     string
	Created bool
	Gone    bool // the object is no longer there
	// Why a write failed, where its caller can go on: a hook may return the same errors about something else.
	Missing bool // there is no object of the name
	taken   bool // there is one
}

// Create stores a new object. The caller has checked that obj is of this kind.
func (res *Resource) Create(ctx context.Context, namespace string, obj doc.Value, o WriteOptions) (result, error) {
	ctx, err := res.nest(ctx, namespace, objectmeta.NameOf(obj), &o)
	if err != nil {
		return result{}, err
	}
	obj, err = res.admit(obj, &o)
	if err != nil {
		return result{}, err
	}
	if err := res.checkNamespaceOpen(ctx, namespace, obj); err != nil {
		return result{}, res.typesFirst(obj, &o, err)
	}
	o.claimsVersion = isVersion(objectmeta.Of(obj).Get(objectmeta.ResourceVersion).Text())
	obj = res.metadataForCreate(obj, namespace).Without("status")
	base := objectmeta.Of(obj).Get(objectmeta.GenerateName).Text()
	if objectmeta.NameOf(obj) != "" || base == "" || res.Kind.Virtual {
		return res.createNamed(ctx, namespace, obj, &o)
	}
	for range generateAttempts {
		named := obj.WithAt(doc.Of(objectmeta.GeneratedName(base)), "metadata", objectmeta.Name)
		out, err := res.createNamed(ctx, namespace, named, &o)
		if !out.taken {
			return out, err
		}
		obj = named
	}
	return result{taken: true}, status.GenerateNameConflict(res.GR, objectmeta.NameOf(obj))
}

// generateAttempts bounds how many generated names a create tries.
const generateAttempts = 8

func (res *Resource) createNamed(ctx context.Context, namespace string, obj doc.Value, o *WriteOptions) (result, error) {
	if res.Traits.Namespaces {
		obj = newNamespace(obj)
	}
	made, err := res.finish(ctx, obj, forms{}, o)
	if err != nil {
		return result{}, err
	}
	obj = made.shown
	out := result{Created: true, UID: objectmeta.Of(obj).Get(objectmeta.UID).Text()}
	if res.Kind.Virtual {
		out.JSON = codec.AppendObject(nil, obj)
		return out, nil
	}
	if o.claimsVersion {
		return result{}, status.BadRequest("resourceVersion should not be set on objects to be created")
	}
	// The digits are a guess at the revision that leaves the store room to write the real one in place.
	placeholder := doc.Of(strconv.FormatUint(uint64(res.Store.Revision())+1, 10))
	next, shown, err := res.encodeStored(made.withMetadata(doc.Member{Key: objectmeta.ResourceVersion, Value: placeholder}), o, nil)
	if err != nil {
		return result{}, err
	}
	record, err := res.commitNew(ctx, res.key(namespace, objectmeta.NameOf(obj)), o, func(current *storage.Record) ([]byte, error) {
		out.taken = current != nil
		switch {
		case current == nil:
			return next, nil
		case current.Deleting:
			exists := status.AlreadyExists(res.GR, current.Key.Name)
			exists.Status.Message = "object is being deleted: " + exists.Status.Message
			return nil, exists
		default:
			return nil, status.AlreadyExists(res.GR, current.Key.Name)
		}
	})
	if err != nil {
		return result{taken: out.taken}, err
	}
	if record == nil { // a dry run has no resourceVersion
		out.JSON = codec.AppendObject(nil, obj)
		return out, nil
	}
	return out, res.showResult(&out, record, shown)
}

// showResult puts a record into what a write answers. as is how the version shows it but for the resourceVersion, where that
// is known.
func (res *Resource) showResult(out *result, record *storage.Record, as doc.Value) (err error) {
	if as.IsAbsent() {
		record, err = res.Show(record)
	} else {
		record, err = res.showAs(record, as.WithAt(doc.Of(strconv.FormatUint(uint64(record.Revision), 10)), "metadata", objectmeta.ResourceVersion))
	}
	if err == nil {
		out.JSON = record.JSON
	}
	return err
}

// checkSize refuses a write by which an object grows too large. One that is too large already may shrink.
func (res *Resource) checkSize(json []byte, before int) error {
	if int64(len(json)) <= res.MaxObjectBytes || len(json) <= before {
		return nil
	}
	return status.RequestEntityTooLarge(fmt.Sprintf("limit of an object is %d", res.MaxObjectBytes))
}

// Change computes the object that a client wants from the one there is.
type Change func(old doc.Value) (doc.Value, error)

// Update replaces an object, or its status, by what want makes of it. Where the resource has it so, an object that
// does not exist is created.
func (res *Resource) Update(ctx context.Context, namespace, name string, which Part, want Change, o WriteOptions) (result, error) {
	ctx, err := res.nest(ctx, namespace, name, &o)
	if err != nil {
		return result{}, err
	}
	out, err := res.updateExisting(ctx, namespace, name, which, want, o)
	creates := res.Traits.CreateOnUpdate && !o.FromPatch || o.applied && o.subresource == ""
	if !creates || which != MainPart || !out.Missing {
		return out, err
	}
	obj, err := want(doc.Value{})
	if err != nil {
		return result{}, err
	}
	if rv := objectmeta.Of(obj).Get(objectmeta.ResourceVersion).Text(); rv != "" && !isDecimal(rv) {
		return result{}, noVersion(rv)
	}
	o.reset()
	if out, err = res.Create(ctx, namespace, obj.WithAt(doc.Value{}, "metadata", objectmeta.ResourceVersion), o); out.taken {
		return res.updateExisting(ctx, namespace, name, which, want, o) // somebody else was faster
	}
	return out, err
}

func (res *Resource) updateExisting(ctx context.Context, namespace, name string, which Part, want Change, o WriteOptions) (result, error) {
	var out result
	var as doc.Value
	o.part = which
	record, err := res.commit(ctx, res.key(namespace, name), &o, func(current *storage.Record) ([]byte, error) {
		o.reset()
		out, as = result{}, doc.Value{}
		if current == nil && o.UID != "" && res.Traits.CreateOnUpdate {
			return nil, res.uidConflict(namespace, name, o.UID, "")
		}
		if current == nil {
			out.Missing = true
			return nil, res.NotFound(name)
		}
		was, json, err := res.formsOf(current)
		if err != nil {
			return nil, err
		}
		old := was.shown
		obj, err := want(old)
		if err != nil {
			return nil, err
		}
		if obj, err = res.admit(obj, &o); err != nil {
			return nil, err
		}
		if err = res.checkVersion(obj, old, &o); err != nil {
			return nil, err
		}
		entries := objectmeta.Of(obj).Get(objectmeta.ManagedFields)
		if obj = res.take(which, obj, old); o.applied {
			obj = obj.WithAt(entries, "metadata", objectmeta.ManagedFields)
		}
		if !current.Deleting && doc.Equal(obj, old) && res.writeOf(obj, was, &o) == nil {
			out = result{JSON: json, UID: current.UID}
			return current.JSON, nil // what is stored has been through the rest of the way
		}
		changed, err := res.finish(ctx, obj, was, &o)
		if err != nil {
			return nil, err
		}
		out = result{UID: current.UID, Gone: current.Deleting && !res.held(changed.shown)}
		if out.Gone || o.DryRun {
			out.JSON = codec.AppendObject(nil, changed.shown)
		}
		if out.Gone {
			return nil, nil
		}
		var next []byte
		next, as, err = res.encodeStored(changed, &o, current)
		return next, err
	})
	if err != nil {
		return result{Missing: out.Missing}, err
	}
	if out.Gone || record == nil {
		return out, nil
	}
	return out, res.showResult(&out, record, as)
}

// commit runs f against the object at key and stores what it returns; in a dry run it only runs f, and there is no
// record.
func (res *Resource) commit(ctx context.Context, key storage.Key, o *WriteOptions, f storage.UpdateFunc) (*storage.Record, error) {
	if !o.DryRun {
		record, err := res.Store.Update(ctx, key, f)
		return record, res.StoreError(err, key.Name)
	}
	current, err := res.Store.Get(ctx, key, 0)
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		return nil, res.StoreError(err, key.Name)
	}
	_, err = f(current)
	return nil, err
}

// admit drops what the schema does not know and reports it as the request asks for. A wrong type within metadata is
// refused here, because everything after relies on it; for built-in kinds every wrong type comes before unknown fields, as
// in a decoder.
func (res *Resource) admit(obj doc.Value, o *WriteOptions) (doc.Value, error) {
	sent := obj
	if err := res.checkNumbers(sent, o); err != nil {
		return doc.Value{}, err
	}
	obj, unknown := res.Schema.Prune(obj)
	if res.Dialect.TypesFirst && len(unknown)+len(o.Problems) > 0 {
		if errs := res.Schema.CheckTypes(nil, obj); len(errs) > 0 {
			return doc.Value{}, res.wrongType(sent, errs, o)
		}
	}
	if m := objectmeta.Of(obj); m.IsAbsent() || m.IsNull() {
		obj = obj.With("metadata", doc.MapOf())
	} else if after := objectmeta.WithoutNulls(m); after != m {
		obj = obj.With("metadata", after)
	}
	m := objectmeta.Of(obj)
	if errs := res.metadata.CheckTypes(status.Field("metadata"), m); len(errs) > 0 {
		if o.applied {
			return doc.Value{}, res.wrongType(sent, errs, o)
		}
		return doc.Value{}, res.undecodable(sent, o, res.metadataTypeError(m, errs, o))
	}
	o.verbatim = o.verbatim || res.Dialect.UnknownVerbatim
	if refused := o.report(unknown); refused != "" {
		return doc.Value{}, res.undecodable(sent, o, errors.New(refused))
	}
	if errs := res.checkOverlooked(obj, o.part); len(errs) > 0 {
		return doc.Value{}, res.wrongType(sent, errs, o)
	}
	how := objectmeta.AsSent
	if o.FromPatch {
		how = objectmeta.AfterMutation
	}
	return dropRepeatedOwners(obj, how, o), nil
}

// checkNumbers refuses numbers that nobody means and that a Go type would read for minutes, before it is asked.
func (res *Resource) checkNumbers(obj doc.Value, o *WriteOptions) error {
	if text, found := res.Schema.EndlessNumber(obj); found {
		return res.undecodable(obj, o, EndlessNumber(text))
	}
	return nil
}

// EndlessNumber is what is wrong with such a number.
func EndlessNumber(text string) error { return fmt.Errorf("the number %q has too many digits", text) }

// checkOverlooked checks the types of what a write leaves out of a body, and nobody looks at afterwards. A decoder into Go
// reads it nevertheless.
func (res *Resource) checkOverlooked(obj doc.Value, which Part) status.FieldErrors {
	switch {
	case !res.Dialect.WholeBodyChecked || !res.HasStatus():
		return nil
	case which == MainPart && !res.Traits.Namespaces:
		obj = doc.MapOf(doc.Member{Key: "status", Value: obj.Get("status")})
	}
	return res.Schema.CheckTypes(nil, obj)
}

// wrongType is the answer to values of a wrong type in a body of a built-in kind.
func (res *Resource) wrongType(sent doc.Value, errs status.FieldErrors, o *WriteOptions) error {
	err := res.decodingError(sent, o)
	if err == nil {
		err = errs[0]
	}
	if text := res.Schema.Misfit(sent); o.applied && text != "" {
		err = errors.New(text)
	}
	return res.undecodable(sent, o, err)
}

// decodingError says in the words that clients know why an object does not fit its Go type. Of several values of a wrong type
// it names the first one in the body.
func (res *Resource) decodingError(obj doc.Value, o *WriteOptions) error {
	if o.Text != nil && !o.FromPatch {
		if err := schema.DecodingError(o.Text, res.GoType.ObjectType()); err != nil {
			return err
		}
	}
	return schema.DecodingError(codec.AppendJSON(nil, obj), res.GoType.ObjectType())
}

func (res *Resource) undecodable(obj doc.Value, o *WriteOptions, err error) error {
	return Undecodable(res.GVK, obj, o, err)
}

// Undecodable is the answer to an object that is of this kind and cannot be read as such.
func Undecodable(kind apimeta.GroupVersionKind, obj doc.Value, o *WriteOptions, err error) error {
	switch {
	case o.applied:
		return inconvertible(o.config, err)
	case o.FromPatch:
		return patchedInvalid(obj, o, err.Error())
	}
	return status.BadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", kind.Kind, kind.Version, kind.Kind, err))
}

// checkVersion refuses an update of something else than what the client has seen (API conventions, Concurrency
// Control and Consistency).
func (res *Resource) checkVersion(obj, old doc.Value, o *WriteOptions) error {
	m, before := objectmeta.Of(obj), objectmeta.Of(old)
	name := before.Get(objectmeta.Name).Text()
	if stored := before.Get(objectmeta.UID).Text(); o.UID != "" && o.UID != stored {
		return res.uidConflict(before.Get(objectmeta.Namespace).Text(), name, o.UID, stored)
	}
	switch rv := m.Get(objectmeta.ResourceVersion).Text(); {
	case strings.Trim(rv, "0") == "":
		if !o.unconditional && !res.Dialect.UnconditionalUpdate {
			// The plural stands where the kind belongs, as clients know it from upstream.
			return status.Invalid(apimeta.GroupKind{Group: res.GR.Group, Kind: res.GR.Resource}, name, status.FieldErrors{
				status.InvalidField(status.Field("metadata", objectmeta.ResourceVersion), 0, "must be specified for an update")})
		}
	case !isDecimal(rv):
		return noVersion(rv)
	case strings.TrimLeft(rv, "0") != before.Get(objectmeta.ResourceVersion).Text():
		return status.ModifiedConflict(res.GR, name)
	}
	return nil
}

// uidConflict is the answer to an update of an object with another uid than the stored one; stored is empty where there is
// no object. It is upstream's text, which names the place in a store that clients know from their logs.
func (res *Resource) uidConflict(namespace, name, wanted, stored string) error {
	key := "/registry/"
	if res.Dialect.GroupInKey && res.GR.Group != "" {
		key += res.GR.Group + "/"
	}
	key += res.GR.Resource + "/"
	if namespace != "" {
		key += namespace + "/"
	}
	return status.Conflict(res.GR, name, fmt.Sprintf("StorageError: invalid object, Code: 4, Key: %s%s, ResourceVersion: 0, "+
		"AdditionalErrorMsg: Precondition failed: UID in precondition: %s, UID in object meta: %s", key, name, wanted, stored))
}

// noVersion is the answer to a resourceVersion that no object has ever had.
func noVersion(rv string) error {
	return status.BadRequest(fmt.Sprintf("metadata.resourceVersion: Invalid value: %q: must be a number", rv))
}

// isVersion reports whether a text is the version of some object.
func isVersion(rv string) bool {
	n, err := strconv.ParseUint(rv, 10, 64)
	return err == nil && n > 0
}

func isDecimal(s string) bool {
	_, err := strconv.ParseUint(s, 10, 64)
	return err == nil
}

// finish brings an object into the form in which it is stored: defaulted, changed by the host's hooks, validated, with its
// generation. old is absent on create.
func (res *Resource) finish(ctx context.Context, obj doc.Value, old forms, o *WriteOptions) (forms, error) {
	if obj.Get("kind").Text() != res.GVK.Kind {
		return forms{}, WrongKind(res.GVK, obj)
	}
	claimed := objectmeta.Of(obj).Get(objectmeta.ManagedFields)
	if res.Dialect.EmptyManagersUnset && claimed.Len() == 0 {
		claimed = doc.Value{} // the metadata of a custom resource is read without what is empty
	}
	obj = objectmeta.WithoutManagedFields(obj)
	sent, base := obj, old
	s, err := res.settle(ctx, sent, obj, old.shown, o)
	if err != nil {
		return forms{}, err
	}
	write := res.writeOf(s.obj, old, o)
	if write != nil {
		changed, err := write.mutate(ctx, s.obj)
		if err != nil {
			return forms{}, err
		}
		base = write.base
		changed = dropRepeatedOwners(res.mutated(changed, s.obj, o.part), objectmeta.AfterMutation, o)
		if s, err = res.resettle(ctx, sent, s, changed, old.shown, o); err != nil {
			return forms{}, err
		}
	}
	if s, err = res.readied(ctx, sent, s, old.shown, o); err != nil {
		return forms{}, err
	}
	obj = res.trackFields(s.obj, old.shown, claimed, o)
	errs, err := res.check(ctx, s, obj, old.shown, o)
	if err != nil {
		return forms{}, err
	}
	if len(errs) > 0 {
		return forms{}, status.Invalid(res.GVK.GroupKind(), objectmeta.NameOf(obj), errs)
	}
	out, err := res.bothForms(ctx, obj, base, old, o)
	if err != nil {
		return forms{}, err
	}
	if out.shown != obj && !doc.Equal(out.shown, obj) { // the stored version has changed it once more
		obj = res.trackFields(objectmeta.WithoutManagedFields(out.shown), old.shown, claimed, o)
		out.shown = obj
	}
	if res.toStored != nil || !old.shown.IsAbsent() {
		out = out.withMetadata(res.counted(out, old)...)
	}
	if err := write.validate(ctx, out); err != nil {
		return forms{}, err
	}
	if res.Kind.Virtual {
		answer, err := res.ChangeTyped(obj, s.typed, func() error { return res.GoType.RunCall(ctx, s.typed) })
		return forms{answer, answer}, err
	}
	return out, nil
}

// settled is an object with its defaults: obj as it would be stored, typed in its Go type where a hook wants to see that, and
// wanted as the client and the hooks want it, which has no zeros that only Go has written.
type settled struct {
	typed       any
	wanted, obj doc.Value
}

// resettle is settle for an object that a hook has changed.
func (res *Resource) resettle(ctx context.Context, sent doc.Value, s settled, changed, old doc.Value, o *WriteOptions) (settled, error) {
	if doc.Equal(changed, s.obj) {
		return s, nil
	}
	return res.settle(ctx, res.Schema.Merge(sent, s.obj, changed), res.Schema.Merge(s.wanted, s.obj, changed), old, o)
}

// readied runs the host's Prepare.
func (res *Resource) readied(ctx context.Context, sent doc.Value, s settled, old doc.Value, o *WriteOptions) (settled, error) {
	prepared, err := res.prepare(ctx, s.typed, s.obj, old, o)
	if err != nil {
		return s, err
	}
	return res.resettle(ctx, sent, s, prepared, old, o)
}

// check returns all that is wrong with an object by the rules of its version. tracked is the object with its managed fields.
func (res *Resource) check(ctx context.Context, s settled, tracked, old doc.Value, o *WriteOptions) (status.FieldErrors, error) {
	errs := res.validateRules(s.wanted, old, o, (*schema.Schema).CheckRules)
	errs = append(errs, objectmeta.ValidateManagedFields(tracked)...)
	broken, err := res.checkByRules(ctx, s.obj, old, errs, o)
	if err != nil {
		return nil, err
	}
	more, err := res.validateByHook(ctx, s.typed, old)
	return append(append(errs, broken...), more...), err
}

// settle defaults an object, by its schema and by the host's hook, and checks the types of its values. Objects of built-in
// kinds pass through their Go type, see [resource.passThroughType].
func (res *Resource) settle(ctx context.Context, sent, obj, old doc.Value, o *WriteOptions) (s settled, err error) {
	obj = res.Schema.Default(obj)
	asked := res.withAskedNulls(obj, sent, o)
	errs := res.Schema.CheckTypes(nil, obj)
	if len(errs) > 0 && !res.Dialect.TypeErrorsInvalid {
		return s, res.wrongType(sent, errs, o)
	}
	if len(errs) > 0 || asked != obj {
		obj = asked
		if all := res.validateRules(obj, old, o, (*schema.Schema).CheckTypesAndRules); len(all) > 0 {
			errs = all
		}
		unchecked, err := res.checkByRules(ctx, obj, old, errs, o) // not on values of a wrong type: it says that it has not
		if err != nil {
			return s, err
		}
		return s, status.Invalid(res.GVK.GroupKind(), objectmeta.NameOf(obj), append(errs, unchecked...))
	}
	if res.Dialect.GoWritten {
		s.typed, s.wanted, s.obj, err = res.passThroughType(ctx, sent, obj, o)
		return s, err
	}
	s.typed, s.obj, err = res.showToHooks(ctx, sent, obj, o)
	s.wanted = s.obj
	return s, err
}

// showToHooks runs the defaulting hook on an object of a custom kind, and returns the object in its Go type if a hook wants
// to see it.
func (res *Resource) showToHooks(ctx context.Context, sent, obj doc.Value, o *WriteOptions) (typed any, out doc.Value, err error) {
	if obj, err = res.writeMetadata(obj); err != nil {
		return nil, out, res.undecodable(obj, o, err)
	}
	hooks := res.GoType.Hooks()
	if !hooks.Defaults && !hooks.Prepare && !hooks.Validate && !res.Kind.Virtual {
		return nil, obj, nil
	}
	if typed, err = res.GoType.FromDocument(obj); err != nil {
		return nil, out, res.undecodable(obj, o, err)
	}
	if !hooks.Defaults {
		return typed, obj, nil
	}
	if out, err = res.defaultByHook(ctx, sent, obj, typed); err != nil {
		return nil, out, err
	}
	if full := res.Schema.Default(out); full != out { // what the hook has added has defaults of its own
		out = full
		typed, err = res.GoType.FromDocument(out)
	}
	return typed, out, err
}

// defaultByHook runs the defaulting hook on typed, which is obj in its Go type.
func (res *Resource) defaultByHook(ctx context.Context, sent, obj doc.Value, typed any) (doc.Value, error) {
	out, err := res.ChangeTyped(obj, typed, func() error { return res.GoType.RunDefault(ctx, typed) })
	if err != nil {
		return doc.Value{}, err
	}
	if path, ok := overridden(sent, obj, out); ok {
		return doc.Value{}, status.InternalError(fmt.Errorf("the Default hook of %s changed %q, which the client had set", res.GVK.GroupKind(), path))
	}
	return out, nil
}

// validateRules checks an object by all rules but the host's hook, in the order in which clients know the causes. bySchema
// looks at the values one by one: of a write to /status at the status alone.
func (res *Resource) validateRules(obj, old doc.Value, o *WriteOptions, bySchema func(s *schema.Schema, path *status.Path, v, old doc.Value) status.FieldErrors) status.FieldErrors {
	errs := res.validateMetadata(obj, old, o)
	if o.part == StatusPart {
		errs = append(errs, bySchema(res.Schema.Member("status"), status.Field("status"), obj.Get("status"), old.Get("status"))...)
	} else {
		errs = append(errs, bySchema(res.Schema, nil, obj, old)...)
	}
	errs = append(errs, res.validateNamespace(obj, old, o.part)...)
	errs = append(errs, res.scale.validate(obj, o.part)...)
	errs = append(errs, res.Schema.CheckRepeats(nil, obj, old)...)
	if old.IsAbsent() {
		return errs
	}
	return append(errs, res.Schema.CheckFixed(nil, obj, old)...)
}

// prepare runs the host's hook on an object that is about to be validated, and returns what may stay of its changes.
func (res *Resource) prepare(ctx context.Context, typed any, obj, old doc.Value, o *WriteOptions) (doc.Value, error) {
	if !res.GoType.Hooks().Prepare {
		return obj, nil
	}
	before, err := res.typedOld(old)
	if err != nil {
		return doc.Value{}, err
	}
	changed, err := res.ChangeTyped(obj, typed, func() error { return res.GoType.RunPrepare(ctx, typed, before) })
	if err != nil {
		return doc.Value{}, err
	}
	prepared := res.mutated(changed, obj, o.part)
	if old.IsAbsent() { // its first status is the hook's to give
		prepared = prepared.With("status", changed.Get("status"))
	}
	return prepared, nil
}

// typedOld decodes the object that is to be replaced for a hook; it is nil where there is none.
func (res *Resource) typedOld(old doc.Value) (any, error) {
	if old.IsAbsent() {
		return nil, nil
	}
	before, err := res.GoType.FromDocument(old)
	if err != nil {
		return nil, fmt.Errorf("stored object: %w", err)
	}
	return before, nil
}

// passThroughType decodes an object of a built-in kind into its type, runs the defaulting hook and encodes it again, so that
// null, omitempty and types with encodings of their own come out as Go writes them. A document that is so already goes
// past the type, unless a hook wants to see it. Beside what comes out it returns what the client and the hook wanted:
// there a required field is still missing that Go has written as a zero value.
func (res *Resource) passThroughType(ctx context.Context, sent, obj doc.Value, o *WriteOptions) (typed any, wanted, out doc.Value, err error) {
	hooks := res.GoType.Hooks()
	held := res.view.Holds(obj)
	if held && !hooks.Defaults && !hooks.Prepare && !hooks.Validate && !res.Kind.Virtual {
		return nil, obj, obj, nil
	}
	if typed, err = res.GoType.FromDocument(obj); err != nil {
		return nil, wanted, out, res.undecodable(obj, o, err)
	}
	if out, wanted = obj, obj; !held {
		if out, err = res.GoType.ToDocument(typed); err != nil {
			return nil, wanted, out, err
		}
		out = res.WithKind(out)
	}
	if !hooks.Defaults {
		return typed, wanted, out, nil
	}
	before := out
	if out, err = res.defaultByHook(ctx, sent, before, typed); err != nil {
		return nil, wanted, out, err
	}
	return typed, res.Schema.Merge(obj, before, out), out, nil
}

// WithKind writes the kind's name into a document that came from a Go type, which need not have the fields for it.
func (res *Resource) WithKind(obj doc.Value) doc.Value {
	return obj.With("apiVersion", doc.Of(res.GVK.GroupVersion().String())).With("kind", doc.Of(res.GVK.Kind))
}

// overridden finds a value that the client has sent and that differs between before and after.
func overridden(sent, before, after doc.Value) (string, bool) {
	if sent.IsNull() {
		return "", false
	}
	if sent.Kind() != doc.Map || before.Kind() != doc.Map || after.Kind() != doc.Map {
		return "", !doc.Equal(before, after)
	}
	for key, value := range sent.Members() {
		if path, ok := overridden(value, before.Get(key), after.Get(key)); ok {
			return strings.TrimSuffix(key+"."+path, "."), true
		}
	}
	return "", false
}

func (res *Resource) validateByHook(ctx context.Context, typed any, old doc.Value) (status.FieldErrors, error) {
	if !res.GoType.Hooks().Validate {
		return nil, nil
	}
	before, err := res.typedOld(old)
	if err != nil {
		return nil, err
	}
	return res.GoType.RunValidate(ctx, typed, before)
}

// counted are the members of the metadata that a write has in both forms of an object: its owners and, in an update, the
// version that it replaces and its generation, which counts changes outside of metadata and status (API conventions, Metadata)
// in whichever version they show.
func (res *Resource) counted(obj, old forms) []doc.Member {
	m := objectmeta.Of(obj.shown)
	generation, rv := m.Get(objectmeta.Generation), m.Get(objectmeta.ResourceVersion)
	if !old.shown.IsAbsent() {
		generation, rv = objectmeta.Of(old.shown).Get(objectmeta.Generation), objectmeta.Of(old.shown).Get(objectmeta.ResourceVersion)
		if res.Dialect.Generation && (desiredStateChanged(obj.shown, old.shown) || res.toStored != nil && desiredStateChanged(obj.stored, old.stored)) {
			n, _ := generation.Int()
			generation = doc.OfInt(n + 1)
		}
	}
	return []doc.Member{ // sorted
		{Key: objectmeta.Generation, Value: generation},
		{Key: objectmeta.ManagedFields, Value: m.Get(objectmeta.ManagedFields)},
		{Key: objectmeta.ResourceVersion, Value: rv},
	}
}

func desiredStateChanged(obj, old doc.Value) bool {
	rest := func(v doc.Value) doc.Value { return v.Without("metadata", "status", "apiVersion", "kind") }
	return !doc.Equal(rest(obj), rest(old))
}

// metadataTypeError says in the words that clients know why this metadata cannot be decoded: within its object for a built-in
// kind, by itself for a custom one.
func (res *Resource) metadataTypeError(m doc.Value, errs status.FieldErrors, o *WriteOptions) error {
	var err error
	if res.Dialect.MetadataAlone {
		err = schema.DecodingError(codec.AppendJSON(nil, m), reflect.TypeFor[apimeta.ObjectMeta]())
	} else {
		err = res.decodingError(doc.MapOf(doc.Member{Key: "metadata", Value: m}), o)
	}
	if err != nil {
		return err
	}
	return errs[0]
}

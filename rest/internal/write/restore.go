package write

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// precondition refuses an update if the client has seen another version of the object, and a create if the definition
// of the kind or the namespace does not exist or is being deleted.
func (w *Write) precondition(ctx context.Context) error {
	if w.before.record != nil {
		return w.checkVersion()
	}
	m := objectmeta.Of(w.draft.now)
	name := cmp.Or(m.Get(objectmeta.Name).Text(), m.Get(objectmeta.GenerateName).Text(), unknownName)
	err := checkDefined(ctx, w.res, name)
	if err == nil {
		err = checkNamespaceOpen(ctx, w.res, w.Namespace, name)
	}
	return err
}

// restore puts back the fields that the write may not change. A new object gets its initial fields.
func (w *Write) restore(context.Context) error {
	if w.before.record == nil {
		w.draft.now = w.begun(w.draft.now)
		return nil
	}
	entries := objectmeta.Of(w.draft.now).Get(objectmeta.ManagedFields)
	if w.draft.now = restored(w.res, w.Part(), w.draft.now, w.before.shown); w.way == applied {
		w.draft.now = w.draft.now.WithAt(entries, "metadata", objectmeta.ManagedFields)
	}
	return nil
}

// begun returns a new object with the fields that the server sets.
func (w *Write) begun(obj doc.Value) doc.Value {
	res, m := w.res, objectmeta.Of(obj)
	w.draft.versioned = isVersion(m.Get(objectmeta.ResourceVersion).Text())
	if obj = metadataForCreate(res, obj, w.Namespace); res.HasStatus() && !res.Traits.StatusOnCreate || res.Kind.Virtual {
		obj = obj.Without("status")
	}
	base := objectmeta.Of(obj).Get(objectmeta.GenerateName).Text()
	if base != "" && objectmeta.NameOf(obj) == "" && !res.Kind.Virtual {
		w.draft.nameGenerated = true
		obj = obj.WithAt(doc.Of(objectmeta.GeneratedName(base)), "metadata", objectmeta.Name)
	}
	w.result.Created, w.result.UID = true, objectmeta.Of(obj).Get(objectmeta.UID).Text()
	return res.Strategy.Begin(obj)
}

// metadataForCreate sets the metadata of a new object that a client may not choose.
func metadataForCreate(res *resource.Resource, obj doc.Value, namespace string) doc.Value {
	origin := objectmeta.Origin{Created: res.Now()}
	if res.Kind.Namespaced {
		origin.Namespace = namespace
	}
	if !res.Kind.Virtual {
		origin.UID = res.NewUID()
		switch {
		case res.Dialect.Generation && !res.Strategy.Except.CountsFromZero:
			origin.Generation = doc.OfInt(1)
		case res.Dialect.ClientGeneration:
			origin.Generation = objectmeta.Of(obj).Get(objectmeta.Generation)
		}
	}
	return objectmeta.ForCreate(obj, origin)
}

// restored returns old with the changes of obj that a write of this part may make.
func restored(res *resource.Resource, which resource.Part, obj, old doc.Value) doc.Value {
	var written doc.Value
	switch {
	case which == resource.StatusPart && res.Dialect.StatusMetadata:
		m := withMembersOf(objectmeta.Of(obj), objectmeta.Of(old), res.Strategy.Except.StatusKeeps)
		written = objectmeta.ForUpdate(old.With("status", obj.Get("status")).With("metadata", m), old)
	case which == resource.StatusPart:
		written = old.With("status", obj.Get("status"))
	default:
		if written = objectmeta.ForUpdate(obj, old); res.HasStatus() && which != resource.WholePart {
			written = written.With("status", old.Get("status"))
		}
	}
	return res.Schema.Reconcile(res.Strategy.Change(written, old, which), old)
}

// withMembersOf returns m with the members of these names replaced by the members of other.
func withMembersOf(m, other doc.Value, names []string) doc.Value {
	for _, name := range names {
		m = m.With(name, other.Get(name))
	}
	return m
}

// compare validates a write that changes nothing, not even managedFields, and ends it. It also ends a repeated deletion
// that does not shorten the running grace period, or that the kind's strategy holds anyway, as it holds a namespace
// that is being emptied. The deletion of an object that only finalizers hold goes on, because it may change the
// propagation policy.
func (w *Write) compare(ctx context.Context) (err error) {
	if w.deletion != nil {
		old := w.before.stored
		waits := objectmeta.GraceOf(old) > 0 && !shortens(old, *w.deletion)
		if w.done = waits || objectmeta.Deleting(old) && w.res.Strategy.Holds(old); w.done {
			w.after.stored = old
			w.after.json, err = w.before.record.JSON(ctx)
		}
		return err
	}
	if w.before.record.Deleting || !doc.Equal(w.draft.now, w.before.shown) || w.splitsEntries() {
		return nil
	}
	if w.reviewed(ctx, w.draft.now) != nil {
		return nil
	}
	if err := w.validateUnchanged(ctx); err != nil {
		return err
	}
	w.done = true // the stored object has taken the other steps before
	w.result.JSON = w.before.json
	w.after.json, err = w.before.record.JSON(ctx)
	return err
}

// setAside takes the managedFields out of the object. Hooks do not see them, and the step own computes new ones.
func (w *Write) setAside(context.Context) error {
	if w.draft.now.Get("kind").Text() != w.res.GVK.Kind {
		return WrongKind(w.res.GVK, w.draft.now)
	}
	w.draft.owners = objectmeta.Of(w.draft.now).Get(objectmeta.ManagedFields)
	if w.res.Dialect.EmptyManagersUnset && w.draft.owners.Len() == 0 {
		w.draft.owners = doc.Value{} // upstream reads an empty list in the metadata of a custom resource as absent
	}
	w.draft.now = objectmeta.WithoutManagedFields(w.draft.now)
	w.draft.sent, w.draft.base = w.draft.now, w.before.forms
	return nil
}

// checkVersion refuses an update if the client has seen another version of the object (API conventions, Concurrency
// Control and Consistency).
func (w *Write) checkVersion() error {
	res, m, before := w.res, objectmeta.Of(w.draft.now), objectmeta.Of(w.before.shown)
	name := before.Get(objectmeta.Name).Text()
	if stored := before.Get(objectmeta.UID).Text(); w.Body.UID != "" && w.Body.UID != stored {
		return uidConflict(res, before.Get(objectmeta.Namespace).Text(), name, w.Body.UID, stored)
	}
	switch rv := m.Get(objectmeta.ResourceVersion).Text(); {
	case strings.Trim(rv, "0") == "":
		uncommitted := before.Get(objectmeta.ResourceVersion).Text() == ""
		if !uncommitted && !w.ThroughOwnKind() && !res.Dialect.UnconditionalUpdate {
			// Upstream puts the plural in the place of the kind here.
			return status.Invalid(apimeta.GroupKind{Group: res.GR.Group, Kind: res.GR.Resource}, name, status.FieldErrors{
				status.InvalidField(status.NewPath("metadata", objectmeta.ResourceVersion), 0, "must be specified for an update")})
		}
	case !isDecimal(rv):
		return noVersion(rv)
	case strings.TrimLeft(rv, "0") != before.Get(objectmeta.ResourceVersion).Text():
		return status.ModifiedConflict(res.Stored.GR, name)
	}
	return nil
}

// uidConflict returns the error for an update with another uid than the stored one. stored is empty if the object does
// not exist. The text is upstream's and names a key in its store.
func uidConflict(res *resource.Resource, namespace, name, wanted, stored string) error {
	key := "/registry/"
	if group := res.Stored.GR.Group; res.Dialect.GroupInKey && group != "" {
		key += group + "/"
	}
	key += res.GR.Resource + "/"
	if namespace != "" {
		key += namespace + "/"
	}
	return status.Conflict(res.Stored.GR, name,
		fmt.Sprintf("StorageError: invalid object, Code: 4, Key: %s%s, ResourceVersion: 0, "+
			"AdditionalErrorMsg: Precondition failed: UID in precondition: %s, UID in object meta: %s", key, name, wanted,
			stored))
}

// noVersion returns the error for a resourceVersion that is not a number.
func noVersion(rv string) error {
	return status.BadRequest(fmt.Sprintf("metadata.resourceVersion: Invalid value: %q: must be a number", rv))
}

// isVersion reports whether a text can be the resourceVersion of an object.
func isVersion(rv string) bool {
	n, err := strconv.ParseUint(rv, 10, 64)
	return err == nil && n > 0
}

func isDecimal(s string) bool {
	_, err := strconv.ParseUint(s, 10, 64)
	return err == nil
}

package write

import (
	"errors"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/managed"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// Version is one version of the object under review.
type Version struct {
	Resource apimeta.GroupVersionResource
	// Kind is the kind of the object in this version, or the own kind of the subresource.
	Kind   apimeta.GroupVersionKind
	res    *resource.Resource
	schema *schema.Schema // the schema of Kind
}

// AreNamespaces reports whether the objects of the resource are the namespaces of other kinds.
func (r *Review) AreNamespaces() bool { return r.write.res.AreNamespaces() }

// Requested returns the version of the request.
func (r *Review) Requested() Version { return r.write.versionFor(r.write.res) }

// Versions returns the versions in which the same object could be written at the same subresource, the one of the
// request first.
func (r *Review) Versions() []Version {
	a := r.write
	out := []Version{a.versionFor(a.res)}
	for _, res := range a.res.Stored.EveryVersion() {
		if res != a.res && a.hasSubresourceOf(res) {
			out = append(out, a.versionFor(res))
		}
	}
	return out
}

// versionFor describes the object under review in a version of its resource.
func (a *admission) versionFor(res *resource.Resource) Version {
	v := Version{Resource: res.GR.WithVersion(res.GVK.Version), Kind: res.GVK, res: res, schema: res.Schema}
	if !a.isOfObject() { // a subresource looks alike below every version
		v.Kind, v.res, v.schema = a.kind, a.res, a.schema
	}
	return v
}

// hasSubresourceOf reports whether a version has the subresource of the write, with the same kind unless it is a part
// of the object.
func (a *admission) hasSubresourceOf(res *resource.Resource) bool {
	if a.Through == nil {
		return true
	}
	sub := res.FindSubresource(a.Through.Name)
	return sub != nil && sub.OfItself == a.Through.OfItself && (sub.OfItself || sub.Kind == a.Through.Kind)
}

// ObjectIn decodes the new object in a version, and reports whether the operation has one. If the client connects, the
// object is the options of the stream.
func (r *Review) ObjectIn(v Version, into any) (found bool, err error) {
	object, err := r.in(v)
	return decodeFound(object, err, into)
}

// OldObjectIn is ObjectIn for the old object.
func (r *Review) OldObjectIn(v Version, into any) (found bool, err error) {
	if err := v.check(); err != nil {
		return false, err
	}
	old, err := r.write.oldAs(v.res)
	return decodeFound(old, err, into)
}

// in returns the new object in a version.
func (r *Review) in(v Version) (doc.Value, error) {
	if err := v.check(); err != nil {
		return doc.Value{}, err
	}
	return r.write.as(v.res, r.object)
}

// check refuses a version that does not come from a Review.
func (v Version) check() error {
	if v.res == nil {
		return errors.New("the version does not come from the request")
	}
	return nil
}

// ReplaceIn makes obj the object, in a version, and defaults it. It fails with an internal error if the Go type of a
// built-in kind cannot hold it, as Kubernetes does.
func (r *Review) ReplaceIn(v Version, obj any) error {
	if err := r.checkMutable(); err != nil {
		return err
	}
	before, err := r.in(v)
	if err != nil {
		return err
	}
	after, err := documentOf(obj)
	if err != nil {
		return err
	}
	if r.write.isOfObject() {
		after = v.res.WithKind(after)
		if v.res.Dialect.GoWritten {
			if _, err := v.res.GoType.FromDocument(after); err != nil {
				return status.InternalError(err)
			}
		}
		if after, err = v.res.Defaulted(after); err != nil {
			return err
		}
	}
	return r.change(v.res, before, after)
}

// WarnAlways adds a warning to the answer, also if the write fails.
func (r *Review) WarnAlways(text string) { r.write.Warnings.addAlways(text) }

// Memory is what a hook remembers from its first Mutate to its second one of the same attempt to write. A write makes a
// new attempt if another write commits first.
type Memory struct {
	Value any
	// Again asks for the second Mutate even if no later hook changes the object.
	Again bool
}

// Memory returns the memory of the hook.
func (r *Review) Memory() *Memory {
	a := r.write
	if a.memories == nil {
		a.memories = map[*Hook]*Memory{}
	}
	if a.memories[r.hook] == nil {
		a.memories[r.hook] = new(Memory)
	}
	return a.memories[r.hook]
}

// again reports whether a hook has asked for its second Mutate.
func (a *admission) again(h *Hook) bool {
	m := a.memories[h]
	return m != nil && m.Again
}

// MergedIn decodes the object with a configuration merged into it as server-side apply would, but without owners. The
// error says what is wrong with the configuration.
func (r *Review) MergedIn(v Version, configuration, into any) error {
	object, err := r.in(v)
	if err != nil {
		return err
	}
	config, err := documentOf(configuration)
	if err != nil {
		return err
	}
	kind := v.res.Managed
	if kind == nil || v.Kind != v.res.GVK { // a virtual kind, or the own kind of a subresource
		kind = managed.NewKind(v.schema, v.Kind, doc.Value{}, nil)
	}
	merged, err := kind.Merge(object, config.With("apiVersion", object.Get("apiVersion")).With("kind", object.Get("kind")))
	return decodeAdmitted(merged, err, into)
}

package write

import (
	"fmt"
	"iter"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/managed"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// version is a version of the object under review.
type version struct {
	admission.KindVersion
	res    *resource.Resource
	schema *schema.Schema // the schema of Kind
}

func (r *hookWrite) IsNamespace() bool { return r.res.AreNamespaces() }

func (r *hookWrite) Version() admission.KindVersion { return r.versionFor(r.res).KindVersion }

func (r *hookWrite) Versions() []admission.KindVersion {
	out := []admission.KindVersion{r.Version()}
	for v := range r.otherVersions() {
		out = append(out, v.KindVersion)
	}
	return out
}

// otherVersions returns the versions in which a client could make the same write, except the version of the request.
func (a *underReview) otherVersions() iter.Seq[version] {
	return func(yield func(version) bool) {
		for _, res := range a.res.Stored.EveryVersion() {
			if res != a.res && a.hasSubresourceOf(res) && !yield(a.versionFor(res)) {
				return
			}
		}
	}
}

// find returns the version of the write that a hook names.
func (a *underReview) find(named admission.KindVersion) (version, error) {
	if v := a.versionFor(a.res); v.KindVersion == named {
		return v, nil
	}
	for v := range a.otherVersions() {
		if v.KindVersion == named {
			return v, nil
		}
	}
	return version{}, fmt.Errorf("the request has no version %s of %s", named.Kind, named.Resource)
}

// versionFor describes the object under review in a version of its resource.
func (a *underReview) versionFor(res *resource.Resource) version {
	v := version{admission.KindVersion{Resource: res.GR.WithVersion(res.GVK.Version), Kind: res.GVK}, res, res.Schema}
	if !a.isOfObject() { // a subresource looks alike below every version
		v.Kind, v.res, v.schema = a.kind, a.res, a.schema
	}
	return v
}

// hasSubresourceOf reports whether a version has the subresource of the write, with the same kind unless it is a part
// of the object.
func (a *underReview) hasSubresourceOf(res *resource.Resource) bool {
	if a.Through == nil {
		return true
	}
	sub := res.FindSubresource(a.Through.Name)
	return sub != nil && sub.OfItself == a.Through.OfItself && (sub.OfItself || sub.Kind == a.Through.Kind)
}

func (r *hookWrite) ObjectIn(v admission.KindVersion, into any) (ok bool, err error) {
	_, object, err := r.in(v)
	return r.decodeFound(object, err, into)
}

func (r *hookWrite) OldObjectIn(v admission.KindVersion, into any) (ok bool, err error) {
	in, err := r.find(v)
	if err != nil {
		return false, err
	}
	old, err := r.oldAs(in.res)
	return r.decodeFound(old, err, into)
}

// in returns the new object in a version.
func (r *hookWrite) in(v admission.KindVersion) (in version, object doc.Value, err error) {
	if in, err = r.find(v); err != nil {
		return version{}, doc.Value{}, err
	}
	object, err = r.as(in.res, r.object)
	return in, object, err
}

// ReplaceObjectIn fails with an internal error if the Go type of a built-in kind cannot hold the object, as Kubernetes
// does.
func (r *hookWrite) ReplaceObjectIn(named admission.KindVersion, obj any) error {
	if err := r.checkMutable(); err != nil {
		return err
	}
	v, before, err := r.in(named)
	if err != nil {
		return err
	}
	after, err := r.documentOf(obj)
	if err != nil {
		return err
	}
	if r.isOfObject() {
		after = v.res.WithKind(after)
		if v.res.Dialect.GoWritten {
			if _, err := v.res.FromDocument(after); err != nil {
				return status.InternalError(err)
			}
		}
		if after, err = v.res.Defaulted(after); err != nil {
			return err
		}
	}
	return r.change(v.res, before, after)
}

func (r *hookWrite) WarnAlways(text string) { r.Warnings.addAlways(text) }

// memory is what a hook remembers from its first Mutate to its second one of the same attempt to write. A write makes a
// new attempt if another write commits first.
type memory struct {
	value any
	// again asks for the second Mutate even if no later hook changes the object.
	again bool
}

// memory returns the memory of the hook.
func (r *hookWrite) memory() *memory {
	if r.memories == nil {
		r.memories = map[*admission.Hook]*memory{}
	}
	if r.memories[r.hook] == nil {
		r.memories[r.hook] = new(memory)
	}
	return r.memories[r.hook]
}

func (r *hookWrite) Remember(value any) { r.memory().value = value }

func (r *hookWrite) Remembered() any { return r.memory().value }

func (r *hookWrite) MutateAgain() { r.memory().again = true }

// again reports whether a hook has asked for its second Mutate.
func (a *underReview) again(h *admission.Hook) bool {
	m := a.memories[h]
	return m != nil && m.again
}

// MergedIn returns an error that says what is wrong with the configuration.
func (r *hookWrite) MergedIn(named admission.KindVersion, configuration, into any) error {
	v, object, err := r.in(named)
	if err != nil {
		return err
	}
	config, err := r.documentOf(configuration)
	if err != nil {
		return err
	}
	kind := v.res.Managed
	if kind == nil || v.Kind != v.res.GVK { // a virtual kind, or the own kind of a subresource
		kind = managed.NewKind(v.schema, v.Kind, doc.Value{}, nil)
	}
	merged, err := kind.Merge(object, config.With("apiVersion", object.Get("apiVersion")).With("kind", object.Get("kind")))
	return r.decodeAdmitted(merged, err, into)
}

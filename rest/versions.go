package rest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
)

// VersionOf is a further version of a resource whose objects are stored as T. [Converted] makes one.
type VersionOf[T any] interface {
	version(stored *served) (*served, error)
}

// Converted declares a version of a resource that has a Go type of its own, V, beside the one that is stored, T. An
// object written in one version is read in all of them (API conventions, API versioning; API concepts, API versioning),
// so what one version can say must survive the way to the other and back.
//
// The version has its own schema, defaults, columns, selectable fields, subresources and hooks: a write is defaulted and
// validated in the version of its request, converted, and then held to the stored version as well: its defaults, its hooks,
// its tags, its Rules. What breaks one of these is refused with a cause that names the stored version. Names, scope, verbs and
// the like belong to the whole resource and must not be set in version.
//
// The functions fill in out, whose metadata is there already; they may change labels and annotations, and a change of
// anything else in metadata is an error. They hold no lock, must not keep or change in, and run whenever the object is
// looked at, and to find out whether a zero means zero. An error or a panic of theirs is answered with 500. A nil function
// carries over what both types have in common, by name.
func Converted[T, V any](version Resource[V], toStored func(in *V, out *T) error, fromStored func(in *T, out *V) error) VersionOf[T] {
	return &convertedVersion[T, V]{version, toStored, fromStored}
}

type convertedVersion[T, V any] struct {
	declared   Resource[V]
	toStored   func(in *V, out *T) error
	fromStored func(in *T, out *V) error
}

// fieldsOfAllVersions are the fields of Resource that hold for a resource in all its versions.
var fieldsOfAllVersions = [...]string{"Group", "Plural", "Singular", "ListKind", "ShortNames", "Categories", "Scope", "Dialect", "Names", "Verbs",
	"CreateOnUpdate", "Generation", "VersionRequired", "PlainMetadata", "ReturnDeleted", "Singleton", "IndexedLabels", "Untracked", "Kind", "Versions", "Call", "GracePeriod", "RemoveWhenDue"}

func (c *convertedVersion[T, V]) version(stored *served) (*served, error) {
	r := c.declared
	given := reflect.ValueOf(r)
	for _, name := range fieldsOfAllVersions {
		if !given.FieldByName(name).IsZero() {
			return nil, fmt.Errorf("version %q: %s is declared for all versions by the stored one", r.Version, name)
		}
	}
	of, ok := stored.goType.(*typed[T])
	if !ok {
		return nil, fmt.Errorf("version %q: %s is not the stored type", r.Version, reflect.TypeFor[T]())
	}
	r.Kind = stored.gvk.Kind
	r.Group, r.Plural, r.Singular, r.ListKind = of.Group, of.Plural, of.Singular, of.ListKind
	r.ShortNames, r.Categories, r.Scope, r.Dialect, r.Names = of.ShortNames, of.Categories, of.Scope, of.Dialect, of.Names
	r.Verbs, r.CreateOnUpdate, r.Generation, r.VersionRequired, r.Singleton = of.Verbs, of.CreateOnUpdate, of.Generation, of.VersionRequired, of.Singleton
	r.PlainMetadata, r.ReturnDeleted, r.Untracked = of.PlainMetadata, of.ReturnDeleted, of.Untracked
	res, err := r.build(stored.environment, stored)
	if err != nil {
		return nil, fmt.Errorf("version %q: %w", r.Version, err)
	}
	to, from := conversions(res.resource, stored.resource, c.toStored, c.fromStored)
	if err := stored.AddVersion(res.resource, to, from); err != nil {
		return nil, err
	}
	return res, nil
}

// versions are the further versions of the resource.
func (r Resource[T]) versions() (versions []func(stored *served) (*served, error)) {
	for _, v := range r.Versions {
		if v == nil {
			versions = append(versions, func(*served) (*served, error) { return nil, errors.New("Versions: one is nil") })
		} else {
			versions = append(versions, v.version)
		}
	}
	return versions
}

// addVersions completes a resource with its further versions.
func (res *served) addVersions(versions []func(stored *served) (*served, error)) error {
	for _, version := range versions {
		other, err := version(res)
		if err != nil {
			return err
		}
		res.others = append(res.others, other)
	}
	return nil
}

// AddVersion adds a version to the stored one. toStored and fromStored convert between the two.
func (res *resource) AddVersion(other *resource, toStored, fromStored func(doc.Value) (doc.Value, error)) error {
	if res.kind.Virtual || res.traits.Namespaces {
		return fmt.Errorf("Versions: a virtual kind and namespaces have one")
	}
	if res.inVersion(other.gvk.GroupVersion().String()) != nil {
		return fmt.Errorf("Versions: %q is declared twice", other.gvk.Version)
	}
	other.toStored, other.fromStored = toStored, fromStored
	res.versions = append(res.versions, other)
	return nil
}

// everyVersion are all versions of a resource that is stored, the stored one first.
func (res *resource) everyVersion() []*resource {
	return append([]*resource{res}, res.versions...)
}

// inVersion is the version of the same kind that has this apiVersion, or nil.
func (res *resource) inVersion(apiVersion string) *resource {
	versions := res.stored.everyVersion()
	i := slices.IndexFunc(versions, func(r *resource) bool { return r.gvk.GroupVersion().String() == apiVersion })
	if i < 0 {
		return nil
	}
	return versions[i]
}

// convert turns an object of this version into one of another version of the kind.
func (res *resource) convert(v doc.Value, to *resource) (doc.Value, error) {
	var err error
	if res != to && res.toStored != nil {
		v, err = res.toStored(v)
	}
	if err == nil && res != to && to.fromStored != nil {
		v, err = to.fromStored(v)
	}
	return v, err
}

// settled brings a document into the form in which the version writes it: with its defaults and, in the built-in dialect, as
// its Go type encodes it. What the type cannot hold, because the type has changed since it was stored, stays as it is.
func (res *resource) settled(v doc.Value) (doc.Value, error) {
	v = res.schema.Default(v)
	if !res.dialect.GoWritten || res.view.Holds(v) {
		return v, nil
	}
	obj, err := res.goType.fromDocument(v)
	if err != nil {
		return v, nil
	}
	out, err := res.goType.toDocument(obj)
	return res.withKind(out), err
}

// upgrade brings an object that was stored in another version of the kind, or under an older type, into the form that is
// stored now: converted, without the fields that are gone, with the defaults that are new.
func (res *resource) upgrade(json []byte) ([]byte, error) {
	v, _, err := codec.DecodeJSON(json)
	if err != nil {
		return nil, err
	}
	from := res.inVersion(v.Get("apiVersion").Text())
	if from == nil {
		return nil, fmt.Errorf("it is stored as %q, which is no version of kind %q", v.Get("apiVersion").Text(), res.gvk.Kind)
	}
	if v, err = from.convert(v, res); err != nil {
		return nil, errors.Join(err, errors.Unwrap(err)) // the host may see what clients may not
	}
	v, _ = res.schema.Prune(v)
	if v, err = res.settled(v); err != nil {
		return nil, err
	}
	return codec.AppendObject(nil, v), nil
}

package rest

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/decorum-go/decorum/rest/internal/resource"
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

// fieldsOfAllVersions are the fields of Resource that hold for a resource in all its versions, and hooksOfAllVersions such hooks.
var (
	fieldsOfAllVersions = [...]string{"Group", "Plural", "Scope", "Names", "Verbs", "IndexedLabels", "Singleton", "RemoveWhenDue", "Versions", "Wire"}
	hooksOfAllVersions  = [...]string{"GracePeriod", "Call"}
)

func (c *convertedVersion[T, V]) version(stored *served) (*served, error) {
	r := c.declared
	if name := firstSet(r, fieldsOfAllVersions[:]); name != "" {
		return nil, fmt.Errorf("version %q: %s is declared for all versions by the stored one", r.Version, name)
	}
	if name := firstSet(r.Hooks, hooksOfAllVersions[:]); name != "" {
		return nil, fmt.Errorf("version %q: Hooks.%s is declared for all versions by the stored one", r.Version, name)
	}
	of, ok := stored.GoType.(*typed[T])
	if !ok {
		return nil, fmt.Errorf("version %q: %s is not the stored type", r.Version, reflect.TypeFor[T]())
	}
	r.Group, r.Plural, r.Scope, r.Names, r.Verbs, r.Singleton, r.Wire = of.Group, of.Plural, of.Scope, of.Names, of.Verbs, of.Singleton, of.Wire
	r.Names.Kind = stored.GVK.Kind
	res, err := r.build(stored.Environment, stored)
	if err != nil {
		return nil, fmt.Errorf("version %q: %w", r.Version, err)
	}
	to, from := resource.Conversions(res.Resource, stored.Resource, c.toStored, c.fromStored)
	if err := stored.AddVersion(res.Resource, to, from); err != nil {
		return nil, err
	}
	return res, nil
}

// firstSet returns the first of these fields of a struct that is not empty, or "".
func firstSet(of any, fields []string) string {
	given := reflect.ValueOf(of)
	i := slices.IndexFunc(fields, func(name string) bool { return !given.FieldByName(name).IsZero() })
	if i < 0 {
		return ""
	}
	return fields[i]
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

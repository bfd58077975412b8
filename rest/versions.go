package rest

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/decorum-go/decorum/rest/internal/front"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

// VersionOf is a further version of a resource whose objects are stored as T. [Converted] makes one.
type VersionOf[T any] interface {
	version(stored *front.Served) (*front.Served, error)
}

// Converted declares a further version of a resource, with a Go type V of its own. T is the Go type of the stored
// version. Clients can read an object in every version, whichever version wrote it (API conventions, API versioning;
// API concepts, API versioning), so the conversion to the other version and back must lose nothing.
//
// version may belong to another group, as Kubernetes serves Event in two groups: set its Group. Each object then has
// two paths, but one uid and one history. An empty Group means the group of the stored version. The group of the stored
// version is part of the keys in the store, so it cannot change while the store contains objects.
//
// A version has its own schema, defaults, columns, selectable fields, subresources and hooks. A write is defaulted and
// validated in the version of the request and converted; then the defaults, hooks, tags and Rules of the stored version
// apply as well. An error that one of these finds names the stored version. Names, scope, verbs and the like belong to
// the whole resource and must not be set in version.
//
// toStored and fromStored fill in out, whose metadata is already set. They may change labels and annotations; changing
// other metadata is an error. They hold no lock, must not keep or change in, and may run for every read and several
// times for one write. If they return an error or panic, the answer is 500. A nil function copies the fields that both
// types have, by name.
func Converted[T, V any](version Resource[V], toStored func(in *V, out *T) error,
	fromStored func(in *T, out *V) error) VersionOf[T] {
	return &convertedVersion[T, V]{version, toStored, fromStored}
}

// convertedVersion implements [VersionOf].
type convertedVersion[T, V any] struct {
	declared   Resource[V]
	toStored   func(in *V, out *T) error
	fromStored func(in *T, out *V) error
}

// The stored version declares these fields and hooks for all versions, so a further version must not set them.
var (
	fieldsOfAllVersions = [...]string{"Plural", "Scope", "Names", "Verbs", "IndexedLabels", "Singleton", "RemoveWhenDue",
		"TimeToLive", "History", "Versions", "Wire"}
	hooksOfAllVersions = [...]string{"GracePeriod", "Call", "CallDryRun"}
)

// version implements [VersionOf].
func (c *convertedVersion[T, V]) version(stored *front.Served) (*front.Served, error) {
	return c.declared.declared().version(stored, reflect.TypeFor[*T]().Elem(), untypedConversion(c.toStored),
		untypedConversion(c.fromStored))
}

// untypedConversion returns a function of the host on the pointers P and Q, or nil.
func untypedConversion[P, Q any](convert func(in P, out Q) error) func(in, out any) error {
	if convert == nil {
		return nil
	}
	return func(in, out any) error { return convert(in.(P), out.(Q)) }
}

// version builds a further version. It copies from the stored version, whose Go type must be storedType, what holds for
// all versions.
func (r *declared) version(stored *front.Served, storedType reflect.Type, toStored,
	fromStored func(in, out any) error) (*front.Served, error) {
	if name := firstOf(r.given, fieldsOfAllVersions[:]); name != "" {
		return nil, fmt.Errorf("version %q: %s is declared for all versions by the stored one", r.Version, name)
	}
	if name := firstOf(r.hooks, hooksOfAllVersions[:]); name != "" {
		return nil, fmt.Errorf("version %q: Hooks.%s is declared for all versions by the stored one", r.Version, name)
	}
	of := stored.GoType.(*declared)
	if of.goType != storedType {
		return nil, fmt.Errorf("version %q: %s is not the stored type", r.Version, storedType)
	}
	r.Group = cmp.Or(r.Group, of.Group)
	r.Plural, r.Scope, r.Names, r.Verbs, r.Singleton, r.History, r.Wire = of.Plural, of.Scope, of.Names, of.Verbs,
		of.Singleton, of.History, of.Wire
	r.Names.Kind = stored.GVK.Kind
	res, err := r.build(stored.Environment, stored)
	if err != nil {
		return nil, fmt.Errorf("version %q: %w", r.Version, err)
	}
	res.Converted = toStored != nil || fromStored != nil
	to, from := resource.Conversions(res.Resource, stored.Resource, toStored, fromStored)
	if err := stored.AddVersion(res.Resource, to, from); err != nil {
		return nil, err
	}
	return res, nil
}

// firstOf returns the first of these names that is given, or "".
func firstOf(given, names []string) string {
	i := slices.IndexFunc(names, func(name string) bool { return slices.Contains(given, name) })
	if i < 0 {
		return ""
	}
	return names[i]
}

// addVersions builds the further versions of a resource.
func addVersions(res *front.Served, versions []anyVersion) error {
	for _, v := range versions {
		if v == nil {
			return errors.New("Versions: one is nil")
		}
		other, err := v.version(res)
		if err != nil {
			return err
		}
		res.Others = append(res.Others, other)
	}
	return nil
}

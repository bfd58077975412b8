package resource

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
)

// MaxDefaults returns how many bytes the defaults of one object may take: as many as an object.
func (res *Resource) MaxDefaults() int {
	if res.Environment == nil { // no API serves the resource
		return math.MaxInt
	}
	return int(min(res.MaxObjectBytes, math.MaxInt))
}

// AddVersion adds another version to the stored one. toStored and fromStored convert between the two. Only the caller
// of [New] may call it, before the resource is used.
func (res *Resource) AddVersion(other *Resource, toStored, fromStored func(doc.Value) (doc.Value, error)) error {
	if res.Kind.Virtual || res.Strategy.namespaces {
		return fmt.Errorf("Versions: a virtual kind and namespaces have one")
	}
	if res.inVersion(other.GVK.GroupVersion().String()) != nil {
		return fmt.Errorf("Versions: %q is declared twice", other.VersionBeside(res))
	}
	other.ToStored, other.FromStored = toStored, fromStored
	res.versions = append(res.versions, other)
	return nil
}

// VersionBeside returns the name of the version for a text that also names another version of the kind. It includes the
// group if the groups differ.
func (res *Resource) VersionBeside(other *Resource) string {
	if res.GVK.Group == other.GVK.Group {
		return res.GVK.Version
	}
	return res.GVK.GroupVersion().String()
}

// IsCalled reports whether any version of the resource has this name, in the form PLURAL.GROUP.
func (res *Resource) IsCalled(name string) bool {
	return name == res.GR.String() || name == res.Stored.GR.String() ||
		slices.ContainsFunc(res.Stored.versions, func(version *Resource) bool { return name == version.GR.String() })
}

// IsIn reports whether any version of the resource is in a group.
func (res *Resource) IsIn(group string) bool {
	return group == res.GR.Group || group == res.Stored.GR.Group ||
		slices.ContainsFunc(res.Stored.versions, func(version *Resource) bool { return group == version.GR.Group })
}

// EveryVersion returns all versions of a kind, the stored one first. res must be the stored version.
func (res *Resource) EveryVersion() []*Resource {
	return append([]*Resource{res}, res.versions...)
}

// inVersion returns the version of the kind with this apiVersion, or nil.
func (res *Resource) inVersion(apiVersion string) *Resource {
	versions := res.Stored.EveryVersion()
	i := slices.IndexFunc(versions, func(r *Resource) bool { return r.GVK.GroupVersion().String() == apiVersion })
	if i < 0 {
		return nil
	}
	return versions[i]
}

// versionOf returns the version in which an object is stored.
func (res *Resource) versionOf(stored doc.Value) (*Resource, error) {
	apiVersion := stored.Get("apiVersion").Text()
	if from := res.inVersion(apiVersion); from != nil {
		return from, nil
	}
	return nil, fmt.Errorf("it is stored as %q, which is not a version of kind %q", apiVersion, res.GVK.Kind)
}

// Convert converts an object from this version to another version of the kind, by way of the stored version.
func (res *Resource) Convert(v doc.Value, to *Resource) (doc.Value, error) {
	var err error
	if res != to && res.ToStored != nil {
		v, err = res.ToStored(v)
	}
	if err == nil && res != to && to.FromStored != nil {
		v, err = to.FromStored(v)
	}
	return v, err
}

// Defaulted defaults a document. In the built-in dialect it also encodes the document as its Go type does. If the type
// cannot decode the document, because the type has changed since, the document stays as it is. So does a document that
// its defaults would make too large.
func (res *Resource) Defaulted(v doc.Value) (doc.Value, error) {
	v, _ = res.Schema.DefaultWithin(v, res.MaxDefaults())
	if !res.Dialect.GoWritten || res.TypeView.Holds(v) {
		return v, nil
	}
	obj, err := res.FromDocument(v)
	if err != nil {
		return v, nil
	}
	out, err := res.ToDocument(obj, v)
	return res.WithKind(out), err
}

// defaultConverted is [Resource.Defaulted] for an object that was converted to this version. Only the stored version
// defaults it if the dialect says so. What a [Converter] has returned is pruned, in every version.
func (res *Resource) defaultConverted(v doc.Value) (doc.Value, error) {
	shown := res == res.Stored || res.Dialect.ShownDefaulted
	if !shown || res.Stored.outside != nil {
		v, _ = res.Schema.Prune(v)
	}
	if shown {
		return res.Defaulted(v)
	}
	return res.Schema.WithoutNulls(v), nil
}

// upgrade brings an object of another version, or of an older Go type, into the current stored form: converted, pruned
// and defaulted. The store calls it when the API starts.
func (res *Resource) upgrade(json []byte) ([]byte, error) {
	v, err := res.upgraded(json)
	if err != nil {
		return nil, err
	}
	return codec.AppendObject(nil, v), nil
}

// upgraded returns the upgraded object as a document.
func (res *Resource) upgraded(json []byte) (doc.Value, error) {
	v, _, err := codec.DecodeJSON(json)
	if err != nil {
		return doc.Value{}, err
	}
	return res.upgradedFrom(v)
}

// upgradedFrom is upgraded for a document.
func (res *Resource) upgradedFrom(v doc.Value) (doc.Value, error) {
	if res.Elsewhere && v.Get("apiVersion").IsAbsent() {
		v = res.WithKind(v)
	}
	from, err := res.versionOf(v)
	if err != nil {
		return doc.Value{}, err
	}
	if converted, ok := res.outside.convertedBeforehand(v); ok {
		v = converted
	} else if v, err = from.Convert(v, res); err != nil {
		return doc.Value{}, errors.Join(err, errors.Unwrap(err)) // the host may see the text of its own error, which clients may not
	}
	v, _ = res.Schema.Prune(v)
	return res.Defaulted(v)
}

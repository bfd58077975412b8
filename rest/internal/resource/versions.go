package resource

import (
	"errors"
	"fmt"
	"slices"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
)

// AddVersion adds a version to the stored one. toStored and fromStored convert between the two.
func (res *Resource) AddVersion(other *Resource, toStored, fromStored func(doc.Value) (doc.Value, error)) error {
	if res.Kind.Virtual || res.life.namespaces {
		return fmt.Errorf("Versions: a virtual kind and namespaces have one")
	}
	if res.inVersion(other.GVK.GroupVersion().String()) != nil {
		return fmt.Errorf("Versions: %q is declared twice", other.GVK.Version)
	}
	other.toStored, other.fromStored = toStored, fromStored
	res.versions = append(res.versions, other)
	return nil
}

// EveryVersion are all versions of a resource that is stored, the stored one first.
func (res *Resource) EveryVersion() []*Resource {
	return append([]*Resource{res}, res.versions...)
}

// inVersion is the version of the same kind that has this apiVersion, or nil.
func (res *Resource) inVersion(apiVersion string) *Resource {
	versions := res.Stored.EveryVersion()
	i := slices.IndexFunc(versions, func(r *Resource) bool { return r.GVK.GroupVersion().String() == apiVersion })
	if i < 0 {
		return nil
	}
	return versions[i]
}

// convert turns an object of this version into one of another version of the kind.
func (res *Resource) convert(v doc.Value, to *Resource) (doc.Value, error) {
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
func (res *Resource) settled(v doc.Value) (doc.Value, error) {
	v = res.Schema.Default(v)
	if !res.Dialect.GoWritten || res.view.Holds(v) {
		return v, nil
	}
	obj, err := res.GoType.FromDocument(v)
	if err != nil {
		return v, nil
	}
	out, err := res.GoType.ToDocument(obj)
	return res.WithKind(out), err
}

// upgrade brings an object that was stored in another version of the kind, or under an older type, into the form that is
// stored now: converted, without the fields that are gone, with the defaults that are new.
func (res *Resource) upgrade(json []byte) ([]byte, error) {
	v, _, err := codec.DecodeJSON(json)
	if err != nil {
		return nil, err
	}
	from := res.inVersion(v.Get("apiVersion").Text())
	if from == nil {
		return nil, fmt.Errorf("it is stored as %q, which is no version of kind %q", v.Get("apiVersion").Text(), res.GVK.Kind)
	}
	if v, err = from.convert(v, res); err != nil {
		return nil, errors.Join(err, errors.Unwrap(err)) // the host may see what clients may not
	}
	v, _ = res.Schema.Prune(v)
	if v, err = res.settled(v); err != nil {
		return nil, err
	}
	return codec.AppendObject(nil, v), nil
}

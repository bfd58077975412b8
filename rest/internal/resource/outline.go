package resource

import (
	"reflect"

	"github.com/decorum-go/decorum/apimeta"
)

// Outline returns a resource for a client in another process: its names, its schema, and the Go type of the client. An
// outline has no hooks and no environment, so it cannot read or write objects. It contains only the subresources that
// the client declares.
func Outline(d Declaration) (*Resource, error) {
	d.Rules, d.Language, d.Scale, d.Traits.Untracked = nil, nil, nil, true
	res := declared(d)
	res.Stored, res.Strategy = res, plainStrategy
	if d.Traits.Strategy != nil {
		res.Strategy = d.Traits.Strategy
	}
	if err := res.checkNames(); err != nil {
		return nil, err
	}
	if err := res.derive(d); err != nil {
		return nil, err
	}
	if err := res.addVerbs(); err != nil {
		return nil, err
	}
	return res, res.addSubresources(d)
}

// IsOutline reports whether the resource is an [Outline].
func (res *Resource) IsOutline() bool { return res.Environment == nil }

// KindOfView returns the kind of a subresource whose Go type is t. If the resource does not declare the subresource, as
// an outline may, KindOfView returns the kind Scale for /scale. For any other name it returns the default of
// rest.Subresource: the name of t, in the group and version of the resource.
func (res *Resource) KindOfView(subresource string, t reflect.Type) apimeta.GroupVersionKind {
	switch sub := res.FindSubresource(subresource); {
	case sub != nil:
		return sub.Kind
	case subresource == "scale":
		return apimeta.GroupVersionKind{Group: scaleGroup, Version: "v1", Kind: "Scale"}
	}
	return res.GVK.GroupVersion().WithKind(t.Name())
}

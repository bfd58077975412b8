package resource

import (
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/managed"
)

// trackManagers prepares the resource to keep managedFields. Nobody owns what an empty object contains.
func (res *Resource) trackManagers() error {
	empty, err := res.Empty()
	if err != nil {
		return err
	}
	res.Managed = managed.NewKind(res.Schema, res.GVK, empty, res.asOwned)
	return nil
}

// Empty returns an object without content. For a built-in kind, that is what Go writes for an empty value of its type;
// for a custom kind, it has only an apiVersion and a kind.
func (res *Resource) Empty() (doc.Value, error) {
	if !res.Dialect.GoWritten {
		return res.Bare(), nil
	}
	written, err := res.KnownTypes().Written(res.GoType.ObjectType())
	return res.WithKind(written), err
}

// asOwned converts an object to the version in which an entry of managedFields names its fields. The keeper is nil if
// the kind has no such version any more.
func (res *Resource) asOwned(obj doc.Value, apiVersion string) (doc.Value, *managed.Kind, error) {
	from, to := res.inVersion(obj.Get("apiVersion").Text()), res.inVersion(apiVersion)
	if from == nil || to == nil {
		return doc.Value{}, nil, nil
	}
	obj, err := from.Convert(obj, to)
	return obj, to.Managed, err
}

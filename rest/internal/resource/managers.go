package resource

import (
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/managed"
)

// trackManagers prepares the resource to keep managedFields. Nobody owns what an empty object contains. For a built-in
// kind, that is what Go writes for an empty value of its type; for a custom kind, it is nothing.
func (res *Resource) trackManagers() error {
	empty := res.Bare()
	if res.Dialect.GoWritten {
		obj, err := res.GoType.FromDocument(empty)
		if err != nil {
			return err
		}
		if empty, err = res.GoType.ToDocument(obj); err != nil {
			return err
		}
		empty = res.WithKind(empty)
	}
	res.Managed = managed.NewKind(res.Schema, res.GVK, empty, res.asOwned)
	return nil
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

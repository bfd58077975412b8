package write

import (
	"context"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/storage"
)

func (r *hookWrite) NamespaceObject(ctx context.Context, into any) (ok bool, err error) {
	namespace, err := r.namespaceObject(ctx)
	return r.decodeFound(namespace, err, into)
}

// namespaceObject returns the namespace to which a review belongs, as selectors and expressions see it. A namespace
// belongs to itself: its create and update belong to the new state, and its deletion to the stored one. The namespace
// is absent for other cluster-scoped resources. If the API serves no namespaces, it has nothing but its name and the
// label with the name.
func (r *hookWrite) namespaceObject(ctx context.Context) (doc.Value, error) {
	a := r.underReview
	if a.res.AreNamespaces() && a.Through == nil && !r.object.IsAbsent() {
		return r.object, nil
	}
	name := a.namespace
	if a.res.AreNamespaces() {
		name = a.name
	}
	if name == "" {
		return doc.Value{}, nil
	}
	namespaces := a.res.Namespaces()
	if namespaces == nil {
		metadata := doc.MapOf(doc.Member{Key: objectmeta.Name, Value: doc.Of(name)})
		return resource.LabelledNamespace(doc.MapOf(
			doc.Member{Key: "apiVersion", Value: doc.Of("v1")}, doc.Member{Key: "kind", Value: doc.Of("Namespace")},
			doc.Member{Key: "metadata", Value: metadata})), nil
	}
	record, err := namespaces.Store.Get(ctx, namespaces.Key("", name), storage.MostRecent)
	if err != nil {
		return doc.Value{}, namespaces.StoreError(err, name)
	}
	text, err := record.JSON(ctx)
	if err != nil {
		return doc.Value{}, err
	}
	v, _, err := codec.DecodeJSON(text)
	return v, err
}

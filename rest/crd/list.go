package crd

import (
	"context"
	"fmt"

	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// resourceName is the name of the definitions in the store.
const resourceName = "customresourcedefinitions." + apiextensions.Group

// list returns all stored definitions, with the texts of their schemas, and a revision from which to follow them.
// Changes after that revision may already be in the list.
func (k *kinds) list(ctx context.Context) (all []*apiextensions.CustomResourceDefinition, from watch.Revision,
	err error) {
	objects := k.api.Objects()
	from = objects.Revision()
	records, err := objects.List(ctx, resourceName, "")
	if err != nil {
		return nil, 0, err
	}
	for _, r := range records {
		d, err := read(ctx, r)
		if err != nil {
			return nil, 0, err
		}
		all = append(all, d)
	}
	return all, from, nil
}

// read reads a record, without the schemas that most kinds never need in another form than text.
func read(ctx context.Context, r *storage.Record) (*apiextensions.CustomResourceDefinition, error) {
	text, err := r.JSON(ctx)
	if err != nil {
		return nil, err
	}
	d, err := apiextensions.ReadStored(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Key.Name, err)
	}
	return d, nil
}

package rest

import (
	"context"
	"fmt"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/storage"
)

func (o objects) In(ctx context.Context, kind apimeta.GroupVersionKind,
	record *storage.Record) (*storage.Record, error) {
	res, done, err := o.begin(record.Key.Resource)
	if err != nil {
		return nil, err
	}
	defer done()
	for _, version := range res.EveryVersion() {
		if version.GVK == kind {
			return version.Show(ctx, record)
		}
	}
	return nil, fmt.Errorf("the API serves no %v as %s", kind, record.Key.Resource)
}

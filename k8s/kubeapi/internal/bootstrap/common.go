package bootstrap

import (
	"bytes"
	"context"
	"slices"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/storage"
)

// Common remembers the objects that are the same in every API of a process, because their creation takes most of the
// time of a start. The zero value remembers nothing yet.
type Common struct {
	records atomic.Pointer[[]*storage.Record]
}

// commonResources hold only objects that do not depend on a [Config].
var commonResources = []string{
	"namespaces", "clusterroles.rbac.authorization.k8s.io", "clusterrolebindings.rbac.authorization.k8s.io",
	"roles.rbac.authorization.k8s.io",
	"rolebindings.rbac.authorization.k8s.io", "priorityclasses.scheduling.k8s.io",
	"prioritylevelconfigurations.flowcontrol.apiserver.k8s.io", "flowschemas.flowcontrol.apiserver.k8s.io",
	"apiservices.apiregistration.k8s.io",
}

// create creates the objects in an API that serves no clients yet. The first API writes them like any client. The
// others get copies of what it remembers, which have a uid and a resourceVersion of their own, and the times of the
// originals.
func (m *Common) create(ctx context.Context, api *rest.API, c Config) error {
	if known := m.records.Load(); known != nil {
		return insert(ctx, c.Store, *known)
	}
	return createCommon(ctx, api, c)
}

// Remember remembers the objects of the first API, once their statuses have been written too.
func (m *Common) Remember(ctx context.Context, store storage.Store) error {
	if m == nil || m.records.Load() != nil {
		return nil
	}
	var records []*storage.Record
	for _, resource := range commonResources {
		found, err := store.List(ctx, storage.Query{Within: storage.Key{Resource: resource}}, nil)
		if err != nil {
			return err
		}
		records = append(records, found.Records...)
	}
	m.records.Store(&records)
	return nil
}

// insert writes copies of the records that the store does not have.
func insert(ctx context.Context, store storage.Store, records []*storage.Record) error {
	keys := make([]storage.Key, len(records))
	for i, r := range records {
		keys[i] = r.Key
	}
	_, err := store.UpdateAll(ctx, keys, func(current []*storage.Record) ([][]byte, error) {
		next := make([][]byte, len(records))
		for i, r := range records {
			if current[i] != nil {
				var err error
				if next[i], err = current[i].JSON(ctx); err != nil {
					return nil, err
				}
				continue
			}
			text, err := r.JSON(ctx)
			if err != nil {
				return nil, err
			}
			next[i] = slices.Clone(text)
			metadata := next[i][r.Metadata.Start:r.Metadata.End]
			copy(metadata[bytes.Index(metadata, []byte(`"`+r.UID+`"`))+1:], uuid.NewUUID())
		}
		return next, nil
	})
	return err
}

package foreign_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/test/querytest"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/foreign"
)

// Queries of objects that live elsewhere equal a filter and a sort of all of them, and watches by queries the lists.
func TestQueries(t *testing.T) {
	s := &texts{all: map[foreign.Name]json.RawMessage{}}
	store, err := foreign.Open(foreign.Options{}, s.source(querytest.Resource.String()))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	querytest.Run(t, querytest.Subject{Queries: 60,
		Serve: func(t *testing.T, options rest.Options, declared rest.Resource[querytest.Crate]) []*rest.API {
			options.Stores = map[apimeta.GroupResource]storage.Store{querytest.Resource: store}
			api, err := rest.New(options, declared)
			require.NoError(t, err)
			require.NoError(t, api.Start(t.Context()))
			return []*rest.API{api}
		}})
}

package query_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/test/querytest"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
)

// Queries of random objects equal a filter and a sort of all objects, of each kind of kind.
func TestQueriesEqualAFilterAndASort(t *testing.T) {
	t.Run("memory", func(t *testing.T) {
		querytest.Run(t, querytest.Subject{Serve: querytest.Over(apitest.NewStore(t)), Queries: 80})
	})
	t.Run("bolt", func(t *testing.T) {
		store, err := bolt.Open(t.Context(), bolt.Options{Path: filepath.Join(t.TempDir(), "objects")})
		require.NoError(t, err)
		querytest.Run(t, querytest.Subject{Serve: querytest.Over(apitest.CloseAtEnd(t, store)), Queries: 80})
	})
	t.Run("a store of its own", func(t *testing.T) {
		apart := map[apimeta.GroupResource]storage.Store{querytest.Resource: apitest.NewStore(t)}
		serve := querytest.Over(apitest.NewStore(t))
		querytest.Run(t, querytest.Subject{Queries: 80,
			Serve: func(t *testing.T, options rest.Options, declared rest.Resource[querytest.Crate]) []*rest.API {
				options.Stores = apart
				return serve(t, options, declared)
			}})
	})
	t.Run("a definition", func(t *testing.T) {
		store := apitest.NewStore(t)
		querytest.Run(t, querytest.Subject{Queries: 80,
			Serve: func(t *testing.T, options rest.Options, declared rest.Resource[querytest.Crate]) []*rest.API {
				options.Store, options.Plugins = store, []rest.Plugin{crd.New(crd.Options{})}
				api, err := rest.New(options)
				require.NoError(t, err)
				require.NoError(t, api.Start(t.Context()))
				manifest, _, err := crd.Manifest(declared)
				require.NoError(t, err)
				const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"
				answer := apitest.Do(t, api, "PATCH", definitions+declared.Plural+"."+declared.Group+"?fieldManager=test",
					string(manifest), "Content-Type", apitest.TypeApply)
				require.Less(t, answer.Code, 300, answer.Raw)
				served := with(allCrates, "facets", strings.Join(declared.SelectableFields, ","))
				apitest.Await(t, "the kind is served", func() bool { return apitest.Do(t, api, "GET", served, "").Code == 200 })
				return []*rest.API{api}
			}})
	})
}

package rest

import (
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// storesOf returns each store once: the API's own store first, and then the stores of single resources, in the order of
// the resources.
func storesOf(main storage.Store, own map[apimeta.GroupResource]storage.Store) []storage.Store {
	stores := []storage.Store{main}
	for _, gr := range sortedResources(own) {
		if store := own[gr]; store != nil && !slices.Contains(stores, store) {
			stores = append(stores, store)
		}
	}
	return stores
}

// sortedResources returns the resources that have their own store.
func sortedResources(own map[apimeta.GroupResource]storage.Store) []apimeta.GroupResource {
	sorted := slices.Collect(maps.Keys(own))
	sort.Slice(sorted, func(i, j int) bool {
		x, y := sorted[i], sorted[j]
		return x.Group < y.Group || x.Group == y.Group && x.Resource < y.Resource
	})
	return sorted
}

// indexOf returns the index of a store in a.stores.
func (a *API) indexOf(store storage.Store) int {
	if len(a.stores) == 1 {
		return 0
	}
	return slices.Index(a.stores, store)
}

// storeOf returns the store of a resource, given by its name in the store, whether or not the API serves the resource.
func (a *API) storeOf(resource string) storage.Store {
	if len(a.stores) > 1 {
		plural, group, _ := strings.Cut(resource, ".")
		if own := a.options.Stores[apimeta.GroupResource{Group: group, Resource: plural}]; own != nil {
			return own
		}
	}
	return a.store
}

// revisionOf returns a number that grows when one of the resources changes: the revision of their store, or the sum of
// several.
func (a *API) revisionOf(resources ...string) (sum watch.Revision) {
	if len(a.stores) == 1 {
		return a.store.Revision()
	}
	var counted []storage.Store
	for _, name := range resources {
		if store := a.storeOf(name); !slices.Contains(counted, store) {
			counted = append(counted, store)
			sum += store.Revision()
		}
	}
	return sum
}

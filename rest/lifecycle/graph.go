package lifecycle

import (
	"slices"
	"sync"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// graph holds the dependencies between objects at one revision. It contains only the objects that name owners; it finds the dependents of
// an owner by the owner's uid.
type graph struct {
	kinds map[apimeta.GroupKind]rest.StoredResource

	mu         sync.Mutex
	through    watch.Revision
	owned      map[string]*node              // by uid
	dependents map[string]map[*node]struct{} // by the uid of the owner
}

// node is an object that names owners.
type node struct {
	key    storage.Key
	owners []owner
	waits  bool // is being deleted in the foreground, so it waits for its dependents
}

// owner is an object that an owner reference names. It need not exist.
type owner struct {
	uid string
	key storage.Key // has no resource if the API does not serve the kind
	// namespaced says that the kind is namespaced.
	namespaced bool
	blocks     bool // the owner must wait for the object that names it
}

func newGraph(resources []rest.StoredResource) *graph {
	g := &graph{kinds: map[apimeta.GroupKind]rest.StoredResource{}}
	for _, r := range resources {
		for _, kind := range r.Kinds {
			g.kinds[kind.GroupKind()] = r
		}
	}
	g.reset()
	return g
}

func (g *graph) reset() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.through, g.owned, g.dependents = 0, map[string]*node{}, map[string]map[*node]struct{}{}
}

// apply applies changes and returns the objects that they may affect.
func (g *graph) apply(changes rest.Changes) []storage.Key {
	g.mu.Lock()
	defer g.mu.Unlock()
	var look []storage.Key
	for _, c := range changes.List {
		if c.Current == nil {
			look = g.removed(look, c.Previous)
		} else {
			look = g.stored(look, c.Current)
		}
	}
	g.through = changes.Through
	return look
}

// removed forgets an object. It adds its dependents, which have lost an owner, and the owners that may have waited only for it.
func (g *graph) removed(look []storage.Key, r *storage.Record) []storage.Key {
	for d := range g.dependents[r.UID] {
		look = append(look, d.key)
	}
	n := g.owned[r.UID]
	if n == nil {
		return look
	}
	look = n.unblocked(look, nil)
	g.disconnect(r.UID, n)
	return look
}

// stored records the new state of an object.
func (g *graph) stored(look []storage.Key, r *storage.Record) []storage.Key {
	n := g.owned[r.UID]
	if len(r.Owners) == 0 && !r.Deleting && n == nil {
		return look
	}
	m, err := metadataOf(r)
	if err != nil {
		return append(look, r.Key) // the worker finds the same error and logs it
	}
	var owners []owner
	for _, ref := range m.OwnerReferences {
		owners = append(owners, g.ownerOf(r.Key.Namespace, ref))
	}
	waiting := waits(r, m)
	if waiting || orphans(r, m) {
		look = append(look, r.Key)
	}
	if waiting {
		for d := range g.dependents[r.UID] {
			look = append(look, d.key)
		}
	}
	switch {
	case n == nil && len(owners) == 0:
		return look
	case n == nil:
		n = &node{key: r.Key}
		look = append(look, n.key)
	case !slices.Equal(n.owners, owners):
		look = n.unblocked(append(look, n.key), owners)
	}
	g.disconnect(r.UID, n)
	if n.owners, n.waits = owners, waiting; len(owners) > 0 {
		g.connect(r.UID, n)
	}
	return look
}

// unblocked adds the owners that the node blocked before and, with the new owners, no longer blocks.
func (n *node) unblocked(look []storage.Key, now []owner) []storage.Key {
	for _, o := range n.owners {
		if o.blocks && !slices.Contains(now, o) {
			look = append(look, o.key)
		}
	}
	return look
}

func (g *graph) connect(uid string, n *node) {
	g.owned[uid] = n
	for _, o := range n.owners {
		if g.dependents[o.uid] == nil {
			g.dependents[o.uid] = map[*node]struct{}{}
		}
		g.dependents[o.uid][n] = struct{}{}
	}
}

func (g *graph) disconnect(uid string, n *node) {
	delete(g.owned, uid)
	for _, o := range n.owners {
		if delete(g.dependents[o.uid], n); len(g.dependents[o.uid]) == 0 {
			delete(g.dependents, o.uid)
		}
	}
}

// ownerOf returns where to find the owner that an object in a namespace names: in the same namespace, or among the cluster-scoped objects.
// The version does not matter, because all versions show the same object.
func (g *graph) ownerOf(namespace string, ref apimeta.OwnerReference) owner {
	o := owner{uid: ref.UID, blocks: ref.BlockOwnerDeletion != nil && *ref.BlockOwnerDeletion}
	gvk := apimeta.TypeMeta{Kind: ref.Kind, APIVersion: ref.APIVersion}.GroupVersionKind()
	r, ok := g.kinds[gvk.GroupKind()]
	if !ok {
		return o
	}
	o.key, o.namespaced = storage.Key{Resource: r.Name, Name: ref.Name}, r.Namespaced
	if r.Namespaced {
		o.key.Namespace = namespace
	}
	return o
}

// reached reports whether the graph includes all changes up to a revision.
func (g *graph) reached(revision watch.Revision) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.through >= revision
}

// dependentsOf returns the objects that name an owner, or only those that block its deletion if blocking is set. anyWaits reports whether
// one of its dependents waits for dependents of its own.
func (g *graph) dependentsOf(uid string, blocking bool) (keys []storage.Key, anyWaits bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for n := range g.dependents[uid] {
		anyWaits = anyWaits || n.waits
		if !blocking || slices.ContainsFunc(n.owners, func(o owner) bool { return o.uid == uid && o.blocks }) {
			keys = append(keys, n.key)
		}
	}
	return keys, anyWaits
}

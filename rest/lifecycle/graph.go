package lifecycle

import (
	"context"
	"slices"
	"sync"
	"unique"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/raw"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// graph holds the dependencies between objects at one revision. It contains only the objects that name owners; it finds
// the dependents of an owner by the owner's uid.
type graph struct {
	mu         sync.Mutex
	through    map[int]watch.Revision // the last revision that was read of each store
	kinds      map[apimeta.GroupKind]raw.Resource
	read       map[string]raw.Resource       // the resources whose objects the graph knows, by name
	owned      map[string]*node              // the keys are uids
	dependents map[string]map[*node]struct{} // the keys are uids of owners
	departed   *departed
	held       map[storage.Key]struct{} // objects that wait until the graph knows more resources
	// marked is what the other stores had written when the graph saw an owner that waits. The keys are uids of owners.
	marked map[string]map[int]watch.Revision
}

// node is an object that names owners.
type node struct {
	key    storage.Key
	owners []owner
	waits  bool // its foreground deletion waits for its dependents
}

// owner is an object that an owner reference names. It need not exist. The version does not matter, because all
// versions show the same object.
type owner struct {
	uid    string
	kind   unique.Handle[apimeta.GroupKind]
	name   string
	blocks bool // the owner must wait for the object that names it
}

func newGraph() *graph {
	g := &graph{departed: newDeparted()}
	g.reset()
	return g
}

// reset forgets everything but the owners that are gone.
func (g *graph) reset() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.through, g.marked = map[int]watch.Revision{}, map[string]map[int]watch.Revision{}
	g.owned, g.dependents = map[string]*node{}, map[string]map[*node]struct{}{}
	g.kinds, g.read, g.held = map[apimeta.GroupKind]raw.Resource{}, map[string]raw.Resource{}, map[storage.Key]struct{}{}
}

// apply applies changes and returns the objects that they may affect.
func (g *graph) apply(ctx context.Context, changes raw.Changes) []storage.Key {
	g.mu.Lock()
	defer g.mu.Unlock()
	look := g.giveUp(nil, changes.GivenUp)
	for _, c := range changes.List {
		if c.Current == nil {
			look = g.removed(look, c.Previous)
		} else {
			look = g.stored(ctx, look, c.Current)
		}
	}
	for _, c := range changes.Removed {
		look = g.removed(look, c.Previous)
	}
	g.through[changes.Store] = changes.Through
	return g.know(look, changes.Read)
}

// giveUp forgets the objects of resources. It adds the owners that may have waited for one of them.
func (g *graph) giveUp(look []storage.Key, resources []string) []storage.Key {
	if len(resources) == 0 {
		return look
	}
	for uid, n := range g.owned {
		if slices.Contains(resources, n.key.Resource) {
			look = g.unblocked(look, n, nil)
			g.disconnect(uid, n)
		}
	}
	for _, name := range resources {
		g.forgetKinds(name)
		delete(g.read, name)
	}
	return look
}

// forgetKinds forgets the kinds of a resource.
func (g *graph) forgetKinds(resource string) {
	for _, kind := range g.read[resource].Kinds {
		if g.kinds[kind.GroupKind()].Name == resource {
			delete(g.kinds, kind.GroupKind())
		}
	}
}

// know notes that the graph knows all objects of resources. It adds the objects that may have waited for this: those
// that were held, and those that name owners of these kinds.
func (g *graph) know(look []storage.Key, resources []raw.Resource) []storage.Key {
	if len(resources) == 0 {
		return look
	}
	now := map[unique.Handle[apimeta.GroupKind]]bool{}
	for _, r := range resources {
		g.forgetKinds(r.Name)
		g.read[r.Name] = r
		for _, kind := range r.Kinds {
			g.kinds[kind.GroupKind()] = r
			now[unique.Make(kind.GroupKind())] = true
		}
	}
	for _, n := range g.owned {
		if slices.ContainsFunc(n.owners, func(o owner) bool { return now[o.kind] }) {
			look = append(look, n.key)
		}
	}
	for key := range g.held {
		look = append(look, key)
	}
	clear(g.held)
	return look
}

// removed forgets an object. It adds its dependents, which have lost an owner, and the owners that may have waited only
// for it.
func (g *graph) removed(look []storage.Key, r *storage.Record) []storage.Key {
	delete(g.marked, r.UID)
	g.departed.add(r, func(uid string) bool { return len(g.dependents[uid]) > 0 })
	for d := range g.dependents[r.UID] {
		look = append(look, d.key)
	}
	n := g.owned[r.UID]
	if n == nil {
		return look
	}
	look = g.unblocked(look, n, nil)
	g.disconnect(r.UID, n)
	return look
}

// stored records the new state of an object.
func (g *graph) stored(ctx context.Context, look []storage.Key, r *storage.Record) []storage.Key {
	n := g.owned[r.UID]
	if len(r.Owners) == 0 && !r.Deleting && n == nil {
		return look
	}
	m, err := metadataOf(ctx, r)
	if err != nil {
		return append(look, r.Key) // the worker finds the same error and logs it
	}
	var owners []owner
	for _, ref := range m.OwnerReferences {
		owners = append(owners, ownerIn(ref))
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
		look = g.unblocked(append(look, n.key), n, owners)
	}
	g.disconnect(r.UID, n)
	if n.owners, n.waits = owners, waiting; len(owners) > 0 {
		g.connect(r.UID, n)
	}
	return look
}

// unblocked adds the owners that the node blocked before and, with the new owners, no longer blocks.
func (g *graph) unblocked(look []storage.Key, n *node, now []owner) []storage.Key {
	for _, o := range n.owners {
		if r, ok := g.kinds[o.kind.Value()]; ok && o.blocks && !slices.Contains(now, o) {
			look = append(look, o.in(r, n.key.Namespace))
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

// ownerIn returns the owner that a reference names.
func ownerIn(ref apimeta.OwnerReference) owner {
	gvk := apimeta.TypeMeta{Kind: ref.Kind, APIVersion: ref.APIVersion}.GroupVersionKind()
	return owner{uid: ref.UID, kind: unique.Make(gvk.GroupKind()), name: ref.Name,
		blocks: ref.BlockOwnerDeletion != nil && *ref.BlockOwnerDeletion}
}

// in returns where to find the owner that an object in a namespace names: in the same namespace, or among the
// cluster-scoped objects.
func (o owner) in(r raw.Resource, namespace string) storage.Key {
	key := storage.Key{Resource: r.Name, Name: o.name}
	if r.Namespaced {
		key.Namespace = namespace
	}
	return key
}

// place is what the graph knows about an owner.
type place struct {
	key        storage.Key
	served     bool // the API serves the kind
	namespaced bool // the kind is namespaced
	departed   bool // the owner is gone for good
}

// find returns where to look for the owner that an object in a namespace names.
func (g *graph) find(namespace string, o owner) (at place) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if at.namespaced, at.departed = g.departed.has(o.uid); at.departed {
		return at
	}
	r, ok := g.kinds[o.kind.Value()]
	if ok {
		at = place{key: o.in(r, namespace), served: true, namespaced: r.Namespaced}
	}
	return at
}

// unknown returns the given resources whose objects the graph does not know. If it returns any, the graph looks at the
// object again when it knows more.
func (g *graph) unknown(key storage.Key, resources []string) (all []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, name := range resources {
		if _, ok := g.read[name]; !ok {
			all = append(all, name)
		}
	}
	if len(all) > 0 {
		g.held[key] = struct{}{}
	}
	return all
}

// reached reports whether the graph includes all changes in the store of an object up to its present state.
func (g *graph) reached(r *storage.Record) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.through[g.read[r.Key.Resource].Store] >= r.Revision
}

// reachedElsewhere reports whether the graph includes all changes in the other stores up to the first call for an
// object. revisionOf returns the revision of the store of a resource.
func (g *graph) reachedElsewhere(r *storage.Record, revisionOf func(resource ...string) watch.Revision) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	marked := g.marked[r.UID]
	for name, other := range g.read {
		if other.Store == g.read[r.Key.Resource].Store {
			continue
		}
		if _, ok := marked[other.Store]; !ok {
			if marked == nil {
				marked = map[int]watch.Revision{}
				g.marked[r.UID] = marked
			}
			marked[other.Store] = revisionOf(name)
		}
		if g.through[other.Store] < marked[other.Store] {
			return false
		}
	}
	return true
}

// dependentsOf returns the objects that name an owner, or only those that block its deletion if blocking is set.
// anyWaits reports whether one of its dependents waits for dependents of its own.
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

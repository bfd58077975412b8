package lifecycle_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/lifecycle"
)

// oracle is the rule of garbage collection without time, queues or a store: an object with owners is deleted if all of
// them are absent, and otherwise loses the references to those that are absent.
type oracle struct {
	objects map[string]*oracleObject // the keys are "namespace/name", or "name" for a Site
}

type oracleObject struct {
	uid    string
	owners []apimeta.OwnerReference
}

// keyOf returns the key of such an owner of an object in this namespace, or false if the API cannot know whether it
// exists.
func keyOf(namespace string, o apimeta.OwnerReference) (key string, ok bool) {
	switch {
	case o.Kind == "Site":
		return o.Name, true
	case o.Kind == "Part" && namespace != "":
		return namespace + "/" + o.Name, true
	}
	return "", false
}

func (m *oracle) settle() {
	for changed := true; changed; {
		changed = false
		for key, object := range m.objects {
			namespace, _, found := strings.Cut(key, "/")
			if !found {
				namespace = ""
			}
			var kept []apimeta.OwnerReference
			decided := true
			for _, o := range object.owners {
				at, ok := keyOf(namespace, o)
				decided = decided && ok
				if owner := m.objects[at]; ok && owner != nil && owner.uid == o.UID {
					kept = append(kept, o)
				}
			}
			switch {
			case !decided || len(kept) == len(object.owners):
			case len(kept) == 0:
				delete(m.objects, key)
				changed = true
			default:
				object.owners, changed = kept, true
			}
		}
	}
}

// delete removes an object and, for the policy Orphan, the references to it.
func (m *oracle) delete(key string, policy apimeta.DeletionPropagation) {
	uid := m.objects[key].uid
	delete(m.objects, key)
	if policy != apimeta.DeletePropagationOrphan {
		return
	}
	for _, object := range m.objects {
		object.owners = slices.DeleteFunc(object.owners, func(o apimeta.OwnerReference) bool { return o.UID == uid })
	}
}

func (m *oracle) left() []string {
	out := []string{}
	for key, object := range m.objects {
		var owners []string
		for _, o := range object.owners {
			owners = append(owners, o.Name)
		}
		if slices.Sort(owners); len(owners) > 0 {
			key += ":" + strings.Join(owners, ",")
		}
		out = append(out, key)
	}
	slices.Sort(out)
	return out
}

// In random graphs, some owners never existed, are elsewhere, or have a kind that the API does not serve. Whatever is
// deleted, and by whatever policy, the result must be that of the oracle.
func TestCollectGarbageModel(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			collecting(t, func(w *world) { randomLife(w, rand.New(rand.NewPCG(seed, 1))) })
		})
	}
}

// The same holds if each kind has a store of its own, so that owners and dependents are in different ones.
func TestCollectGarbageInSeveralStoresModel(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			inStores(t, lifecycle.CollectGarbage, []rest.Definition{parts(), sites()}, func(w *world) {
				randomLife(w, rand.New(rand.NewPCG(seed, 1)))
			})
		})
	}
}

func randomLife(w *world, random *rand.Rand) {
	model := oracle{objects: map[string]*oracleObject{}}
	pick := func() string {
		keys := make([]string, 0, len(model.objects))
		for key := range model.objects {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		return keys[random.IntN(len(keys))]
	}
	randomOwners := func() (owners []apimeta.OwnerReference) {
		for range random.IntN(4) {
			o := apimeta.OwnerReference{APIVersion: "example.com/v1", Kind: "Part", Name: "never",
				UID: fmt.Sprint("never-", random.IntN(3))}
			switch {
			case random.IntN(12) == 0:
				o.Kind = "Unknown"
			case random.IntN(6) > 0 && len(model.objects) > 0:
				key := pick()
				namespace, name, found := strings.Cut(key, "/")
				if o.Name, o.UID = name, model.objects[key].uid; !found {
					o.Kind, o.Name = "Site", namespace
				}
				// An object that cannot be collected must not block its owner, or the owner waits forever.
				if random.IntN(2) == 0 {
					o = blocking(o)
				}
			}
			if !slices.ContainsFunc(owners, func(other apimeta.OwnerReference) bool { return other.UID == o.UID }) {
				owners = append(owners, o)
			}
		}
		return owners
	}
	decidable := func(namespace string, owners []apimeta.OwnerReference) bool {
		return !slices.ContainsFunc(owners, func(o apimeta.OwnerReference) bool { _, ok := keyOf(namespace, o); return !ok })
	}
	policies := []apimeta.DeletionPropagation{apimeta.DeletePropagationBackground, apimeta.DeletePropagationForeground,
		apimeta.DeletePropagationOrphan}
	for step := range 40 {
		namespace, name := string(rune('a'+random.IntN(2))), fmt.Sprint("x", step)
		owners := randomOwners()
		switch what := random.IntN(10); {
		case what < 5: // a Part
			if !decidable(namespace, owners) {
				for i := range owners {
					owners[i].BlockOwnerDeletion = nil
				}
			}
			model.objects[namespace+"/"+name] = &oracleObject{uid: w.part(namespace+"/"+name, owners...), owners: owners}
		case what < 6: // a Site
			if !decidable("", owners) {
				for i := range owners {
					owners[i].BlockOwnerDeletion = nil
				}
			}
			model.objects[name] = &oracleObject{uid: w.site(name, owners...), owners: owners}
		case len(model.objects) > 0:
			key, policy := pick(), policies[random.IntN(len(policies))]
			w.delete(key, policy)
			model.delete(key, policy)
		}
		model.settle()
		w.settle()
		got := w.left()
		slices.Sort(got)
		require.Equal(w, model.left(), got, "after step %d", step)
	}
}

package soak

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// Namespace is the Namespace of Kubernetes.
type Namespace struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               NamespaceSpec   `json:"spec,omitempty"`
	Status             NamespaceStatus `json:"status,omitempty"`
}

// NamespaceSpec says what holds a Namespace.
type NamespaceSpec struct {
	Finalizers []string `json:"finalizers,omitempty"`
}

// NamespaceStatus says how far its deletion is.
type NamespaceStatus struct {
	Phase      string              `json:"phase,omitempty"`
	Conditions []apimeta.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type"`
}

var (
	namespaces = []string{"a", "b"}       // that stay
	passing    = []string{"pass", "past"} // that are deleted and made again
)

func namespaceKey(name string) storage.Key { return storage.Key{Resource: "namespaces", Name: name} }

func (s *soak) spaces() rest.Client[Namespace] { return rest.ClientFor[Namespace](s.api) }

// place is a namespace of any sort.
func place(random *rand.Rand) string {
	if random.IntN(3) == 0 {
		return pick(random, passing...)
	}
	return pick(random, namespaces...)
}

// turnedAway reports whether a write has failed because a namespace comes and goes, which is no fault of one that does.
func turnedAway(namespace string, err error) bool {
	return slices.Contains(passing, namespace) && (status.IsNotFound(err) || status.HasCause(err, "NamespaceTerminating"))
}

func (s *soak) makeNamespace(name string) error {
	_, err := s.spaces().Create(context.Background(), &Namespace{ObjectMeta: apimeta.ObjectMeta{Name: name}})
	if status.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// found makes a namespace after a while.
func (s *soak) found(_ string, random *rand.Rand) error {
	s.journal.pause(context.Background(), 1+random.Uint64N(40))
	return s.makeNamespace(pick(random, passing...))
}

// raze deletes a namespace after a while. The namespace controller empties it.
func (s *soak) raze(_ string, random *rand.Rand) error {
	s.journal.pause(context.Background(), 20+random.Uint64N(200))
	err := s.spaces().Delete(context.Background(), pick(random, passing...), rest.DeleteOptions{})
	if err == nil {
		s.totals.razed.Add(1)
	}
	if status.IsNotFound(err) || status.IsConflict(err) {
		return nil
	}
	return err
}

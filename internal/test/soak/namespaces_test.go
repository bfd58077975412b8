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

// Namespace is the kind Namespace of Kubernetes.
type Namespace struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               NamespaceSpec   `json:"spec,omitempty"`
	Status             NamespaceStatus `json:"status,omitempty"`
}

// NamespaceSpec lists what holds a Namespace.
type NamespaceSpec struct {
	Finalizers []string `json:"finalizers,omitempty"`
}

// NamespaceStatus reports the progress of a deletion.
type NamespaceStatus struct {
	Phase      string              `json:"phase,omitempty"`
	Conditions []apimeta.Condition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type"`
}

var (
	namespaces = []string{"a", "b"}       // always exist
	passing    = []string{"pass", "past"} // are deleted and created again
)

func namespaceKey(name string) storage.Key { return storage.Key{Resource: "namespaces", Name: name} }

// place returns a random namespace of either group.
func place(random *rand.Rand) string {
	if random.IntN(3) == 0 {
		return pick(random, passing...)
	}
	return pick(random, namespaces...)
}

// turnedAway reports whether a write failed because its namespace was missing or being deleted, which is correct for a
// namespace in passing.
func turnedAway(namespace string, err error) bool {
	return slices.Contains(passing, namespace) && (status.IsNotFound(err) || status.HasCause(err, "NamespaceTerminating"))
}

func (s *soak) makeNamespace(name string) error {
	_, err := s.spaces.Create(context.Background(), &Namespace{ObjectMeta: apimeta.ObjectMeta{Name: name}})
	if status.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// found creates a namespace after a pause.
func (s *soak) found(_ string, random *rand.Rand) error {
	s.journal.pause(context.Background(), 1+random.Uint64N(40))
	return s.makeNamespace(pick(random, passing...))
}

// raze deletes a namespace after a pause. The namespace controller empties it.
func (s *soak) raze(_ string, random *rand.Rand) error {
	s.journal.pause(context.Background(), 20+random.Uint64N(200))
	err := s.spaces.Delete(context.Background(), pick(random, passing...), rest.DeleteOptions{})
	if err == nil {
		s.totals.razed.Add(1)
	}
	if status.IsNotFound(err) || status.IsConflict(err) {
		return nil
	}
	return err
}

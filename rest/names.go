package rest

import (
	"fmt"

	"github.com/decorum-go/decorum/rest/internal/front"
	"github.com/decorum-go/decorum/rest/internal/kind"
)

// NameTakenError is the error of [New] and [API.AddResources] for a kind that the API cannot serve because it serves
// another kind with one of its names. ReplaceResources returns it too.
type NameTakenError struct {
	// Kind is the kind that the API does not serve.
	Kind string

	reason string
}

// Error returns the kind, and the name that another kind has.
func (e *NameTakenError) Error() string { return fmt.Sprintf("kind %q: %s", e.Kind, e.reason) }

// checkNames refuses kinds of one group that share a kind, a plural, a singular or a short name. A kind may have the
// same name as a singular: clients do not use them in the same place.
func checkNames(stored []*front.Served) error {
	taken, declared := map[string]string{}, map[string]bool{}
	for _, k := range kindsOf(stored) {
		twice := &NameTakenError{Kind: k.Kind, reason: "declared twice"}
		for i, name := range k.Names() {
			key := k.Group + "/" + name
			if other, ok := taken[key]; ok && other != k.Kind {
				return &NameTakenError{Kind: k.Kind,
					reason: fmt.Sprintf("kind %q of the same group already has the name %q", other, name)}
			} else if ok && i == 0 {
				return twice
			}
			taken[key] = k.Kind
		}
		key := k.Group + "/" + k.Kind
		if declared[key] {
			return twice
		}
		declared[key] = true
	}
	return nil
}

// kindsOf returns each kind once for every group in which the API serves it.
func kindsOf(stored []*front.Served) (kinds []*kind.Kind) {
	for _, res := range stored {
		groups := map[string]bool{}
		for _, version := range res.Versions() {
			if !groups[version.GVK.Group] {
				kinds, groups[version.GVK.Group] = append(kinds, version.Kind), true
			}
		}
	}
	return kinds
}

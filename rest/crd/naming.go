package crd

import (
	"errors"
	"fmt"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/words"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
)

// taken are the names of a group that a definition cannot get.
type taken struct{ resources, kinds map[string]bool }

// takenNames returns the names that the other definitions of a group have been granted, and those of the definition
// itself if [Options.OwnNamesConflict] says so. It returns no names for a definition that has all its own names,
// because it keeps them.
func (k *kinds) takenNames(d *definition) taken {
	if sameNames(d.Spec.Names, d.Status.AcceptedNames) {
		return taken{}
	}
	t := taken{resources: map[string]bool{}, kinds: map[string]bool{}}
	if k.options.OwnNamesConflict {
		t.add(d.Status.AcceptedNames)
	}
	for _, other := range k.definitions {
		if other.Name != d.Name && other.Spec.Group == d.Spec.Group {
			t.add(other.granted)
		}
	}
	return t
}

func (t taken) add(n apiextensions.CustomResourceDefinitionNames) {
	for _, name := range append([]string{n.Plural, n.Singular}, n.ShortNames...) {
		t.resources[name] = true
	}
	t.kinds[n.Kind], t.kinds[n.ListKind] = true, true
}

// acceptNames returns the names that a definition gets, and why it does not get the others. It keeps the names that it
// has.
func acceptNames(d *apiextensions.CustomResourceDefinition,
	t taken) (names apiextensions.CustomResourceDefinitionNames, c condition) {
	asked, names := d.Spec.Names, d.Status.AcceptedNames
	c = condition{
		Type: apiextensions.NamesAccepted, Status: apimeta.ConditionTrue, Reason: "NoConflicts",
		Message: "no conflicts found"}
	one := func(asked string, has *string, used map[string]bool, reason string) {
		if asked != *has && used[asked] {
			c.Status, c.Reason, c.Message = apimeta.ConditionFalse, reason, inUse(asked).Error()
			return
		}
		*has = asked
	}
	one(asked.Plural, &names.Plural, t.resources, "PluralConflict")
	one(asked.Singular, &names.Singular, t.resources, "SingularConflict")
	var conflicts []error
	for _, name := range asked.ShortNames {
		if t.resources[name] && !slices.Contains(names.ShortNames, name) {
			conflicts = append(conflicts, inUse(name))
		}
	}
	if err := errors.Join(conflicts...); err != nil {
		c.Status, c.Reason, c.Message = apimeta.ConditionFalse, "ShortNamesConflict", words.Aggregate(conflicts)
	} else {
		names.ShortNames = asked.ShortNames
	}
	one(asked.Kind, &names.Kind, t.kinds, "KindConflict")
	one(asked.ListKind, &names.ListKind, t.kinds, "ListKindConflict")
	names.Categories = asked.Categories
	return names, c
}

// asBefore returns the condition NamesAccepted that a definition has, if it has all its own names: kube-apiserver does
// not change the condition then. Otherwise it returns c.
func asBefore(d *apiextensions.CustomResourceDefinition, c condition) condition {
	i := slices.IndexFunc(d.Status.Conditions, func(old condition) bool { return old.Type == c.Type })
	if i >= 0 && sameNames(d.Spec.Names, d.Status.AcceptedNames) {
		return d.Status.Conditions[i]
	}
	return c
}

func inUse(name string) error { return fmt.Errorf("%q is already in use", name) }

// frees reports whether the new names lack one of the old names.
func frees(old, names apiextensions.CustomResourceDefinitionNames) bool {
	return old.Plural != names.Plural || old.Singular != names.Singular || old.Kind != names.Kind ||
		old.ListKind != names.ListKind ||
		slices.ContainsFunc(old.ShortNames, func(name string) bool { return !slices.Contains(names.ShortNames, name) })
}

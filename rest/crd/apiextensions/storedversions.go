package apiextensions

import (
	"fmt"

	"github.com/decorum-go/decorum/status"
)

// storedVersions checks that every version in which objects may be stored is still there.
func (c *checker) storedVersions(d *CustomResourceDefinition) {
	at, stored := status.NewPath("status", "storedVersions"), d.Status.StoredVersions
	if len(stored) == 0 {
		c.fail(status.InvalidField(at, stored, "must have at least one stored version"))
		return
	}
	left := map[string]int{}
	for i, name := range stored {
		left[name] = i
	}
	for _, v := range d.Spec.Versions {
		if _, ok := left[v.Name]; v.Storage && !ok {
			c.fail(status.InvalidField(at, stored, "must have the storage version "+v.Name))
		}
		delete(left, v.Name)
	}
	for i, name := range stored {
		if last, ok := left[name]; ok && last == i {
			c.fail(status.InvalidField(at.Index(i), name,
				fmt.Sprintf("missing from spec.versions; %[1]s was previously a storage version, and must "+
					"remain in spec.versions until a storage migration ensures no data remains persisted in %[1]s and removes %[1]s from status.storedVersions", name)))
		}
	}
}

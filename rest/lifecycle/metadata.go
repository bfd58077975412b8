package lifecycle

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/storage"
)

// metadata is what the controllers look at of an object. The other members are not decoded.
type metadata struct {
	OwnerReferences []apimeta.OwnerReference `json:"ownerReferences"`
	Finalizers      []string                 `json:"finalizers"`
}

func metadataOf(r *storage.Record) (metadata, error) {
	var m metadata
	if err := json.Unmarshal(r.JSON[r.Metadata.Start:r.Metadata.End], &m); err != nil {
		return m, fmt.Errorf("stored object %v: %w", r.Key, err)
	}
	return m, nil
}

func (m metadata) has(finalizer string) bool { return slices.Contains(m.Finalizers, finalizer) }

// waits reports whether an object stays until its dependents are gone.
func waits(r *storage.Record, m metadata) bool {
	return r.Deleting && m.has(apimeta.FinalizerDeleteDependents)
}

// orphans reports whether an object stays until its dependents have forgotten it.
func orphans(r *storage.Record, m metadata) bool {
	return r.Deleting && m.has(apimeta.FinalizerOrphanDependents)
}

// patchOf is a merge patch of an object's metadata that fails if the object has changed.
func patchOf(r *storage.Record, member string, value any) ([]byte, error) {
	return json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": r.UID, "resourceVersion": fmt.Sprint(r.Revision), member: value,
	}})
}

package lifecycle

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/storage"
)

// metadata is the part of an object that the controllers decode.
type metadata struct {
	OwnerReferences []apimeta.OwnerReference `json:"ownerReferences"`
	Finalizers      []string                 `json:"finalizers"`
}

func metadataOf(ctx context.Context, r *storage.Record) (m metadata, err error) {
	text, err := r.JSON(ctx)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text[r.Metadata.Start:r.Metadata.End], &m); err != nil {
		return m, fmt.Errorf("stored object %v: %w", r.Key, err)
	}
	return m, nil
}

func (m metadata) has(finalizer string) bool { return slices.Contains(m.Finalizers, finalizer) }

// waits reports whether an object is being deleted in the foreground.
func waits(r *storage.Record, m metadata) bool {
	return r.Deleting && m.has(apimeta.FinalizerDeleteDependents)
}

// orphans reports whether an object is being deleted and must first be removed from the references of its dependents.
func orphans(r *storage.Record, m metadata) bool {
	return r.Deleting && m.has(apimeta.FinalizerOrphanDependents)
}

// patchOf returns a merge patch of an object's metadata that fails if the object has changed since it was read.
func patchOf(r *storage.Record, member string, value any) ([]byte, error) {
	return json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": r.UID, "resourceVersion": fmt.Sprint(r.Revision), member: value,
	}})
}

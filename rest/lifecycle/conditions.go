package lifecycle

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/raw"
	"github.com/decorum-go/decorum/storage"
)

// condition is an element of a namespace's status.conditions.
type condition struct {
	Type               string                  `json:"type"`
	Status             apimeta.ConditionStatus `json:"status"`
	LastTransitionTime apimeta.Time            `json:"lastTransitionTime"`
	Reason             string                  `json:"reason,omitempty"`
	Message            string                  `json:"message,omitempty"`
}

// content describes what is left in a namespace.
type content struct {
	unserved   []string       // resources with objects that the controller cannot see
	failures   []string       // why objects could not be deleted, one for each resource, as clients may read it
	causes     []error        // the same for the log
	resources  map[string]int // number of remaining objects, by resource
	finalizers map[string]int // number of objects that a finalizer holds, by finalizer
}

func (c *content) remains() bool { return len(c.resources) > 0 }

// count adds the remaining objects of a resource.
func (c *content) count(ctx context.Context, resource raw.Resource, records []*storage.Record) error {
	if len(records) == 0 {
		return nil
	}
	c.resources[dotted(resource.Name)] = len(records)
	for _, r := range records {
		m, err := metadataOf(ctx, r)
		if err != nil {
			return err
		}
		for _, finalizer := range m.Finalizers {
			c.finalizers[finalizer]++
		}
	}
	return nil
}

// dotted returns the name of a resource with a dot even if it belongs to the core group, as clients expect it.
func dotted(resource string) string {
	plural, group, _ := strings.Cut(resource, ".")
	return plural + "." + group
}

// listed formats counts as a sorted list.
func listed(counts map[string]int, format string) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, fmt.Sprintf(format, name, counts[name]))
	}
	return strings.Join(out, ", ")
}

// conditions returns the conditions of a namespace with this content, given its present ones, and reports whether they
// differ. Types and messages match Kubernetes. Version parsing cannot fail here, so its condition is always False.
// Discovery fails if the store holds objects of resources that the API does not serve.
func (c *content) conditions(had []condition) ([]condition, bool) {
	now := []condition{
		{Type: "NamespaceDeletionDiscoveryFailure", Reason: "ResourcesDiscovered",
			Message: "All resources successfully discovered"},
		{Type: "NamespaceDeletionGroupVersionParsingFailure", Reason: "ParsedGroupVersions",
			Message: "All legacy kube types successfully parsed"},
		{Type: "NamespaceDeletionContentFailure", Reason: "ContentDeleted",
			Message: "All content successfully deleted, may be waiting on finalization"},
		{Type: "NamespaceContentRemaining", Reason: "ContentRemoved", Message: "All content successfully removed"},
		{Type: "NamespaceFinalizersRemaining", Reason: "ContentHasNoFinalizers",
			Message: "All content-preserving finalizers finished"},
	}
	for i := range now {
		now[i].Status = apimeta.ConditionFalse
	}
	set := func(i int, reason, message string) {
		now[i].Status, now[i].Reason, now[i].Message = apimeta.ConditionTrue, reason, message
	}
	if len(c.unserved) > 0 {
		set(0, "DiscoveryFailed", fmt.Sprintf("Discovery failed for some resources, %d failing: the namespace has objects that the API cannot delete, "+
			"because it does not serve them at the moment: %s", len(c.unserved), strings.Join(c.unserved, ", ")))
	}
	if len(c.failures) > 0 {
		set(2, "ContentDeletionFailed",
			fmt.Sprintf("Failed to delete all resource types, %d remaining: %s", len(c.failures),
				strings.Join(slices.Sorted(slices.Values(c.failures)), ", ")))
	}
	if len(c.resources) > 0 {
		set(3, "SomeResourcesRemain", "Some resources are remaining: "+listed(c.resources, "%s has %d resource instances"))
	}
	if len(c.finalizers) > 0 {
		set(4, "SomeFinalizersRemain",
			"Some content in the namespace has finalizers remaining: "+listed(c.finalizers, "%s in %d resource instances"))
	}
	return merged(had, now)
}

// merged updates conditions and keeps conditions of other types. The transition time changes only with the status of a
// condition.
func merged(had, now []condition) (out []condition, changed bool) {
	out = slices.Clone(had)
	for _, c := range now {
		i := slices.IndexFunc(out, func(o condition) bool { return o.Type == c.Type })
		if i >= 0 && out[i].Status == c.Status {
			c.LastTransitionTime = out[i].LastTransitionTime
		} else {
			c.LastTransitionTime = apimeta.Now()
		}
		switch {
		case i < 0:
			out, changed = append(out, c), true
		case out[i] != c:
			out[i], changed = c, true
		}
	}
	return out, changed
}

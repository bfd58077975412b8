package crd

import (
	"slices"
	"strings"

	"github.com/decorum-go/decorum/rest"
)

// lossesOfKind returns the losses that apply to all versions of a kind.
func lossesOfKind(stored rest.Description) (losses []Loss) {
	r := stored.Resource
	for _, l := range []struct {
		declared     bool
		part, reason string
	}{
		{len(r.Verbs) > 0, "Verbs", "a cluster serves all verbs; restrict them by roles"},
		{r.Names.Rule != rest.NameDNSSubdomain, "Names.Rule", "a cluster allows every DNS subdomain as a name"},
		{r.RemoveWhenDue, "RemoveWhenDue", noGracePeriod},
		{r.TimeToLive != 0, "TimeToLive", "objects do not expire"},
		{slices.Contains(stored.Hooks, "GracePeriod"), "Hooks.GracePeriod", noGracePeriod},
		{r.Wire.CreateOnUpdate, "Wire.CreateOnUpdate", "a PUT of an object that does not exist is answered with 404"},
		{r.Wire.ReturnDeleted, "Wire.ReturnDeleted", "a DELETE is answered with a Status"},
		{r.Wire.Untracked, "Wire.Untracked", "a cluster keeps managedFields"},
		{isProtected(r.Group), "Group", "a cluster protects the group: add the annotation api-approved.kubernetes.io"},
	} {
		if l.declared {
			losses = append(losses, Loss{Part: l.part, Reason: l.reason})
		}
	}
	return losses
}

const noGracePeriod = "the objects of a cluster have no grace period"

// isProtected reports whether a group belongs to Kubernetes.
func isProtected(group string) bool {
	return group == "k8s.io" || strings.HasSuffix(group, ".k8s.io") || strings.HasSuffix(group, ".kubernetes.io")
}

// hooks reports the hooks of a version.
func (e *exporter) hooks(names []string) {
	for _, l := range []struct{ hook, reason string }{
		{"Default", "only the defaults of the schema apply"},
		{"Prepare", "objects are stored as clients send them"},
		{"Validate", "only the rules of the schema apply"},
		{"ValidateDelete", "clients may delete every object"},
	} {
		if slices.Contains(names, l.hook) {
			e.lose("Hooks."+l.hook, l.reason)
		}
	}
}

package crd

import (
	"slices"
	"strings"

	"github.com/decorum-go/decorum/rest/internal/kind"
)

// lossesOfKind returns the losses that apply to all versions of a kind.
func lossesOfKind(k kind.Inspected) (losses []Loss) {
	for _, l := range []Loss{
		{Part: "Verbs", Reason: "a cluster serves all verbs; restrict them by roles"},
		{Part: "Names.Rule", Reason: "a cluster allows every DNS subdomain as a name"},
		{Part: "RemoveWhenDue", Reason: "the objects of a cluster have no grace period"},
		{Part: "TimeToLive", Reason: "objects do not expire"},
		{Part: "Hooks.GracePeriod", Reason: "the objects of a cluster have no grace period"},
		{Part: "Wire.CreateOnUpdate", Reason: "a PUT of an object that does not exist is answered with 404"},
		{Part: "Wire.ReturnDeleted", Reason: "a DELETE is answered with a Status"},
		{Part: "Wire.Untracked", Reason: "a cluster keeps managedFields"},
	} {
		if slices.Contains(k.Set, l.Part) {
			losses = append(losses, l)
		}
	}
	if k.Group == "k8s.io" || strings.HasSuffix(k.Group, ".k8s.io") || strings.HasSuffix(k.Group, ".kubernetes.io") {
		losses = append(losses, Loss{Part: "Group", Reason: "a cluster protects the group: add the annotation api-approved.kubernetes.io"})
	}
	return losses
}

// hooks reports the hooks of a version.
func (e *exporter) hooks(v kind.Inspected) {
	for _, l := range []Loss{
		{Part: "Hooks.Default", Reason: "only the defaults of the schema apply"},
		{Part: "Hooks.Prepare", Reason: "objects are stored as clients send them"},
		{Part: "Hooks.Validate", Reason: "only the rules of the schema apply"},
		{Part: "Hooks.ValidateDelete", Reason: "clients may delete every object"},
	} {
		if slices.Contains(v.Set, l.Part) {
			e.lose(l.Part, l.Reason)
		}
	}
}

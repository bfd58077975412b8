package crd

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/rest/crd/internal/annotations"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

type condition = apiextensions.CustomResourceDefinitionCondition

// apply serves the kind of a definition in its present state, and reports in the status what came of it. What fails is
// tried again later. apply reports whether the definition has given up a name.
func (k *kinds) apply(ctx context.Context, d *definition) (freed bool) {
	before, change := d.granted, revisionOf(d.ResourceVersion)
	names, accepted := acceptNames(d.CustomResourceDefinition, k.takenNames(d))
	if k.options.OwnNamesConflict {
		accepted = asBefore(d.CustomResourceDefinition, accepted)
	}
	var failed error
	if accepted.Status == apimeta.ConditionTrue || d.HasBeenEstablished() {
		failed = k.serve(ctx, d, names)
	}
	if taken := (*rest.NameTakenError)(nil); errors.As(failed, &taken) && k.served[d.Name] == nil { // the host has declared the kind or one of its names
		names = d.Status.AcceptedNames
		accepted.Status, accepted.Reason, accepted.Message = apimeta.ConditionFalse, "KindConflict", taken.Error()
	}
	d.granted = names
	k.expected.refuse(d, accepted.Status != apimeta.ConditionTrue && k.served[d.Name] == nil)
	var unreported, left error
	if d.DeletionTimestamp == nil {
		if unreported = k.keepForm(ctx, d, failed); unreported == nil { // before the condition says it
			unreported = k.report(ctx, d, k.conditions(ctx, d, accepted, failed))
		}
	} else if left = k.keepForm(ctx, d, failed); left == nil {
		left = k.terminate(ctx, d)
	}
	if !k.isConverting(d.Name) {
		k.tryAgain(ctx, d, cmp.Or(failed, unreported, left))
	} else if unreported != nil {
		k.tryAgain(ctx, d, unreported)
	}
	if w, waits := k.installing[d.UID]; waits {
		k.retries.plan(d.Name, w.deadline)
	}
	if d.DeletionTimestamp == nil && failed != nil {
		k.block(d, change)
	} else {
		delete(k.blocked, d.Name)
	}
	return frees(before, names)
}

// tryAgain plans to apply a definition again if err is not nil.
func (k *kinds) tryAgain(ctx context.Context, d *definition, err error) {
	switch {
	case err == nil:
		k.retries.forget(d.Name)
	case k.retries.fail(d.Name, err) && ctx.Err() == nil:
		k.options.Logger.Error("crd: the API does not serve what a definition describes, and tries again", "definition",
			d.Name, "error", err)
	}
}

// conditions returns the conditions of a definition after an attempt to serve its kind, which has failed unless failed
// is nil.
func (k *kinds) conditions(ctx context.Context, d *definition, accepted condition, failed error) []condition {
	list := []condition{accepted}
	established := condition{Type: apiextensions.Established, Status: apimeta.ConditionFalse}
	switch served := k.served[d.Name] != nil; {
	case failed != nil && isOfStore(failed): // says nothing about the definition
		established.Type = ""
	case served && failed != nil && !k.mayReportOlder(d):
		established.Type = ""
	case served && failed != nil:
		established.Status, established.Reason, established.Message = apimeta.ConditionTrue, reasonOlder, reasonOf(failed)
	case served && k.awaitsPeers(ctx, d):
		established.Reason, established.Message = "Installing", "the initial names have been accepted"
	case served:
		established.Status, established.Reason, established.Message = apimeta.ConditionTrue, "InitialNamesAccepted",
			"the initial names have been accepted"
	case accepted.Status == apimeta.ConditionTrue && !k.mayDeny(d):
		established.Type = ""
	case accepted.Status == apimeta.ConditionTrue:
		established.Reason, established.Message = apiextensions.ReasonNotServed, reasonOf(failed)
	default:
		established.Reason, established.Message = "NotAccepted", "not all names are accepted"
	}
	if established.Type != "" {
		list = append(list, established)
	}
	if approval, ok := approvalOf(d.CustomResourceDefinition); ok {
		list = append(list, approval)
	}
	return list
}

// isOfStore reports whether an error comes from the state of the store.
func isOfStore(err error) bool {
	for _, of := range []error{storage.ErrUnavailable, storage.ErrReadOnly, storage.ErrUnknown, storage.ErrClosed,
		context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, of) {
			return true
		}
	}
	return false
}

// reasonOf returns the text of an error without the names of the functions that returned it.
func reasonOf(err error) string {
	text := err.Error()
	for _, function := range []string{"rest.API.AddResources: ", "rest.API.ReplaceResources: "} {
		text = strings.TrimPrefix(text, function)
	}
	return text
}

// report writes the conditions and the granted names of a definition into its status, unless they are there. It writes
// nothing if the definition has changed, because the new state is on its way.
func (k *kinds) report(ctx context.Context, d *definition, list []condition) error {
	if !differs(d, list) {
		return nil
	}
	patch, err := k.patchOf(d, list)
	if err != nil {
		return err
	}
	now, err := k.client.PatchStatus(ctx, d.Name, apimeta.JSONPatch, patch)
	switch {
	case err == nil:
		d.CustomResourceDefinition = now
	case status.IsNotFound(err) || status.IsConflict(err):
		return nil
	}
	return err
}

// patchOf returns the patch with which report changes the status of a definition, if the definition has not changed. A
// patch does not need the Go values of the schemas, which are most of a large definition.
func (k *kinds) patchOf(d *definition, list []condition) ([]byte, error) {
	reported := d.Status
	reported.Conditions = slices.Clone(d.Status.Conditions)
	for _, c := range list {
		set(&reported, c, k.api.Objects().Now)
	}
	type operation struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value any    `json:"value"`
	}
	return codec.Marshal([]operation{
		{"add", "/metadata/uid", d.UID},
		{"add", "/metadata/resourceVersion", d.ResourceVersion},
		{"add", "/status/acceptedNames", d.granted},
		{"add", "/status/conditions", reported.Conditions},
	})
}

// differs reports whether the status of a definition lacks some of what report would write.
func differs(d *definition, list []condition) bool {
	if !sameNames(d.Status.AcceptedNames, d.granted) {
		return true
	}
	for _, c := range list {
		same := func(old condition) bool {
			return old.Type == c.Type && old.Status == c.Status && old.Reason == c.Reason && old.Message == c.Message
		}
		if !slices.ContainsFunc(d.Status.Conditions, same) {
			return true
		}
	}
	return false
}

func sameNames(a, b apiextensions.CustomResourceDefinitionNames) bool {
	lists := slices.Equal(a.ShortNames, b.ShortNames) && slices.Equal(a.Categories, b.Categories)
	a.ShortNames, a.Categories, b.ShortNames, b.Categories = nil, nil, nil, nil
	return lists && reflect.DeepEqual(a, b)
}

// approvalOf returns the condition of a definition in a group of the Kubernetes project. ok is false for other groups.
func approvalOf(d *apiextensions.CustomResourceDefinition) (c condition, ok bool) {
	approval, reason, protected := annotations.ApprovalOf(d.Spec.Group, d.Annotations)
	c = condition{Type: apiextensions.ApprovedByGroup, Status: apimeta.ConditionFalse, Message: reason}
	switch approval {
	case annotations.Approved:
		c.Status, c.Reason = apimeta.ConditionTrue, "ApprovedAnnotation"
	case annotations.ApprovalBypassed:
		c.Reason = "UnapprovedAnnotation"
	case annotations.ApprovalMissing:
		c.Reason = "MissingAnnotation"
	default:
		c.Reason = "InvalidAnnotation"
	}
	return c, protected
}

// set writes a condition into a status. The time of the transition changes only with the status of the condition.
func set(s *apiextensions.CustomResourceDefinitionStatus, c condition, now func() time.Time) {
	c.LastTransitionTime = apimeta.Time{Time: now()}
	for i, old := range s.Conditions {
		if old.Type != c.Type {
			continue
		}
		if old.Status == c.Status && !old.LastTransitionTime.IsZero() {
			c.LastTransitionTime = old.LastTransitionTime
		}
		s.Conditions[i] = c
		return
	}
	s.Conditions = append(s.Conditions, c)
}

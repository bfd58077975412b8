package crd

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/status"
)

type condition = apiextensions.CustomResourceDefinitionCondition

// apply serves the kind of a definition in its present state, and reports in the status what came of it.
func (k *kinds) apply(ctx context.Context, d *apiextensions.CustomResourceDefinition) {
	names, accepted := acceptNames(d, k.namesOfOthers(d))
	established := condition{Type: apiextensions.Established, Status: apimeta.ConditionFalse, Reason: "NotAccepted", Message: "not all names are accepted"}
	if accepted.Status == apimeta.ConditionTrue || d.Is(apiextensions.Established) {
		switch err := k.serve(ctx, d, names); {
		case err == nil:
		case k.served[d.Name] != nil: // the API serves an older state of the definition
			k.log(ctx, d.Name, err)
		default: // the host has declared the kind or one of its names
			names = d.Status.AcceptedNames
			accepted.Status, accepted.Reason, accepted.Message = apimeta.ConditionFalse, "KindConflict", strings.TrimPrefix(err.Error(), "rest.API.Serve: ")
		}
	}
	if k.served[d.Name] != nil {
		established = condition{Type: apiextensions.Established, Status: apimeta.ConditionTrue, Reason: "InitialNamesAccepted", Message: "the initial names have been accepted"}
	}
	list := []condition{accepted, established}
	if approval, ok := approvalOf(d); ok {
		list = append(list, approval)
	}
	now := k.report(ctx, d, names, list)
	if now != nil {
		k.definitions[d.Name] = now
	}
	if d.DeletionTimestamp != nil {
		k.terminate(ctx, d)
	}
}

// report writes the conditions and the accepted names of a definition, unless they are there already. It returns the stored
// definition, or nil if it has not been written.
func (k *kinds) report(ctx context.Context, d *apiextensions.CustomResourceDefinition, names apiextensions.CustomResourceDefinitionNames, list []condition) *apiextensions.CustomResourceDefinition {
	if !k.differs(d, names, list) {
		return nil
	}
	now, err := k.client.ModifyStatus(ctx, d.Name, func(stored *apiextensions.CustomResourceDefinition) error {
		if stored.UID != d.UID {
			return status.Conflict(apimeta.GroupResource{Group: apiextensions.Group, Resource: "customresourcedefinitions"}, d.Name, "the definition has been replaced")
		}
		stored.Status.AcceptedNames = names
		for _, c := range list {
			c.ObservedGeneration = d.Generation
			set(&stored.Status, c, rest.ObjectsOf(k.api).Now)
		}
		return nil
	})
	if err != nil {
		if !status.IsNotFound(err) && !status.IsConflict(err) {
			k.log(ctx, d.Name, err)
		}
		return nil
	}
	return now
}

// differs reports whether the status of a definition lacks some of what report would write.
func (k *kinds) differs(d *apiextensions.CustomResourceDefinition, names apiextensions.CustomResourceDefinitionNames, list []condition) bool {
	if !sameNames(d.Status.AcceptedNames, names) {
		return true
	}
	for _, c := range list {
		same := func(old condition) bool {
			return old.Type == c.Type && old.Status == c.Status && old.Reason == c.Reason && old.Message == c.Message && old.ObservedGeneration == d.Generation
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
	approval, reason, protected := apiextensions.ApprovalOf(d)
	c = condition{Type: apiextensions.ApprovedByGroup, Status: apimeta.ConditionFalse, Message: reason}
	switch approval {
	case apiextensions.Approved:
		c.Status, c.Reason = apimeta.ConditionTrue, "ApprovedAnnotation"
	case apiextensions.ApprovalBypassed:
		c.Reason = "UnapprovedAnnotation"
	case apiextensions.ApprovalMissing:
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

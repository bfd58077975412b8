package builtin

import (
	"fmt"
	"reflect"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/status"
)

// Length limits in bytes. They apply to events with an eventTime.
const (
	maxInstance = 128
	maxAction   = 128
	maxReason   = 128
	maxNote     = 1024
)

// An event about a cluster-scoped object must be in one of these namespaces.
const (
	defaultNamespace = "default"
	systemNamespace  = "kube-system"
)

// validate checks an event by the rules of the core group. Without an eventTime, only the namespace matters. controller
// is the field that names the controller: the groups have different names for it.
func (e *CoreEvent) validate(controller *status.Path) status.FieldErrors {
	if e.EventTime.IsZero() {
		if e.Namespace == e.InvolvedObject.Namespace || e.InvolvedObject.Namespace == "" && e.Namespace == defaultNamespace {
			return nil
		}
		return status.FieldErrors{e.elsewhere()}
	}
	var errs status.FieldErrors
	if e.InvolvedObject.Namespace == "" && e.Namespace != defaultNamespace && e.Namespace != systemNamespace {
		errs = append(errs, e.elsewhere())
	}
	if e.ReportingController == "" {
		errs = append(errs, status.RequiredField(controller, ""))
	}
	for _, fault := range apimeta.ValidateQualifiedName(e.ReportingController) {
		errs = append(errs, status.InvalidField(controller, e.ReportingController, fault))
	}
	errs = append(errs, bounded("reportingInstance", e.ReportingInstance, maxInstance)...)
	errs = append(errs, bounded("action", e.Action, maxAction)...)
	errs = append(errs, bounded("reason", e.Reason, maxReason)...)
	if len(e.Message) > maxNote {
		errs = append(errs, tooLong("message", maxNote))
	}
	return errs
}

// validate checks an event by the rules of events.k8s.io. As in Kubernetes, the errors use the field names of the core
// group, except for the controller.
func (e *Event) validate(old *Event) status.FieldErrors {
	core := coreOf(e)
	errs := core.validate(status.NewPath("reportingController"))
	if old == nil {
		return append(errs, core.validateNew()...)
	}
	return append(errs, core.validateChange(coreOf(old))...)
}

// validateNew checks the additional rules of events.k8s.io for a new event.
func (e *CoreEvent) validateNew() (errs status.FieldErrors) {
	for _, fault := range apimeta.ValidateDNS1123Subdomain(e.Name) {
		errs = append(errs, status.InvalidField(status.NewPath("metadata", "name"), e.Name, fault))
	}
	errs = append(errs, e.Series.validate()...)
	if e.EventTime.IsZero() {
		errs = append(errs, status.RequiredField(status.NewPath("eventTime"), ""))
	}
	if e.Type != EventTypeNormal && e.Type != EventTypeWarning {
		errs = append(errs, status.InvalidField(status.NewPath("type"), "", "has invalid value: "+e.Type))
	}
	for _, deprecated := range []struct {
		field string
		set   bool
	}{
		{"firstTimestamp", !e.FirstTimestamp.IsZero()}, {"lastTimestamp", !e.LastTimestamp.IsZero()},
		{"count", e.Count != 0}, {"source", e.Source != EventSource{}},
	} {
		if deprecated.set {
			errs = append(errs, status.InvalidField(status.NewPath(deprecated.field), "", "needs to be unset"))
		}
	}
	return errs
}

// validateChange checks an update in events.k8s.io. It may change only the series and the metadata.
func (e *CoreEvent) validateChange(old *CoreEvent) (errs status.FieldErrors) {
	if !reflect.DeepEqual(e.Series, old.Series) {
		errs = append(errs, e.Series.validate()...)
	}
	for _, fixed := range []struct {
		field    string
		now, was any
	}{
		{"involvedObject", e.InvolvedObject, old.InvolvedObject}, {"reason", e.Reason, old.Reason},
		{"message", e.Message, old.Message},
		{"source", e.Source, old.Source}, {"firstTimestamp", e.FirstTimestamp, old.FirstTimestamp},
		{"lastTimestamp", e.LastTimestamp, old.LastTimestamp},
		{"count", e.Count, old.Count}, {"type", e.Type, old.Type}, {"eventTime", e.EventTime, old.EventTime},
		{"action", e.Action, old.Action},
		{"related", e.Related, old.Related}, {"reportingController", e.ReportingController, old.ReportingController},
		{"reportingInstance", e.ReportingInstance, old.ReportingInstance},
	} {
		if !reflect.DeepEqual(fixed.now, fixed.was) {
			errs = append(errs, status.InvalidField(status.NewPath(fixed.field), fixed.now, "field is immutable"))
		}
	}
	return errs
}

// validate checks a series. nil is valid.
func (s *CoreEventSeries) validate() (errs status.FieldErrors) {
	if s == nil {
		return nil
	}
	if s.Count < 2 {
		errs = append(errs, status.InvalidField(status.NewPath("series", "count"), "", "should be at least 2"))
	}
	if s.LastObservedTime.IsZero() {
		errs = append(errs, status.RequiredField(status.NewPath("series", "lastObservedTime"), ""))
	}
	return errs
}

// elsewhere returns the error for an event that is not in the namespace of its object.
func (e *CoreEvent) elsewhere() *status.FieldError {
	return status.InvalidField(status.NewPath("involvedObject", "namespace"), e.InvolvedObject.Namespace,
		"does not match event.namespace")
}

// bounded requires a text of 1 to limit bytes.
func bounded(field, text string, limit int) (errs status.FieldErrors) {
	if text == "" {
		errs = append(errs, status.RequiredField(status.NewPath(field), ""))
	}
	if len(text) > limit {
		errs = append(errs, tooLong(field, limit))
	}
	return errs
}

func tooLong(field string, limit int) *status.FieldError {
	return status.InvalidField(status.NewPath(field), "", fmt.Sprintf("can have at most %d characters", limit))
}

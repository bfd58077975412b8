package builtin

import (
	"fmt"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/status"
)

// The limits of the texts of an event whose eventTime is set, in bytes.
const (
	maxInstance = 128
	maxAction   = 128
	maxReason   = 128
	maxNote     = 1024
)

// Events about cluster-scoped objects are in one of these namespaces.
const (
	defaultNamespace = "default"
	systemNamespace  = "kube-system"
)

// validate checks an event by the rules of the core group. They are strict only for an event with an eventTime.
func (e *CoreEvent) validate() status.FieldErrors {
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
	controller := status.Field("reportingController")
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

// elsewhere returns the error for an event in another namespace than its object.
func (e *CoreEvent) elsewhere() *status.FieldError {
	return status.InvalidField(status.Field("involvedObject", "namespace"), e.InvolvedObject.Namespace, "does not match event.namespace")
}

// bounded refuses a text that is missing or too long.
func bounded(field, text string, limit int) (errs status.FieldErrors) {
	if text == "" {
		errs = append(errs, status.RequiredField(status.Field(field), ""))
	}
	if len(text) > limit {
		errs = append(errs, tooLong(field, limit))
	}
	return errs
}

func tooLong(field string, limit int) *status.FieldError {
	return status.InvalidField(status.Field(field), "", fmt.Sprintf("can have at most %d characters", limit))
}

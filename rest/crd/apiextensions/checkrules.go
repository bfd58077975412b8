package apiextensions

import (
	"strings"

	"github.com/decorum-go/decorum/status"
)

var ruleReasons = []string{"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"}

func hasLineBreak(s string) bool { return strings.ContainsAny(s, "\r\n") }

// ruleFaults checks everything about rules but their expressions.
func ruleFaults(s *JSONSchemaProps, parent *status.Path) (errs status.FieldErrors) {
	fail := func(e *status.FieldError) { errs = append(errs, e) }
	for i, r := range s.XValidations {
		at := parent.Index(i)
		rule, message := strings.TrimSpace(r.Rule), strings.TrimSpace(r.Message)
		switch {
		case rule == "":
			fail(status.RequiredField(at.Child("rule"), "rule is not specified"))
		case r.Message != "" && message == "":
			fail(status.InvalidField(at.Child("message"), r.Message, "must be non-empty if specified"))
		case hasLineBreak(message):
			fail(status.InvalidField(at.Child("message"), r.Message, "must not contain line breaks"))
		case hasLineBreak(rule) && message == "":
			fail(status.RequiredField(at.Child("message"), "message must be specified if rule contains line breaks"))
		}
		if r.MessageExpression != "" && strings.TrimSpace(r.MessageExpression) == "" {
			fail(status.RequiredField(at.Child("messageExpression"), "messageExpression must be non-empty if specified"))
		}
		if r.Reason != nil && !known(ruleReasons, *r.Reason) {
			fail(status.UnsupportedValue(at.Child("reason"), *r.Reason, ruleReasons))
		}
		if r.FieldPath == "" {
			continue
		}
		place := at.Child("fieldPath")
		if strings.TrimSpace(r.FieldPath) == "" {
			fail(status.InvalidField(place, r.FieldPath, "must be non-empty if specified"))
		}
		if hasLineBreak(r.FieldPath) {
			fail(status.InvalidField(place, r.FieldPath, "must not contain line breaks"))
		}
		if unsupported(s) == "" {
			if _, _, err := memberAt(s, r.FieldPath, true); err != nil {
				fail(status.InvalidField(place, r.FieldPath, "must be a valid path"))
			}
		}
	}
	return errs
}

package openapi

import (
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
)

// validations writes rules as custom resource definitions do.
func validations(rules []schema.Rule) []doc.Value {
	var all []doc.Value
	for _, r := range rules {
		var o object
		o.text("rule", r.Rule)
		o.text("message", r.Message)
		o.text("messageExpression", r.MessageExpression)
		o.text("reason", string(r.Reason))
		o.text("fieldPath", r.FieldPath)
		o.flag("optionalOldSelf", r.OptionalOldSelf)
		all = append(all, o.value())
	}
	return all
}

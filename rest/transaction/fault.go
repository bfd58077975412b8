package transaction

import (
	"fmt"
	"strings"

	"github.com/decorum-go/decorum/status"
)

// fault is why an object was refused.
type fault struct {
	index  int
	item   *item
	status *status.Status
}

// statusOf returns the error of a transaction with refused objects, or nil if there are none. Its code and reason are
// those of the first one.
func statusOf(faults []fault, objects int) error {
	if len(faults) == 0 {
		return nil
	}
	first := *faults[0].status
	var messages []string
	details := &status.Details{Kind: "List"}
	for _, f := range faults {
		messages = append(messages, fmt.Sprintf("items[%d] (%s): %s", f.index, f.name(), f.status.Message))
		details.Causes = append(details.Causes, f.causes()...)
		if f.status.Details != nil {
			details.RetryAfterSeconds = max(details.RetryAfterSeconds, f.status.Details.RetryAfterSeconds)
		}
	}
	first.Message = fmt.Sprintf("%d of %d objects were refused, and nothing was stored: %s", len(faults), objects,
		strings.Join(messages, "; "))
	first.Details = details
	return &status.Error{Status: first}
}

// name names the object as kubectl does.
func (f *fault) name() string {
	m := f.item.head.Metadata
	name := m.Name
	if name == "" {
		name = m.GenerateName
	}
	return fmt.Sprintf("%s %q", f.item.head.Kind, name)
}

// causes returns the causes of the object, or its message as one if it has none.
func (f *fault) causes() (causes []status.Cause) {
	if f.status.Details != nil {
		for _, c := range f.status.Details.Causes {
			field := fmt.Sprintf("items[%d]", f.index)
			if c.Field != "" {
				field += "." + strings.TrimPrefix(c.Field, ".")
			}
			causes = append(causes, status.Cause{Type: c.Type, Field: field, Message: f.name() + ": " + c.Message})
		}
	}
	if len(causes) == 0 {
		causes = append(causes, status.Cause{
			Type: status.CauseType(f.status.Reason), Field: fmt.Sprintf("items[%d]", f.index),
			Message: f.name() + ": " + f.status.Message,
		})
	}
	return causes
}

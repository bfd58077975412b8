package resource

import (
	"context"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/status"
)

// RuleChecker evaluates the compiled validation rules of one kind.
type RuleChecker interface {
	// Check returns the rules that obj breaks, and apart from them those that the old object had broken in the same place
	// with the same value.
	Check(ctx context.Context, obj, old doc.Value) (broken, before status.FieldErrors)
}

// checkByRules evaluates the rules of a kind on an object that has passed its schema, of whose faults it is told: most of
// them leave nothing that an expression could be trusted with.
func (res *Resource) checkByRules(ctx context.Context, obj, old doc.Value, faults status.FieldErrors, o *WriteOptions) (broken status.FieldErrors, err error) {
	if res.rules == nil {
		return nil, nil
	}
	for _, fault := range faults {
		switch fault.Type {
		case status.CauseNotSupported, status.CauseRequired, status.CauseTooLong, status.CauseTooMany, status.CauseTypeInvalid:
			unchecked := status.InvalidField(nil, nil, "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation")
			unchecked.Field = "<nil>" // as API servers name the object itself here
			return status.FieldErrors{unchecked}, nil
		}
	}
	defer RecoverHook("Rules", &err)
	broken, before := res.rules.Check(ctx, obj, old)
	if ctx.Err() != nil { // they have not been evaluated to the end
		return nil, ctx.Err()
	}
	for _, b := range before {
		o.warnAlways(b.Error())
	}
	return broken, nil
}

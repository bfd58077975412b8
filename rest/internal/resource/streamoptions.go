package resource

import (
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/status"
)

// CheckOptions fills in what the options leave out, and checks them.
func CheckOptions(options *schema.Schema, v doc.Value) (doc.Value, error) {
	v = options.Default(v)
	errs := options.CheckTypes(nil, v)
	if len(errs) == 0 {
		errs = options.Validate(nil, v)
	}
	if len(errs) > 0 {
		return doc.Value{}, status.BadRequest(errs.Error())
	}
	return v, nil
}

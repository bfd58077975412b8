package resource

import (
	"fmt"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/status"
)

// CheckStreamOptions checks that the fields of a struct can be parameters of a URL: scalars, and lists of scalars.
func CheckStreamOptions(options *schema.Schema) error {
	if options.Object == nil {
		return fmt.Errorf("the options must be a struct")
	}
	for _, p := range options.Object.Properties {
		s := p.Schema
		if s.Type == schema.ArrayType {
			s = s.Items
		}
		switch s.Type {
		case schema.StringType, schema.IntegerType, schema.NumberType, schema.BooleanType:
		default:
			return fmt.Errorf("options: %q is neither a string, number or boolean nor a list of them", p.Name)
		}
	}
	return nil
}

// CheckOptions defaults and validates the options of a stream.
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

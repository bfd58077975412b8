package resource

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/rules"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// OpenSchema is the schema of a kind without a Go struct.
type OpenSchema struct {
	// JSON is a structural OpenAPI v3 schema. Without it, objects may have any fields.
	JSON []byte
	// Status says that the kind has the subresource /status.
	Status bool
	// RulesChecked says that the rules are known to be valid, so the first write may compile them.
	RulesChecked bool
	// Convert converts objects between the versions, or is nil. The stored version declares it.
	Convert Converter
	// DefinedBy is the object that describes the kind, or nil.
	DefinedBy *DefinedBy
}

// DefinedBy is the object that describes a kind. Objects of the kind are created only while it exists, with this UID,
// and is not being deleted.
type DefinedBy struct {
	storage.Key
	UID string
}

// AnyFields is the schema of objects that may have any fields.
const AnyFields = `{"type":"object","x-kubernetes-preserve-unknown-fields":true}`

// readOpen reads the schema of a kind without a Go struct, and compiles its rules.
func (res *Resource) readOpen(d Declaration) (err error) {
	if len(d.Overlay) > 0 {
		return errors.New("Overlay: it adds to a Go type, and the kind has a Schema")
	}
	res.outside, res.DefinedBy = newOutside(d.Open.Convert), d.Open.DefinedBy
	res.copiesFields = res.outside == nil
	text := d.Open.JSON
	if len(text) == 0 {
		text = []byte(AnyFields)
	}
	if res.Schema, err = schema.ReadOpenAPI(text); err != nil {
		return fmt.Errorf("Schema: %w", err)
	}
	if res.Kind.Description != "" {
		res.Schema.Description = res.Kind.Description
	}
	hasRules := res.Schema.HasRules()
	switch {
	case len(d.Rules) > 0:
		return errors.New("Rules: they name Go types, and the kind has a Schema: write the rules into the schema")
	case !hasRules:
		return nil
	case d.Language == nil && res.IsOutline():
		return nil
	case d.Language == nil:
		return errors.New("Schema: it has validation rules (x-kubernetes-validations), which need the evaluator of module cel: " +
			"set Schema.CEL to cel.Evaluator()")
	}
	compile := sync.OnceValues(func() (rules.Checker, error) { return d.Language.Compile(res.Schema) })
	if res.Rules = lateRules(compile); d.Open.RulesChecked {
		return nil
	}
	_, err = compile()
	return err
}

// lateRules are rules that are compiled when they are first checked.
type lateRules func() (rules.Checker, error)

// Check implements [rules.Checker]. If the rules do not compile, the object breaks them.
func (compile lateRules) Check(ctx context.Context, obj, old doc.Value) (broken, before status.FieldErrors) {
	checker, err := compile()
	if err != nil {
		return status.FieldErrors{status.InternalField(nil, err)}, nil
	}
	return checker.Check(ctx, obj, old)
}

// declaresStatus reports whether the kind has the subresource /status: if its Go type has a field status, or if its
// schema says so.
func (res *Resource) declaresStatus(d Declaration) bool {
	switch {
	case res.Kind.Virtual:
		return false
	case d.Open != nil:
		return d.Open.Status
	}
	return res.Schema.Property("status") != nil
}

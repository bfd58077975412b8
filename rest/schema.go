package rest

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/rules"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/storage"
)

// Schema describes the objects of a kind without a Go struct, in the words of a CustomResourceDefinition. Such a kind
// answers as kube-apiserver does for a custom resource of this schema: unknown fields are pruned, missing ones are
// defaulted, and an update may keep values that break the schema if it does not change them. A write in another version
// than the stored one need not meet the schema of the stored version, which prunes and defaults the object. So the
// object loses the fields that one of the two versions lacks. A read in another version prunes the object, and does not
// default it.
type Schema struct {
	// OpenAPI is a structural OpenAPI v3 schema, as JSON. Package crd checks that a schema is structural and that its
	// defaults are valid; New does not. Default: objects may have any fields.
	OpenAPI []byte
	// Status adds the subresource /status. Without it, the status is a field like any other.
	Status bool
	// RulesChecked says that the rules of the schema (x-kubernetes-validations) are known to be valid, so that New may
	// leave it to the first write to compile them.
	RulesChecked bool
	// CEL evaluates the rules of the schema. Set it to cel.Evaluator() of module cel. Default: New refuses a schema with
	// rules.
	CEL Evaluator
	// Convert does what a conversion webhook does. Only the stored version declares it. Default: fields are copied by
	// their names.
	Convert func(ctx context.Context, objects []json.RawMessage, apiVersion string) ([]json.RawMessage, error)
	// DefinedBy is the object that describes the kind. Objects are created only while it exists and is not being deleted,
	// whichever replica deletes it. Only the stored version declares it. Default: objects can always be created.
	DefinedBy *DefiningObject
}

// DefiningObject is a cluster-scoped object that describes a kind. The API must serve its resource.
type DefiningObject struct {
	Resource  apimeta.GroupResource
	Name, UID string
}

// declareSchema adds the schema of a kind without a Go struct to a declaration.
func (r *declared) declareSchema(d *resource.Declaration) error {
	if !r.isDocument() {
		if r.Schema.OpenAPI != nil || r.Schema.Status || r.Schema.CEL != nil {
			return errors.New("Schema: it describes an apimeta.Document, and the kind has a Go struct")
		}
		return nil
	}
	if d.Kind.Kind == "" {
		return errors.New("Names.Kind: must be set, because the kind has no Go struct")
	}
	d.Language = rules.LanguageOf(r.Schema.CEL)
	d.Open = &resource.OpenSchema{JSON: r.Schema.OpenAPI, Status: r.Schema.Status, RulesChecked: r.Schema.RulesChecked,
		Convert: r.Schema.Convert}
	if by := r.Schema.DefinedBy; by != nil {
		d.Open.DefinedBy = &resource.DefinedBy{Key: storage.Key{Resource: by.Resource.String(), Name: by.Name}, UID: by.UID}
	}
	d.Dialect.StoredRules, d.Dialect.FieldsKept, d.Dialect.ShownDefaulted = false, false, false
	return nil
}

package apimeta

import (
	"bytes"
	"errors"
	"slices"
)

// ManagedFieldsOperation is how a manager came to own fields.
type ManagedFieldsOperation string

// The two operations that a [ManagedFieldsEntry] may record.
const (
	ManagedFieldsApply  ManagedFieldsOperation = "Apply"  // server-side apply
	ManagedFieldsUpdate ManagedFieldsOperation = "Update" // every other write
)

// ManagedFieldsEntry is the set of fields one manager owns, as written through
// one API version, operation and subresource (API concepts, Server-Side Apply).
type ManagedFieldsEntry struct {
	// Manager is the name of the workflow that owns the fields.
	Manager string `json:"manager,omitempty"`
	// Operation tells apply from every other kind of write.
	Operation ManagedFieldsOperation `json:"operation,omitempty"`
	// APIVersion is the version in which FieldsV1 names the fields.
	APIVersion string `json:"apiVersion,omitempty"`
	// Time is when the manager last changed a value or took a field.
	Time *Time `json:"time,omitempty"`
	// FieldsType is always "FieldsV1".
	FieldsType string `json:"fieldsType,omitempty"`
	// FieldsV1 is the set of owned fields.
	FieldsV1 *FieldsV1 `json:"fieldsV1,omitempty"`
	// Subresource is the subresource written through, empty for the object itself.
	Subresource string `json:"subresource,omitempty"`
}

// FieldsV1 holds a set of field paths as the JSON trie that goes over the wire,
// undecoded.
type FieldsV1 struct {
	// Raw is a JSON object, such as {"f:spec":{"f:size":{}}}. Empty means null.
	Raw []byte `json:"-"`
}

// MarshalJSON writes Raw unchanged, or null if Raw is empty.
func (f FieldsV1) MarshalJSON() ([]byte, error) {
	if len(f.Raw) == 0 {
		return []byte("null"), nil
	}
	return f.Raw, nil
}

// UnmarshalJSON keeps a copy of data. It leaves f unchanged for null.
func (f *FieldsV1) UnmarshalJSON(data []byte) error {
	if f == nil {
		return errors.New("apimeta: UnmarshalJSON on a nil FieldsV1")
	}
	if !bytes.Equal(data, []byte("null")) {
		f.Raw = slices.Clone(data)
	}
	return nil
}

// OpenAPISchemaType describes FieldsV1 as a JSON object to schema generators.
func (FieldsV1) OpenAPISchemaType() []string { return []string{"object"} }

// OpenAPISchemaFormat is empty: the object has no named format.
func (FieldsV1) OpenAPISchemaFormat() string { return "" }

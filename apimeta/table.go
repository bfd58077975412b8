package apimeta

import "encoding/json"

// Table is the answer to a client that asks for as=Table: what to print for each
// object, computed by the server (API concepts, Receiving resources as Tables).
// Its apiVersion is "meta.k8s.io/v1".
type Table struct {
	TypeMeta `json:",inline"`
	ListMeta `json:"metadata"`
	// ColumnDefinitions describes the cells of every row. In a watch only the
	// first event has them; the others write null.
	ColumnDefinitions []TableColumnDefinition `json:"columnDefinitions"`
	// Rows has one row for each object. It must not be nil: a table without rows
	// is written as [].
	Rows []TableRow `json:"rows"`
}

// TableColumnDefinition describes one column. All members are always written.
type TableColumnDefinition struct {
	// Name is the title of the column.
	Name string `json:"name"`
	// Type is string, integer, number, boolean or date.
	Type string `json:"type"`
	// Format is "name" for the column that identifies the object, else an OpenAPI
	// format or empty.
	Format string `json:"format"`
	// Description explains the column to a person.
	Description string `json:"description"`
	// Priority decides when the column is shown: always if it is 0, otherwise only
	// in a wide view.
	Priority int32 `json:"priority"`
}

// TableRow is what a table shows of one object.
type TableRow struct {
	// Cells has one value for each column: a string, number, bool or nil.
	Cells []any `json:"cells"`
	// Conditions marks the state of the row, such as completed.
	Conditions []TableRowCondition `json:"conditions,omitempty"`
	// Object is the object in the form that [IncludeObjectPolicy] asks for, or
	// null.
	Object json.RawMessage `json:"object"`
}

// TableRowCondition is a state of a row, by which a client may decide to show or
// hide the row.
type TableRowCondition struct {
	Type    string          `json:"type"`
	Status  ConditionStatus `json:"status"`
	Reason  string          `json:"reason,omitempty"`
	Message string          `json:"message,omitempty"`
}

// RowCompleted is the type of a [TableRowCondition] of an object that has
// finished, such as a completed Job.
const RowCompleted = "Completed"

// IncludeObjectPolicy says how much of the object each row of a [Table] carries.
type IncludeObjectPolicy string

const (
	// IncludeNone leaves the object out.
	IncludeNone IncludeObjectPolicy = "None"
	// IncludeMetadata carries a [PartialObjectMetadata]. It is the default.
	IncludeMetadata IncludeObjectPolicy = "Metadata"
	// IncludeObject carries the whole object.
	IncludeObject IncludeObjectPolicy = "Object"
)

// PartialObjectMetadata is the answer to a client that wants the metadata of an
// object of any kind. Its apiVersion is "meta.k8s.io/v1".
type PartialObjectMetadata struct {
	TypeMeta   `json:",inline"`
	ObjectMeta `json:"metadata"`
}

// PartialObjectMetadataList is a list of the metadata of objects.
type PartialObjectMetadataList struct {
	TypeMeta `json:",inline"`
	ListMeta `json:"metadata"`
	// Items must not be nil: an empty list is written as [].
	Items []PartialObjectMetadata `json:"items"`
}

package apiextensions

import (
	"strings"

	"github.com/decorum-go/decorum/status"
)

var (
	columnTypes   = []string{"boolean", "date", "integer", "number", "string"}
	columnFormats = []string{"byte", "date", "date-time", "double", "float", "int32", "int64", "password"}
)

// columns checks the columns of tables. A path is hardly checked: kube-apiserver accepts broken ones too, and shows an
// empty cell.
func (c *checker) columns(columns []CustomResourceColumnDefinition, at *status.Path) {
	for i, column := range columns {
		place := at.Index(i)
		if column.Name == "" {
			c.fail(status.RequiredField(place.Child("name"), ""))
		}
		mustBe := "must be one of " + strings.Join(columnTypes, ",")
		switch {
		case column.Type == "":
			c.fail(status.RequiredField(place.Child("type"), mustBe))
		case !known(columnTypes, column.Type):
			c.fail(status.InvalidField(place.Child("type"), column.Type, mustBe))
		}
		if column.Format != "" && !known(columnFormats, column.Format) {
			c.fail(status.InvalidField(place.Child("format"), column.Format, "must be one of "+strings.Join(columnFormats, ",")))
		}
		if column.JSONPath == "" {
			c.fail(status.RequiredField(place.Child("JSONPath"), ""))
		} else {
			c.simplePath(column.JSONPath, place.Child("JSONPath"))
		}
	}
}

// simplePath requires a path that begins with a dot, and reports whether it does.
func (c *checker) simplePath(path string, at *status.Path) bool {
	if !strings.HasPrefix(path, ".") {
		c.fail(status.InvalidField(at, path, "must be a simple json path starting with ."))
		return false
	}
	return true
}

// subresources checks the paths of the subresource scale.
func (c *checker) subresources(s *CustomResourceSubresources, at *status.Path) {
	if s == nil || s.Scale == nil {
		return
	}
	for _, p := range []struct{ field, path, below string }{
		{"scale.specReplicasPath", s.Scale.SpecReplicasPath, ".spec"},
		{"scale.statusReplicasPath", s.Scale.StatusReplicasPath, ".status"},
	} {
		place := at.Child(p.field)
		if p.path == "" {
			c.fail(status.RequiredField(place, ""))
		} else if c.simplePath(p.path, place) && !strings.HasPrefix(p.path, p.below+".") {
			c.fail(status.InvalidField(place, p.path, "should be a json path under "+p.below))
		}
	}
	if path := s.Scale.LabelSelectorPath; path != nil && *path != "" {
		place := at.Child("scale.labelSelectorPath")
		if c.simplePath(*path, place) && !strings.HasPrefix(*path, ".spec.") && !strings.HasPrefix(*path, ".status.") {
			c.fail(status.InvalidField(place, shown{path}, "should be a json path under either .spec or .status"))
		}
	}
}

// maxSelectable is how many selectable fields a version may have.
const maxSelectable = 8

// selectableAt says where selectable fields stand: in a version, or shared by all versions.
type selectableAt struct {
	parent, at *status.Path
	version    string // empty if shared
}

// selectable checks that each selectable field is a scalar of the schema, outside of metadata.
func (c *checker) selectable(fields []SelectableField, schema *JSONSchemaProps, where selectableAt) {
	if fault := unsupported(schema); fault != "" {
		c.fail(status.InvalidField(where.parent.Child("schema.openAPIV3Schema"), "", fault))
		schema = nil
	}
	seen := map[string]bool{}
	for i, f := range fields {
		at := where.at.Index(i).Child("jsonPath")
		if f.JSONPath == "" {
			c.fail(status.RequiredField(at, ""))
			continue
		}
		if schema == nil {
			continue
		}
		path, found, err := memberAt(schema, f.JSONPath, false)
		if err != nil {
			c.fail(status.InvalidField(at, f.JSONPath, "is an invalid path: "+err.Error()))
			continue
		}
		if path.first == "metadata" {
			c.fail(status.InvalidField(at, f.JSONPath, "must not point to fields in metadata"))
		}
		switch found.Type {
		case "string", "boolean", "integer":
		default:
			c.fail(status.InvalidField(at, f.JSONPath,
				"must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed."))
		}
		if seen[path.text.String()] {
			c.fail(status.DuplicateField(at, f.JSONPath))
		}
		seen[path.text.String()] = true
	}
	if len(seen) > maxSelectable && !c.lenient.tooMany[where.version] {
		c.fail(status.TooManyField(where.at, len(seen), maxSelectable))
	}
}

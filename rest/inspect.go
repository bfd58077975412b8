package rest

import (
	"reflect"
	"slices"

	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/resource"
)

func init() {
	kind.Inspect = func(d any) ([]kind.Inspected, error) { return inspect(d.(Definition)) }
}

// inspect describes the versions of a definition, as [kind.Inspect] promises. It builds the resource without an API.
func inspect(d Definition) ([]kind.Inspected, error) {
	res, err := d.resource(&resource.Environment{})
	if err != nil {
		return nil, err
	}
	var out []kind.Inspected
	for _, version := range res.everyVersion() {
		i := version.GoType.(interface{ inspect() kind.Inspected }).inspect()
		i.Kind, i.NotServed, i.Converted = version.Kind, version.unserved, version.converted
		out = append(out, i)
	}
	return out, nil
}

// inspect returns the parts of the declaration that [kind.Kind] does not contain.
func (t *typed[T]) inspect() (i kind.Inspected) {
	for _, c := range t.Columns {
		i.Columns = append(i.Columns, kind.Column{Name: c.Name, Type: c.Type, Format: c.Format, Description: c.Description, Priority: c.Priority, Path: c.Path})
	}
	if s := t.Scale; s != nil {
		i.Scale = &kind.Scale{SpecReplicas: s.SpecReplicas, StatusReplicas: s.StatusReplicas, Selector: s.Selector}
	}
	for prefix, part := range map[string]any{"": t.Resource, "Hooks.": t.Hooks, "Names.": t.Names, "Wire.": t.Wire} {
		for field, value := range reflect.ValueOf(part).Fields() {
			if field.IsExported() && !value.IsZero() {
				i.Set = append(i.Set, prefix+field.Name)
			}
		}
	}
	slices.Sort(i.Set)
	return i
}

package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/internal/table"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
)

// resource writes the function that returns the resource of the kind.
func (k *kind) resource() {
	names, function := k.spec.Names, k.file.name(goName(k.spec.Names.Plural))
	fmt.Fprintf(&k.file.body, "\n// %s returns the declaration of the kind %s.\nfunc %s() rest.Resource[%s] {\n",
		function, names.Kind, function, k.name)
	k.print("return rest.Resource[%s]{", k.name)
	k.print("Group: %q, Version: %q, Plural: %q,", k.spec.Group, k.version.Name, names.Plural)
	if k.spec.Scope == apiextensions.ClusterScoped {
		k.print("Scope: rest.ScopeCluster,")
	}
	if literal := k.names(); literal != "" {
		k.print("Names: rest.Names{%s},", literal)
	}
	if k.root.Description != "" {
		k.print("Description: %q,", k.root.Description)
	}
	k.stage()
	k.columns()
	k.selectable()
	k.status()
	k.scale()
	k.print("}\n}")
}

func (k *kind) print(text string, values ...any) { fmt.Fprintf(&k.file.body, text+"\n", values...) }

// names returns the names that differ from the library's defaults.
func (k *kind) names() string {
	names := k.spec.Names
	var parts []string
	add := func(field, value, usual string) {
		if value != "" && value != usual {
			parts = append(parts, fmt.Sprintf("%s: %q", field, value))
		}
	}
	add("Kind", names.Kind, k.name)
	add("Singular", names.Singular, strings.ToLower(names.Kind))
	add("ListKind", names.ListKind, names.Kind+"List")
	if len(names.ShortNames) > 0 {
		parts = append(parts, fmt.Sprintf("Short: %#v", names.ShortNames))
	}
	if len(names.Categories) > 0 {
		parts = append(parts, fmt.Sprintf("Categories: %#v", names.Categories))
	}
	return strings.Join(parts, ", ")
}

func (k *kind) stage() {
	if v := k.version; !v.Served || v.Deprecated {
		warning := ""
		if v.DeprecationWarning != nil {
			warning = ", Warning: " + strconv.Quote(*v.DeprecationWarning)
		}
		k.print("Stage: rest.Stage{NotServed: %t, Deprecated: %t%s},", !v.Served, v.Deprecated, warning)
	}
}

// columns writes the columns. The library refuses a path that it cannot read, or that does not lead to a field.
func (k *kind) columns() {
	var lines strings.Builder
	for _, c := range k.version.AdditionalPrinterColumns {
		path, err := table.ParsePath(c.JSONPath)
		if err == nil {
			_, err = path.In(k.schema)
		}
		if err != nil {
			k.lose("additionalPrinterColumns: "+c.Name, err.Error())
			continue
		}
		fmt.Fprintf(&lines, "{Name: %q, Type: %q, Path: %q", c.Name, c.Type, c.JSONPath)
		if c.Format != "" {
			fmt.Fprintf(&lines, ", Format: %q", c.Format)
		}
		if c.Priority != 0 {
			fmt.Fprintf(&lines, ", Priority: %d", c.Priority)
		}
		if c.Description != "" {
			fmt.Fprintf(&lines, ", Description: %q", c.Description)
		}
		lines.WriteString("},\n")
	}
	if lines.Len() > 0 {
		k.print("Columns: []rest.Column{\n%s},", &lines)
	}
}

func (k *kind) selectable() {
	var fields []string
	for _, f := range k.version.SelectableFields {
		if k.at(f.JSONPath) == nil {
			k.lose("selectableFields", f.JSONPath+" leads to no field")
			continue
		}
		fields = append(fields, strings.TrimPrefix(f.JSONPath, "."))
	}
	if len(fields) > 0 {
		k.print("SelectableFields: %#v,", fields)
	}
}

// status reports a subresource that only one of the Go type and the definition has.
func (k *kind) status() {
	declared := k.version.Subresources != nil && k.version.Subresources.Status != nil
	switch has := k.at(".status") != nil; {
	case declared && !has:
		k.lose("subresources.status", "the objects have no field status")
	case has && !declared:
		k.lose("status", "it becomes a subresource, like the status of every Go type")
	}
}

func (k *kind) scale() {
	s := k.version.Subresources
	if s == nil || s.Scale == nil {
		return
	}
	for _, path := range []string{s.Scale.SpecReplicasPath, s.Scale.StatusReplicasPath} {
		if at := k.at(path); at == nil || at.Type != schema.IntegerType {
			k.lose("subresources.scale", path+" leads to no integer")
			return
		}
	}
	selector := ""
	if path := s.Scale.LabelSelectorPath; path != nil && k.at(*path) != nil {
		selector = fmt.Sprintf(", Selector: %q", *path)
	} else if path != nil {
		k.lose("subresources.scale.labelSelectorPath", *path+" leads to no field")
	}
	k.print("Scale: &rest.Scale{SpecReplicas: %q, StatusReplicas: %q%s},", s.Scale.SpecReplicasPath,
		s.Scale.StatusReplicasPath, selector)
}

// at returns the schema at the path of a field, such as ".spec.replicas", or nil.
func (k *kind) at(path string) *schema.Schema {
	return k.schema.At(strings.Split(strings.TrimPrefix(path, "."), ".")...)
}

// others reports the versions of the definition that the code does not have, and their conversion.
func (k *kind) others() {
	for i := range k.spec.Versions {
		if name := k.spec.Versions[i].Name; name != k.version.Name {
			k.lose("version "+name, "--version prints it, and Versions of the resource declares it")
		}
	}
	if c := k.spec.Conversion; c != nil && c.Strategy == apiextensions.WebhookConverter {
		k.lose("conversion", "a webhook converts the objects")
	}
}

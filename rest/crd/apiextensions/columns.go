package apiextensions

import (
	"slices"
	"strings"
	"time"

	"github.com/decorum-go/decorum/internal/table"
	"github.com/decorum-go/decorum/rest"
)

// columns are what kubectl get prints of definitions. As in kube-apiserver, Created At is a date whose cells show the
// time itself.
func columns() []rest.Column {
	return []rest.Column{
		{Name: "Scope", Path: ".spec.scope", Description: "Cluster/Namespaced"},
		rest.ColumnFunc(rest.Column{Name: "Versions", Description: "Served versions"}, servedVersions),
		rest.ColumnFunc(rest.Column{Name: "Created At", Type: table.DateType, Description: table.CreationDescription},
			func(d *CustomResourceDefinition) any { return d.CreationTimestamp.UTC().Format(time.RFC3339) }),
		{Name: "Group", Path: ".spec.group", Priority: 1, Description: "API group"},
		{Name: "Kind", Path: ".spec.names.kind", Priority: 1, Description: "CustomResource kind"},
		rest.ColumnFunc(rest.Column{Name: "ShortNames", Priority: 1, Description: "Short names"},
			func(d *CustomResourceDefinition) any { return strings.Join(d.Spec.Names.ShortNames, ",") }),
		rest.ColumnFunc(rest.Column{Name: "Established", Type: table.BooleanType, Priority: 1,
			Description: "Established status"}, func(d *CustomResourceDefinition) any { return d.Is(Established) }),
	}
}

// servedVersions returns the names of the served versions in alphabetical order, and marks the storage version.
func servedVersions(d *CustomResourceDefinition) any {
	var served []string
	for _, v := range d.Spec.Versions {
		switch {
		case v.Served && v.Storage:
			served = append(served, v.Name+"(storage)")
		case v.Served:
			served = append(served, v.Name)
		}
	}
	slices.Sort(served)
	return strings.Join(served, ",")
}

package crd

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/kind"
)

// Loss is a part of a definition that the manifest does not contain: this program does it, and a cluster does not.
type Loss struct {
	// Version is the version of the kind. It is empty for all versions.
	Version string
	// Part is a field of [rest.Resource], such as "Hooks.Validate", or the path of a field of the objects, such as "spec.size".
	Part string
	// Reason says what the cluster does not do.
	Reason string
}

// String returns the loss as a line for a person.
func (l Loss) String() string {
	if l.Version == "" {
		return l.Part + ": " + l.Reason
	}
	return l.Version + ": " + l.Part + ": " + l.Reason
}

// object is a JSON object.
type object map[string]any

// Manifest returns the CustomResourceDefinition of a kind as YAML, in the version apiextensions.k8s.io/v1, and what it leaves out.
// The result depends on the definition alone, so it can be kept in a file and compared.
//
// Manifest returns an error for a definition that [rest.New] refuses, and for a kind that no CustomResourceDefinition can serve:
// one of the built-in dialect, a virtual kind, a singleton, a kind in the core group or in several groups, a type that contains
// itself, and a type that may be of several JSON types. Several versions must have the same fields, because without the host's
// program a cluster changes only the apiVersion of an object.
//
// The API server may still refuse a rule whose estimated cost is too high. Bound the lists, maps and strings below it.
func Manifest(definition rest.Definition) (yaml []byte, losses []Loss, err error) {
	if definition == nil {
		return nil, nil, errors.New("crd: the definition is nil")
	}
	versions, err := kind.Inspect(definition)
	if err != nil {
		return nil, nil, fmt.Errorf("crd: %w", err)
	}
	stored := versions[0]
	if err := expressible(versions); err != nil {
		return nil, nil, fmt.Errorf("crd: kind %q: %w", stored.Kind.Kind, err)
	}
	losses = lossesOfKind(stored)
	var served []object
	for i, v := range versions {
		e := exporter{version: v.Version}
		served = append(served, e.versionOf(v, i == 0))
		if err := errors.Join(e.errs...); err != nil {
			return nil, nil, fmt.Errorf("crd: kind %q: version %q: %w", stored.Kind.Kind, v.Version, err)
		}
		losses = append(losses, e.losses...)
	}
	for i, v := range served[1:] {
		if !sameFields(schemaOf(served[0]), schemaOf(v)) {
			return nil, nil, fmt.Errorf("crd: kind %q: the versions %q and %q have different fields, and without functions of the host a cluster converts no fields",
				stored.Kind.Kind, stored.Version, versions[i+1].Version)
		}
	}
	json, err := json.Marshal(definitionOf(stored, served))
	if err != nil {
		return nil, nil, fmt.Errorf("crd: %w", err)
	}
	yaml, err = codec.AppendYAML(nil, json)
	return yaml, losses, err
}

// expressible returns an error for a kind of which no CustomResourceDefinition can be made.
func expressible(versions []kind.Inspected) error {
	stored := versions[0]
	switch {
	case stored.Builtin:
		return errors.New("it is of the built-in dialect, and a cluster serves custom resources in the other one")
	case stored.Virtual:
		return errors.New("it is virtual: its answers come from Hooks.Call")
	case slices.Contains(stored.Set, "Singleton"):
		return errors.New("it is a singleton, and clients of a cluster could create and delete its objects")
	case stored.Group == "":
		return errors.New("it is in the core group, which has no custom resources")
	}
	for _, v := range versions[1:] {
		switch {
		case v.Group != stored.Group:
			return fmt.Errorf("it is served in two groups, %q and %q", stored.Group, v.Group)
		case v.Converted:
			return fmt.Errorf("functions convert it between the versions %q and %q, and a cluster cannot call them", stored.Version, v.Version)
		}
	}
	return nil
}

// definitionOf returns the whole CustomResourceDefinition.
func definitionOf(k kind.Inspected, versions []object) object {
	names := object{"plural": k.Plural, "singular": k.Singular, "kind": k.Kind.Kind, "listKind": k.ListKind}
	if len(k.ShortNames) > 0 {
		names["shortNames"] = k.ShortNames
	}
	if len(k.Categories) > 0 {
		names["categories"] = k.Categories
	}
	scope := "Cluster"
	if k.Namespaced {
		scope = "Namespaced"
	}
	return object{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": object{"name": k.Plural + "." + k.Group},
		"spec":     object{"group": k.Group, "names": names, "scope": scope, "versions": versions, "conversion": object{"strategy": "None"}},
	}
}

// versionOf returns one version of a CustomResourceDefinition.
func (e *exporter) versionOf(v kind.Inspected, stored bool) object {
	out := object{"name": v.Version, "served": !v.NotServed, "storage": stored, "schema": object{"openAPIV3Schema": e.root(v)}}
	if v.Warning != "" {
		out["deprecated"], out["deprecationWarning"] = true, v.Warning
	}
	if columns := e.columns(v.Columns); len(columns) > 0 {
		out["additionalPrinterColumns"] = columns
	}
	if fields := e.selectable(v.SelectableFields); len(fields) > 0 {
		out["selectableFields"] = fields
	}
	if subresources := e.subresources(v); len(subresources) > 0 {
		out["subresources"] = subresources
	}
	e.hooks(v)
	return out
}

func schemaOf(version object) object {
	return version["schema"].(object)["openAPIV3Schema"].(object)
}

func (e *exporter) columns(columns []kind.Column) (out []object) {
	for _, c := range columns {
		if c.Path == "" {
			e.lose(fmt.Sprintf("Columns: %s", c.Name), "a cluster computes no cells")
			continue
		}
		column := object{"name": c.Name, "type": "string", "jsonPath": c.Path}
		for key, text := range map[string]string{"type": c.Type, "format": c.Format, "description": c.Description} {
			if text != "" {
				column[key] = text
			}
		}
		if c.Priority != 0 {
			column["priority"] = c.Priority
		}
		out = append(out, column)
	}
	return out
}

// maxSelectable is how many selectable fields a version of a CustomResourceDefinition may have.
const maxSelectable = 8

func (e *exporter) selectable(fields []string) (out []object) {
	for i, field := range fields {
		if i >= maxSelectable {
			e.lose("SelectableFields: "+field, fmt.Sprintf("a cluster allows %d", maxSelectable))
			continue
		}
		out = append(out, object{"jsonPath": "." + field})
	}
	return out
}

// subresources returns status and scale. The selector of a scale must be text in the spec or the status.
func (e *exporter) subresources(v kind.Inspected) object {
	out := object{}
	for _, s := range v.Subresources {
		switch {
		case s.Name == "status" && s.OfObject:
			out["status"] = object{}
		case s.Name == "scale" && v.Scale != nil:
			scale := object{"specReplicasPath": v.Scale.SpecReplicas, "statusReplicasPath": v.Scale.StatusReplicas}
			if selector := v.Scale.Selector; selector != "" {
				if at := v.Schema.At(strings.Split(strings.TrimPrefix(selector, "."), ".")...); at != nil && at.Type == "string" {
					scale["labelSelectorPath"] = selector
				} else {
					e.lose("Scale.Selector", "a cluster takes a selector only as text")
				}
			}
			out["scale"] = scale
		default:
			e.lose("Subresources: "+s.Name, "a cluster serves only status and scale")
		}
	}
	return out
}

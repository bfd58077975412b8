package crd

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest"
)

// Loss describes a part of a definition that the manifest does not contain, because a cluster does not support it.
type Loss struct {
	// Version is the version of the kind. It is empty for all versions.
	Version string
	// Part is a field of [rest.Resource], such as "Hooks.Validate", or the path of a field of the objects, such as
	// "spec.size".
	Part string
	// Reason says how the behaviour of a cluster differs.
	Reason string
}

// String returns the loss as one line of text, "VERSION: PART: REASON".
func (l Loss) String() string {
	if l.Version == "" {
		return l.Part + ": " + l.Reason
	}
	return l.Version + ": " + l.Part + ": " + l.Reason
}

// object is a JSON object.
type object map[string]any

// Manifest returns the CustomResourceDefinition of a kind as YAML, in version apiextensions.k8s.io/v1, and the parts of
// the definition that the manifest does not contain. The result depends only on the definition, so a test can compare
// it with a file.
//
// Manifest returns an error for a definition that [rest.New] refuses, and for a kind that a CustomResourceDefinition
// cannot describe: a kind of the built-in dialect, a virtual kind, a singleton, a kind in the core group or in several
// groups, a type that contains itself, and a type with several JSON types. All versions must have the same fields,
// because a cluster converts an object only by changing its apiVersion.
//
// An API server may still refuse a rule if it estimates that the rule costs too much. To lower the estimate, bound the
// lists, maps and strings to which the rule applies.
func Manifest(definition rest.Definition) (yaml []byte, losses []Loss, err error) {
	whole, losses, err := manifestOf(definition)
	if err != nil {
		return nil, nil, err
	}
	json, err := json.Marshal(whole)
	if err != nil {
		return nil, nil, fmt.Errorf("crd: %w", err)
	}
	yaml, err = codec.AppendYAML(nil, json)
	return yaml, losses, err
}

// manifestOf returns the CustomResourceDefinition of a kind. See [Manifest].
func manifestOf(definition rest.Definition) (whole object, losses []Loss, err error) {
	if definition == nil {
		return nil, nil, errors.New("crd: the definition is nil")
	}
	versions, err := rest.Describe(definition)
	if err != nil {
		return nil, nil, fmt.Errorf("crd: %w", err)
	}
	stored := versions[0].Resource
	if err := expressible(versions); err != nil {
		return nil, nil, fmt.Errorf("crd: kind %q: %w", stored.Names.Kind, err)
	}
	losses = lossesOfKind(versions[0])
	var served []object
	for i, v := range versions {
		e := exporter{version: v.Resource.Version}
		served = append(served, e.versionOf(v, i == 0))
		if err := errors.Join(e.errs...); err != nil {
			return nil, nil, fmt.Errorf("crd: kind %q: version %q: %w", stored.Names.Kind, v.Resource.Version, err)
		}
		losses = append(losses, e.losses...)
	}
	for i, v := range served[1:] {
		if !sameFields(schemaOf(served[0]), schemaOf(v)) {
			return nil, nil, fmt.Errorf("crd: kind %q: the versions %q and %q have different fields, and a cluster cannot convert fields",
				stored.Names.Kind, stored.Version, versions[i+1].Resource.Version)
		}
	}
	return definitionOf(stored, served), losses, nil
}

// expressible returns an error for a kind that a CustomResourceDefinition cannot describe.
func expressible(versions []rest.Description) error {
	stored := versions[0].Resource
	switch {
	case stored.Wire.Dialect == rest.DialectBuiltin:
		return errors.New("it uses the built-in dialect, but a cluster serves custom resources in the custom dialect")
	case slices.Contains(versions[0].Hooks, "Call"):
		return errors.New("it is virtual, and a cluster cannot run Hooks.Call")
	case stored.Singleton != "":
		return errors.New("it is a singleton, but in a cluster clients could create and delete its objects")
	case stored.Group == "":
		return errors.New("it is in the core group, which cannot contain custom resources")
	}
	for _, v := range versions[1:] {
		switch {
		case v.Resource.Group != stored.Group:
			return fmt.Errorf("it is served in two groups, %q and %q", stored.Group, v.Resource.Group)
		case v.Converted:
			return fmt.Errorf("functions convert it between the versions %q and %q, but a cluster cannot call them",
				stored.Version, v.Resource.Version)
		}
	}
	return nil
}

// definitionOf returns the whole CustomResourceDefinition.
func definitionOf(r rest.Resource[apimeta.Document], versions []object) object {
	names := object{"plural": r.Plural, "singular": r.Names.Singular, "kind": r.Names.Kind, "listKind": r.Names.ListKind}
	if len(r.Names.Short) > 0 {
		names["shortNames"] = r.Names.Short
	}
	if len(r.Names.Categories) > 0 {
		names["categories"] = r.Names.Categories
	}
	scope := "Cluster"
	if r.Scope == rest.ScopeNamespaced {
		scope = "Namespaced"
	}
	return object{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": object{"name": r.Plural + "." + r.Group},
		"spec": object{"group": r.Group, "names": names, "scope": scope, "versions": versions,
			"conversion": object{"strategy": "None"}},
	}
}

// versionOf returns one version of a CustomResourceDefinition.
func (e *exporter) versionOf(v rest.Description, stored bool) object {
	r := v.Resource
	s, err := deriveSchema(v)
	if err != nil {
		e.errs = append(e.errs, err)
		return nil
	}
	out := object{"name": r.Version, "served": !r.Stage.NotServed, "storage": stored,
		"schema": object{"openAPIV3Schema": e.root(s)}}
	if r.Stage.Deprecated {
		out["deprecated"], out["deprecationWarning"] = true, r.Stage.Warning
	}
	if columns := e.columns(r.Columns); len(columns) > 0 {
		out["additionalPrinterColumns"] = columns
	}
	if fields := e.selectable(r.SelectableFields); len(fields) > 0 {
		out["selectableFields"] = fields
	}
	if subresources := e.subresources(v, s); len(subresources) > 0 {
		out["subresources"] = subresources
	}
	e.hooks(v.Hooks)
	return out
}

func schemaOf(version object) object {
	return version["schema"].(object)["openAPIV3Schema"].(object)
}

func (e *exporter) columns(columns []rest.Column) (out []object) {
	for _, c := range columns {
		if c.Path == "" {
			e.lose(fmt.Sprintf("Columns: %s", c.Name), "a cluster cannot compute cells")
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
			e.lose("SelectableFields: "+field, fmt.Sprintf("a cluster allows only %d", maxSelectable))
			continue
		}
		if strings.Contains(field, "=") {
			e.lose("SelectableFields: "+field, "a cluster has no names for other fields")
			continue
		}
		out = append(out, object{"jsonPath": "." + field})
	}
	return out
}

// subresources returns status and scale. A cluster requires that the selector of scale is a string in the spec or the
// status.
func (e *exporter) subresources(v rest.Description, of *schema.Schema) object {
	out, paths := object{}, v.Resource.Scale
	for _, s := range v.Subresources {
		switch {
		case s.Name == "status" && s.OfObject:
			out["status"] = object{}
		case s.Name == "scale" && paths != nil:
			scale := object{"specReplicasPath": paths.SpecReplicas, "statusReplicasPath": paths.StatusReplicas}
			if selector := paths.Selector; selector != "" {
				if at := of.At(strings.Split(strings.TrimPrefix(selector, "."), ".")...); at != nil && at.Type == "string" {
					scale["labelSelectorPath"] = selector
				} else {
					e.lose("Scale.Selector", "a cluster requires a selector of type string")
				}
			}
			out["scale"] = scale
		default:
			e.lose("Subresources: "+s.Name, "a cluster serves only status and scale")
		}
	}
	return out
}

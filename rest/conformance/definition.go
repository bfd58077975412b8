package conformance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// thingGroup is the group of the definitions and objects of a case. Each case has its own, so their names do not
// conflict.
const thingGroup = "${u}.example.org"

// versionKeys maps the keys of the short form of a definition to the fields of its version.
func versionKeys() map[string]string {
	return map[string]string{
		"name": "name", "served": "served", "storage": "storage", "deprecated": "deprecated",
		"deprecationWarning": "deprecationWarning",
		"columns":            "additionalPrinterColumns", "subresources": "subresources", "selectableFields": "selectableFields",
	}
}

// definition expands the short form of a CustomResourceDefinition: {crd: things, props: {...}} defines the kind Thing
// with one version, unless the key versions says otherwise.
func definition(short map[string]any) (map[string]any, error) {
	plural := text(short["crd"])
	group := thingGroup
	if g, ok := short["group"]; ok {
		group = text(g)
	}
	names := map[string]any{"plural": plural, "kind": ""}
	if plural != "" {
		names["kind"] = strings.ToUpper(plural[:1]) + strings.TrimSuffix(plural[1:], "s")
	}
	metadata := map[string]any{"name": plural + "." + group}
	spec := map[string]any{"group": group, "scope": "Namespaced", "names": names}
	only := map[string]any{} // the keys of the only version
	fields, inMetadata := versionKeys(), metadataKeys()
	for key, v := range short {
		switch _, ofVersion := fields[key]; {
		case key == "crd" || key == "group" || key == "spec" || key == "versions":
		case key == "name" || slices.Contains(inMetadata, key):
			metadata[key] = v
		case key == "scope":
			spec[key] = v
		case key == "names":
			given, ok := v.(map[string]any)
			if !ok {
				return nil, errors.New("names must be a mapping")
			}
			maps.Copy(names, given)
		case ofVersion || key == "props" || key == "schema":
			only[key] = v
		default:
			return nil, fmt.Errorf("a definition has no key %q", key)
		}
	}
	spec["versions"] = []any{definedVersion(only, true)}
	if list, ok := short["versions"].([]any); ok {
		var versions []any
		for i, v := range list {
			keys, ok := v.(map[string]any)
			if !ok {
				return nil, fmt.Errorf("version %d of the definition must be a mapping", i+1)
			}
			versions = append(versions, definedVersion(keys, i == 0))
		}
		spec["versions"] = versions
	}
	if given, ok := short["spec"].(map[string]any); ok {
		for key, v := range given {
			if spec[key] = v; v == nil {
				delete(spec, key)
			}
		}
	}
	return map[string]any{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": metadata, "spec": spec}, nil
}

// definedVersion expands a version of a definition. The first one is the storage version.
func definedVersion(keys map[string]any, first bool) map[string]any {
	schema := map[string]any{"type": "object"}
	version := map[string]any{"name": "v1", "served": true, "storage": first,
		"schema": map[string]any{"openAPIV3Schema": schema}}
	for key, v := range keys {
		switch {
		case key == "props":
			schema["properties"] = v
		case key == "schema" && v == nil:
			delete(version, "schema")
		case key == "schema":
			version["schema"] = map[string]any{"openAPIV3Schema": v}
		default:
			version[versionKeys()[key]] = v
		}
	}
	return version
}

// giveDefinition creates a definition that the case starts from, and waits until the server serves all its versions.
func (r *replay) giveDefinition(ctx context.Context, id, path string, object map[string]any) error {
	status, body, err := r.client.ask(ctx,
		request{method: http.MethodPost, path: path, body: new(r.vars.expand(jsonText(object)))})
	if err != nil {
		return err
	}
	if status != http.StatusCreated {
		return fmt.Errorf("creating the definition %s: %d %s", id, status, cut(string(body), 300))
	}
	name, _ := lookup(object, "metadata.name")
	a, err := r.poll(ctx, &until{conditions: []pair{{establishedPath, "True"}}},
		request{method: http.MethodGet, path: r.vars.expand(path + "/" + text(name))})
	if err != nil {
		return err
	}
	group, _ := lookup(object, "spec.group")
	plural, _ := lookup(object, "spec.names.plural")
	versions, _ := lookup(object, "spec.versions")
	for _, v := range listOf(versions) {
		if served, _ := lookup(v, "served"); served != true {
			continue
		}
		version, _ := lookup(v, "name")
		at := r.vars.expand(fmt.Sprintf("/apis/%s/%s/%s?limit=1", text(group), text(version), text(plural)))
		got, err := r.poll(ctx, &until{conditions: []pair{{"status", "200"}}, times: 3},
			request{method: http.MethodGet, path: at})
		if err != nil {
			return err
		}
		if got.status != http.StatusOK {
			return fmt.Errorf("the definition %s is not served: %d for %s", id, got.status, at)
		}
	}
	for variable, member := range map[string]string{"rv": "resourceVersion", "uid": "uid", "name": "name"} {
		v, _ := lookup(a.body, "metadata."+member)
		r.vars[id+"."+variable] = text(v)
	}
	r.answers = append(r.answers, &answer{path: path, status: status, body: a.body, hasBody: true})
	return nil
}

package conventions

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest"
)

// referenceRules returns the rules about fields that name other objects.
func referenceRules() []rule {
	return []rule{
		{name: RuleRefNamespace, section: sectionReferences, place: onPlace(refNamespace)},
		{name: RuleRefName, section: sectionRefNames, place: onField(refName)},
		{name: RuleRefVersion, section: sectionRefVersions, place: onPlace(refVersion)},
		{name: RuleRefObject, section: sectionNames, place: onField(refObject)},
		{name: RuleObjectName, section: sectionNames, place: objectName},
	}
}

// looksLikeReference reports whether a struct is a reference to an object. It has a name, and all its fields are
// of the kind that references have. In addition, the name of its type ends in Ref or Reference, or another field
// locates the object.
func looksLikeReference(o *schema.Object, t reflect.Type) bool {
	if o == nil || o.Property("name") == nil {
		return false
	}
	tells := strings.HasSuffix(t.Name(), "Ref") || strings.HasSuffix(t.Name(), "Reference")
	for _, p := range o.Properties {
		switch p.Name {
		case "namespace", "kind", "group", "resource", "apiVersion", "apiGroup":
			tells = true
		case "name", "version", "uid", "resourceVersion", "fieldPath", "key", "optional":
		default:
			return false
		}
	}
	return tells
}

func isReference(p *place) bool { return looksLikeReference(p.schema.Object, p.typ) }

func refNamespace(p *place) string {
	if isReference(p) && p.kind.resource.Scope == rest.ScopeNamespaced && p.schema.Property("namespace") != nil {
		return "refers to objects of other namespaces, which are a security boundary: omit the namespace, or document who " +
			"may refer to what"
	}
	return ""
}

func refName(p *place) string {
	switch items := p.schema.Items; {
	case isReference(p) && !strings.HasSuffix(p.name(), "Ref"):
		return fmt.Sprintf("is a reference to an object: name it after its purpose, with Ref at the end, like %sRef",
			p.name())
	case items != nil && p.typ.Kind() == reflect.Slice && looksLikeReference(items.Object, bare(p.typ.Elem())) &&
		!strings.HasSuffix(p.name(), "Refs"):
		return "is a list of references to objects: name it after its purpose, with Refs at the end"
	}
	return ""
}

func bare(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// refVersion finds references that name a version. Only code that reads fields of the other object needs one.
func refVersion(p *place) string {
	if !isReference(p) || p.schema.Property("fieldPath") != nil {
		return ""
	}
	for _, name := range []string{"version", "apiVersion"} {
		if p.schema.Property(name) != nil {
			return fmt.Sprintf("refers by %s to an object whose version will change: name its group and resource, and leave "+
				"the version to the controller", name)
		}
	}
	return ""
}

func refObject(p *place) string {
	name := p.name()
	isText := p.schema.Type == schema.StringType
	switch items := p.schema.Items; {
	case strings.HasSuffix(name, "Ref") && isText:
		return fmt.Sprintf("is only a name: name it %sName, or make it an object with a name",
			strings.TrimSuffix(name, "Ref"))
	case strings.HasSuffix(name, "Refs") && items != nil && items.Type == schema.StringType:
		return fmt.Sprintf("is a list of names only: name it %sNames, or make its elements objects with a name",
			strings.TrimSuffix(name, "Refs"))
	}
	return ""
}

// objectName finds fields that hold the name of an object but are named as if they held the object.
func objectName(v *vetter, p *place) string {
	kind := v.kinds[p.name()]
	if kind == "" || !isText(p) || p.schema.Format != "" {
		return ""
	}
	return fmt.Sprintf("seems to hold the name of a %s: name it %sName", kind, p.name())
}

// kindNames returns the vetted kinds, and some Kubernetes kinds with unambiguous names, by the name of a field.
func kindNames(kinds []*kind) map[string]string {
	names := []string{
		"ConfigMap", "Secret", "ServiceAccount", "Pod", "Deployment", "StatefulSet", "DaemonSet", "PersistentVolumeClaim",
		"StorageClass", "IngressClass", "PriorityClass", "RuntimeClass",
	}
	for _, k := range kinds {
		names = append(names, k.name)
	}
	out := map[string]string{}
	for _, name := range names {
		if name != "" {
			out[strings.ToLower(name[:1])+name[1:]] = name
		}
	}
	return out
}

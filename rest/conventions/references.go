package conventions

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/internal/schema"
)

// referenceRules returns the rules about fields that name other objects.
func referenceRules() []rule {
	const at = pageReferences
	return []rule{
		{name: RuleRefNamespace, severity: Should, section: sectionReferences, page: at, place: onPlace(refNamespace)},
		{name: RuleRefNamespace, severity: Should, section: sectionReferences, page: at, place: onField(namespaceBeside)},
		{name: RuleRefName, severity: Should, section: sectionRefNames, page: at, place: onField(refName)},
		{name: RuleRefTarget, severity: Must, section: sectionRefExamples, page: at, place: onPlace(refWithoutTarget)},
		{name: RuleRefTarget, severity: Should, section: sectionRefExamples, page: at, place: onPlace(refWithoutGroup)},
		{name: RuleRefVersion, severity: Should, section: sectionRefVersions, page: at, place: onPlace(refVersion)},
		{name: RuleRefObject, severity: Should, section: sectionNames, page: at, place: onField(refObject)},
		{name: RuleObjectName, severity: Should, section: sectionNames, page: at, place: objectName},
	}
}

// looksLikeReference reports whether a struct is a reference to an object. It has a name or leads to a field, and all
// its fields are of the kind that references have. In addition, the name of its type or of the field ends in Ref or
// Reference, or another field locates the object.
func looksLikeReference(o *schema.Object, names ...string) bool {
	if o == nil || o.Property("name") == nil && o.Property("fieldPath") == nil {
		return false
	}
	tells := false
	for _, name := range names {
		last := lastWord(name)
		tells = tells || last == "ref" || last == "refs" || last == "reference" || last == "references"
	}
	for _, p := range o.Properties {
		switch p.Name {
		case "namespace", "kind", "group", "resource", "apiVersion", "apiGroup", "fieldPath":
			tells = true
		case "name", "version", "uid", "resourceVersion", "key", "optional":
		default:
			return false
		}
	}
	return tells
}

func isReference(p *place) bool {
	name := p.name()
	if name == "" && p.parent != nil {
		name = p.parent.name()
	}
	return looksLikeReference(p.schema.Object, p.typeName(), name)
}

func refNamespace(p *place) string {
	if isReference(p) && !p.kind.isClusterScoped && p.schema.Property("namespace") != nil {
		return "refers to objects of other namespaces, which are a security boundary: omit the namespace, or document who " +
			"may refer to what"
	}
	return ""
}

// namespaceBeside finds the name and the namespace of an object in two fields, such as secretName and secretNamespace.
func namespaceBeside(p *place) string {
	stem, ok := strings.CutSuffix(p.name(), "Namespace")
	if !ok || p.schema.Type != schema.StringType || p.siblings.Property(stem+"Name") == nil {
		return ""
	}
	return fmt.Sprintf("and %sName refer to an object in two fields: make them one reference, %sRef, without a namespace "+
		"if you can, because namespaces are a security boundary", stem, stem)
}

func refName(p *place) string {
	elements := ""
	if p.goKind() == reflect.Slice {
		elements = bare(p.typ.Elem()).Name()
	}
	switch items := p.schema.Items; {
	case isReference(p) && !strings.HasSuffix(p.name(), "Ref"):
		return fmt.Sprintf("is a reference to an object: name it after its purpose, with Ref at the end, like %sRef",
			p.name())
	case items != nil && looksLikeReference(items.Object, elements, p.name()) && !strings.HasSuffix(p.name(), "Refs"):
		return "is a list of references to objects: name it after its purpose, with Refs at the end"
	}
	return ""
}

// has reports whether a struct has one of these members.
func has(s *schema.Schema, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return s.Property(name) != nil })
}

// refWithoutTarget finds references whose members do not say which object they mean.
func refWithoutTarget(p *place) string {
	s := p.schema
	switch isKnown := has(s, "resource", "kind"); {
	case !isReference(p):
	case has(s, "name") && has(s, "group", "apiGroup", "apiVersion") && !isKnown:
		return "names a group, but no resource in it: add resource, or kind if each kind has one resource"
	case has(s, "fieldPath") && isKnown && !has(s, "version", "apiVersion"):
		return "leads to a field, and the fields of an object depend on the version: add version"
	}
	return ""
}

// refWithoutGroup finds references to objects of several kinds that do not name the group. Constants determine the
// group, too.
func refWithoutGroup(p *place) string {
	s := p.schema
	if !isReference(p) || has(s, "group", "apiGroup", "apiVersion") {
		return ""
	}
	for _, name := range []string{"resource", "kind"} {
		if m := s.Property(name); m != nil && len(m.Schema.Constraints().Enum) == 0 {
			return fmt.Sprintf("names a %s without its group: several groups may have one of this name, so add group", name)
		}
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

// objectName finds fields that hold the name of an object, or names of objects, but are named as if they held the
// objects.
func objectName(v *vetter, p *place) string {
	items := p.schema.Items
	isNames := items != nil && items.Type == schema.StringType && len(items.Constraints().Enum) == 0
	if !isNames && !isText(p) || p.schema.Format != "" {
		return ""
	}
	name := p.name()
	if isNames {
		name = strings.TrimSuffix(name, "s")
	}
	switch kind := v.kindIn(name); {
	case kind == "":
		return ""
	case isNames:
		return fmt.Sprintf("seems to hold names of objects of the kind %s: make it a list of references, %sRefs", kind, name)
	default:
		return fmt.Sprintf("seems to hold the name of a %s: name it %sName", kind, name)
	}
}

// kindIn returns the kind that a field is named after: exactly, or with words in front for a kind of Kubernetes whose
// name means nothing else.
func (v *vetter) kindIn(name string) string {
	if kind := v.kinds[name]; kind != "" {
		return kind
	}
	for _, kind := range kindsOfKubernetes() {
		if stem, ok := strings.CutSuffix(name, kind); ok && stem != "" {
			return kind
		}
	}
	return ""
}

// kindsOfKubernetes returns some kinds with unambiguous names.
func kindsOfKubernetes() []string {
	return []string{
		"ConfigMap", "Secret", "ServiceAccount", "Pod", "Deployment", "StatefulSet", "DaemonSet", "PersistentVolumeClaim",
		"PersistentVolume", "StorageClass", "IngressClass", "PriorityClass", "RuntimeClass",
	}
}

// kindNames returns the vetted kinds, and some of Kubernetes, by the name of a field.
func kindNames(kinds []*kind) map[string]string {
	names := kindsOfKubernetes()
	for _, k := range kinds {
		names = append(names, k.kind)
	}
	out := map[string]string{}
	for _, name := range names {
		if name != "" {
			out[strings.ToLower(name[:1])+name[1:]] = name
		}
	}
	return out
}

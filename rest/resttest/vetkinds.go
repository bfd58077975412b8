package resttest

import (
	"fmt"
	"iter"
	"strings"

	"github.com/decorum-go/decorum/internal/schema"
)

// kindRules are about kinds and resources as a whole.
func kindRules() []rule {
	return []rule{
		{name: RuleGroupName, section: sectionIntroduction, kind: onKind(groupName)},
		{name: RulePlural, section: sectionIntroduction, kind: onKind(plural)},
		{name: RuleKindName, section: sectionIntroduction, kind: onKind(kindName)},
		{name: RuleSchema, section: sectionIntroduction, place: onPlace(schemaless)},
		{name: RuleListKind, section: sectionTypes, kind: onKind(listKind)},
		{name: RuleItems, section: sectionTypes, kind: onKind(items)},
		{name: RuleKindField, section: sectionTypes, place: onField(kindField)},
		{name: RuleTypeMeta, section: sectionResources, kind: onKind(typeMeta)},
		{name: RuleMetadata, section: sectionMetadata, kind: metadata},
		{name: RuleControllerKind, section: sectionNames, kind: onKind(controllerKind)},
	}
}

func groupName(k *kind) (string, string) {
	group := k.resource.Group
	switch {
	case !k.own || k.resource.Builtin:
		return "", ""
	case group == "" || !strings.Contains(group, "."):
		return "", fmt.Sprintf("the group %q has no domain: groups of a single word, and none, are Kubernetes' own; take a subdomain of yours", group)
	case isReserved(group):
		return "", fmt.Sprintf("the group %q is in a domain that is reserved for Kubernetes; take a subdomain of yours", group)
	}
	return "", ""
}

// isReserved reports whether a domain is Kubernetes' own.
func isReserved(domain string) bool {
	for _, reserved := range []string{"k8s.io", "kubernetes.io"} {
		if domain == reserved || strings.HasSuffix(domain, "."+reserved) {
			return true
		}
	}
	return false
}

func plural(k *kind) (string, string) {
	switch {
	case !k.own:
	case k.resource.Plural == k.resource.Singular:
		return "", fmt.Sprintf("the resource and one object of it are both called %q: collections have a plural", k.resource.Plural)
	case !strings.HasSuffix(k.resource.Plural, "s"):
		return "", fmt.Sprintf("%q does not look like a plural", k.resource.Plural)
	}
	return "", ""
}

func kindName(k *kind) (string, string) {
	switch {
	case !isUpperCamel(k.name):
		return "", fmt.Sprintf("the kind %q is not CamelCase with an upper-case first letter", k.name)
	case k.own && strings.EqualFold(k.name, k.resource.Plural) && !strings.EqualFold(k.name, k.resource.Singular):
		return "", fmt.Sprintf("the kind %q is a plural: a kind is called after one object", k.name)
	}
	return "", ""
}

// isUpperCamel reports whether a word is written LikeThis.
func isUpperCamel(s string) bool {
	for i, r := range s {
		upper := 'A' <= r && r <= 'Z'
		if i == 0 && !upper || !upper && !('a' <= r && r <= 'z') && !('0' <= r && r <= '9') {
			return false
		}
	}
	return s != ""
}

func schemaless(p *place) string {
	if p.schema.Anything() || p.schema.PreserveUnknown {
		return "takes just anything: clients and kubectl explain know nothing of what is in it; describe it by a type"
	}
	return ""
}

func listKind(k *kind) (string, string) {
	switch {
	case k.own && !strings.HasSuffix(k.resource.ListKind, "List"):
		return "", fmt.Sprintf("the kind %q of its lists does not end in List", k.resource.ListKind)
	case strings.HasSuffix(k.name, "List"):
		return "", fmt.Sprintf("the kind %q ends in List and is none", k.name)
	}
	return "", ""
}

func items(k *kind) (string, string) {
	if k.typ.Schema.Property("items") != nil {
		return "items", "a kind with items is a list, and this is none"
	}
	return "", ""
}

// kindField finds categories that are called kind. In a reference it is the kind of the object that is meant.
func kindField(p *place) string {
	if p.name() == "kind" && !p.isTop() && p.siblings.Property("name") == nil && p.siblings.Property("apiVersion") == nil ||
		p.name() == "kind" && len(p.schema.Enum) > 0 && !looksLikeReference(p.siblings, p.owner) {
		return `"kind" is reserved for the kinds of objects; call it "type"`
	}
	return ""
}

func typeMeta(k *kind) (string, string) {
	for _, name := range []string{"apiVersion", "kind"} {
		if p := k.typ.Schema.Property(name); p == nil || p.Schema.Type != schema.StringType {
			return name, fmt.Sprintf("all objects have a string %q: embed apimeta.TypeMeta", name)
		}
	}
	return "", ""
}

// metadata demands the members that every object has. Simple kinds, like those of subresources, need none.
func metadata(k *kind) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		if !k.own {
			return
		}
		have := k.typ.Schema.Member("metadata")
		for _, name := range []string{
			"namespace", "name", "uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "labels", "annotations",
		} {
			if have.Member(name) == nil && !yield("metadata."+name, "every object has it: embed apimeta.ObjectMeta") {
				return
			}
		}
	}
}

func controllerKind(k *kind) (string, string) {
	if strings.HasSuffix(k.name, "Controller") && k.name != "Controller" {
		return "", fmt.Sprintf("the kind %q is called after a controller: call it after the thing that is controlled", k.name)
	}
	return "", ""
}

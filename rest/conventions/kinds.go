package conventions

import (
	"fmt"
	"iter"
	"strings"

	"github.com/decorum-go/decorum/internal/schema"
)

// kindRules returns the rules about kinds and resources as a whole.
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
	case !k.own || k.isBuiltin():
		return "", ""
	case group == "" || !strings.Contains(group, "."):
		return "", fmt.Sprintf("the group %q is not a domain name: the empty group and groups of one word belong to "+
			"Kubernetes; use a subdomain that you own", group)
	case isReserved(group):
		return "", fmt.Sprintf("the group %q is in a domain that is reserved for Kubernetes; use a subdomain that you own",
			group)
	}
	return "", ""
}

// isReserved reports whether a domain belongs to Kubernetes.
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
	case k.resource.Plural == k.resource.Names.Singular:
		return "", fmt.Sprintf("%q is both the plural and the singular of the resource: collections need a plural name",
			k.resource.Plural)
	case !strings.HasSuffix(k.resource.Plural, "s"):
		return "", fmt.Sprintf("%q does not look like a plural", k.resource.Plural)
	}
	return "", ""
}

func kindName(k *kind) (string, string) {
	switch {
	case !isUpperCamel(k.name):
		return "", fmt.Sprintf("the kind %q is not CamelCase with an upper-case first letter", k.name)
	case k.own && strings.EqualFold(k.name, k.resource.Plural) && !strings.EqualFold(k.name, k.resource.Names.Singular):
		return "", fmt.Sprintf("the kind %q is a plural: name it after a single object", k.name)
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
		return "accepts any value: clients and kubectl explain cannot know its content; describe it by a type"
	}
	return ""
}

func listKind(k *kind) (string, string) {
	switch {
	case k.own && !strings.HasSuffix(k.resource.Names.ListKind, "List"):
		return "", fmt.Sprintf("the kind %q of its lists does not end in List", k.resource.Names.ListKind)
	case strings.HasSuffix(k.name, "List"):
		return "", fmt.Sprintf("the kind %q ends in List but is not a list", k.name)
	}
	return "", ""
}

func items(k *kind) (string, string) {
	if k.typ.Schema.Property("items") != nil {
		return "items", "only lists have items, and this kind is not a list"
	}
	return "", ""
}

// kindField finds categories that are named kind. In a reference, kind is the kind of the object.
func kindField(p *place) string {
	if p.name() == "kind" && !p.isTop() && p.siblings.Property("name") == nil &&
		p.siblings.Property("apiVersion") == nil ||
		p.name() == "kind" && len(p.schema.Constraints().Enum) > 0 && !looksLikeReference(p.siblings, p.owner) {
		return `"kind" is reserved for the kinds of objects; call it "type"`
	}
	return ""
}

func typeMeta(k *kind) (string, string) {
	for _, name := range []string{"apiVersion", "kind"} {
		if p := k.typ.Schema.Property(name); p == nil || p.Schema.Type != schema.StringType {
			return name, fmt.Sprintf("every object needs a string %q: embed apimeta.TypeMeta", name)
		}
	}
	return "", ""
}

// metadata requires the members that every object has. Simple kinds, such as those of subresources, need
// none.
func metadata(k *kind) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		if !k.own {
			return
		}
		have := k.typ.Schema.Member("metadata")
		for _, name := range []string{
			"namespace", "name", "uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "labels",
			"annotations",
		} {
			if have.Member(name) == nil && !yield("metadata."+name, "every object needs this member: embed apimeta.ObjectMeta") {
				return
			}
		}
	}
}

func controllerKind(k *kind) (string, string) {
	if strings.HasSuffix(k.name, "Controller") && k.name != "Controller" {
		return "", fmt.Sprintf("the kind %q is named after a controller: name it after the thing that is controlled", k.name)
	}
	return "", ""
}

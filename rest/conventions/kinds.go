package conventions

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/internal/schema"
)

// kindRules returns the rules about kinds and resources as a whole.
func kindRules() []rule {
	const at = pageKinds
	return []rule{
		{name: RuleGroupName, severity: Must, section: sectionIntroduction, page: at, kind: onKind(groupName)},
		{name: RulePlural, severity: Should, section: sectionIntroduction, page: at, kind: onKind(plural)},
		{name: RuleKindName, severity: Must, section: sectionIntroduction, page: at, kind: onKind(kindName)},
		{name: RuleSchema, severity: Should, section: sectionIntroduction, page: at, place: onPlace(schemaless)},
		{name: RuleListKind, severity: Must, section: sectionTypes, page: at, kind: onKind(listKind)},
		{name: RuleItems, severity: Must, section: sectionTypes, page: at, kind: onKind(items)},
		{name: RuleKindField, severity: Should, section: sectionTypes, page: pageNames, place: onField(kindField)},
		{name: RuleTypeMeta, severity: Must, section: sectionResources, page: at, kind: onKind(typeMeta)},
		{name: RuleMetadata, severity: Must, section: sectionMetadata, page: at,
			kind: metadata("namespace", "name", "uid")},
		{name: RuleMetadata, severity: Should, section: sectionMetadata, page: at,
			kind: metadata("resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "labels",
				"annotations")},
		{name: RuleControllerKind, severity: Should, section: sectionNames, page: at, kind: onKind(controllerKind)},
	}
}

func groupName(k *kind) (string, string) {
	group := k.group
	switch {
	case !k.own || k.builtin:
		return "", ""
	case group == "" || !strings.Contains(group, "."):
		return "", fmt.Sprintf("the group %q is not a domain name: the empty group and groups of one word belong to "+
			"Kubernetes; use a subdomain that you own", group)
	case isReserved(group) && !k.isApproved:
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
	case !k.own || hasOneForm(k.plural):
	case k.plural == k.singular:
		return "", fmt.Sprintf("%q is both the plural and the singular of the resource: collections need a plural name",
			k.plural)
	case !isPlural(k.plural, strings.ToLower(k.kind)):
		return "", fmt.Sprintf("%q does not look like the plural of %q", k.plural, strings.ToLower(k.kind))
	}
	return "", ""
}

func kindName(k *kind) (string, string) {
	switch {
	case !isUpperCamel(k.kind):
		return "", fmt.Sprintf("the kind %q is not CamelCase with an upper-case first letter", k.kind)
	case k.own && strings.EqualFold(k.kind, k.plural) && !strings.EqualFold(k.kind, k.singular):
		return "", fmt.Sprintf("the kind %q is a plural: name it after a single object", k.kind)
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
	case k.own && !strings.HasSuffix(k.listKind, "List"):
		return "", fmt.Sprintf("the kind %q of its lists does not end in List", k.listKind)
	case strings.HasSuffix(k.kind, "List"):
		return "", fmt.Sprintf("the kind %q ends in List but is not a list", k.kind)
	}
	return "", ""
}

func items(k *kind) (string, string) {
	if k.typ.Schema.Property("items") != nil {
		return "items", "only lists have items, and this kind is not a list"
	}
	return "", ""
}

// kindField finds categories that are named kind. In a reference, kind is the kind of the object, and beside a group it
// is one of that group.
func kindField(p *place) string {
	isType := !slices.ContainsFunc([]string{"name", "apiVersion", "group", "apiGroup"}, func(name string) bool {
		return p.siblings.Property(name) != nil
	})
	if p.name() == "kind" && !p.isTop() && isType ||
		p.name() == "kind" && len(p.schema.Constraints().Enum) > 0 && !looksLikeReference(p.siblings, namesOfStruct(p)...) {
		return `"kind" is reserved for the kinds of objects; call it "type"`
	}
	return ""
}

// namesOfStruct returns the name of the Go struct that a field belongs to, and of the field that holds the struct.
func namesOfStruct(p *place) (names []string) {
	if p.owner != nil {
		names = append(names, p.owner.Name())
	}
	if p.parent != nil {
		names = append(names, p.parent.name())
	}
	return names
}

func typeMeta(k *kind) (string, string) {
	for _, name := range []string{"apiVersion", "kind"} {
		if p := k.typ.Schema.Property(name); p == nil || p.Schema.Type != schema.StringType {
			return name, fmt.Sprintf("every object needs a string %q: embed apimeta.TypeMeta", name)
		}
	}
	return "", ""
}

// metadata requires members that every object has. Simple kinds, such as those of subresources, need none.
func metadata(members ...string) func(*kind) iter.Seq2[string, string] {
	return func(k *kind) iter.Seq2[string, string] {
		return func(yield func(string, string) bool) {
			if !k.own {
				return
			}
			have := k.typ.Schema.Member("metadata")
			for _, name := range members {
				if have.Member(name) == nil &&
					!yield("metadata."+name, "every object needs this member: embed apimeta.ObjectMeta") {
					return
				}
			}
		}
	}
}

func controllerKind(k *kind) (string, string) {
	if strings.HasSuffix(k.kind, "Controller") && k.kind != "Controller" {
		return "", fmt.Sprintf("the kind %q is named after a controller: name it after the thing that is controlled", k.kind)
	}
	return "", ""
}

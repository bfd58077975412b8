package conventions

import (
	"reflect"

	"github.com/decorum-go/decorum/internal/schema"
)

// Declared is a kind without a [rest.Resource], whose code takes long to compile for each type.
type Declared struct {
	Type                                    reflect.Type
	Group, Kind, ListKind, Plural, Singular string
	Builtin, ClusterScoped                  bool
}

// FindingsOf is [Findings] for such kinds.
func FindingsOf(declared ...Declared) (out []Finding) {
	var kinds []*kind
	for _, d := range declared {
		k := &kind{own: true, names: names{group: d.Group, version: "v1", kind: d.Kind, listKind: d.ListKind,
			plural: d.Plural, singular: d.Singular, builtin: d.Builtin, isClusterScoped: d.ClusterScoped}}
		var err error
		if k.typ, err = derived(d.Type, schema.Options{Builtin: d.Builtin}); err != nil {
			out = append(out, refused(k, err))
			continue
		}
		kinds = append(kinds, k)
	}
	return append(out, vetAll(kinds)...)
}

// RuleInfo is what the documentation says about a rule.
type RuleInfo struct {
	Rule          Rule
	Severity      Severity
	Section, Page string
}

// Rules returns what Vet checks. A rule with two severities is there twice.
func Rules() (out []RuleInfo) {
	out = append(out, RuleInfo{Rule: RuleWorks, Severity: Must, Section: sectionTypes, Page: pageKinds})
	for _, r := range allRules() {
		out = append(out, RuleInfo{r.name, r.severity, r.section, r.page})
	}
	return out
}

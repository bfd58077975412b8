package conventions

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
)

// FindingsInDefinition returns the findings about the kind that a CustomResourceDefinition describes, in all its
// versions. The text is YAML or JSON, in version apiextensions.k8s.io/v1. [Finding.At] says where in the definition
// each finding is. The rules about Go types do not apply. FindingsInDefinition returns an error for a text that is no
// such definition; a schema that an API server would refuse is a finding of the rule [RuleWorks].
//
// A definition contains copies of the Kubernetes types that the kind uses, such as the spec of a Pod.
// FindingsInDefinition recognizes the common ones by their fields, and does not check them.
func FindingsInDefinition(definition []byte) ([]Finding, error) {
	v, _, err := codec.DecodeYAML(definition, false)
	if err != nil {
		return nil, fmt.Errorf("conventions: %w", err)
	}
	if v.Get("kind").Text() != "CustomResourceDefinition" || v.Get("apiVersion").Text() != "apiextensions.k8s.io/v1" {
		return nil, errors.New("conventions: the text is no CustomResourceDefinition of version apiextensions.k8s.io/v1")
	}
	var stored *kind
	var others []*kind
	var out []Finding
	for i, version := range v.Lookup("spec", "versions").Elements() {
		k := &kind{names: namesIn(v, version), own: version.Get("storage").Bool(), isFurther: true}
		k.at = fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", i)
		if k.typ.Schema, err = schema.FromOpenAPI(version.Lookup("schema", "openAPIV3Schema")); err != nil {
			out = append(out, refused(k, err))
			continue
		}
		if k.own {
			stored = k
			continue
		}
		others = append(others, k)
	}
	if stored == nil {
		if len(others)+len(out) == 0 {
			out = append(out, refused(&kind{names: namesIn(v, doc.Value{}), at: "spec"},
				errors.New("the definition has no version")))
		}
		return append(out, vetAll(others)...), nil
	}
	stored.isFurther, stored.versions = false, others
	return append(out, vetAll([]*kind{stored})...), nil
}

// namesIn returns what a definition says about a kind in one version.
func namesIn(definition, version doc.Value) names {
	spec := definition.Get("spec")
	named := spec.Get("names")
	kind := named.Get("kind").Text()
	return names{
		group: spec.Get("group").Text(), version: version.Get("name").Text(), kind: kind,
		listKind: cmp.Or(named.Get("listKind").Text(), kind+"List"), plural: named.Get("plural").Text(),
		singular:        cmp.Or(named.Get("singular").Text(), strings.ToLower(kind)),
		isClusterScoped: spec.Get("scope").Text() == "Cluster",
		isApproved:      definition.Lookup("metadata", "annotations").Has(apiextensions.ApprovedAnnotation),
	}
}

// atRule returns where a definition states what a rule about the whole kind is about.
func (k *kind) atRule(r Rule) string {
	switch {
	case k.at == "":
		return ""
	case r == RuleGroupName:
		return "spec.group"
	case r == RulePlural:
		return "spec.names.plural"
	case r == RuleListKind && !strings.HasSuffix(k.listKind, "List"):
		return "spec.names.listKind"
	case r == RuleSpecAndStatus, r == RuleTypeMeta:
		return k.at
	}
	return "spec.names.kind"
}

package crd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/table"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/rest/crd/internal/annotations"
)

// kindOf is the kind of a definition as the API serves it.
type kindOf struct {
	definition string // the name of the definition
	uid        string
	generation int64
	spec       apiextensions.CustomResourceDefinitionSpec // its names are the accepted ones
	history    map[string]string                          // the annotations that declare a history
	ending     bool                                       // the definition is deleted
	open       bool                                       // the schema allows everything, because the API cannot serve the real one
}

func newKind(d *definition, names apiextensions.CustomResourceDefinitionNames) *kindOf {
	k := &kindOf{definition: d.Name, uid: d.UID, generation: d.Generation, spec: d.Spec,
		history: annotations.OfHistory(d.Annotations), ending: d.DeletionTimestamp != nil}
	k.spec.Names = names
	return k
}

// hide gives a kind names that no other kind has, and no paths.
func (k *kindOf) hide() {
	k.spec.Names.Kind = "Deleted" + strings.ReplaceAll(k.uid, "-", "")
	k.spec.Names.Singular, k.spec.Names.ListKind, k.spec.Names.ShortNames = "", "", nil
	k.spec.Versions = slices.Clone(k.spec.Versions)
	for i := range k.spec.Versions {
		k.spec.Versions[i].Served = false
	}
}

// withoutSchemas removes the schemas of a kind, and what depends on them. Its objects may then have any form.
func (k *kindOf) withoutSchemas() {
	k.open = true
	k.spec.Versions = slices.Clone(k.spec.Versions)
	for i := range k.spec.Versions {
		v := &k.spec.Versions[i]
		v.Schema, v.Subresources, v.AdditionalPrinterColumns, v.SelectableFields = nil, nil, nil, nil
	}
}

// declare returns the declaration of a kind.
func (k *kindOf) declare(options settings) rest.Definition {
	var stored rest.Resource[apimeta.Document]
	var others []rest.VersionOf[apimeta.Document]
	for i := range k.spec.Versions {
		v := &k.spec.Versions[i]
		r := k.version(v, options)
		if v.Storage {
			stored = r
			continue
		}
		others = append(others, rest.Converted[apimeta.Document, apimeta.Document](r, nil, nil))
	}
	if k.callsWebhook() {
		stored.Schema.Convert = newWebhook(k.spec.Conversion.Webhook, options.Calls).convert
	}
	names := k.spec.Names
	stored.Plural, stored.Versions, stored.History = names.Plural, others, options.historyOf(k.history)
	stored.Schema.DefinedBy = &rest.DefiningObject{
		Resource: apimeta.GroupResource{Group: apiextensions.Group, Resource: "customresourcedefinitions"},
		Name:     k.definition, UID: k.uid}
	stored.Names = rest.Names{Kind: names.Kind, Singular: names.Singular, ListKind: names.ListKind,
		Short: names.ShortNames, Categories: names.Categories}
	if k.spec.Scope == apiextensions.ClusterScoped {
		stored.Scope = rest.ScopeCluster
	}
	return stored
}

// callsWebhook reports whether a webhook converts the objects of the kind.
func (k *kindOf) callsWebhook() bool {
	c := k.spec.Conversion
	return c != nil && c.Strategy == apiextensions.WebhookConverter && c.Webhook != nil && !k.open &&
		len(k.spec.Versions) > 1
}

// mayConvert reports whether the first declaration of the kind since the start may call the webhook: a conversion of
// the stored objects to another storage version may be unfinished.
func (k *kindOf) mayConvert(d *definition) bool {
	storage := k.storageVersion()
	return k.callsWebhook() && slices.ContainsFunc(d.Status.StoredVersions, func(v string) bool { return v != storage })
}

// version returns the declaration of one version, without what all versions share.
func (k *kindOf) version(v *apiextensions.CustomResourceDefinitionVersion,
	options settings) rest.Resource[apimeta.Document] {
	r := rest.Resource[apimeta.Document]{
		Group: k.spec.Group, Version: v.Name,
		Stage: rest.Stage{NotServed: !v.Served, Deprecated: v.Deprecated},
	}
	if k.open {
		r.Schema.OpenAPI = []byte(`{"type":"object","x-kubernetes-preserve-unknown-fields":true}`)
	}
	if v.DeprecationWarning != nil {
		r.Stage.Warning = *v.DeprecationWarning
	} else if v.Deprecated {
		r.Stage.Warning = k.deprecation(v.Name)
	}
	if text := v.Schema.Text(); text != nil {
		if options.IgnoreRules {
			text = apiextensions.WithoutRules(text)
		}
		r.Schema.OpenAPI, r.Schema.RulesChecked, r.Schema.CEL = text, true, options.cel
	}
	for _, c := range v.AdditionalPrinterColumns {
		r.Columns = append(r.Columns, columnOf(c))
	}
	for _, f := range v.SelectableFields {
		r.SelectableFields = append(r.SelectableFields, strings.TrimPrefix(f.JSONPath, "."))
	}
	if s := v.Subresources; s != nil {
		r.Schema.Status = s.Status != nil
		if s.Scale != nil {
			r.Scale = &rest.Scale{SpecReplicas: s.Scale.SpecReplicasPath, StatusReplicas: s.Scale.StatusReplicasPath}
			if s.Scale.LabelSelectorPath != nil {
				r.Scale.Selector = *s.Scale.LabelSelectorPath
			}
		}
	}
	return r
}

// columnOf returns the declaration of a column. The API accepts every path, as kube-apiserver does. A column with a
// path that it cannot read is empty.
func columnOf(c apiextensions.CustomResourceColumnDefinition) rest.Column {
	column := rest.Column{Name: c.Name, Path: c.JSONPath, Type: c.Type, Format: c.Format, Description: c.Description,
		Priority: c.Priority}
	if _, err := table.ParsePath(c.JSONPath); err == nil {
		return column
	}
	column.Path = ""
	if column.Description == "" {
		column.Description = "Custom resource definition column (in JSONPath format): " + c.JSONPath
	}
	return rest.ColumnFunc(column, func(*apimeta.Document) any { return nil })
}

// deprecation returns the default warning of a deprecated version. It names the newest version that clients should use
// instead.
func (k *kindOf) deprecation(version string) string {
	text := fmt.Sprintf("%s/%s %s is deprecated", k.spec.Group, version, k.spec.Names.Kind)
	best := version
	for _, v := range k.spec.Versions {
		if v.Served && !v.Deprecated && apimeta.CompareVersions(v.Name, best) > 0 {
			best = v.Name
		}
	}
	if best != version {
		text += fmt.Sprintf("; use %s/%s %s", k.spec.Group, best, k.spec.Names.Kind)
	}
	return text
}

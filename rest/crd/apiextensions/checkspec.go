package apiextensions

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/status"
)

// shared are the parts of versions that kube-apiserver moves to the level of the spec if they are equal in all
// versions. Its errors then name a path there, which differs from the path in the definition.
type shared struct {
	schema       *CustomResourceValidation
	subresources *CustomResourceSubresources
	columns      []CustomResourceColumnDefinition
	selectable   []SelectableField
	versions     []CustomResourceDefinitionVersion // the versions without the shared parts
}

func shareOf(versions []CustomResourceDefinitionVersion) shared {
	s := shared{versions: slices.Clone(versions)}
	if len(versions) == 0 {
		return s
	}
	schema, subresources, columns, selectable := true, true, true, true
	first := versions[0]
	for _, v := range versions {
		schema = schema && reflect.DeepEqual(v.Schema, first.Schema)
		subresources = subresources && reflect.DeepEqual(v.Subresources, first.Subresources)
		columns = columns && equalLists(v.AdditionalPrinterColumns, first.AdditionalPrinterColumns)
		selectable = selectable && equalLists(v.SelectableFields, first.SelectableFields)
	}
	for i := range s.versions {
		v := &s.versions[i]
		if schema {
			s.schema, v.Schema = first.Schema, nil
		}
		if subresources {
			s.subresources, v.Subresources = first.Subresources, nil
		}
		if columns {
			s.columns, v.AdditionalPrinterColumns = first.AdditionalPrinterColumns, nil
		}
		if selectable {
			s.selectable, v.SelectableFields = first.SelectableFields, nil
		}
	}
	return s
}

func equalLists[T any](a, b []T) bool { return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(a, b) }

func (s *CustomResourceSubresources) hasStatus() bool { return s != nil && s.Status != nil }

// spec checks everything that does not depend on the stored definition.
func (c *checker) spec(s *CustomResourceDefinitionSpec) {
	at := status.NewPath("spec")
	c.group(s.Group, at.Child("group"))
	c.oneOf(string(s.Scope), at.Child("scope"), string(ClusterScoped), string(NamespaceScoped))
	common := shareOf(s.Versions)
	c.schemasPresent(s, &common, at)
	c.structuralIfNeeded(s, at)

	perVersion, seen, unique, storage := false, map[string]bool{}, true, 0
	for _, v := range common.versions {
		perVersion = perVersion || v.Subresources != nil
	}
	for i := range common.versions {
		v, place := &common.versions[i], at.Child("versions").Index(i)
		unique = unique && !seen[v.Name]
		seen[v.Name] = true
		if v.Storage {
			storage++
		}
		c.label(v.Name, place.Child("name"))
		subresources := common.subresources
		if perVersion {
			subresources = firstNamed(common.versions, v.Name).Subresources
		}
		c.version(v, subresources.hasStatus(), place)
	}
	if !unique {
		c.fail(status.InvalidField(at.Child("versions"), shown{common.versions}, "must contain unique version names"))
	}
	if storage != 1 {
		c.fail(status.InvalidField(at.Child("versions"), shown{common.versions},
			"must have exactly one version marked as storage version"))
	}
	if len(s.Versions) > 0 && s.Versions[0].Name != "" {
		c.label(s.Versions[0].Name, at.Child("version"))
	}
	c.allNames(&s.Names, at.Child("names"))
	c.sharedParts(&common, at)
	c.conversion(s, at)
}

// firstNamed returns the first version of a name, which is the one that counts if a name occurs twice.
func firstNamed(versions []CustomResourceDefinitionVersion, name string) *CustomResourceDefinitionVersion {
	for i := range versions {
		if versions[i].Name == name {
			return &versions[i]
		}
	}
	return nil
}

// sharedParts checks the parts that all versions have in common.
func (c *checker) sharedParts(common *shared, at *status.Path) {
	anyStatus := common.subresources.hasStatus()
	for _, v := range common.versions {
		anyStatus = anyStatus || v.Subresources.hasStatus()
	}
	first := ""
	if len(common.versions) > 0 {
		first = common.versions[0].Name
	}
	c.validation(common.schema, validationAt{at.Child("validation"), anyStatus, c.lenient.sameSchema[first]})
	c.subresources(common.subresources, at.Child("subresources"))
	c.columns(common.columns, at.Child("additionalPrinterColumns"))
	if len(common.selectable) == 0 {
		return
	}
	if common.schema == nil {
		c.fail(status.InvalidField(at.Child("selectableFields"), "", "may only be set when validations.schema is included"))
		return
	}
	c.selectable(common.selectable, common.schema.OpenAPIV3Schema, selectableAt{at, at.Child("selectableFields"), ""})
}

func (c *checker) group(group string, at *status.Path) {
	faults := apimeta.ValidateDNS1123Subdomain(group)
	switch {
	case group == "":
		c.fail(status.RequiredField(at, ""))
	case len(faults) > 0:
		c.fail(status.InvalidField(at, group, strings.Join(faults, ",")))
	case !strings.Contains(group, "."):
		c.fail(status.InvalidField(at, group, "should be a domain with at least one dot"))
	}
}

// oneOf requires one of a few values.
func (c *checker) oneOf(value string, at *status.Path, allowed ...string) {
	switch {
	case value == "":
		c.fail(status.RequiredField(at, ""))
	case !known(allowed, value):
		c.fail(status.NotSupportedField(at, value, allowed))
	}
}

// schemasPresent requires a schema of each version. If the stored definition lacks one, only served versions need one.
func (c *checker) schemasPresent(s *CustomResourceDefinitionSpec, common *shared, at *status.Path) {
	if common.schema != nil && common.schema.OpenAPIV3Schema != nil {
		return
	}
	for i := range s.Versions {
		v := &s.Versions[i]
		place := at.Child("versions").Index(i).Child("schema", "openAPIV3Schema")
		switch {
		case v.schema() != nil:
		case !c.lenient.noSchema:
			c.fail(status.RequiredField(place, ""))
		case !s.PreserveUnknownFields && v.Served:
			c.fail(status.RequiredField(place, "because otherwise all fields are pruned"))
		}
	}
}

// structuralIfNeeded decides whether the schemas must be structural although those of the stored definition are not.
func (c *checker) structuralIfNeeded(s *CustomResourceDefinitionSpec, at *status.Path) {
	defaults, extensions := false, false
	for i := range s.Versions {
		schema := s.Versions[i].schema()
		defaults = defaults || schema.any(func(s *JSONSchemaProps) bool { return s.Default != nil })
		extensions = extensions || schema.any(func(s *JSONSchemaProps) bool {
			return s.XEmbeddedResource || s.XPreserveUnknownFields != nil || s.XIntOrString || len(s.XListMapKeys) > 0 ||
				s.XListType != nil || len(s.XValidations) > 0
		})
	}
	if defaults && s.PreserveUnknownFields {
		c.fail(status.InvalidField(at.Child("preserveUnknownFields"), true,
			"must be false in order to use defaults in the schema"))
	}
	if !s.PreserveUnknownFields || defaults || extensions {
		c.lenient.notStructural = false
	}
}

// version checks what one version has for itself.
func (c *checker) version(v *CustomResourceDefinitionVersion, hasStatus bool, at *status.Path) {
	for _, fault := range warningFaults(v.Deprecated, v.DeprecationWarning) {
		c.fail(status.InvalidField(at.Child("deprecationWarning"), shown{v.DeprecationWarning}, fault))
	}
	c.validation(v.Schema, validationAt{at.Child("schema"), hasStatus, c.lenient.sameSchema[v.Name]})
	c.subresources(v.Subresources, at.Child("subresources"))
	c.columns(v.AdditionalPrinterColumns, at.Child("additionalPrinterColumns"))
	if len(v.SelectableFields) == 0 {
		return
	}
	if v.schema() == nil {
		c.fail(status.InvalidField(at.Child("selectableFields"), "",
			"may only be set when `version.schema.openAPIV3Schema` is not included"))
		return
	}
	c.selectable(v.SelectableFields, v.schema(), selectableAt{at, at.Child("selectableFields"), v.Name})
}

// maxWarning is the longest deprecation warning, in bytes.
const maxWarning = 256

func warningFaults(deprecated bool, warning *string) (faults []string) {
	if warning == nil {
		return nil
	}
	text := *warning
	switch {
	case !deprecated:
		return []string{"can only be set for deprecated versions"}
	case text == "":
		return []string{"must not be an empty string"}
	}
	if len(text) > maxWarning {
		faults = append(faults, fmt.Sprintf("must be <= %d characters long", maxWarning))
	}
	for i, r := range text {
		if !unicode.IsPrint(r) {
			faults = append(faults, fmt.Sprintf("must only contain printable UTF-8 characters; non-printable character found at index %d", i))
			break
		}
	}
	if !utf8.ValidString(text) {
		faults = append(faults, "must only contain printable UTF-8 characters")
	}
	return faults
}

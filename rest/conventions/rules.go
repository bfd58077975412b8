package conventions

import (
	"iter"
	"slices"
)

// Rule names a rule of the API conventions that [Vet] checks. It does not check what the conventions leave
// to human judgement: whether a bool should be an enumeration, or what a good name for a condition is.
type Rule string

// Severity says how much the API conventions leave to the author of a kind.
type Severity string

// The severities.
const (
	// Must is the severity of a rule without a choice: the API conventions say must or never, or clients cannot read or
	// cannot send a value.
	Must Severity = "must"
	// Should is the severity of a recommendation, and of a rule that has to guess what a field means.
	Should Severity = "should"
)

// Rules about kinds and resources.
const (
	// RuleWorks: [rest.New] accepts the definition.
	RuleWorks Rule = "works"
	// RuleGroupName: the group is a domain that the host owns; the empty group, single words and *.k8s.io
	// belong to Kubernetes.
	RuleGroupName Rule = "group-name"
	// RulePlural: the name of the resource is a plural.
	RulePlural Rule = "plural"
	// RuleKindName: a kind is CamelCase and singular.
	RuleKindName Rule = "kind-name"
	// RuleSchema: all JSON has a schema, so no field accepts any value.
	RuleSchema Rule = "schema"
	// RuleListKind: the kind of a list ends in List, and no other kind does.
	RuleListKind Rule = "list-kind"
	// RuleItems: only lists have items.
	RuleItems Rule = "items"
	// RuleKindField: "kind" is for kinds; other categories are named "type".
	RuleKindField Rule = "kind-field"
	// RuleTypeMeta: all objects have kind and apiVersion.
	RuleTypeMeta Rule = "type-meta"
	// RuleMetadata: the metadata of an object has all standard members.
	RuleMetadata Rule = "metadata"
	// RuleControllerKind: a kind is named after the thing, not after its controller.
	RuleControllerKind Rule = "controller-kind"
)

// Rules about spec and status.
const (
	// RuleTopLevel: an object has no fields beside metadata, spec and status.
	RuleTopLevel Rule = "top-level"
	// RuleSpecAndStatus: spec and status are objects, and an object with a status has a spec.
	RuleSpecAndStatus Rule = "spec-and-status"
	// RuleConditions: conditions are a list that is a map by type.
	RuleConditions Rule = "conditions"
	// RuleConditionFields: a condition has type, status, reason, message and lastTransitionTime, all required.
	RuleConditionFields Rule = "condition-fields"
	// RuleConditionsPlace: conditions are a member of the status itself, named conditions.
	RuleConditionsPlace Rule = "conditions-place"
	// RulePhase: a status has conditions instead of a phase or another field that holds the state of the object.
	RulePhase Rule = "phase"
	// RuleStatusBool: a status has conditions instead of booleans such as ready.
	RuleStatusBool Rule = "status-bool"
	// RuleMapOfObjects: named subobjects form a list, not a map.
	RuleMapOfObjects Rule = "map-of-objects"
)

// Rules about primitive types, constants and unions.
const (
	// RuleFloat: no floating-point numbers.
	RuleFloat Rule = "float"
	// RuleUnsigned: no unsigned integers.
	RuleUnsigned Rule = "unsigned"
	// RuleIntSize: integers are int32 or int64.
	RuleIntSize Rule = "int-size"
	// RuleInt64Range: an integer fits into 53 bits, the precision of JavaScript.
	RuleInt64Range Rule = "int64-range"
	// RuleNumericEnum: the values of an enumeration are strings.
	RuleNumericEnum Rule = "numeric-enum"
	// RuleConstants: the values of an enumeration are CamelCase with an upper-case first letter. Proper names keep their
	// own form.
	RuleConstants Rule = "constants"
	// RuleUnion: the members of a union are optional and have no default.
	RuleUnion Rule = "union"
	// RuleDiscriminator: the field that says which member of a union is set is named type.
	RuleDiscriminator Rule = "discriminator"
)

// Rules about optional fields.
const (
	// RuleOptionalPointer: an optional field is a pointer if its zero value is valid and differs from unset.
	RuleOptionalPointer Rule = "optional-pointer"
	// RuleOptionalOmitted: Go omits an optional field that is unset.
	RuleOptionalOmitted Rule = "optional-omitted"
	// RuleRequiredZero: a required field is a pointer if its zero value is valid.
	RuleRequiredZero Rule = "required-zero"
	// RuleRequiredPointer: a required field is no pointer if its zero value is invalid.
	RuleRequiredPointer Rule = "required-pointer"
	// RuleRequiredNull: Go does not send null for a required field that is unset.
	RuleRequiredNull Rule = "required-null"
	// RuleDefaultOfRequired: a required field has no default.
	RuleDefaultOfRequired Rule = "default-of-required"
	// RuleNullable: null means the same as absence.
	RuleNullable Rule = "nullable"
	// RuleDefaultOverrides: a default does not replace a zero that the user of a Go client has set.
	RuleDefaultOverrides Rule = "default-overrides"
)

// Rules about units, times and references.
const (
	// RuleTimeFormat: times are strings in the form of RFC 3339.
	RuleTimeFormat Rule = "time-format"
	// RuleDuration: a duration is an integer with its unit in the name.
	RuleDuration Rule = "duration"
	// RuleUnit: the unit of a number is in its name.
	RuleUnit Rule = "unit"
	// RuleRefName: a reference to an object is named fooRef, and a list of them fooRefs.
	RuleRefName Rule = "ref-name"
	// RuleRefObject: a field named fooRef is a reference; a field with only a name is named fooName.
	RuleRefObject Rule = "ref-object"
	// RuleObjectName: a field with the name of a Foo is named fooName.
	RuleObjectName Rule = "object-name"
	// RuleRefNamespace: a reference does not lead out of its namespace.
	RuleRefNamespace Rule = "ref-namespace"
	// RuleRefVersion: a reference does not name a version, unless it leads to a field.
	RuleRefVersion Rule = "ref-version"
	// RuleRefTarget: a reference says which resource it means: by its name alone, or by a group and a resource or kind.
	RuleRefTarget Rule = "ref-target"
)

// Rules about names.
const (
	// RuleJSONName: fields are camelCase in JSON.
	RuleJSONName Rule = "json-name"
	// RuleGoName: a field has the same name in Go and in JSON.
	RuleGoName Rule = "go-name"
	// RuleDeclarative: names of fields and kinds are declarative: no verbs, no SomethingDoer, doneBy and doneAt.
	RuleDeclarative Rule = "declarative"
	// RuleTimeName: the time of something is named somethingTime.
	RuleTimeName Rule = "time-name"
	// RulePeriodSeconds: an interval is named fooPeriodSeconds.
	RulePeriodSeconds Rule = "period-seconds"
	// RuleAbbreviation: words are written out.
	RuleAbbreviation Rule = "abbreviation"
	// RuleAcronym: all letters of an acronym have the same case.
	RuleAcronym Rule = "acronym"
	// RuleIsBool: a boolean is named fooable, not isFooable.
	RuleIsBool Rule = "is-bool"
	// RuleKey: keys of labels and annotations have a prefix, and words in lower case with dashes between them.
	RuleKey Rule = "key"
	// RuleReservedPrefix: no value uses the prefixes that are reserved for Kubernetes: kube- in namespaces,
	// kubernetes.io and k8s.io in keys of labels and annotations.
	RuleReservedPrefix Rule = "reserved-prefix"
)

// Rules about validation.
const (
	// RuleStringBounds: the length of a string has a maximum.
	RuleStringBounds Rule = "string-bounds"
	// RuleNumberBounds: a number has a minimum and a maximum.
	RuleNumberBounds Rule = "number-bounds"
	// RuleListBounds: the size of a list has a maximum.
	RuleListBounds Rule = "list-bounds"
	// RuleListType: a list states how the writes of several clients merge.
	RuleListType Rule = "list-type"
	// RuleMapBounds: the size of a map has a maximum.
	RuleMapBounds Rule = "map-bounds"
)

// Headings of the API conventions.
const (
	sectionIntroduction  = "introduction"
	sectionTypes         = "Types (Kinds)"
	sectionResources     = "Resources"
	sectionMetadata      = "Metadata"
	sectionSpec          = "Spec and Status"
	sectionConditions    = "Typical status properties"
	sectionLists         = "Lists of named subobjects preferred over maps"
	sectionPrimitives    = "Primitive types"
	sectionConstants     = "Constants"
	sectionUnions        = "Unions"
	sectionOptional      = "Optional vs. Required"
	sectionSerialization = "Serialization of optional/required fields"
	sectionNullable      = "Nullable"
	sectionDefaulted     = "What May Be Defaulted"
	sectionFormat        = "Serialization Format"
	sectionUnits         = "Units"
	sectionReferences    = "Object references"
	sectionRefNames      = "Naming of the reference field"
	sectionRefVersions   = "Referencing resources with multiple versions"
	sectionRefExamples   = "Object References Examples"
	sectionNames         = "Naming conventions"
	sectionLabels        = "Label, selector, and annotation conventions"
	sectionStrings       = "String fields"
	sectionNumbers       = "Numeric fields"
	sectionListFields    = "List fields"
	sectionMapFields     = "Map fields"
)

// page explains the rules to the authors of kinds. Its sections are named below.
const page = "docs/designing-kinds.md"

const (
	pageKinds      = "groups-and-kinds"
	pageStatus     = "spec-and-status"
	pageConditions = "conditions"
	pageNames      = "names"
	pageNumbers    = "numbers"
	pageConstants  = "constants"
	pageUnions     = "unions"
	pageOptional   = "required-and-optional-fields"
	pageDefaults   = "defaults"
	pageUnits      = "times-durations-and-units"
	pageReferences = "references"
	pageKeys       = "labels-annotations-and-keys"
	pageBounds     = "lists-maps-and-bounds"
)

// rule is the check of a [Rule]. A Rule whose severity depends on the place has several.
type rule struct {
	name     Rule
	severity Severity
	section  string
	page     string
	// kind yields the fields of a kind that break the rule, and why.
	kind func(*kind) iter.Seq2[string, string]
	// place returns why a place breaks the rule, or "".
	place func(*vetter, *place) string
}

// allRules returns the rules that Vet checks, in the order of the conventions.
func allRules() []rule {
	return slices.Concat(kindRules(), statusRules(), conditionRules(), primitiveRules(), unionRules(), optionalRules(),
		unitRules(), referenceRules(), nameRules(), keyRules(), boundRules())
}

// onKind returns the check of a kind that yields at most one reason.
func onKind(check func(*kind) (field, reason string)) func(*kind) iter.Seq2[string, string] {
	return func(k *kind) iter.Seq2[string, string] {
		return func(yield func(string, string) bool) {
			if field, reason := check(k); reason != "" {
				yield(field, reason)
			}
		}
	}
}

// onPlace returns a check that needs only the place.
func onPlace(check func(*place) string) func(*vetter, *place) string {
	return func(_ *vetter, p *place) string { return check(p) }
}

// onField returns a check that applies to fields, but not to elements and values.
func onField(check func(*place) string) func(*vetter, *place) string {
	return func(_ *vetter, p *place) string {
		if p.field == nil {
			return ""
		}
		return check(p)
	}
}

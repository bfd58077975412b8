package conventions

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/status"
)

// conditionRules returns the rules about conditions.
func conditionRules() []rule {
	const section, at = sectionConditions, pageConditions
	return []rule{
		{name: RuleConditions, severity: Must, section: section, page: at, place: onField(conditions)},
		{name: RuleConditionFields, severity: Must, section: section, page: at, place: onField(conditionFields)},
		{name: RuleConditionsPlace, severity: Must, section: section, page: at, place: onField(conditionsInSpec)},
		{name: RuleConditionsPlace, severity: Should, section: section, page: at, place: onField(conditionsBelow)},
	}
}

// isConditions reports whether a field holds the conditions of an object.
func isConditions(p *place) bool { return p.inStatus && p.name() == "conditions" }

// isConditionMessage reports whether a field is the message of a condition. An empty message means the same as an unset
// one.
func isConditionMessage(p *place) bool { return p.name() == "message" && isOfCondition(p) }

// isOfCondition reports whether a field is a member of a condition.
func isOfCondition(p *place) bool { return p.parent != nil && looksLikeCondition(p.parent.schema) }

// looksLikeCondition reports whether a struct has the fields of a condition.
func looksLikeCondition(s *schema.Schema) bool {
	if s.Property("type") == nil || s.Property("status") == nil {
		return false
	}
	return s.Property("lastTransitionTime") != nil || s.Property("reason") != nil && s.Property("message") != nil
}

func conditions(p *place) string {
	isList := p.schema.Items != nil && p.schema.Items.Object != nil
	switch {
	case p.inStatus && p.name() != "conditions" && isList && looksLikeCondition(p.schema.Items):
		return "holds conditions: name it conditions, where tools look for them"
	case p.inStatus && looksLikeCondition(p.schema):
		return "is a single condition: make it an element of the list conditions"
	case !isConditions(p):
	case !isList:
		return "conditions are a list of objects" + p.words(": []apimeta.Condition", "")
	case p.schema.ListType != schema.MapList || !slices.Equal(p.schema.ListMapKeys, []string{"type"}):
		return "conditions are a map by their type, so that several controllers can each own one: set " +
			p.words("api:\"list=map,key=type\"", "x-kubernetes-list-type to map, and x-kubernetes-list-map-keys to type")
	}
	return ""
}

func conditionsInSpec(p *place) string {
	if p.inStatus || p.schema.Items == nil || !looksLikeCondition(p.schema.Items) && !looksLikeCondition(p.schema) {
		return ""
	}
	return "holds conditions in the spec: they are observations, which belong in the status"
}

func conditionsBelow(p *place) string {
	if !isConditions(p) || p.isBelow("status") || p.schema.Items == nil || !looksLikeCondition(p.schema.Items) {
		return ""
	}
	return "holds conditions of a part: tools look for conditions in status.conditions only"
}

func conditionFields(p *place) string {
	if !isConditions(p) || p.schema.Items == nil || p.schema.Items.Object == nil || p.goKind() == reflect.Slice &&
		isForeign(bare(p.typ.Elem())) {
		return ""
	}
	of := p.schema.Items
	var missing []string
	for _, name := range []string{"type", "status", "reason", "message", "lastTransitionTime"} {
		if f := of.Property(name); f == nil || !f.Required {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return fmt.Sprintf("a condition must have %s, each required", strings.Join(missing, ", ")) +
			p.words(": use apimeta.Condition", "")
	}
	if reason := conditionStatus(of.Property("status").Schema); reason != "" {
		return reason
	}
	switch reason := of.Property("reason").Schema; {
	case allows(reason, ""):
		return "the reason of a condition may not be empty: set its minLength to 1"
	case len(reason.Constraints().Enum) == 0 && !allows(reason, "ReplicasReady"):
		return "the reason of a condition is a word in CamelCase, and the rules of this one forbid ReplicasReady"
	case !allows(of.Property("type").Schema, "Ready") && len(of.Property("type").Schema.Constraints().Enum) == 0:
		return "the type of a condition is a word in CamelCase, and the rules of this one forbid Ready"
	case of.Property("lastTransitionTime").Schema.Format != "date-time":
		return "the lastTransitionTime of a condition is a time: " +
			p.words("use apimeta.Time", "set its format to date-time")
	}
	return ""
}

// conditionStatus returns what is wrong with the status of a condition.
func conditionStatus(s *schema.Schema) string {
	if s.Type != schema.StringType {
		return fmt.Sprintf("the status of a condition is the string True, False or Unknown, and no %s", s.Type)
	}
	known := []apimeta.ConditionStatus{apimeta.ConditionTrue, apimeta.ConditionFalse, apimeta.ConditionUnknown}
	for _, value := range s.Constraints().Enum {
		if !slices.Contains(known, apimeta.ConditionStatus(value.Text())) {
			return fmt.Sprintf("the status of a condition is True, False or Unknown, not %q", value.Text())
		}
	}
	for _, value := range known {
		if !allows(s, string(value)) {
			return fmt.Sprintf("the status of a condition may be %s, too", value)
		}
	}
	if allows(s, "true") || allows(s, "Yes") || allows(s, "Error") {
		return "the status of a condition is True, False or Unknown: allow no other text"
	}
	return ""
}

// allows reports whether the rules of a place accept a text.
func allows(s *schema.Schema, text string) bool {
	return s.Type == schema.StringType && len(s.Validate(status.NewPath("probe"), doc.Of(text))) == 0
}

package conventions

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/schema"
)

// statusRules returns the rules about spec and status, and about their structure.
func statusRules() []rule {
	return []rule{
		{name: RuleTopLevel, section: sectionSpec, kind: topLevel},
		{name: RuleSpecAndStatus, section: sectionSpec, kind: specAndStatus},
		{name: RuleConditions, section: sectionConditions, place: onField(conditions)},
		{name: RuleConditionFields, section: sectionConditions, place: onField(conditionFields)},
		{name: RulePhase, section: sectionConditions, place: onField(phase)},
		{name: RuleMapOfObjects, section: sectionLists, place: onPlace(mapOfObjects)},
	}
}

func topLevel(k *kind) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		if k.typ.Schema.Property("spec") == nil || k.typ.Schema.Property("status") == nil {
			return
		}
		for _, p := range k.typ.Schema.Object.Properties {
			if !isMeta(p.Name) && p.Name != "spec" && p.Name != "status" &&
				!yield(p.Name, "is beside spec and status: desired state belongs in spec, observed state in status") {
				return
			}
		}
	}
}

func specAndStatus(k *kind) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, name := range []string{"spec", "status"} {
			p := k.typ.Schema.Property(name)
			if p != nil && p.Schema.Object == nil && !yield(name, "must be an object with fields of its own") {
				return
			}
		}
		if k.own && k.typ.Schema.Property("status") != nil && k.typ.Schema.Property("spec") == nil {
			yield("", "has a status but no spec to which it refers")
		}
	}
}

// isConditions reports whether a field holds the conditions of an object.
func isConditions(p *place) bool { return p.inStatus && p.name() == "conditions" }

// isConditionMessage reports whether a field is the message of a condition. An empty message means the same as an unset
// one.
func isConditionMessage(p *place) bool {
	return p.name() == "message" && p.parent != nil && p.parent.parent != nil && isConditions(p.parent.parent)
}

func conditions(p *place) string {
	switch {
	case !isConditions(p):
	case p.schema.Items == nil || p.schema.Items.Object == nil:
		return "conditions are a list of objects: []apimeta.Condition"
	case p.schema.ListType != schema.MapList || !slices.Equal(p.schema.ListMapKeys, []string{"type"}):
		return "conditions are a map by their type, so that several controllers can each own one: tag it " +
			"api:\"list=map,key=type\""
	}
	return ""
}

func conditionFields(p *place) string {
	if !isConditions(p) || p.schema.Items == nil || p.schema.Items.Object == nil || p.typ.Kind() == reflect.Slice &&
		isForeign(p.typ.Elem()) {
		return ""
	}
	var missing []string
	for _, name := range []string{"type", "status", "reason", "message", "lastTransitionTime"} {
		if f := p.schema.Items.Property(name); f == nil || !f.Required {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return fmt.Sprintf("a condition must have %s, each required: use apimeta.Condition", strings.Join(missing, ", "))
	}
	for _, value := range p.schema.Items.Property("status").Schema.Constraints().Enum {
		switch apimeta.ConditionStatus(value.Text()) {
		case apimeta.ConditionTrue, apimeta.ConditionFalse, apimeta.ConditionUnknown:
		default:
			return fmt.Sprintf("the status of a condition is True, False or Unknown, not %q", value.Text())
		}
	}
	return ""
}

func phase(p *place) string {
	if p.inStatus && p.name() == "phase" && p.schema.Type == schema.StringType {
		return "the pattern is deprecated: a phase cannot gain values without breaking clients; use conditions instead"
	}
	return ""
}

func mapOfObjects(p *place) string {
	values := p.schema.Additional
	if values == nil {
		return ""
	}
	if values.Object != nil || values.Items != nil && values.Items.Object != nil {
		return "is a map of subobjects: make it a list with a field for the key, tagged api:\"list=map,key=name\""
	}
	return ""
}

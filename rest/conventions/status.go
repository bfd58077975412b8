package conventions

import (
	"iter"
	"slices"

	"github.com/decorum-go/decorum/internal/schema"
)

// statusRules returns the rules about spec and status.
func statusRules() []rule {
	return []rule{
		{name: RuleTopLevel, severity: Should, section: sectionSpec, page: pageStatus, kind: topLevel},
		{name: RuleSpecAndStatus, severity: Must, section: sectionSpec, page: pageStatus, kind: notObjects},
		{name: RuleSpecAndStatus, severity: Should, section: sectionSpec, page: pageStatus, kind: onKind(noSpec)},
		{name: RulePhase, severity: Should, section: sectionConditions, page: pageStatus, place: onField(phase)},
		{name: RuleStatusBool, severity: Should, section: sectionConditions, page: pageStatus, place: onField(statusBool)},
		{name: RuleMapOfObjects, severity: Must, section: sectionLists, page: pageBounds, place: onPlace(mapOfObjects)},
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

func notObjects(k *kind) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, name := range []string{"spec", "status"} {
			p := k.typ.Schema.Property(name)
			if p != nil && p.Schema.Type != schema.ObjectType && !yield(name, "must be an object with fields of its own") {
				return
			}
		}
	}
}

func noSpec(k *kind) (string, string) {
	if k.own && k.typ.Schema.Property("status") != nil && k.typ.Schema.Property("spec") == nil {
		return "", "has a status but no spec to which it refers"
	}
	return "", ""
}

// phase finds fields that hold the state of the object as one word.
func phase(p *place) string {
	if !p.inStatus || p.schema.Type != schema.StringType {
		return ""
	}
	words := []string{"phase", "state", "stage", "status", "health", "lifecycle"}
	const say = "use conditions instead: one word cannot gain values without breaking clients, and tells one thing only"
	switch last := lastWord(p.name()); {
	case p.name() == "phase":
		return "the pattern is deprecated: " + say
	case p.kind.typ.Schema.At("spec", p.name()) != nil: // what is wanted of the object, as it was observed
	case p.isBelow("status") && slices.Contains(words, last):
		return "holds the state of the object as one word: " + say
	}
	return ""
}

// statusBool finds booleans that say of the object what a condition says, such as ready. One that repeats a field of
// the spec, or says more than one word, may be an observation of its own.
func statusBool(p *place) string {
	isAlone := len(words(p.name())) == 1 && p.kind.typ.Schema.At("spec", p.name()) == nil
	if p.schema.Type != schema.BooleanType || !p.isBelow("status") || !isAlone || !p.kind.own || p.kind.isVirtual {
		return ""
	}
	return "says whether something holds for the object: make it a condition, which tools read in all kinds, with a " +
		"reason and a message"
}

func mapOfObjects(p *place) string {
	values := p.schema.Additional
	if values == nil {
		return ""
	}
	if values.Object != nil || values.Items != nil && values.Items.Object != nil {
		return "is a map of subobjects: make it a list with a field for the key, " +
			p.words("tagged api:\"list=map,key=name\"", "with x-kubernetes-list-type map and x-kubernetes-list-map-keys")
	}
	return ""
}

package crd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/internal/schema"
)

// rule returns a rule of the Common Expression Language.
func rule(r schema.Rule) object {
	out := object{"rule": r.Rule}
	for key, text := range map[string]string{"message": r.Message, "messageExpression": r.MessageExpression,
		"reason": string(r.Reason), "fieldPath": r.FieldPath} {
		if text != "" {
			out[key] = text
		}
	}
	if r.OptionalOldSelf {
		out["optionalOldSelf"] = true
	}
	return out
}

// add adds a rule to a schema.
func (o object) add(r schema.Rule) {
	rules, _ := o["x-kubernetes-validations"].([]any)
	o["x-kubernetes-validations"] = append(slices.Clip(rules), rule(r))
}

// immutableText is the message for an immutable field. [schema.Schema.CheckFixed] uses the same text.
const immutableText = "field is immutable"

// immutable adds the rule that a member of a struct never changes.
func (e *exporter) immutable(out object, p *schema.Property, path string) {
	name, ok := celName(p.Name)
	if !ok || p.Schema.Anything() {
		e.lose(strings.TrimPrefix(path+"."+p.Name, "."),
			"clients may change it, because rules cannot refer to a field of this name")
		return
	}
	text := fmt.Sprintf("has(self.%[1]s) == has(oldSelf.%[1]s) && (!has(self.%[1]s) || self.%[1]s == oldSelf.%[1]s)", name)
	if p.Required {
		text = fmt.Sprintf("self.%[1]s == oldSelf.%[1]s", name)
	}
	out.add(schema.Rule{Rule: text, Message: immutableText, FieldPath: fieldPath(p.Name)})
}

// fixed adds the rule that the elements of a list or the values of a map never change. It requires that the server can
// match each value with its old value (correlated).
func (e *exporter) fixed(s *schema.Schema, out object, correlated bool) {
	if s.Immutable && correlated {
		out.add(schema.Rule{Rule: "self == oldSelf", Message: immutableText})
	}
}

// union adds the rules that exactly one member of a union is set.
func (e *exporter) union(out object, u schema.Union, path string) {
	names := make([]string, len(u.Members))
	for i, m := range u.Members {
		var ok bool
		if names[i], ok = celName(m.Field); !ok {
			e.lose(strings.TrimPrefix(path+"."+m.Field, "."),
				"a cluster does not check the union, because rules cannot refer to a field of this name")
			return
		}
	}
	discriminator, ok := celName(u.Discriminator)
	switch {
	case u.Discriminator == "":
		for i := range names {
			names[i] = "has(self." + names[i] + ")"
		}
		list := "[" + strings.Join(names, ", ") + "]"
		rule := schema.Rule{Rule: list + ".exists_one(set, set)", Message: "must specify exactly one of: " + fieldsOf(u)}
		if u.AtMostOne {
			rule = schema.Rule{Rule: list + ".filter(set, set).size() <= 1",
				Message: "must specify at most one of: " + fieldsOf(u)}
		}
		out.add(rule)
	case !ok:
		e.lose(strings.TrimPrefix(path+"."+u.Discriminator, "."),
			"a cluster does not check the union, because rules cannot refer to a discriminator of this name")
	default:
		for i, m := range u.Members {
			out.add(schema.Rule{
				Rule: fmt.Sprintf("has(self.%[1]s) == (has(self.%[2]s) && self.%[2]s == %[3]s)", names[i], discriminator,
					strconv.Quote(m.Value)),
				Message:   fmt.Sprintf("must be specified when `%[1]s` is %[2]q, and only then", u.Discriminator, m.Value),
				FieldPath: fieldPath(m.Field),
			})
		}
	}
}

func fieldsOf(u schema.Union) string {
	var fields []string
	for _, m := range u.Members {
		fields = append(fields, "`"+m.Field+"`")
	}
	return strings.Join(fields, ", ")
}

// fieldPath returns the path of a field below its rule.
func fieldPath(field string) string {
	if strings.Trim(field, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" {
		return "." + field
	}
	return "['" + field + "']"
}

// reserved lists the reserved words of the Common Expression Language.
var reserved = strings.Fields("true false null in as break const continue else for function if import let loop package namespace return var void while")

// celName returns the name of a field in rules. ok is false if rules cannot refer to the field.
func celName(field string) (name string, ok bool) {
	if field == "" || field[0] >= '0' && field[0] <= '9' {
		return "", false
	}
	if slices.Contains(reserved, field) {
		return "__" + field + "__", true
	}
	for _, c := range field {
		if !(c == '_' || c == '.' || c == '-' || c == '/' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' ||
			c >= 'A' && c <= 'Z') {
			return "", false
		}
	}
	return strings.NewReplacer("__", "__underscores__", ".", "__dot__", "-", "__dash__", "/", "__slash__").Replace(field),
		true
}

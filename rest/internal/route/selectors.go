package route

import (
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
)

// Requirement is one requirement of a selector in an access review.
type Requirement = apimeta.LabelSelectorRequirement

// LabelText returns requirements on labels in the form of the query parameter labelSelector. It omits requirements that
// the parameter cannot express. The question then covers more objects than the client asked about, but never fewer.
func LabelText(requirements []Requirement) string {
	return text(requirements, func(r Requirement) string {
		s, err := apimeta.LabelSelector{MatchExpressions: []Requirement{r}}.Matcher()
		if err != nil {
			return ""
		}
		return s.String()
	})
}

// FieldText returns requirements on fields in the form of the query parameter fieldSelector. It omits requirements with
// several values, which the parameter cannot express.
func FieldText(requirements []Requirement) string {
	operators := map[apimeta.LabelSelectorOperator]string{apimeta.LabelSelectorIn: "=", apimeta.LabelSelectorNotIn: "!="}
	return text(requirements, func(r Requirement) string {
		operator := operators[r.Operator]
		if operator == "" || len(r.Values) != 1 || strings.ContainsAny(r.Key, `\,=!`) {
			return ""
		}
		return r.Key + operator + EscapeFieldValue(r.Values[0])
	})
}

// EscapeFieldValue escapes the characters that have a special meaning in a field selector.
func EscapeFieldValue(value string) string {
	return strings.NewReplacer(`\`, `\\`, `,`, `\,`, `=`, `\=`).Replace(value)
}

func text(requirements []Requirement, one func(Requirement) string) string {
	var terms []string
	for _, r := range requirements {
		terms = append(terms, one(r))
	}
	return strings.Join(slices.DeleteFunc(terms, func(s string) bool { return s == "" }), ",")
}

package route

import (
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
)

// Requirement is one requirement of a selector, in an access review.
type Requirement = apimeta.LabelSelectorRequirement

// LabelText returns requirements on labels as the parameter labelSelector of a request. It leaves out those that the parameter
// cannot express: the question is then about more objects than the client means, and never about fewer.
func LabelText(requirements []Requirement) string {
	return text(requirements, func(r Requirement) string {
		s, err := apimeta.LabelSelector{MatchExpressions: []Requirement{r}}.Selector()
		if err != nil {
			return ""
		}
		return s.String()
	})
}

// FieldText returns requirements on fields as the parameter fieldSelector of a request, which has one value for each field. It
// leaves out other requirements, like LabelText.
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

// EscapeFieldValue escapes the characters of a value that have a meaning in a field selector.
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

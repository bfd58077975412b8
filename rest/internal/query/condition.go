package query

import (
	"fmt"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/watch"
)

// Operator says how a condition compares a field with its values.
type Operator string

// The operators of conditions.
const (
	In        Operator = "in" // stands for = and == as well
	NotIn     Operator = "notin"
	Less      Operator = "<"
	AtMost    Operator = "<="
	Greater   Operator = ">"
	AtLeast   Operator = ">="
	HasPrefix Operator = "^="
)

// Condition is one term of a query.
type Condition struct {
	Field    string
	Operator Operator
	// Values has exactly one value, unless the operator is In or NotIn.
	Values []string
	// Numeric says that the field is an integer, and the values too. See [Condition.On].
	Numeric bool
}

// On returns the condition for a field of a type. It returns an error if the operator or a value does not fit a number.
func (c Condition) On(numeric bool) (Condition, error) {
	if !numeric {
		return c, nil
	}
	if c.Operator == HasPrefix {
		return c, fmt.Errorf("%s is a number, and numbers have no prefix", c.Field)
	}
	c.Numeric, c.Values = true, slices.Clone(c.Values)
	for i, value := range c.Values {
		number, ok := plainInteger(value)
		if !ok && (value != "" || c.Operator != In && c.Operator != NotIn) {
			return c, fmt.Errorf("%s is a number, and %q is not an integer", c.Field, value)
		}
		c.Values[i] = number
	}
	return c, nil
}

// plainInteger returns the shortest text of an integer.
func plainInteger(text string) (string, bool) {
	digits, negative := strings.CutPrefix(text, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return text, false
	}
	digits = strings.TrimLeft(digits, "0")
	switch {
	case digits == "":
		return "0", true
	case negative:
		return "-" + digits, true
	}
	return digits, true
}

// Holds reports whether the condition holds for the value of an object, which is "" if the object does not have the
// field. Such an object is neither less nor greater than any value, and has no prefix.
func (c *Condition) Holds(value string) bool {
	switch c.Operator {
	case In:
		return slices.Contains(c.Values, value)
	case NotIn:
		return !slices.Contains(c.Values, value)
	case HasPrefix:
		return value != "" && strings.HasPrefix(value, c.Values[0])
	}
	order := watch.Index{Numeric: c.Numeric}.Compare(value, c.Values[0])
	switch {
	case value == "":
		return false
	case c.Operator == Less:
		return order < 0
	case c.Operator == AtMost:
		return order <= 0
	case c.Operator == Greater:
		return order > 0
	}
	return order >= 0
}

// Exact returns the value that the condition requires, and whether it requires one.
func (c *Condition) Exact() (value string, ok bool) {
	if c.Operator != In || len(c.Values) != 1 {
		return "", false
	}
	return c.Values[0], true
}

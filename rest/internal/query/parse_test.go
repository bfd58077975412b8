package query_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/internal/query"
)

func TestParse(t *testing.T) {
	one := func(field string, operator query.Operator, values ...string) []query.Condition {
		return []query.Condition{{Field: field, Operator: operator, Values: values}}
	}
	for text, want := range map[string][]query.Condition{
		"":                             nil,
		" \t":                          nil,
		"spec.size>=3":                 one("spec.size", query.AtLeast, "3"),
		"a = b":                        one("a", query.In, "b"),
		"a==b":                         one("a", query.In, "b"),
		"a=":                           one("a", query.In, ""),
		"a!=b":                         one("a", query.NotIn, "b"),
		"a<-1":                         one("a", query.Less, "-1"),
		"a<=b":                         one("a", query.AtMost, "b"),
		"a>b":                          one("a", query.Greater, "b"),
		"metadata.name^=web-":          one("metadata.name", query.HasPrefix, "web-"),
		"a in (b)":                     one("a", query.In, "b"),
		"a  notin ( b , c )":           one("a", query.NotIn, "b", "c"),
		"a in(b,,\",)\")":              one("a", query.In, "b", "", ",)"),
		`a="\"x\\\u00e9"`:              one("a", query.In, `"x\é`),
		"in in (in)":                   one("in", query.In, "in"),
		"metadata.labels.a.b/c=x":      one("metadata.labels.a.b/c", query.In, "x"),
		"created>2026-01-02T03:04:05Z": one("created", query.Greater, "2026-01-02T03:04:05Z"),
		"a=1,b=2":                      append(one("a", query.In, "1"), one("b", query.In, "2")...),
	} {
		t.Run(text, func(t *testing.T) {
			got, err := query.Parse(text)
			require.NoError(t, err)
			assert.Equal(t, want, got)
		})
	}
}

func TestInvalidParameters(t *testing.T) {
	conditions := func(text string) error { _, err := query.Parse(text); return err }
	order := func(text string) error { _, err := query.ParseOrder(text); return err }
	facets := func(text string) error { _, err := query.ParseFacets(text); return err }
	const operator = "an operator (=, !=, <, <=, >, >=, ^=, in or notin)"
	for _, c := range []struct {
		parse      func(string) error
		text, want string
	}{
		{conditions, "a", "invalid fieldQuery: " + operator + " is missing at the end"},
		{conditions, "a b", "invalid fieldQuery: " + operator + " is missing before 'b', at byte 2"},
		{conditions, "a~b", "invalid fieldQuery: " + operator + " is missing at the end"},
		{conditions, "=b", "invalid fieldQuery: the name of a field is missing before '=', at byte 0"},
		{conditions, "a=b,", "invalid fieldQuery: the name of a field is missing at the end"},
		{conditions, "a=b=c", `invalid fieldQuery: put the value before byte 3 in quotes if it contains white space or one of =!<>^()",`},
		{conditions, "a=b c", `invalid fieldQuery: put the value before byte 4 in quotes if it contains white space or one of =!<>^()",`},
		{conditions, "a=b)", "invalid fieldQuery: a comma is missing before ')', at byte 3"},
		{conditions, "a in b", "invalid fieldQuery: an opening parenthesis is missing before 'b', at byte 5"},
		{conditions, "a in (b", "invalid fieldQuery: a comma or a closing parenthesis is missing at the end"},
		{conditions, `a="b`, "invalid fieldQuery: the quotes at byte 2 are not closed"},
		{conditions, `a="b\`, "invalid fieldQuery: the quotes at byte 2 are not closed"},
		{conditions, `a="\x"`, "invalid fieldQuery: the value at byte 2 is not a JSON string"},
		{conditions, "a=\xff", "invalid fieldQuery: it is not valid UTF-8"},
		{conditions, strings.Repeat("a=b,", 20) + "a=b", "invalid fieldQuery: it has more than 20 conditions"},
		{conditions, "a in (" + strings.Repeat("b,", 100) + "b)", "invalid fieldQuery: it has more than 100 values"},
		{conditions, strings.Repeat("a", query.MaxLength+1), "invalid fieldQuery: it is longer than 65536 bytes"},
		{order, "-", "invalid sortBy: the name of a field is missing at the end"},
		{order, "a,-a", `invalid sortBy: it names the field "a" twice`},
		{order, "a,b,c,d,e", "invalid sortBy: it has more than 4 fields"},
		{order, "a>", "invalid sortBy: a comma is missing before '>', at byte 1"},
		{facets, "a,a", `invalid facets: it names the field "a" twice`},
		{facets, "a,b,c,d,e,f,g,h,i", "invalid facets: it has more than 8 fields"},
	} {
		t.Run(c.text[:min(len(c.text), 20)], func(t *testing.T) { assert.EqualError(t, c.parse(c.text), c.want) })
	}
}

func TestConditionsOnNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"n=x":           `n is a number, and "x" is not an integer`,
		"n>1.5":         `n is a number, and "1.5" is not an integer`,
		"n<":            `n is a number, and "" is not an integer`,
		"n^=1":          "n is a number, and numbers have no prefix",
		"n in (1,,007)": "",
	} {
		all, err := query.Parse(text)
		require.NoError(t, err)
		c, err := all[0].On(true)
		if want != "" {
			require.EqualError(t, err, want)
			continue
		}
		require.NoError(t, err)
		assert.True(t, c.Holds("7") && c.Holds("") && !c.Holds("2"), text)
	}
}

// quoted returns a JSON string.
func quoted(text string) string {
	out, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(out)
}

// Whatever a client sends is refused, or means what it would mean if it were written out in full.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"", "a=b", "spec.size>=3,spec.color in (red,blue),metadata.name^=web-",
		`a="\"",b notin ("")`, "-a,b", "a in ((", "a=\"\\u00", "é<€"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = query.ParseFacets(text)
		if order, err := query.ParseOrder(text); err == nil {
			assert.LessOrEqual(t, len(order), query.MaxOrders)
		}
		all, err := query.Parse(text)
		if err != nil {
			assert.True(t, strings.HasPrefix(err.Error(), "invalid fieldQuery: "), err)
			return
		}
		var full []string
		for _, c := range all {
			var values []string
			for _, value := range c.Values {
				require.True(t, utf8.ValidString(value))
				values = append(values, quoted(value))
			}
			if c.Operator == query.In || c.Operator == query.NotIn {
				full = append(full, c.Field+" "+string(c.Operator)+" ("+strings.Join(values, ",")+")")
			} else {
				full = append(full, c.Field+string(c.Operator)+values[0])
			}
			if number, err := c.On(true); err == nil {
				number.Holds("3")
			}
			c.Holds("x")
		}
		again, err := query.Parse(strings.Join(full, ","))
		if len(strings.Join(full, ",")) > query.MaxLength {
			return
		}
		require.NoError(t, err, full)
		assert.Equal(t, all, again)
	})
}

package apimeta_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
)

const (
	badKey    = `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`
	badValue  = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`
	badNumber = `for 'Gt', 'Lt' operators, the value must be an integer`
)

func TestSelectorMatches(t *testing.T) {
	// The objects of the conformance cases about selectors.
	objects := []struct {
		name   string
		labels apimeta.Labels
	}{
		{"none", nil},
		{"x1", apimeta.LabelsOf(map[string]string{"x": "1"})},
		{"x2", apimeta.LabelsOf(map[string]string{"x": "2"})},
		{"x2y", apimeta.LabelsOf(map[string]string{"x": "2", "y": "v"})},
		{"xe", apimeta.LabelsOf(map[string]string{"x": ""})},
		{"p", apimeta.LabelsOf(map[string]string{"example.com/k": "v"})},
		{"n", apimeta.LabelsOf(map[string]string{"x": "10a", "y": "-5"})},
	}
	tests := []struct {
		selector string
		matches  string
	}{
		{"", "none x1 x2 x2y xe p n"},
		{"  ", "none x1 x2 x2y xe p n"},
		{"x=2", "x2 x2y"},
		{"x==2", "x2 x2y"},
		{"x!=2", "none x1 xe p n"},
		{"x in (1, 2)", "x1 x2 x2y"},
		{"x notin (1,2)", "none xe p n"},
		{"x in ()", "xe"},
		{"x notin ()", "none x1 x2 x2y p n"},
		{"x in (,1)", "x1 xe"},
		{"x in (1,)", "x1 xe"},
		{"x in (1,,2)", "x1 x2 x2y xe"},
		{"x", "x1 x2 x2y xe n"},
		{"!x", "none p"},
		{"x=2,y", "x2y"},
		{"x=2,!y", "x2"},
		{"x=1,x=2", ""},
		{"x=", "xe"},
		{"x!=", "none x1 x2 x2y p n"},
		{"x=,y", ""},
		{"  x  =  2  ,  y  ", "x2y"},
		{"x   in   (  1  ,  2  )", "x1 x2 x2y"},
		{"x\tin\n(1)\r", "x1"},
		{"example.com/k=v", "p"},
		{"!example.com/k", "none x1 x2 x2y xe n"},
		{"x>1", "x2 x2y"},
		{"x<2", "x1"},
		{"x > 0, x < 2", "x1"},
		{"in=1", ""},
		{"x=in", ""},
		{"in in (notin)", ""},
	}
	for _, tt := range tests {
		t.Run(tt.selector, func(t *testing.T) {
			s, err := apimeta.ParseLabelSelector(tt.selector)
			require.NoError(t, err)
			var got []string
			for _, o := range objects {
				if s.Matches(o.labels) {
					got = append(got, o.name)
				}
			}
			assert.Equal(t, tt.matches, strings.Join(got, " "))
			assert.Equal(t, strings.TrimSpace(tt.selector) == "", s.Empty())
		})
	}
}

func TestParseSelectorErrors(t *testing.T) {
	tests := []struct {
		selector string
		want     string
	}{
		{"x===", `unable to parse requirement: found '=', expected: identifier`},
		{"x in 1", `unable to parse requirement: found '1' expected: '('`},
		{"x in (1", `unable to parse requirement: found '', expected: ',' or ')'`},
		{"x in (", `unable to parse requirement: found '', expected: ',', ')' or identifier`},
		{"x in (=", `unable to parse requirement: found '=', expected: ',', ')' or identifier`},
		{"x in (1,=", `unable to parse requirement: found '=', expected: ',', or identifier`},
		{"x in (1 2)", `unable to parse requirement: found '2', expected: ',' or ')'`},
		{"=1", `found '=', expected: !, identifier, or 'end of string'`},
		{",", `found ',', expected: !, identifier, or 'end of string'`},
		{"x=1,,y", `found ',', expected: identifier after ','`},
		{"x=1,", `found '', expected: identifier after ','`},
		{"x,=", `found '=', expected: identifier after ','`},
		{"!", `unable to parse requirement: found '', expected: identifier`},
		{"!=x", `found '!=', expected: !, identifier, or 'end of string'`},
		{"a b", `unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt`},
		{"a not (b)", `unable to parse requirement: found 'not', expected: in, notin, =, ==, !=, gt, lt`},
		{"a gt 1", `unable to parse requirement: found 'gt', expected: in, notin, =, ==, !=, gt, lt`},
		{"x=bad value", `found 'value', expected: ',' or 'end of string'`},
		{"!x=1", `found '=', expected: ',' or 'end of string'`},
		{"-bad-=1", `unable to parse requirement: <nil>: Invalid value: "-bad-": ` + badKey},
		{"x=-bad", `unable to parse requirement: values[0][x]: Invalid value: "-bad": ` + badValue},
		{"x in (b,-a)", `unable to parse requirement: values[0][x]: Invalid value: "-a": ` + badValue},
		{"x in (-a,-b)", `unable to parse requirement: [values[0][x]: Invalid value: "-a": ` + badValue +
			`, values[1][x]: Invalid value: "-b": ` + badValue + `]`},
		{"x>y", `unable to parse requirement: values[0]: Invalid value: "y": ` + badNumber},
		{"x>9223372036854775808", `unable to parse requirement: values[0]: Invalid value: "9223372036854775808": ` +
			badNumber},
		{"x<", `unable to parse requirement: values[0]: Invalid value: "": ` + badNumber},
		{"x\x00=1", `unable to parse requirement: <nil>: Invalid value: "x\x00": ` + badKey},
		{strings.Repeat("x", apimeta.MaxSelectorLength+1), `label selector is too long: may not be more than 65536 bytes`},
		{strings.Repeat("x,", apimeta.MaxSelectorRequirements) + "x",
			`label selector has too many requirements: may not have more than 1000`},
	}
	for _, tt := range tests {
		t.Run(tt.selector[:min(len(tt.selector), 20)], func(t *testing.T) {
			_, err := apimeta.ParseLabelSelector(tt.selector)
			assert.EqualError(t, err, tt.want)
		})
	}
}

func TestSelectorString(t *testing.T) {
	tests := []struct{ selector, want string }{
		{"", ""},
		{" b , a ", "a,b"},
		{"x==1", "x=1"},
		{"x=", "x="},
		{"!x", "!x"},
		{"x!=1", "x!=1"},
		{"x in (b,a,b)", "x in (a,b)"},
		{"x in ()", "x in ()"},
		{"x notin (b,,a)", "x notin (,a,b)"},
		{"x>1,x<5", "x>1,x<5"},
		{"b=2,a=1,b=1", "a=1,b=1,b=2"},
	}
	for _, tt := range tests {
		t.Run(tt.selector, func(t *testing.T) {
			s, err := apimeta.ParseLabelSelector(tt.selector)
			require.NoError(t, err)
			assert.Equal(t, tt.want, s.String())
		})
	}
}

func TestSelectorRequirementsAreCopies(t *testing.T) {
	s, err := apimeta.ParseLabelSelector("a in (x,y),b")
	require.NoError(t, err)
	requirements := s.Requirements()
	require.Len(t, requirements, 2)
	assert.Equal(t, "a", requirements[0].Key())
	assert.Equal(t, apimeta.In, requirements[0].Operator())
	assert.Equal(t, "b", requirements[1].String())

	requirements[0].Values()[0] = "changed"
	requirements[0] = requirements[1]
	assert.Equal(t, "a in (x,y),b", s.String())
}

func TestRequirementMatches(t *testing.T) {
	s, err := apimeta.ParseLabelSelector("a=1,b=2")
	require.NoError(t, err)
	labels := apimeta.Labels{{Key: "a", Value: "1"}}
	var got []bool
	for _, r := range s.Requirements() {
		got = append(got, r.Matches(labels))
	}
	assert.Equal(t, []bool{true, false}, got)
}

func TestSelectorMatchesWithoutAllocation(t *testing.T) {
	s, err := apimeta.ParseLabelSelector("a=1,b!=2,c in (x,y),d notin (x,y),a,!e,n>5,n<7,a!=b")
	require.NoError(t, err)
	labels := apimeta.LabelsOf(map[string]string{"a": "1", "c": "x", "n": "6"})
	require.True(t, s.Matches(labels))
	assert.Zero(t, testing.AllocsPerRun(100, func() { s.Matches(labels) }))

	notANumber := apimeta.LabelsOf(map[string]string{"n": "six"})
	number, err := apimeta.ParseLabelSelector("n>5")
	require.NoError(t, err)
	require.False(t, number.Matches(notANumber))
	assert.Zero(t, testing.AllocsPerRun(100, func() { number.Matches(notANumber) }))
}

func TestLabelSelector(t *testing.T) {
	tests := []struct {
		name     string
		selector apimeta.LabelSelector
		want     string
	}{
		{"empty", apimeta.LabelSelector{}, ""},
		{"labels", apimeta.LabelSelector{MatchLabels: map[string]string{"b": "2", "a": "1"}}, "a=1,b=2"},
		{"expressions", apimeta.LabelSelector{MatchExpressions: []apimeta.LabelSelectorRequirement{
			{Key: "a", Operator: apimeta.LabelSelectorIn, Values: []string{"y", "x"}},
			{Key: "b", Operator: apimeta.LabelSelectorNotIn, Values: []string{"z"}},
			{Key: "c", Operator: apimeta.LabelSelectorExists},
			{Key: "d", Operator: apimeta.LabelSelectorDoesNotExist},
		}}, "a in (x,y),b notin (z),c,!d"},
		{"both", apimeta.LabelSelector{
			MatchLabels:      map[string]string{"b": "2"},
			MatchExpressions: []apimeta.LabelSelectorRequirement{{Key: "a", Operator: apimeta.LabelSelectorExists}},
		}, "a,b=2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := tt.selector.Matcher()
			require.NoError(t, err)
			assert.Equal(t, tt.want, s.String())
		})
	}
}

func TestLabelSelectorErrors(t *testing.T) {
	one := func(r apimeta.LabelSelectorRequirement) apimeta.LabelSelector {
		return apimeta.LabelSelector{MatchExpressions: []apimeta.LabelSelectorRequirement{r}}
	}
	tests := []struct {
		name     string
		selector apimeta.LabelSelector
		want     string
	}{
		{"operator", one(apimeta.LabelSelectorRequirement{Key: "a", Operator: "in"}),
			`"in" is not a valid label selector operator`},
		{"no values", one(apimeta.LabelSelectorRequirement{Key: "a", Operator: apimeta.LabelSelectorIn}),
			`values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty`},
		{"values", one(apimeta.LabelSelectorRequirement{Key: "a", Operator: apimeta.LabelSelectorExists,
			Values: []string{"x", "y"}}),
			`values: Invalid value: ["x","y"]: values set must be empty for exists and does not exist`},
		{"key", one(apimeta.LabelSelectorRequirement{Key: "-a", Operator: apimeta.LabelSelectorExists}),
			`key: Invalid value: "-a": ` + badKey},
		{"label", apimeta.LabelSelector{MatchLabels: map[string]string{"a": "-b"}},
			`values[0][a]: Invalid value: "-b": ` + badValue},
		{"too many", apimeta.LabelSelector{MatchExpressions: make([]apimeta.LabelSelectorRequirement,
			apimeta.MaxSelectorRequirements+1)}, `label selector has too many requirements: may not have more than 1000`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.selector.Matcher()
			assert.EqualError(t, err, tt.want)
		})
	}
}

func TestLabelSelectorLeavesItsInput(t *testing.T) {
	values := []string{"b", "a"}
	_, err := apimeta.LabelSelector{MatchExpressions: []apimeta.LabelSelectorRequirement{
		{Key: "k", Operator: apimeta.LabelSelectorIn, Values: values},
	}}.Matcher()
	require.NoError(t, err)
	assert.Equal(t, []string{"b", "a"}, values)
}

func TestLabels(t *testing.T) {
	assert.Nil(t, apimeta.LabelsOf(nil))
	assert.Nil(t, apimeta.LabelsOf(map[string]string{}))

	for _, n := range []int{1, 3, 16, 17, 100} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			m := map[string]string{}
			for i := range n {
				m[fmt.Sprintf("key-%d", i)] = fmt.Sprint(i)
			}
			labels := apimeta.LabelsOf(m)
			require.Len(t, labels, n)
			for k, v := range m {
				got, ok := labels.Lookup(k)
				assert.True(t, ok, k)
				assert.Equal(t, v, got)
			}
			for i := 1; i < n; i++ {
				assert.Less(t, labels[i-1].Key, labels[i].Key)
			}
			got, ok := labels.Lookup("key-missing")
			assert.False(t, ok)
			assert.Empty(t, got)
		})
	}
}

func FuzzParseSelector(f *testing.F) {
	for _, seed := range []string{"", "a", "!a", "a=b,c!=d", "a in (b, c),d notin ()", "a>1,b<-2", "a==b", "x in (,,)",
		"!=", "a=\x00"} {
		f.Add(seed)
	}
	labels := apimeta.LabelsOf(map[string]string{"a": "b", "c": "", "d": "7"})
	f.Fuzz(func(t *testing.T, text string) {
		first, err := apimeta.ParseLabelSelector(text)
		if err != nil {
			assert.True(t, first.Empty())
			return
		}
		second, err := apimeta.ParseLabelSelector(first.String())
		require.NoError(t, err, "canonical form %q", first.String())
		assert.Equal(t, first, second)
		assert.Equal(t, first.Matches(labels), second.Matches(labels))
	})
}

func BenchmarkSelectorMatches(b *testing.B) {
	labels := apimeta.LabelsOf(map[string]string{
		"app.kubernetes.io/name": "web", "app.kubernetes.io/part-of": "shop", "tier": "front", "size": "6",
	})
	for _, selector := range []string{"tier=front", "app.kubernetes.io/name in (api,web)", "size>5",
		"tier=front,app.kubernetes.io/part-of=shop,!old"} {
		s, err := apimeta.ParseLabelSelector(selector)
		require.NoError(b, err)
		b.Run(selector, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if !s.Matches(labels) {
					b.Fatal("no match")
				}
			}
		})
	}
}

func BenchmarkParseSelector(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := apimeta.ParseLabelSelector("tier=front,app.kubernetes.io/name in (api,web),!old"); err != nil {
			b.Fatal(err)
		}
	}
}

func TestSelectorExact(t *testing.T) {
	s, err := apimeta.ParseLabelSelector("app=shop,tier in (back),side in (left,right),old!=yes,empty=,size>3")
	require.NoError(t, err)
	for _, tt := range []struct {
		key, value string
		ok         bool
	}{
		{"app", "shop", true},
		{"tier", "back", true},
		{"empty", "", true},
		{"side", "", false},
		{"old", "", false},
		{"size", "", false},
		{"other", "", false},
	} {
		value, ok := s.Exact(tt.key)
		assert.Equal(t, tt.ok, ok, tt.key)
		assert.Equal(t, tt.value, value, tt.key)
	}
}

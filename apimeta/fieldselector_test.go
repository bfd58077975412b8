package apimeta_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
)

func TestParseFieldSelector(t *testing.T) {
	eq, ne := apimeta.Equals, apimeta.NotEquals
	tests := []struct {
		name     string
		selector string
		want     []apimeta.FieldRequirement
		text     string
	}{
		{"nothing", "", nil, ""},
		{"empty terms", ",,", nil, ""},
		{"equals", "metadata.name=a", []apimeta.FieldRequirement{{"metadata.name", eq, "a"}}, "metadata.name=a"},
		{"double equals", "metadata.name==a", []apimeta.FieldRequirement{{"metadata.name", eq, "a"}}, "metadata.name=a"},
		{"not equals", "metadata.name!=a", []apimeta.FieldRequirement{{"metadata.name", ne, "a"}}, "metadata.name!=a"},
		{"empty value", "spec.owner=", []apimeta.FieldRequirement{{"spec.owner", eq, ""}}, "spec.owner="},
		{"sorted", "b=2,,a=1", []apimeta.FieldRequirement{{"a", eq, "1"}, {"b", eq, "2"}}, "a=1,b=2"},
		{"blanks stay", " a = b ", []apimeta.FieldRequirement{{" a ", eq, " b "}}, " a = b "},
		{"escapes", `a=x\,y\=z\\`, []apimeta.FieldRequirement{{"a", eq, `x,y=z\`}}, `a=x\,y\=z\\`},
		{"no field", "=a", []apimeta.FieldRequirement{{"", eq, "a"}}, "=a"},
		{"operators alone", "=,!=,==", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := apimeta.ParseFieldSelector(tt.selector)
			require.NoError(t, err)
			assert.Equal(t, tt.want, s.Requirements())
			assert.Equal(t, tt.text, s.String())
			assert.Equal(t, tt.want == nil, s.Empty())
		})
	}
}

func TestParseFieldSelectorErrors(t *testing.T) {
	tests := []struct{ selector, want string }{
		{"metadata.name", `invalid selector: 'metadata.name'; can't understand 'metadata.name'`},
		{"metadata.name in (a)", `invalid selector: 'metadata.name in (a)'; can't understand 'metadata.name in (a)'`},
		{"a=1,b", `invalid selector: 'a=1,b'; can't understand 'b'`},
		{`a=\b`, `invalid field selector: invalid escape sequence: \b`},
		{`a=\é`, `invalid field selector: invalid escape sequence: \é`},
		{`a=b\`, `invalid field selector: invalid escape sequence: \`},
		{"a=b=c", `invalid field selector: unescaped character in value: 61`},
		{"a===b", `invalid field selector: unescaped character in value: 61`},
		{strings.Repeat("a", apimeta.MaxSelectorLength+1), `field selector is too long: may not be more than 65536 bytes`},
		{strings.Repeat("a=b,", apimeta.MaxSelectorRequirements+1),
			`field selector has too many requirements: may not have more than 1000`},
	}
	for _, tt := range tests {
		t.Run(tt.selector[:min(len(tt.selector), 20)], func(t *testing.T) {
			_, err := apimeta.ParseFieldSelector(tt.selector)
			assert.EqualError(t, err, tt.want)
		})
	}
}

func TestFieldSelectorMatches(t *testing.T) {
	fields := map[string]string{"metadata.name": "a", "spec.color": "red"}
	lookup := func(field string) string { return fields[field] }
	tests := []struct {
		selector string
		want     bool
	}{
		{"", true},
		{"metadata.name=a", true},
		{"metadata.name=b", false},
		{"metadata.name!=a", false},
		{"metadata.name!=b", true},
		{"metadata.name=a,spec.color=red", true},
		{"metadata.name=a,spec.color=blue", false},
		{"spec.owner=", true},
		{"spec.owner!=", false},
	}
	for _, tt := range tests {
		t.Run(tt.selector, func(t *testing.T) {
			s, err := apimeta.ParseFieldSelector(tt.selector)
			require.NoError(t, err)
			assert.Equal(t, tt.want, s.Matches(lookup))
		})
	}
}

func TestFieldSelectorExact(t *testing.T) {
	s, err := apimeta.ParseFieldSelector("metadata.name=a,spec.color!=red,spec.owner=")
	require.NoError(t, err)
	tests := []struct {
		field, value string
		ok           bool
	}{
		{"metadata.name", "a", true},
		{"spec.owner", "", true},
		{"spec.color", "", false},
		{"metadata.namespace", "", false},
	}
	for _, tt := range tests {
		value, ok := s.Exact(tt.field)
		assert.Equal(t, tt.ok, ok, tt.field)
		assert.Equal(t, tt.value, value, tt.field)
	}
}

func TestFieldSelectorRequirementsAreCopies(t *testing.T) {
	s, err := apimeta.ParseFieldSelector("a=b")
	require.NoError(t, err)
	s.Requirements()[0].Value = "changed"
	assert.Equal(t, "a=b", s.String())
}

func FuzzParseFieldSelector(f *testing.F) {
	for _, seed := range []string{"", "a=b", "a!=b,c==d", `a=\,\=\\`, `a\=b`, `a\!=b`, "=", ",,", "a!b=c", "\xff=\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		first, err := apimeta.ParseFieldSelector(text)
		if err != nil {
			assert.True(t, first.Empty())
			return
		}
		second, err := apimeta.ParseFieldSelector(first.String())
		require.NoError(t, err, "canonical form %q", first.String())
		assert.Equal(t, first, second)
	})
}

package apimeta_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/apimeta"
)

func TestNames(t *testing.T) {
	const (
		subdomain = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`
		label     = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`
		label1035 = `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`
		slashes   = `a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`
		finalizer = `name is neither a standard finalizer name nor is it fully qualified`
	)
	long := func(n int) string { return strings.Repeat("a", n) }
	tests := []struct {
		name     string
		validate func(string) []string
		value    string
		want     []string
	}{
		{"label", apimeta.ValidateDNS1123Label, "a-1", nil},
		{"label starting with a digit", apimeta.ValidateDNS1123Label, "1a", nil},
		{"longest label", apimeta.ValidateDNS1123Label, long(63), nil},
		{"long label", apimeta.ValidateDNS1123Label, long(64), []string{"must be no more than 63 characters"}},
		{"label with dots", apimeta.ValidateDNS1123Label, "a.b", []string{"must not contain dots"}},
		{"label in capitals", apimeta.ValidateDNS1123Label, "A", []string{label}},
		{"empty label", apimeta.ValidateDNS1123Label, "", []string{label}},
		{"long and wrong label", apimeta.ValidateDNS1123Label, long(64) + "_",
			[]string{"must be no more than 63 characters", label}},

		{"subdomain", apimeta.ValidateDNS1123Subdomain, "a.b-c.d1", nil},
		{"longest subdomain", apimeta.ValidateDNS1123Subdomain, long(253), nil},
		{"long subdomain", apimeta.ValidateDNS1123Subdomain, long(254), []string{"must be no more than 253 characters"}},
		{"subdomain with empty part", apimeta.ValidateDNS1123Subdomain, "a..b", []string{subdomain}},
		{"subdomain with trailing dot", apimeta.ValidateDNS1123Subdomain, "a.", []string{subdomain}},
		{"subdomain with dash at an end", apimeta.ValidateDNS1123Subdomain, "a-.b", []string{subdomain}},
		{"empty subdomain", apimeta.ValidateDNS1123Subdomain, "", []string{subdomain}},

		{"1035 label", apimeta.ValidateDNS1035Label, "a-1", nil},
		{"1035 label starting with a digit", apimeta.ValidateDNS1035Label, "1a", []string{label1035}},
		{"empty 1035 label", apimeta.ValidateDNS1035Label, "", []string{label1035}},
		{"long 1035 label", apimeta.ValidateDNS1035Label, long(64), []string{"must be no more than 63 characters"}},

		{"path segment", apimeta.ValidatePathSegmentName, "a:b c", nil},
		{"dot", apimeta.ValidatePathSegmentName, ".", []string{"may not be '.'"}},
		{"dots", apimeta.ValidatePathSegmentName, "..", []string{"may not be '..'"}},
		{"three dots", apimeta.ValidatePathSegmentName, "...", nil},
		{"slash and percent", apimeta.ValidatePathSegmentName, "a/b%c",
			[]string{"may not contain '/'", "may not contain '%'"}},

		{"label key", apimeta.ValidateLabelKey, "a_B.c-1", nil},
		{"prefixed label key", apimeta.ValidateLabelKey, "example.com/a", nil},
		{"label key with dash", apimeta.ValidateLabelKey, "-a", []string{badKey}},
		{"label key with bad prefix", apimeta.ValidateLabelKey, "Bad_Prefix/k", []string{"prefix part " + subdomain}},
		{"label key with long prefix", apimeta.ValidateLabelKey, long(254) + "/k",
			[]string{"prefix part must be no more than 253 bytes"}},
		{"label key with empty prefix", apimeta.ValidateLabelKey, "/k", []string{"prefix part must be non-empty"}},
		{"label key with empty name", apimeta.ValidateLabelKey, "a/", []string{"name part must be non-empty", badKey}},
		{"empty label key", apimeta.ValidateLabelKey, "", []string{"name part must be non-empty", badKey}},
		{"label key with slashes", apimeta.ValidateLabelKey, "a/b/c", []string{slashes}},
		{"long label key", apimeta.ValidateLabelKey, "example.com/" + long(64),
			[]string{"name part must be no more than 63 bytes"}},
		{"label key wrong in both parts", apimeta.ValidateLabelKey, "bad name/x y",
			[]string{"prefix part " + subdomain, badKey}},
		{"qualified name", apimeta.ValidateQualifiedName, "x y", []string{badKey}},

		{"label value", apimeta.ValidateLabelValue, "a_B.c-1", nil},
		{"empty label value", apimeta.ValidateLabelValue, "", nil},
		{"longest label value", apimeta.ValidateLabelValue, long(63), nil},
		{"long label value", apimeta.ValidateLabelValue, long(64), []string{"must be no more than 63 bytes"}},
		{"label value with blank", apimeta.ValidateLabelValue, "a b", []string{badValue}},

		{"finalizer", apimeta.ValidateFinalizerName, "example.com/f", nil},
		{"bare finalizer", apimeta.ValidateFinalizerName, "f", nil},
		{"bad finalizer", apimeta.ValidateFinalizerName, "no good", []string{badKey}},
		{"finalizer of a built-in kind", apimeta.ValidateBuiltinFinalizerName, "example.com/f", nil},
		{"standard finalizer", apimeta.ValidateBuiltinFinalizerName, "foregroundDeletion", nil},
		{"bare finalizer of a built-in kind", apimeta.ValidateBuiltinFinalizerName, "f", []string{finalizer}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, tt.validate(tt.value)) })
	}
}

// The patterns that the messages quote are the oracle of the hand-written scans.
func FuzzNames(f *testing.F) {
	const dnsLabel = `[a-z0-9]([-a-z0-9]*[a-z0-9])?`
	const part = `([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]`
	oracles := []struct {
		name     string
		validate func(string) []string
		pattern  *regexp.Regexp
		limit    int
	}{
		{"label", apimeta.ValidateDNS1123Label, regexp.MustCompile(`^` + dnsLabel + `$`), 63},
		{"subdomain", apimeta.ValidateDNS1123Subdomain, regexp.MustCompile(`^` + dnsLabel + `(\.` + dnsLabel + `)*$`), 253},
		{"label 1035", apimeta.ValidateDNS1035Label, regexp.MustCompile(`^[a-z]([-a-z0-9]*[a-z0-9])?$`), 63},
		{"label value", apimeta.ValidateLabelValue, regexp.MustCompile(`^(` + part + `)?$`), 63},
		{"qualified name", apimeta.ValidateQualifiedName,
			regexp.MustCompile(`^(` + dnsLabel + `(\.` + dnsLabel + `)*/)?` + part + `$`), 253},
	}
	for _, seed := range []string{"", "a", "A-b", "a.b", "1-", "-", "a/b", "/a", "a/", "a_b.c", "a\n", "é", "a/b/c",
		"0.0/0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 63 {
			return
		}
		for _, o := range oracles {
			valid := o.pattern.MatchString(s) && len(s) <= o.limit
			assert.Equal(t, valid, len(o.validate(s)) == 0, "%s: %q", o.name, s)
		}
	})
}

func BenchmarkValidateLabelKey(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if msgs := apimeta.ValidateLabelKey("app.kubernetes.io/part-of"); msgs != nil {
			b.Fatal(msgs)
		}
	}
}

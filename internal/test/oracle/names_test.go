package oracle

import (
	"strings"
	"testing"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/validation"
)

// nameRules pairs our rules for names with upstream's.
var nameRules = []struct {
	name         string
	ours, theirs func(string) []string
}{
	{"DNS-1123 label", apimeta.ValidateDNS1123Label, validation.IsDNS1123Label},
	{"DNS-1123 subdomain", apimeta.ValidateDNS1123Subdomain, validation.IsDNS1123Subdomain},
	{"DNS-1035 label", apimeta.ValidateDNS1035Label, validation.IsDNS1035Label},
	{"path segment", apimeta.ValidatePathSegmentName, content.IsPathSegmentName},
	{"label key", apimeta.ValidateLabelKey, validation.IsQualifiedName},
	{"label value", apimeta.ValidateLabelValue, validation.IsValidLabelValue},
	{"finalizer", apimeta.ValidateFinalizerName, validation.IsQualifiedName},
}

func checkNames(t *testing.T, name string) {
	for _, rule := range nameRules {
		want, got := rule.theirs(name), rule.ours(name)
		if len(want)+len(got) > 0 {
			require.Equal(t, want, got, "%s: %q", rule.name, name)
		}
	}
}

func TestNames(t *testing.T) {
	rounds(t, 5000, func(t *testing.T, r round) {
		var b strings.Builder
		for range r.Intn(5) {
			b.WriteString(pickText(r.Rand, "a", "b9", "-", ".", "_", "/", "A", "0", "%", " ", "é", "\n", "..",
				strings.Repeat("x", 62), strings.Repeat("y.", 100)))
		}
		checkNames(t, b.String())
	})
}

func FuzzNames(f *testing.F) {
	for _, name := range []string{"", "a", "A", "a.b", "a..b", "-a", "a-", "a/b", "a/b/c", "/", "a/", "/a", ".", "..",
		"a%b", "é", "9a", "a\n",
		strings.Repeat("a", 64), strings.Repeat("a", 254), "x.y/" + strings.Repeat("z", 64)} {
		f.Add(name)
	}
	f.Fuzz(checkNames)
}

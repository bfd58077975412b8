package oracle

import (
	"fmt"
	"math/rand"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/stretchr/testify/require"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// ofFunctions returns conditions on the texts a and b that call the functions of Kubernetes, each with suitable texts.
func ofFunctions() map[string][]string {
	return map[string][]string{
		"1|1.0|-1|+1.5|0|.|-|+|0.5|1Ki|1.5Ki|-2Mi|0.1Ki|1Pi|1Ei|9Ei|9.5Ei|1k|1m|1u|1n|0.1n|-0.1n|1e3|1E3|1E|1e-9|1e-12|1e999|-1e30|5e|1ee3|1K|Ki|1..5|1.5.|1 |100000000000000000|1000000000000000000|9223372036854775807|9223372036854775808|0.000000001|0.0000000001|1.000000000000000001|12345678901234567890.5k|00012|000|0.0|1G|50000000G|999999999999999999G|abc|": {
			"isQuantity(a)", "quantity(a).isInteger()", "quantity(a).asInteger() > 5", "sign(quantity(a)) == 1",
			"quantity(a) == quantity(b)",
			"quantity(a).compareTo(quantity(b)) == 1", "quantity(a).isGreaterThan(quantity(b))",
			"quantity(a).isLessThan(quantity(b))",
			"quantity(a).asApproximateFloat() == quantity(b).asApproximateFloat()", "quantity(a).asApproximateFloat() > 1000.5",
			"quantity(a).add(quantity(b)).asInteger() == 2", "quantity(a).sub(quantity(b)).isInteger()",
			"quantity(a).add(5).sub(quantity(b)).compareTo(quantity('3')) == 0", "quantity(a).sub(7).asApproximateFloat() < 0.5",
			"quantity(a).add(quantity(b)) == quantity(b)", "quantity(a).sub(-5).asInteger() == 6",
			"quantity(a) in [quantity('1'), quantity(b)]",
		},
		"127.0.0.1|10.1.2.3|0.0.0.0|::1|::|fe80::1|fe80::1%eth0|ff02::1|224.0.0.1|2001:db8::1|2001:DB8::1|2001:db8:0:0::1|::ffff:1.2.3.4|1.2.3|01.2.3.4|1.2.3.4.5|255.255.255.255|169.254.1.1|a|": {
			"isIP(a)", "ip(a).family() == 4", "ip(a) == ip(b)", "ip.isCanonical(a)", "ip(a).isUnspecified()",
			"ip(a).isLoopback()",
			"ip(a).isLinkLocalMulticast()", "ip(a).isLinkLocalUnicast()", "ip(a).isGlobalUnicast()", "string(ip(a)) == a",
			"cidr('10.0.0.0/8').containsIP(a)", "cidr('2001:db8::/32').containsIP(ip(a))", "type(ip(a)) == net.IP",
			"'%s'.format([string(ip(a))]) == b", "[ip(a)].exists(i, i == ip(b))",
		},
		"10.0.0.0/8|10.1.2.3/8|10.1.0.0/16|10.0.0.0/33|10.0.0.0|0.0.0.0/0|::/0|2001:db8::/32|2001:db8:1::/48|::ffff:1.2.3.0/120|1.2.3.4/032|fe80::%a/64|/8|a|": {
			"isCIDR(a)", "cidr(a).prefixLength() == 8", "cidr(a) == cidr(b)", "cidr(a).masked() == cidr(b)",
			"cidr(a).masked() == cidr(a)",
			"cidr(a).ip() == ip('10.1.2.3')", "cidr(a).containsCIDR(cidr(b))", "cidr(a).containsCIDR(b)",
			"cidr(a).containsIP('10.1.2.3')",
			"cidr(a).containsIP(b)", "string(cidr(a)) == b", "string(cidr(a)) == a", "type(cidr(a)) == net.CIDR",
		},
		"1.0.0|1.2.3|v1.2.3|1.2|v1|01.2.3|1.02.3|1.2.3-alpha|1.2.3-alpha.1|1.2.3-alpha.01|1.2.3-1|1.2.3-|1.2.3+build|1.2.3+b.1|1.2.3+b..1|1.2.3-a+b|1.2.3-a-b.c-d|1.2.3_a|1.2.x|99999999999999999999.0.0|1.2.3-99999999999999999999|..|1..3|1.2-a|v1.2+a|00.00.00|0.0.0|1.2.3-é|": {
			"isSemver(a)", "isSemver(a, true)", "isSemver(a, false)", "semver(a).major() == 1", "semver(a).minor() == 2",
			"semver(a).patch() == 3",
			"semver(a) == semver(b)", "semver(a).compareTo(semver(b)) == 1", "semver(a).isGreaterThan(semver(b))",
			"semver(a).isLessThan(semver(b))",
			"semver(a, true) == semver(b, true)", "semver(a, true).compareTo(semver(b, true)) == -1",
			"semver(a, true).patch() == 0",
		},
		"a|a-b|a.b|-a|a-|a.b-|A|1a|a/b|a/b/c|/b|a/|a_b|" + strings.Repeat("a", 64) + "|" + strings.Repeat("a", 254) +
			"|http://a/b|http://a/b#c|http://a:80?q=1#c|//|//%zz/|//a/b|/b|a b|%zz|123e4567-e89b-12d3-a456-426614174000|123E4567E89B12D3A456426614174000|aGk=|aGk|2021-01-01|2021-13-01|2021-01-01T00:00:00Z|2021-01-01 00:00:00|2021-01-01T25:00:00Z||é|-": {
			"!format.dns1123Label().validate(a).hasValue()", "!format.dns1123Subdomain().validate(a).hasValue()",
			"!format.dns1035Label().validate(a).hasValue()", "!format.qualifiedName().validate(a).hasValue()",
			"!format.dns1123LabelPrefix().validate(a).hasValue()", "!format.dns1123SubdomainPrefix().validate(a).hasValue()",
			"!format.dns1035LabelPrefix().validate(a).hasValue()", "!format.labelValue().validate(a).hasValue()",
			"!format.uri().validate(a).hasValue()", "!format.uuid().validate(a).hasValue()",
			"!format.byte().validate(a).hasValue()",
			"!format.date().validate(a).hasValue()", "!format.datetime().validate(a).hasValue()",
			"format.named('dns1123Label').hasValue() && !format.named(a).hasValue()",
			"format.named('uuid').value() == format.uuid()", "format.uri() == format.date()",
			"isURL(a)", "url(a).getHost() == b", "url(a) == url(b)", "url(a).getEscapedPath() == b",
			"url(a).getQuery().size() == 0",
			"url(a).getScheme() == 'http' && url(a).getHostname() == 'a' && url(a).getPort() == ''",
			"a.find('[a-z]+') == b", "a.find(b) == a", "a.findAll('[a-z]').size() == 2", "a.findAll('[a-z]', 2).size() == 2",
			"a.findAll(b, 1) == [b]", "a.includes(b)",
		},
	}
}

// expressionOn replaces a and b by fields of the kind.
func expressionOn(e string) string {
	out := strings.Builder{}
	for i := 0; i < len(e); i++ {
		alone := (e[i] == 'a' || e[i] == 'b') && (i == 0 || strings.ContainsRune("([ ,!", rune(e[i-1]))) &&
			(i+1 == len(e) || strings.ContainsRune(")], .", rune(e[i+1])))
		switch {
		case alone && e[i] == 'a':
			out.WriteString("self.name")
		case alone:
			out.WriteString("self.__in__")
		default:
			out.WriteByte(e[i])
		}
	}
	return out.String()
}

// altered returns one of the texts, perhaps with a character added, removed or taken from another text.
func altered(r *rand.Rand, texts []string) string {
	text := texts[r.Intn(len(texts))]
	if oneIn(r, 2) || text == "" {
		return text
	}
	at, other := r.Intn(len(text)), texts[r.Intn(len(texts))]
	if other != "" {
		other = other[:1]
	}
	changed := text[:at] + other + text[at+r.Intn(2):]
	if longExponent.MatchString(changed) || !utf8.ValidString(changed) {
		return text
	}
	return changed
}

// longExponent matches quantities for which an API server needs seconds. We refuse them.
var longExponent = regexp.MustCompile("[eE][-+]?[0-9]{4}")

// Every function of Kubernetes returns for every text what it returns in an API server, including errors.
func TestFunctionsLikeUpstream(t *testing.T) {
	for texts, conditions := range ofFunctions() {
		words := strings.Split(texts, "|")
		for _, condition := range conditions {
			t.Run(condition, func(t *testing.T) {
				rule := apiextensions.ValidationRule{Rule: expressionOn(condition)}
				if strings.HasPrefix(condition, "!format.") {
					rule.MessageExpression = strings.TrimSuffix(strings.TrimPrefix(rule.Rule, "!"), ".hasValue()") + ".value()[0]"
				}
				ours, theirs, structural := compileBoth(t, map[string]apiextensions.ValidationRule{"ruledSpec": rule})
				r := rand.New(rand.NewSource(1))
				for range 4 * len(words) {
					object := map[string]any{"spec": map[string]any{"name": altered(r, words), "in": altered(r, words)}}
					errs, _ := theirs.Validate(t.Context(), nil, structural, object, nil, celconfig.RuntimeCELCostBudget)
					var want, got []string
					for _, e := range errs {
						want = append(want, e.Error())
					}
					broken, _ := ours.Check(t.Context(), document(t, object), doc.Value{})
					for _, e := range broken {
						got = append(got, e.Error())
					}
					slices.Sort(want)
					slices.Sort(got)
					require.Equal(t, want, got, fmt.Sprint(object))
				}
			})
		}
	}
}

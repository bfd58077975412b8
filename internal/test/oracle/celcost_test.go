package oracle

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
)

// bounds holds the bounds of the lists, maps and texts of the kind, by path.
type bounds map[string]int64

// bounded sets bounds on half of the places of their schema. It also returns the overlay that sets them in ours.
func bounded(r round, theirs *apiextensions.JSONSchemaProps) (bounds, map[string]string) {
	set, overlay := bounds{}, map[string]string{}
	most := func(place, name, option string) *int64 {
		if oneIn(r.Rand, 2) {
			return nil
		}
		n := []int64{0, 1, 3, 10, 64, 253, 1000, 50_000}[r.Intn(8)]
		set[place] = n
		key := "ruledSpec." + name
		overlay[key] = strings.TrimPrefix(fmt.Sprintf("%s,%s=%d", overlay[key], option, n), ",")
		return &n
	}
	spec := theirs.Properties["spec"]
	for _, name := range slices.Sorted(maps.Keys(spec.Properties)) {
		p := spec.Properties[name]
		switch {
		case p.Type == "string" && p.Format == "", p.Format == "byte", p.XIntOrString:
			p.MaxLength = most(name, name, "maxLength")
		case p.Type == "array":
			p.MaxItems = most(name, name, "maxItems")
			if p.Items.Schema.Type == "string" {
				p.Items.Schema.MaxLength = most(name+"[]", name, "items.maxLength")
			}
		case p.AdditionalProperties != nil:
			p.MaxProperties = most(name, name, "maxProperties")
			p.AdditionalProperties.Schema.MaxLength = most(name+"{}", name, "values.maxLength")
		}
		spec.Properties[name] = p
	}
	return set, overlay
}

var exceeds = regexp.MustCompile(`(?:by factor of (more than 100|[0-9.]+)x|could cost (more than 100|[0-9.]+) times)`)

// factors returns by how much limits were exceeded, according to error texts.
func factors(text string) []string {
	var all []string
	for _, m := range exceeds.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1]+m[2])
	}
	slices.Sort(all)
	return all
}

func compareEstimates(t *testing.T, r round, rules map[string]apiextensions.ValidationRule) (refused bool) {
	t.Helper()
	declared := cel.Rules{}
	for place, rule := range rules {
		declared[place] = []cel.Rule{{Rule: rule.Rule, Message: rule.Message, MessageExpression: rule.MessageExpression}}
	}
	ours := setOf(declared)
	props := ruledProps(rules)
	set, overlay := bounded(r, &props)
	s, err := schema.Derive(reflect.TypeFor[ruled](), schema.Options{Rules: ours.Declared(), Overlay: overlay})
	require.NoError(t, err)
	preserve := false
	crd := &apiextensions.CustomResourceDefinition{Spec: apiextensions.CustomResourceDefinitionSpec{
		Group: "example.com", Scope: apiextensions.NamespaceScoped, PreserveUnknownFields: &preserve,
		Names: apiextensions.CustomResourceDefinitionNames{Plural: "ruleds", Singular: "ruled", Kind: "Ruled",
			ListKind: "RuledList"},
		Versions: []apiextensions.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true,
			Schema: &apiextensions.CustomResourceValidation{OpenAPIV3Schema: &props}}},
	}}
	crd.Name = "ruleds.example.com"
	crd.Status.StoredVersions = []string{"v1"}
	theirs := validation.ValidateCustomResourceDefinition(context.Background(), crd)
	_, err = ours.Language().Compile(s)
	var want, got []string
	if theirs != nil {
		if strings.Contains(theirs.ToAggregate().Error(), "undeclared reference to 'includes'") { // it exists only for stored rules
			return false
		}
		require.NotContains(t, theirs.ToAggregate().Error(), "compilation failed", "%v", rules)
		want = factors(theirs.ToAggregate().Error())
	}
	if err != nil {
		got = factors(err.Error())
	}
	assert.Equal(t, want, got, "%v\nwithin %v\ntheirs: %v\nours: %v", rules, set, theirs, err)
	return len(want) > 0
}

// We refuse rules that could cost too much exactly if an API server does, and report the same excess.
func TestEstimatesLikeUpstream(t *testing.T) {
	t.Parallel()
	all := placedExpressions()
	for _, e := range costly() {
		all = append(all, placed{"ruledSpec", e})
	}
	refused, accepted := 0, 0
	if rounds(t, 6*len(all), func(t *testing.T, r round) {
		p := all[int(r.seed%int64(len(all)))]
		if compareEstimates(t, r, map[string]apiextensions.ValidationRule{p.place: {Rule: p.rule}}) {
			refused++
		} else {
			accepted++
		}
	}) {
		require.Greater(t, refused, 50, "many are refused")
		require.Greater(t, accepted, 50, "and many are not")
	}
}

// costly returns conditions whose cost depends on the size of their values.
func costly() []string {
	return []string{
		"!self.steps.exists(a, self.steps.exists(b, a + b == a))",
		"self.steps.all(s, self.tags.all(t, self.labels.all(k, k != s + t)))",
		"self.steps.all(s, s.matches('^[a-z]+$'))",
		"self.steps.all(s, s.find('^[a-z]+$') == s)", "self.steps.all(s, s.findAll('a').size() < 3)",
		"self.steps.all(s, s.replace('a', 'bb') == s)", "self.steps.all(s, s.replace('aa', 'b').replace('b', 'ccc') == s)",
		"self.steps.all(s, s.replace('', 'b') == s)",
		"self.name.replace(self.__in__, self.with__dash__dash).size() > 3", "self.steps.all(s, s.split(',').all(p, p == s))",
		"self.name.split(',', 3).all(p, p == self.name)", "self.steps.join(',') == self.name",
		"self.steps.join() == self.name",
		"self.steps.all(s, s.upperAscii() == s.lowerAscii())",
		"self.steps.all(s, s.substring(1).trim() == s)", "self.steps.indexOf(self.name) == self.steps.lastIndexOf('a')",
		"self.name.indexOf('a') == self.name.lastIndexOf('b')",
		"self.steps.isSorted() && self.steps.min() == self.steps.max()",
		"self.numbers.sum() == self.numbers.max()",
		"self.steps.includes(self.name)", "dyn(self.steps).includes('a')",
		"self.steps.all(s, isURL(s) && url(s).getHost() == s)",
		"self.steps.all(s, url(s) == url(self.name))", "self.steps.all(s, isIP(s) && ip(s).isLoopback())",
		"self.steps.all(s, ip.isCanonical(s))",
		"self.steps.all(s, cidr(s).containsIP(s) || cidr(s).containsCIDR(s))",
		"self.steps.all(s, cidr(s).containsIP(ip(s)) || cidr(s).containsCIDR(cidr(s)))",
		"self.steps.all(s, cidr(s).ip() == ip(s) && cidr(s).masked() == cidr(s))",
		"self.steps.all(s, quantity(s) == quantity(self.name))",
		"self.steps.all(s, quantity(s) != quantity(self.name))",
		"self.steps.all(s, quantity(s).add(1).isGreaterThan(quantity('1')) && isQuantity(s))",
		"self.steps.all(s, semver(s).major() == 1 && isSemver(s, true))", "self.steps.all(s, semver(s) == semver(s))",
		"self.steps.all(s, !format.dns1123Label().validate(s).hasValue())",
		"self.steps.all(s, format.named(s).hasValue() && format.named(s).value() == format.uri())",
		"self.steps.all(s, string(ip(s)) == s)",
		"type(self.port) == string && self.port.matches('a')", "self.data == b'abc'", "string(self.data).size() < 3",
		"self.since == timestamp(self.name)",
		"self.parts.map(p, p.name).join(',') == ''", "self.parts == self.parts", "self.labels == self.labels",
		"self.labels.all(k, self.labels[k].contains(k))", "self == self", "self.tags.all(t, t in self.tags)",
		"sets.intersects(self.tags, self.steps)", "self.steps.sort() == self.steps.reverse()",
		"self.steps.slice(0, 1) == self.steps", "self.steps.distinct() == self.steps",
		"self.parts.sortBy(p, p.name) == self.parts",
		"self.labels.all(k, v, k == v)", "self.steps.transformList(i, s, s + string(i)) == self.steps",
		"'%s %s'.format([self.name, self.steps]) == self.name", "string(self.min) == self.name",
		"['a', 'b'].indexOf('a') == 0",
		"self.?steps.orValue([]).size() == 0", "self.steps.map(s, s + s).all(s, s.matches('a'))",
		"(self.on ? self.steps : self.tags).all(s, s == self.name)", "(self.steps + self.tags).all(s, s == self.name)",
		"self.steps.filter(s, s == 'a').exists_one(s, s == 'b')",
		"oldSelf.steps.all(s, s in self.steps)", "self.steps == oldSelf.steps", "strings.quote(self.name) == ''",
		"self.name.charAt(1) == 'a'",
		"self.name.startsWith(self.__in__) || self.name.endsWith('a')", "bytes(self.name) == self.data",
		"self.name < self.__in__",
	}
}

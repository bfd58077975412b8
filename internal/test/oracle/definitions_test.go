package oracle

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	upstreamcrd "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	upstreamv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/status"
)

// judges are Kubernetes and Decorum, which judge the same definitions.
type judges struct {
	scheme *runtime.Scheme
	api    http.Handler
}

var checksOfTest = apiextensions.Checks{CEL: cel.Evaluator(), Webhooks: true}

func newJudges(t testing.TB) *judges {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	api, err := rest.New(rest.Options{}, apiextensions.CustomResourceDefinitions(checksOfTest))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, api.Close()) })
	return &judges{scheme, api}
}

// verdict says how Kubernetes treats a definition.
type verdict int

const (
	judged verdict = iota
	undecoded
	panicked
)

// upstream returns what Kubernetes finds wrong with a new definition, in no order.
func (j *judges) upstream(body []byte) (causes []string, v verdict) {
	defer func() {
		if recover() != nil {
			v = panicked
		}
	}()
	_, d, ok := j.decode(body, false)
	if !ok {
		return nil, undecoded
	}
	return upstreamCauses(crdvalidation.ValidateCustomResourceDefinition(context.Background(), d)), judged
}

// decode returns a definition with its defaults as version v1 and as Kubernetes validates it.
func (j *judges) decode(body []byte,
	established bool) (*upstreamv1.CustomResourceDefinition, *upstreamcrd.CustomResourceDefinition, bool) {
	v1, d := &upstreamv1.CustomResourceDefinition{}, &upstreamcrd.CustomResourceDefinition{}
	if utiljson.Unmarshal(body, v1) != nil {
		return nil, nil, false
	}
	v1.Status = upstreamv1.CustomResourceDefinitionStatus{}
	if established {
		v1.Status.Conditions = []upstreamv1.CustomResourceDefinitionCondition{{Type: upstreamv1.Established,
			Status: upstreamv1.ConditionTrue}}
	}
	v1.ResourceVersion = "1"
	j.scheme.Default(v1)
	if j.scheme.Convert(v1, d, nil) != nil {
		return nil, nil, false
	}
	return v1, d, true
}

// typeName matches the names of types in the errors of rules. Those of Kubernetes differ from run to run.
var typeName = regexp.MustCompile(`(selfType\d+|object)[\w.@]*`)

func upstreamCauses(errs field.ErrorList) []string {
	found := map[string]bool{}
	for _, e := range errs {
		found[fmt.Sprintf("%s | %s | %s", e.Field, string(e.Type), typeName.ReplaceAllString(e.ErrorBody(), "object"))] = true
	}
	return slices.Sorted(maps.Keys(found))
}

// compareUpdate judges an update of a stored definition, which may itself break rules.
func (j *judges) compareUpdate(t testing.TB, about string, old, now []byte, established bool) {
	oldV1, oldD, oldOK := j.decode(old, established)
	nowV1, nowD, nowOK := j.decode(now, established)
	if !oldOK || !nowOK {
		return
	}
	nowV1.Status, nowD.Status = oldV1.Status, oldD.Status
	want, how := func() (causes []string, how verdict) {
		defer func() {
			if recover() != nil {
				how = panicked
			}
		}()
		return upstreamCauses(crdvalidation.ValidateCustomResourceDefinitionUpdate(context.Background(), nowD, oldD)), judged
	}()
	got := map[string]bool{}
	for _, e := range checksOfTest.Validate(asOurs(t, nowV1, now), asOurs(t, oldV1, old)) {
		_, body, _ := strings.Cut(e.Error(), e.Field+": ")
		got[fmt.Sprintf("%s | %s | %s", e.Field, e.Type, typeName.ReplaceAllString(body, "object"))] = true
	}
	want = slices.DeleteFunc(want, func(cause string) bool { return strings.HasPrefix(cause, "metadata.name") }) // Validate does not check the name
	if how == judged {
		want, causes := comparable(want, slices.Collect(maps.Keys(got)))
		assert.ElementsMatch(t, want, causes, "%s\nfrom %s\nto %s", about, old, now)
	}
}

// asOurs returns a definition with its defaults. The versions come from the body, because v1 forgets empty lists and
// maps when it is encoded.
func asOurs(t testing.TB, v1 *upstreamv1.CustomResourceDefinition,
	body []byte) *apiextensions.CustomResourceDefinition {
	encoded, err := json.Marshal(v1)
	require.NoError(t, err)
	d, sent := &apiextensions.CustomResourceDefinition{}, &apiextensions.CustomResourceDefinition{}
	require.NoError(t, json.Unmarshal(encoded, d))
	require.NoError(t, json.Unmarshal(body, sent))
	d.Spec.Versions = sent.Spec.Versions
	return d
}

// ours returns what Decorum finds wrong, and the code of its answer.
func (j *judges) ours(t testing.TB, body []byte) (causes []string, code int) {
	r := httptest.NewRequest("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All",
		strings.NewReader(string(body)))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	j.api.ServeHTTP(w, r)
	if w.Code == http.StatusUnprocessableEntity {
		var s status.Status
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &s))
		for _, c := range s.Details.Causes {
			causes = append(causes, fmt.Sprintf("%s | %s | %s", c.Field, c.Type, typeName.ReplaceAllString(c.Message, "object")))
		}
		slices.Sort(causes)
	} else if w.Code >= 500 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	return causes, w.Code
}

// compare judges a definition twice.
func (j *judges) compare(t testing.TB, about string, body []byte) {
	want, how := j.upstream(body)
	j.compareWith(t, about, body, want, how)
}

// compareWith judges a definition that Kubernetes has judged.
func (j *judges) compareWith(t testing.TB, about string, body []byte, want []string, how verdict) {
	got, code := j.ours(t, body)
	switch {
	case how == undecoded || code == http.StatusBadRequest:
		assert.Equal(t, how == undecoded, code == http.StatusBadRequest, "%s: who can decode it?\n%s", about, body)
	case how == panicked:
		assert.Equal(t, http.StatusUnprocessableEntity, code, "%s: Kubernetes panics\n%s", about, body)
	default:
		want, got = comparable(want, got)
		assert.ElementsMatch(t, want, got, "%s\n%s", about, body)
	}
}

// comparable returns the causes of both in which Decorum does not differ on purpose. Decorum checks no defaults in
// metadata, which are forbidden anyway. Kubernetes checks them, and does not compile rules if one is invalid.
func comparable(want, got []string) (wantLess, gotLess []string) {
	known := len(want)
	want = slices.DeleteFunc(want,
		func(cause string) bool { return strings.Contains(cause, "must result in valid metadata") })
	got = slices.DeleteFunc(got, func(cause string) bool {
		return isUselessDefault(cause) && !slices.Contains(want, cause)
	})
	for _, list := range [][]string{want, got} {
		for i, cause := range list {
			list[i], _, _ = strings.Cut(cause, ofDefault)
		}
	}
	if len(want) == known {
		return want, got
	}
	ofRule := func(cause string) bool {
		return strings.Contains(cause, "x-kubernetes-validations") || strings.Contains(cause, "estimated rule cost")
	}
	return slices.DeleteFunc(want, ofRule), slices.DeleteFunc(got, ofRule)
}

// ofDefault is what the causes of defaults of a wrong type contain. The texts after it differ if the schema has an
// unknown format, which Kubernetes checks in defaults only.
const ofDefault = "default | FieldValueTypeInvalid"

// isUselessDefault reports whether a cause is that the default of an int-or-string is neither, or that of a string a
// list. Kubernetes accepts the former, and with an unknown format the latter, too.
func isUselessDefault(cause string) bool {
	return strings.Contains(cause, ofDefault) &&
		(strings.Contains(cause, "must be of type integer,string:") ||
			strings.HasSuffix(cause, `must be of type string: "array"`))
}

// bases are valid definitions, which the mutations break.
var bases = []string{`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.org}
spec:
  group: example.org
  names: {plural: things, kind: Thing, shortNames: [th], categories: [all]}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas, labelSelectorPath: .status.selector}}
    selectableFields: [{jsonPath: .spec.color}]
    additionalPrinterColumns: [{name: Color, type: string, jsonPath: .spec.color}]
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          metadata: {type: object, properties: {name: {type: string, maxLength: 20}}}
          spec:
            type: object
            properties:
              color: {type: string, enum: [red, green]}
              replicas: {type: integer, format: int32, minimum: 0}
              port: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}
              list: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}, v: {type: integer}}}}
              set: {type: array, x-kubernetes-list-type: set, items: {type: string}}
              map: {type: object, additionalProperties: {type: string}}
              template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
              pod: {type: object, x-kubernetes-embedded-resource: true, properties: {metadata: {type: object, properties: {name: {type: string}}}, spec: {type: object}}}
              choice: {type: object, properties: {a: {type: string}, b: {type: string}}, oneOf: [{required: [a]}, {required: [b]}], not: {properties: {a: {enum: [x]}}}}
          status: {type: object, properties: {replicas: {type: integer}, selector: {type: string}}}
`, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.k8s.io, annotations: {api-approved.kubernetes.io: "unapproved, test"}}
spec:
  group: example.k8s.io
  names: {plural: things, kind: Thing, singular: thing, listKind: ThingList}
  scope: Cluster
  conversion: {strategy: None}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string}, b: {type: array, items: {type: object, properties: {c: {type: number}}}}}}}}}}
  - {name: v1beta1, served: true, storage: false, deprecated: true, deprecationWarning: old, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`}

// edit changes one place of a definition. An empty value removes it.
type edit struct{ at, value string }

// places are where a schema stands in the first base.
var places = []string{
	"", "properties.metadata", "properties.metadata.properties.name", "properties.spec",
	"properties.spec.properties.color", "properties.spec.properties.port",
	"properties.spec.properties.list", "properties.spec.properties.list.items",
	"properties.spec.properties.list.items.properties.k",
	"properties.spec.properties.set", "properties.spec.properties.set.items", "properties.spec.properties.map",
	"properties.spec.properties.map.additionalProperties",
	"properties.spec.properties.template", "properties.spec.properties.pod",
	"properties.spec.properties.pod.properties.metadata",
	"properties.spec.properties.pod.properties.metadata.properties.name", "properties.spec.properties.choice",
	"properties.spec.properties.choice.oneOf.0",
	"properties.spec.properties.choice.not",
	"properties.spec.properties.port.anyOf.0", "properties.kind", "properties.spec.properties.new",
}

// schemaEdits are edits of a schema.
var schemaEdits = []edit{
	{"", "{}"}, {"", `{"type":"object"}`}, {"type", ""}, {"type", `"object"`}, {"type", `"array"`}, {"type", `"string"`},
	{"type", `"text"`},
	{"type", `"null"`}, {"type", `""`},
	{"description", `"x"`}, {"title", `"x"`}, {"format", `"colour"`}, {"format", `"int32"`}, {"nullable", "true"},
	{"id", `"x"`},
	{"$schema", `"x"`}, {"$ref", `"#/x"`}, {"$ref", `""`},
	{"uniqueItems", "true"}, {"uniqueItems", "false"}, {"items", ""}, {"items", `{"type":"string"}`},
	{"items", `[{"type":"string"}]`},
	{"items", "[]"}, {"items", "{}"}, {"items", `{"type":"object"}`},
	{"items", `{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"}`},
	{"properties", ""}, {"properties", "{}"}, {"properties", `{"a":{"type":"string"},"metadata":{"type":"object"}}`},
	{"properties", `{"a":{}}`}, {"properties", `{"a":{"default":1}}`},
	{"additionalProperties", ""}, {"additionalProperties", "true"}, {"additionalProperties", "false"},
	{"additionalProperties", `{"type":"object"}`}, {"additionalProperties", "{}"},
	{"patternProperties", `{"a":{"type":"string"}}`}, {"definitions", `{"a":{"type":"string"}}`}, {"definitions", "{}"},
	{"dependencies", `{"a":["b"]}`}, {"dependencies", "{}"}, {"additionalItems", "true"},
	{"additionalItems", `{"type":"string"}`},
	{"allOf", `[{"type":"string"}]`}, {"allOf", `[{"properties":{"zz":{"minLength":1}}}]`},
	{"allOf", `[{"anyOf":[{"type":"integer"},{"type":"string"}]},{"pattern":"["}]`}, {"allOf", "[]"},
	{"anyOf", `[{"type":"integer"},{"type":"string"}]`}, {"anyOf", `[{"type":"integer"},{"type":"boolean"}]`},
	{"anyOf", `[{"type":"integer","description":"x"},{"type":"string"}]`}, {"anyOf", `[{"items":{"minLength":1}}]`},
	{"oneOf", `[{"description":"x","title":"y","nullable":true,"default":1}]`}, {"oneOf", `[{"required":["a"]}]`},
	{"oneOf", `[{"x-kubernetes-list-type":"set","x-kubernetes-list-map-keys":["a"],"x-kubernetes-map-type":"atomic"}]`},
	{"not", `{"additionalProperties":{"type":"string"}}`},
	{"not", `{"x-kubernetes-preserve-unknown-fields":true,"x-kubernetes-embedded-resource":true,"x-kubernetes-int-or-string":true}`},
	{"not", `{"properties":{"metadata":{}}}`}, {"not", `{"items":[{}]}`},
	{"pattern", `"["`}, {"pattern", `"^a$"`}, {"enum", `[1,"a",null]`}, {"required", `["a","a"]`}, {"maximum", "1.5"},
	{"multipleOf", "0"},
	{"maxLength", "-1"}, {"minItems", "3"}, {"externalDocs", `{"url":"x"}`}, {"example", `{"a":1}`},
	{"x-kubernetes-preserve-unknown-fields", "true"}, {"x-kubernetes-preserve-unknown-fields", "false"},
	{"x-kubernetes-embedded-resource", "true"}, {"x-kubernetes-int-or-string", "true"},
	{"x-kubernetes-list-type", `"atomic"`}, {"x-kubernetes-list-type", `"set"`}, {"x-kubernetes-list-type", `"map"`},
	{"x-kubernetes-list-type", `"bag"`}, {"x-kubernetes-list-type", ""},
	{"x-kubernetes-list-map-keys", `["k"]`}, {"x-kubernetes-list-map-keys", `["k","k"]`},
	{"x-kubernetes-list-map-keys", `["zz"]`},
	{"x-kubernetes-list-map-keys", "[]"}, {"x-kubernetes-list-map-keys", ""},
	{"default", `"red"`}, {"default", "5"}, {"default", "{}"}, {"default", `{"k":"x","zz":1}`}, {"default", `{"a":"x"}`},
	{"default", `[{"k":"x"}]`}, {"default", "null"}, {"default", `[{"k":"a"},{"k":"a"}]`},
	{"default", `["a","a"]`}, {"default", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"}}`},
	{"default", `{"kind":"Pod"}`},
	{"x-kubernetes-validations", `[{"rule":"self =="}]`},
	{"x-kubernetes-validations",
		`[{"rule":""},{"rule":"true","message":" "},{"rule":"true","message":"a\nb"},{"rule":"true\n","reason":"Whatever"},{"rule":"true\n&& true"}]`},
	{"x-kubernetes-validations", `[{"rule":"self == self"}]`}, {"x-kubernetes-validations", `[{"rule":"self.nope == 1"}]`},
	{"x-kubernetes-validations", `[{"rule":"'a'"}]`},
	{"x-kubernetes-validations", `[{"rule":"true","messageExpression":"1"},{"rule":"true","messageExpression":" "},{"rule":"true","messageExpression":"'a' +"}]`},
	{"x-kubernetes-validations", `[{"rule":"self == oldSelf"}]`},
	{"x-kubernetes-validations", `[{"rule":"true","optionalOldSelf":true}]`},
	{"x-kubernetes-validations", `[{"rule":"oldSelf.hasValue()","optionalOldSelf":true}]`},
	{"x-kubernetes-validations",
		`[{"rule":"true","fieldPath":".k"},{"rule":"true","fieldPath":" "},{"rule":"true","fieldPath":"['k']"},{"rule":"true","fieldPath":".color"}]`}, {"x-kubernetes-validations", `[{"rule":"self.list.all(a, self.list.all(b, self.set.all(c, c == a.k || b == a)))"}]`},
	{"x-kubernetes-validations", `[{"rule":"self.matches('^a.*b$')"}]`},
	{"x-kubernetes-validations", `[{"rule":"has(self.metadata.labels)"},{"rule":"has(self.metadata.name) && self.kind.matches('a') && self.apiVersion.matches('b')"}]`},
	{"x-kubernetes-validations", `[{"rule":"self.metadata.name.matches('a') && self.metadata.generateName.matches('b')"}]`},
	{"x-kubernetes-validations", `[{"rule":"has(self.labels)"}]`},
	{"properties.metadata", `{"type":"object","properties":{"name":{"type":"string","maxLength":300},"generateName":{"type":"string"},"labels":{"type":"object","additionalProperties":{"type":"string"}}}}`},
	{"properties.apiVersion", `{"type":"string","maxLength":9}`}, {"properties.kind", `{"type":"string"}`},
	{"x-kubernetes-validations", `[{"rule":"self.all(x, self.all(y, x == y))","messageExpression":"'x'"}]`},
	{"x-kubernetes-map-type", `"atomic"`}, {"x-kubernetes-map-type", `"granular"`}, {"x-kubernetes-map-type", `"set"`},
}

// specEdits are edits of the rest of a definition.
var specEdits = []edit{
	{"metadata.name", `"things"`}, {"metadata.name", `"others.example.org"`}, {"spec.group", ""},
	{"spec.group", `"example"`},
	{"spec.group", `"Example.org"`}, {"spec.group", `"k8s.io"`}, {"spec.group", `"a.kubernetes.io"`},
	{"metadata.annotations", ""}, {"metadata.annotations", `{"api-approved.kubernetes.io":"maybe"}`},
	{"metadata.annotations", `{"api-approved.kubernetes.io":"https://x.example/y"}`},
	{"metadata.annotations", `{"api-approved.kubernetes.io":"/y"}`},
	{"spec.scope", ""}, {"spec.scope", `"namespaced"`}, {"spec.preserveUnknownFields", "true"}, {"spec.names", "{}"},
	{"spec.names.plural", `""`}, {"spec.names.plural", `"Things"`}, {"spec.names.singular", `"Th ing"`},
	{"spec.names.kind", `""`},
	{"spec.names.kind", `"Th_ing"`},
	{"spec.names.listKind", `"Thing"`}, {"spec.names.listKind", `"1"`}, {"spec.names.shortNames", `["TT","a b",""]`},
	{"spec.names.categories", `["A"]`}, {"spec.versions", "[]"}, {"spec.versions", ""},
	{"spec.versions.0.name", `"V1"`}, {"spec.versions.0.name", `""`}, {"spec.versions.0.name", `"v1beta1"`},
	{"spec.versions.0.storage", "false"}, {"spec.versions.0.served", "false"}, {"spec.versions.0.schema", ""},
	{"spec.versions.0.schema", "{}"},
	{"spec.versions.0.schema.openAPIV3Schema", `{"x-kubernetes-preserve-unknown-fields":true}`},
	{"spec.versions.0.schema.openAPIV3Schema", `{"x-kubernetes-int-or-string":true}`},
	{"spec.versions.0.schema.openAPIV3Schema",
		`{"type":"object","x-kubernetes-int-or-string":true,"properties":{"spec":{"type":"string","default":1}}}`},
	{"spec.versions.0.schema.openAPIV3Schema",
		`{"type":"object","properties":{"spec":{"type":"object","x-kubernetes-map-type":"atomic","properties":{"a":{"type":"string","x-kubernetes-validations":[{"rule":"self == oldSelf"}]}}}}}`},
	{"spec.versions.0.schema.openAPIV3Schema",
		`{"x-kubernetes-preserve-unknown-fields":true,"x-kubernetes-validations":[{"rule":"self == self"}]}`},
	{"spec.versions.0.schema.openAPIV3Schema",
		`{"x-kubernetes-int-or-string":true,"x-kubernetes-validations":[{"rule":"self == self && self == 1"}]}`},
	{"spec.versions.1.storage", "true"}, {"spec.versions.0.deprecationWarning", `"x"`},
	{"spec.versions.1.deprecationWarning", `""`},
	{"spec.versions.1.deprecationWarning", `"a\u0001\u00ad"`},
	{"spec.versions.1.deprecationWarning", `"` + strings.Repeat("x", 257) + `"`},
	{"spec.versions.0.subresources", `{"scale":{}}`},
	{"spec.versions.0.subresources.scale.specReplicasPath", `"spec.replicas"`},
	{"spec.versions.0.subresources.scale.specReplicasPath", `".status.replicas"`},
	{"spec.versions.0.subresources.scale.statusReplicasPath", `".spec.replicas"`},
	{"spec.versions.0.subresources.scale.labelSelectorPath", `"x"`},
	{"spec.versions.0.subresources.scale.labelSelectorPath", `".metadata.name"`},
	{"spec.versions.0.subresources.scale.labelSelectorPath", `""`}, {"spec.versions.0.subresources", "{}"},
	{"spec.versions.1.subresources", `{"status":{}}`},
	{"spec.versions.0.additionalPrinterColumns", `[{}]`},
	{"spec.versions.0.additionalPrinterColumns", `[{"name":"a","type":"text","format":"x","jsonPath":"spec"}]`},
	{"spec.versions.0.additionalPrinterColumns", `[{"name":"a","type":"date","format":"date-time","jsonPath":".spec[a"}]`},
	{"spec.versions.1.additionalPrinterColumns", `[{"name":"a"}]`},
	{"spec.versions.0.selectableFields",
		`[{"jsonPath":""},{"jsonPath":".spec.nope"},{"jsonPath":"spec.color"},{"jsonPath":".spec.set[0]"},{"jsonPath":".metadata.name"},{"jsonPath":".spec"},{"jsonPath":".spec.map.x"},{"jsonPath":"."},{"jsonPath":".spec.color.x"}]`},
	{"spec.versions.0.selectableFields", `[{"jsonPath":".spec.color"},{"jsonPath":".spec.color"}]`},
	{"spec.versions.1.selectableFields", `[{"jsonPath":".spec.a"}]`},
	{"spec.versions.0.selectableFields",
		`[{"jsonPath":".spec.map.a"},{"jsonPath":".spec.map.b"},{"jsonPath":".spec.map.c"},{"jsonPath":".spec.map.d"},{"jsonPath":".spec.map.e"},{"jsonPath":".spec.map.f"},{"jsonPath":".spec.map.g"},{"jsonPath":".spec.map.h"},{"jsonPath":".spec.map.i"}]`},
	{"spec.conversion", `{}`}, {"spec.conversion", `{"strategy":"Magic"}`}, {"spec.conversion", `{"strategy":"Webhook"}`},
	{"spec.conversion", `{"strategy":"None","webhook":{"conversionReviewVersions":["v1"],"clientConfig":{"url":"https://x.example"}}}`},
	{"spec.conversion", `{"strategy":"Webhook","webhook":{"conversionReviewVersions":[],"clientConfig":{"url":"http://x"}}}`},
	{"spec.conversion", `{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],"clientConfig":{"url":"https://u:p@x/y?q=1#f","caBundle":"eA=="}}}`},
	{"spec.conversion",
		`{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v9","v9","V1"],"clientConfig":{"service":{"name":"","namespace":"","port":70000,"path":"x//Y"}}}}`}, {"spec.conversion", `{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],"clientConfig":{"service":{"name":"a","namespace":"b","path":"//"}}}}`},
	{"spec.conversion",
		`{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],"clientConfig":{"url":"https://x","service":{"name":"a","namespace":"b"}}}}`}, {"spec.conversion", `{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],"clientConfig":{"url":"::"}}}`},
	{"spec.conversion", `{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"]}}`},
}

// applyEdits makes edits to a base.
func applyEdits(t testing.TB, base string, edits ...edit) []byte {
	var d any
	require.NoError(t, yaml.Unmarshal([]byte(base), &d))
	for _, e := range edits {
		var value any
		if e.value != "" {
			require.NoError(t, json.Unmarshal([]byte(e.value), &value), e.value)
		}
		d = replaced(d, strings.Split(e.at, "."), value, e.value == "")
	}
	body, err := json.Marshal(d)
	require.NoError(t, err)
	return body
}

// replaced returns a document with another value at a path. A path that leads nowhere changes nothing.
func replaced(d any, path []string, value any, remove bool) any {
	if len(path) == 0 {
		return value
	}
	switch d := d.(type) {
	case nil:
		if !remove {
			return map[string]any{path[0]: replaced(nil, path[1:], value, remove)}
		}
	case map[string]any:
		if remove && len(path) == 1 {
			delete(d, path[0])
			return d
		}
		if below, ok := d[path[0]]; ok || !remove {
			d[path[0]] = replaced(below, path[1:], value, remove)
		}
	case []any:
		var i int
		if n, _ := fmt.Sscan(path[0], &i); n == 1 && i < len(d) {
			d[i] = replaced(d[i], path[1:], value, remove)
		}
	}
	return d
}

// differs reports whether Decorum differs on purpose: it refuses a default of an int-or-string that is neither, and a
// type that no API server has accepted since version v1.
func differs(place string, e edit) bool {
	return e.at == "default" && (strings.HasSuffix(place, "port") ||
		e.value == `[{"k":"a"},{"k":"a"}]` && strings.HasSuffix(place, "anyOf.0")) || e.at == "type" && e.value == `"text"`
}

const schemaPath = "spec.versions.0.schema.openAPIV3Schema"

// below returns an edit of the schema at a place.
func (e edit) below(place string) edit {
	parts := []string{schemaPath}
	for _, part := range []string{place, e.at} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return edit{strings.Join(parts, "."), e.value}
}

// Decorum accepts and refuses the definitions that Kubernetes accepts and refuses, with the same causes and messages.
func TestDefinitionsHaveUpstreamsCauses(t *testing.T) {
	j := newJudges(t)
	eachPlace(t, func(t *testing.T, base string) {
		j.compare(t, "the base", applyEdits(t, base))
		for _, e := range specEdits {
			j.compare(t, fmt.Sprint(e), applyEdits(t, base, e))
		}
	}, func(t *testing.T, base string, e edit) {
		j.compare(t, fmt.Sprint(e), applyEdits(t, base, e))
	})
}

// An update of a definition may keep a fault of the stored one where Kubernetes allows it.
func TestChangedDefinitionsHaveUpstreamsCauses(t *testing.T) {
	j := newJudges(t)
	other := edit{"spec.names.shortNames", `["x"]`}
	eachPlace(t, func(t *testing.T, base string) {
		for n, e := range specEdits {
			broken := applyEdits(t, base, e)
			j.compareUpdate(t, fmt.Sprint("to ", e), applyEdits(t, base), broken, n%2 == 0)
			j.compareUpdate(t, fmt.Sprint("kept ", e), broken, applyEdits(t, base, e, other), n%2 == 0)
		}
	}, func(t *testing.T, base string, e edit) {
		broken := applyEdits(t, base, e)
		j.compareUpdate(t, fmt.Sprint("to ", e), applyEdits(t, base), broken, true)
		j.compareUpdate(t, fmt.Sprint("kept ", e), broken, applyEdits(t, base, e, other), true)
	})
}

// eachPlace runs parallel tests: one of each base, and one of each place of the first base, with the edits of the
// schema there.
func eachPlace(t *testing.T, whole func(t *testing.T, base string), schema func(t *testing.T, base string, e edit)) {
	for i, base := range bases {
		t.Run(fmt.Sprint("base ", i), func(t *testing.T) {
			t.Parallel()
			whole(t, base)
		})
	}
	for _, place := range places {
		t.Run("schema "+place, func(t *testing.T) {
			t.Parallel()
			for _, e := range schemaEdits {
				if !differs(place, e) {
					schema(t, bases[0], e.below(place))
				}
			}
		})
	}
}

// Several edits at random have the same causes as well.
func TestRandomDefinitionsHaveUpstreamsCauses(t *testing.T) {
	j := newJudges(t)
	rounds(t, 200, func(t *testing.T, r round) {
		choices := make([]byte, 3+2*r.Intn(8))
		_, err := r.Read(choices)
		require.NoError(t, err)
		j.compareEdits(t, choices)
	})
}

func FuzzDefinitions(f *testing.F) {
	f.Add([]byte{0, 1, 2})
	f.Add([]byte{0, 130, 7, 3, 11, 40, 16, 81})
	f.Add([]byte{1, 200, 0, 30})
	j := newJudges(f)
	f.Fuzz(func(t *testing.T, choices []byte) {
		if len(choices) > 0 && len(choices) <= 20 {
			j.compareEdits(t, choices)
		}
	})
}

// compareEdits judges a definition with edits, as a new one and as an update of the definition with half of them. The
// first byte chooses the base, and each further pair of bytes an edit.
func (j *judges) compareEdits(t *testing.T, choices []byte) {
	base := bases[int(choices[0])%len(bases)]
	var edits []edit
	for i := 1; i+1 < len(choices); i += 2 {
		if choices[i] >= 128 {
			edits = append(edits, specEdits[int(choices[i+1])%len(specEdits)])
			continue
		}
		place, e := places[int(choices[i])%len(places)], schemaEdits[int(choices[i+1])%len(schemaEdits)]
		isNull := e.at == "type" && e.value == `"null"` // Decorum refuses the type, but then does not compile the rules of other places
		if !differs(place, e) && !isNull {
			edits = append(edits, e.below(place))
		}
	}
	now := applyEdits(t, base, edits...)
	j.compare(t, fmt.Sprint(edits), now)
	j.compareUpdate(t, fmt.Sprint(edits), applyEdits(t, base, edits[:len(edits)/2]...), now, choices[0] < 128)
}

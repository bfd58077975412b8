//go:build !race

// The test builds thousands of APIs one after another: the race detector would take a minute and find nothing.

package upstream_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/internal/upstream"
)

// probe shows what one switch decides.
type probe struct {
	// custom and builtin say in which dialect flipping the switch can be seen; elsewhere another switch hides it.
	custom, builtin bool
	// also names switches that decide more than the answer of the probe: what they refuse or leave out is not there to be
	// seen.
	also string
	show func(t *testing.T, api *rest.API) string
}

func post(metadata, spec string) func(t *testing.T, api *rest.API) string {
	return func(t *testing.T, api *rest.API) string {
		return apitest.Do(t, api, "POST", trials, trial("a", metadata, spec)).Brief(t)
	}
}

// of returns a member of what the request is answered with.
func of(method, target, body, path string, headers ...string) func(t *testing.T, api *rest.API) string {
	return func(t *testing.T, api *rest.API) string {
		a := apitest.Do(t, api, method, target, body, headers...)
		var v any
		if json.Unmarshal([]byte(a.Body), &v) != nil {
			return fmt.Sprint(a.Code, " ", a.Body)
		}
		for name := range strings.SplitSeq(path, ".") {
			switch at := v.(type) {
			case map[string]any:
				v = at[name]
			case []any:
				v = at[0].(map[string]any)[name]
			}
		}
		return fmt.Sprint(a.Code, " ", v)
	}
}

// after prepares an object before the probe.
func after(metadata, spec string,
	show func(t *testing.T, api *rest.API) string) func(t *testing.T, api *rest.API) string {
	return func(t *testing.T, api *rest.API) string {
		apitest.Must(t, api, "POST", trials, trial("there", metadata, spec))
		return show(t, api)
	}
}

var probes = map[string]probe{
	"KindRequired": {custom: true, builtin: true,
		show: of("POST", trials, `{"metadata":{"name":"a"},"spec":{"needed":"x"}}`, "kind")},
	"BodiesAreStructs": {custom: true, builtin: true, show: func(t *testing.T, api *rest.API) string {
		return fmt.Sprint(apitest.Do(t, api, "POST", trials, trial("a", "", `,"count":2.0`)).Code < 300)
	}},
	"TypesFirst": {custom: true, builtin: true, also: "TypeErrorsInvalid", show: func(t *testing.T, api *rest.API) string {
		return apitest.Do(t, api, "POST", trials+"?fieldValidation=Strict", trial("a", "", `,"count":"x","more":1`)).Brief(t)
	}},
	"WholeBodyChecked": {custom: true, builtin: true,
		show: of("POST", trials, strings.TrimSuffix(trial("a", "", ""), "}")+`,"status":{"replicas":"x"}}`, "message")},
	"TypeErrorsInvalid": {custom: true, also: "TypesFirst", show: post("", `,"on":"x"`)},
	"MetadataAlone":     {custom: true, builtin: true, show: post(`,"labels":5`, "")},
	"UnknownVerbatim": {custom: true, also: "BodiesAreStructs", show: func(t *testing.T, api *rest.API) string {
		return apitest.Do(t, api, "POST", trials+"?fieldValidation=Strict", trial("a", "", `,"a\"b":1`)).Brief(t)
	}},
	"GoWritten": {custom: true, builtin: true, show: of("POST", trials, trial("a", "", `,"on":false`), "spec")},
	"RequiredByTag": {custom: true, builtin: true,
		show: of("POST", trials, `{"apiVersion":"example.com/v1","kind":"Trial","metadata":{"name":"a"},"spec":{"on":true}}`,
			"message")},
	"StoredRules": {custom: true, builtin: true, show: of("POST", strings.Replace(boundTrials, "v1", "v1beta1", 1),
		`{"apiVersion":"example.com/v1beta1","kind":"BoundTrial","metadata":{"name":"a"},"spec":{"count":5}}`, "message")},
	"FieldsKept": {custom: true, builtin: true, show: func(t *testing.T, api *rest.API) string {
		apitest.Must(t, api, "POST", boundTrials,
			`{"apiVersion":"example.com/v1","kind":"BoundTrial","metadata":{"name":"a"},"spec":{"note":"x"}}`)
		apitest.Must(t, api, "PATCH", strings.Replace(boundTrials, "v1", "v1beta1", 1)+"/a", `{"spec":{"count":2}}`,
			"Content-Type", apitest.TypeMergePatch)
		return of("GET", boundTrials+"/a", "", "spec.note")(t, api)
	}},
	"ShownDefaulted": {custom: true, builtin: true, show: func(t *testing.T, api *rest.API) string {
		apitest.Must(t, api, "POST", boundTrials,
			`{"apiVersion":"example.com/v1","kind":"BoundTrial","metadata":{"name":"a"},"spec":{"note":"x"}}`)
		return of("GET", strings.Replace(boundTrials, "v1", "v1beta1", 1)+"/a", "", "spec")(t, api)
	}},
	"Generation": {custom: true, builtin: true, show: of("POST", trials, trial("a", "", ""), "metadata.generation")},
	"ClientGeneration": {builtin: true, also: "Generation",
		show: of("POST", trials, trial("a", `,"generation":5`, ""), "metadata.generation")},
	"CoreMetadata": {custom: true, builtin: true, show: after("", "", func(t *testing.T, api *rest.API) string {
		return apitest.Do(t, api, "PATCH", trials+"/there", `{"metadata":{"generateName":"A_"}}`, "Content-Type",
			apitest.TypeMergePatch).Brief(t)
	})},
	"FinalizerWarnings": {custom: true, also: "CoreMetadata", show: func(t *testing.T, api *rest.API) string {
		return fmt.Sprint(apitest.Do(t, api, "POST", trials,
			trial("a", `,"finalizers":["bare"]`, "")).Header.Values("Warning"))
	}},
	"EmptyFinalizersKept": {custom: true, builtin: true, show: func(t *testing.T, api *rest.API) string {
		apitest.Must(t, api, "POST", trials, trial("graceful", `,"finalizers":["orphan"]`, ""))
		apitest.Must(t, api, "DELETE", trials+"/graceful?propagationPolicy=Background", "")
		return of("GET", trials+"/graceful", "", "metadata.finalizers")(t, api)
	}},
	"EmptyManagersUnset": {custom: true, builtin: true, show: after("", "", func(t *testing.T, api *rest.API) string {
		a := apitest.Do(t, api, "PATCH", trials+"/there?fieldManager=other",
			`{"metadata":{"managedFields":[]},"spec":{"on":true}}`, "Content-Type", apitest.TypeMergePatch)
		return fmt.Sprint(a.Code, strings.Count(a.Body, `"manager"`))
	})},
	"UnconditionalUpdate": {custom: true, builtin: true,
		show: after("", "", of("PUT", trials+"/there", trial("there", "", `,"on":true`), "message"))},
	"StatusMetadata": {custom: true, builtin: true, show: after("", "", func(t *testing.T, api *rest.API) string {
		a := apitest.Do(t, api, "PATCH", trials+"/there/status", `{"metadata":{"labels":{"a":"b"}},"status":{"replicas":1}}`,
			"Content-Type", apitest.TypeMergePatch)
		return fmt.Sprint(a.Code, strings.Contains(a.Body, `"labels":`))
	})},
	"StatusPrepared": {custom: true, builtin: true,
		show: after("", "", of("PATCH", trials+"/there", `{"metadata":{"annotations":{"replicas":"7"}}}`, "status.replicas",
			"Content-Type", apitest.TypeMergePatch))},
	"HooksOwn": {custom: true, builtin: true, show: func(t *testing.T, api *rest.API) string {
		a := apitest.Do(t, api, "POST", trials, trial("a", `,"annotations":{"counts":"7"}`, ""))
		return fmt.Sprint(a.Value(t, "spec.count"), strings.Contains(a.Body, `"f:count":`))
	}},
	"CountsChecked": {custom: true, builtin: true, show: of("POST", trials, trial("a", "", `,"replicas":-1`), "message")},
	"GroupInKey": {custom: true, builtin: true, show: after("", "", func(t *testing.T, api *rest.API) string {
		return apitest.Do(t, api, "PATCH", trials+"/there", `{"metadata":{"uid":"other","resourceVersion":"2"}}`,
			"Content-Type", apitest.TypeMergePatch).Brief(t) +
			apitest.Do(t, api, "PUT", trials+"/there", trial("there", `,"uid":"other","resourceVersion":"2"`, "")).Brief(t)
	})},
	"StrategicMerge": {custom: true, builtin: true,
		show: after("", "", of("PATCH", trials+"/there", `{"spec":{"on":true}}`, "spec", "Content-Type",
			"application/strategic-merge-patch+json"))},
	"PatchedKindInvalid": {custom: true, builtin: true, show: after("", "", func(t *testing.T, api *rest.API) string {
		a := apitest.Do(t, api, "PATCH", trials+"/there", `{"kind":"Other"}`, "Content-Type", apitest.TypeMergePatch)
		return fmt.Sprint(a.Code, strings.Contains(a.Body, "must be Trial"))
	})},
	"AppliedNullsOwned": {custom: true, builtin: true, show: func(t *testing.T, api *rest.API) string {
		return apitest.Do(t, api, "PATCH", trials+"/a?fieldManager=m", trial("a", "", `,"count":null`), "Content-Type",
			"application/apply-patch+yaml").Brief(t)
	}},
	"AppliedMetaLenient": {custom: true, builtin: true, show: func(t *testing.T, api *rest.API) string {
		return apitest.Do(t, api, "PATCH", trials+"/a?fieldManager=m", trial("a", `,"creationTimestamp":"noon"`, ""),
			"Content-Type", "application/apply-patch+yaml").Brief(t)
	}},
	"DeclaredOrder": {custom: true, builtin: true, show: after("", `,"count":1`, func(t *testing.T, api *rest.API) string {
		a := apitest.Do(t, api, "PATCH", trials+"/there", `[{"op":"replace","path":"/metadata/name","value":5}]`,
			"Content-Type", apitest.TypeJSONPatch)
		return fmt.Sprint(a.Code, strings.LastIndex(a.Body, "needed") < strings.LastIndex(a.Body, "count"))
	})},
	"ItemKinds": {custom: true, builtin: true, show: after("", "", of("GET", trials, "", "items.kind"))},
	"EmptyContinue": {custom: true, builtin: true, show: after("", "", func(t *testing.T, api *rest.API) string {
		return fmt.Sprint(strings.Contains(apitest.Do(t, api, "GET", trials, "").Body, `"continue":""`))
	})},
	"AgeColumn": {custom: true, builtin: true, show: func(t *testing.T, api *rest.API) string {
		a := apitest.Do(t, api, "GET", trials, "", "Accept", "application/json;as=Table;g=meta.k8s.io;v=v1")
		return fmt.Sprint(strings.Contains(a.Body, `"name":"Age"`), strings.Contains(a.Body, `"name":"Created At"`))
	}},
	"ZeroSelectable": {custom: true, builtin: true, show: after("", "", func(t *testing.T, api *rest.API) string {
		return fmt.Sprint(strings.Contains(apitest.Do(t, api, "GET", trials+"?fieldSelector=spec.on%3Dfalse", "").Body,
			`"there"`))
	})},
	"LabelsListed": {custom: true, builtin: true,
		show: of("GET", strings.Replace(trials, "trials", "plaintrials", 1)+"?fieldSelector=text%3Da", "", "message")},
	"HeadServed": {custom: true, builtin: true, show: func(t *testing.T, api *rest.API) string {
		return fmt.Sprint(apitest.Do(t, api, http.MethodHead, trials, "").Code)
	}},
	"MethodsNamed": {custom: true, builtin: true, show: of("BREW", trials, "", "message")},
	"ObjectBlamed": {custom: true, builtin: true,
		show: after("", "", of("GET", trials+"/there/none", "", "message"))},
	"MediaRefusedByRoute": {custom: true, builtin: true,
		show: after("", "", of("GET", trials+"/there", "", "message", "Accept", "text/csv"))},
	"VerbsRefusedByRoute": {custom: true, builtin: true,
		show: after("", "", of("DELETE", trials+"/there/status", "", "message"))},
	"UnstructuredNames": {custom: true, builtin: true, show: after("", "", of("GET", trials+"/there", "", "message",
		"Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"))},
	"InScheme": {builtin: true, also: "KindRequired",
		show: of("POST", trials, `{"apiVersion":"example.com/v1","kind":"PlainTrial","metadata":{"name":"a"}}`, "message")},
	"BriefDiscovery": {custom: true, builtin: true, show: func(t *testing.T, api *rest.API) string {
		return apitest.Do(t, api, "GET", "/apis/example.com/v1", "").Body
	}},
}

// A switch of a dialect changes its own rule and no other.
func TestEachSwitchOfADialectChangesOneRule(t *testing.T) {
	for _, base := range []struct {
		name    string
		dialect rest.Dialect
		rules   *upstream.Dialect
		seen    func(probe) bool
	}{
		{"Custom", rest.DialectCustom, &upstream.Custom, func(p probe) bool { return p.custom }},
		{"Builtin", rest.DialectBuiltin, &upstream.Builtin, func(p probe) bool { return p.builtin }},
	} {
		shown := map[string]string{}
		for name, p := range probes {
			shown[name] = p.show(t, newTrials(t, base.dialect))
		}
		rules := reflect.ValueOf(base.rules).Elem()
		for i := range rules.NumField() {
			flipped := rules.Type().Field(i).Name
			t.Run(base.name+"/"+flipped, func(t *testing.T) {
				require.Contains(t, probes, flipped, "the switch has no probe")
				rules.Field(i).SetBool(!rules.Field(i).Bool())
				defer rules.Field(i).SetBool(!rules.Field(i).Bool())
				for name, p := range probes {
					switch now := p.show(t, newTrials(t, base.dialect)); {
					case name == flipped && base.seen(p):
						assert.NotEqual(t, shown[name], now, "the switch changes nothing")
					case name != flipped && !strings.Contains(p.also, flipped):
						assert.Equal(t, shown[name], now, "the switch changes what %s decides", name)
					}
				}
			})
		}
	}
}

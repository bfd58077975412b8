package service_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// Pump is a kind whose versions say zero in different words.
type Pump struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               PumpSpec `json:"spec"`
}

type PumpSpec struct {
	Replicas int32    `json:"replicas,omitempty" api:"default=3,min=0"`
	Enabled  bool     `json:"enabled,omitempty" api:"default=true"`
	Tier     string   `json:"tier,omitempty" api:"default=gold"`
	Limit    int32    `json:"limit,omitempty"`
	Tags     []string `json:"tags,omitempty"`
	Valves   []Valve  `json:"valves,omitempty" api:"list=map,key=name"`
}

type Valve struct {
	Name   string `json:"name"`
	Size   int32  `json:"size,omitempty" api:"default=5"`
	Finish string `json:"finish,omitempty"`
}

// PumpV1beta1 counts and disables, has no tier, and calls its valves parts.
type PumpV1beta1 struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               PumpV1beta1Spec `json:"spec"`
}

type PumpV1beta1Spec struct {
	Count    int32      `json:"count,omitempty" api:"default=3,min=0"`
	Disabled bool       `json:"disabled,omitempty"`
	Limit    int32      `json:"limit,omitempty"`
	Tags     []string   `json:"tags,omitempty"`
	Parts    []PumpPart `json:"parts,omitempty" api:"list=map,key=name"`
}

// PumpPart is a Valve without a finish.
type PumpPart struct {
	Name string `json:"name"`
	Size int32  `json:"size,omitempty" api:"default=5"`
}

const (
	pumps     = "/apis/example.com/v1/namespaces/default/pumps"
	betaPumps = "/apis/example.com/v1beta1/namespaces/default/pumps"
)

func pumpResource() rest.Resource[Pump] {
	return rest.Resource[Pump]{Group: "example.com", Version: "v1", Plural: "pumps", Versions: []rest.VersionOf[Pump]{
		rest.Converted(rest.Resource[PumpV1beta1]{Version: "v1beta1"},
			func(in *PumpV1beta1, out *Pump) error {
				out.Spec = PumpSpec{Replicas: in.Spec.Count, Enabled: !in.Spec.Disabled, Limit: in.Spec.Limit, Tags: in.Spec.Tags}
				for _, p := range in.Spec.Parts {
					out.Spec.Valves = append(out.Spec.Valves, Valve{Name: p.Name, Size: p.Size})
				}
				return nil
			},
			func(in *Pump, out *PumpV1beta1) error {
				out.Spec = PumpV1beta1Spec{Count: in.Spec.Replicas, Disabled: !in.Spec.Enabled, Limit: in.Spec.Limit,
					Tags: in.Spec.Tags}
				for _, v := range in.Spec.Valves {
					out.Spec.Parts = append(out.Spec.Parts, PumpPart{Name: v.Name, Size: v.Size})
				}
				return nil
			}),
	}}
}

// betaPumpResource is the declaration of version v1beta1 for a client over HTTP.
func betaPumpResource() rest.Resource[PumpV1beta1] {
	return rest.Resource[PumpV1beta1]{Group: "example.com", Version: "v1beta1", Plural: "pumps",
		Names: rest.Names{Kind: "Pump"}}
}

func pumpBody(version, spec string) string {
	return fmt.Sprintf(`{"apiVersion":"example.com/%s","kind":"Pump","metadata":{"name":"a"},"spec":%s}`, version, spec)
}

// A zero that is sent in one version is that zero in every other.
func TestZerosInEveryVersion(t *testing.T) { apitest.OverBoth(t, testZerosInEveryVersion) }

func testZerosInEveryVersion(t *testing.T, by apitest.Transport) {
	for _, c := range []struct{ name, stored, shown string }{
		{"nothing", `{"replicas":3,"enabled":true,"tier":"gold"}`, `{"count":3}`},
		{"zeros", `{"replicas":0,"enabled":false,"tier":"gold"}`, `{"count":0,"disabled":true}`},
		{"one of them", `{"replicas":3,"enabled":false,"tier":"gold"}`, `{"count":3,"disabled":true}`},
		{"the other", `{"replicas":0,"enabled":true,"tier":"gold"}`, `{"count":0}`},
		{"zeros without a default", `{"replicas":1,"enabled":true,"tier":"gold","limit":0,"tags":[]}`,
			`{"count":1,"limit":0,"tags":[]}`},
		{"in elements", `{"replicas":0,"enabled":true,"tier":"gold","valves":[{"name":"a","size":0},{"name":"b","size":1}]}`,
			`{"count":0,"parts":[{"name":"a","size":0},{"name":"b","size":1}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := func(api *rest.API, target string) string {
				out, err := json.Marshal(apitest.Must(t, api, "GET", target+"/a", "").Value(t, "spec"))
				require.NoError(t, err)
				return string(out)
			}
			for _, written := range []struct{ target, version, spec string }{{pumps, "v1", c.stored},
				{betaPumps, "v1beta1", c.shown}} {
				api := apitest.New(t, rest.Options{}, pumpResource())
				apitest.Must(t, api, "POST", written.target, pumpBody(written.version, written.spec))
				assert.JSONEq(t, c.stored, spec(api, pumps), "written in %s", written.version)
				assert.JSONEq(t, c.shown, spec(api, betaPumps), "written in %s", written.version)
				for _, target := range []string{pumps, betaPumps} {
					apitest.Must(t, api, "PATCH", target+"/a", `{"metadata":{"labels":{"`+written.version+`":"x"}}}`, "Content-Type",
						apitest.TypeMergePatch)
				}
				client := apitest.ClientBy(t, by, api, betaPumpResource()).Namespace("default")
				p, err := client.Get(t.Context(), "a")
				require.NoError(t, err)
				p.Labels["typed"] = "x"
				p, err = client.Update(t.Context(), p)
				require.NoError(t, err)
				assert.JSONEq(t, c.stored, spec(api, pumps), "after writes in %s", written.version)
				assert.JSONEq(t, c.shown, spec(api, betaPumps), "after writes in %s", written.version)

				p.Spec.Count, p.Spec.Disabled = 0, true
				_, err = client.Update(t.Context(), p)
				require.NoError(t, err)
				got := apitest.Must(t, api, "GET", pumps+"/a", "")
				assert.Equal(t, []any{0.0, false}, []any{got.Value(t, "spec.replicas"), got.Value(t, "spec.enabled")})
			}
		})
	}
}

// A field that a client leaves out gets the default of the stored version.
func TestDefaultsOfTheStoredVersion(t *testing.T) {
	api := apitest.New(t, rest.Options{}, pumpResource())
	apitest.Must(t, api, "POST", betaPumps, pumpBody("v1beta1", `{"parts":[{"name":"a"}]}`))
	got, err := json.Marshal(apitest.Must(t, api, "GET", pumps+"/a", "").Value(t, "spec"))
	require.NoError(t, err)
	assert.JSONEq(t, `{"replicas":3,"enabled":true,"tier":"gold","valves":[{"name":"a","size":5}]}`, string(got))
}

// Fields that a version lacks stay in the elements of a keyed list.
func TestElementsKeepFieldsThatAVersionLacks(t *testing.T) {
	api := apitest.New(t, rest.Options{}, pumpResource())
	apitest.Must(t, api, "POST", pumps,
		pumpBody("v1", `{"valves":[{"name":"a","finish":"brass"},{"name":"b","finish":"steel","size":0},{"name":"c","finish":"tin"}]}`))
	apitest.Must(t, api, "PATCH", betaPumps+"/a",
		`{"spec":{"parts":[{"name":"new"},{"name":"c","size":5},{"name":"b","size":7}]}}`, "Content-Type",
		apitest.TypeMergePatch)
	got, err := json.Marshal(apitest.Must(t, api, "GET", pumps+"/a", "").Value(t, "spec.valves"))
	require.NoError(t, err)
	assert.JSONEq(t, `[{"name":"new","size":5},{"name":"c","size":5,"finish":"tin"},{"name":"b","size":7,"finish":"steel"}]`, string(got))
}

// A hook that works in another version than that of the request sees zeros and sets them.
func TestHookInAnotherVersionSetsZeros(t *testing.T) {
	hook := apitest.Mutating("m", func(_ context.Context, r *admission.Request) error {
		var p Pump
		if err := r.Object(&p); err != nil {
			return err
		}
		if p.Spec.Replicas != 0 || p.Spec.Tier != "gold" {
			return fmt.Errorf("sees %v", p.Spec)
		}
		p.Spec.Enabled, p.Spec.Tier = false, ""
		return r.SetObject(&p)
	})
	api := apitest.New(t, rest.Options{Admission: []admission.Hook{hook}}, pumpResource())
	made := apitest.Do(t, api, "POST", betaPumps, pumpBody("v1beta1", `{"count":0,"limit":0}`))
	require.Equal(t, 201, made.Code, made.Body)
	assert.Equal(t, map[string]any{"count": 0.0, "limit": 0.0, "disabled": true}, made.Value(t, "spec"))
	assert.Equal(t, map[string]any{"replicas": 0.0, "limit": 0.0, "enabled": false, "tier": ""},
		apitest.Do(t, api, "GET", pumps+"/a", "").Value(t, "spec"))
}

// FuzzVersionsKeepZeros writes a random Pump in one version and compares what typed clients of both read.
func FuzzVersionsKeepZeros(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		by := apitest.Transports[seed%2]
		r := rand.New(rand.NewPCG(seed, 1))
		maybe := func(member string, values ...string) string {
			if r.IntN(3) == 0 {
				return ""
			}
			return `"` + member + `":` + values[r.IntN(len(values))] + ","
		}
		object := func(members ...string) string { return "{" + strings.TrimSuffix(strings.Join(members, ""), ",") + "}" }
		part := func(name string) string { return object(`"name":"`+name+`",`, maybe("size", "0", "1", "5")) }
		spec := object(maybe("count", "0", "1", "3"), maybe("disabled", "true", "false"), maybe("limit", "0", "1"),
			maybe("tags", "[]", `["a",""]`), `"parts":[`+part("a")+","+part("b")+"]")
		want := PumpV1beta1Spec{Count: 3, Parts: []PumpPart{{Size: 5}, {Size: 5}}}
		require.NoError(t, json.Unmarshal([]byte(spec), &want))

		api := apitest.New(t, rest.Options{}, pumpResource())
		beta, stored := apitest.ClientBy(t, by, api, betaPumpResource()).Namespace("default"),
			apitest.ClientBy(t, by, api, pumpResource()).Namespace("default")
		apitest.Must(t, api, "POST", betaPumps, pumpBody("v1beta1", spec))
		check := func() {
			b, err := beta.Get(t.Context(), "a")
			require.NoError(t, err)
			require.Equal(t, want, b.Spec, spec)
			p, err := stored.Get(t.Context(), "a")
			require.NoError(t, err)
			require.Equal(t, []any{want.Count, !want.Disabled, "gold", want.Limit},
				[]any{p.Spec.Replicas, p.Spec.Enabled, p.Spec.Tier, p.Spec.Limit}, spec)
			for i, v := range p.Spec.Valves {
				require.Equal(t, want.Parts[i], PumpPart{v.Name, v.Size}, spec)
			}
		}
		check()
		b, err := beta.Get(t.Context(), "a")
		require.NoError(t, err)
		same, err := beta.Update(t.Context(), b)
		require.NoError(t, err)
		require.Equal(t, b.ResourceVersion, same.ResourceVersion, "nothing has changed")

		want.Count, want.Disabled = want.Count-1, !want.Disabled
		want.Count = max(want.Count, 0)
		_, err = beta.Modify(t.Context(), "a", func(p *PumpV1beta1) error {
			p.Spec.Count, p.Spec.Disabled = want.Count, want.Disabled
			return nil
		})
		require.NoError(t, err)
		check()
	})
}

package write_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// Crane is a kind without defaults. Its versions have other words for everything, and Go omits every zero in v2.
type Crane struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               CraneSpec `json:"spec"`
}

type CraneSpec struct {
	Replicas int32                 `json:"replicas"`
	Reach    int32                 `json:"reach,omitempty"`
	Enabled  bool                  `json:"enabled,omitempty"`
	Mode     string                `json:"mode,omitempty" api:"enum=On|Off"`
	Note     string                `json:"note,omitempty"`
	Marks    []string              `json:"marks,omitempty"`
	Limits   map[string]int32      `json:"limits,omitempty"`
	Maybe    *int32                `json:"maybe,omitempty"`
	Motor    CraneMotor            `json:"motor,omitzero"`
	Hooks    []CraneHook           `json:"hooks,omitempty"`
	Ropes    []CraneHook           `json:"ropes,omitempty" api:"list=map,key=name"`
	Motors   map[string]CraneMotor `json:"motors,omitempty"`
}

type CraneMotor struct {
	Watts int32 `json:"watts,omitempty"`
	Loud  bool  `json:"loud,omitempty"`
}

type CraneHook struct {
	Name  string `json:"name"`
	Grams int32  `json:"grams,omitempty"`
	Fixed bool   `json:"fixed,omitempty"`
}

// CraneV2 is a Crane in other words.
type CraneV2 struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               CraneSpecV2 `json:"spec"`
}

type CraneSpecV2 struct {
	Count    int32                    `json:"count,omitempty"`
	Radius   int32                    `json:"radius,omitempty"`
	Disabled bool                     `json:"disabled,omitempty"`
	Active   bool                     `json:"active,omitempty"`
	Remark   string                   `json:"remark,omitempty"`
	Tags     []string                 `json:"tags,omitempty"`
	Bounds   map[string]int32         `json:"bounds,omitempty"`
	Perhaps  *int32                   `json:"perhaps,omitempty"`
	Engine   CraneEngineV2            `json:"engine,omitzero"`
	Grips    []CraneGripV2            `json:"grips,omitempty"`
	Lines    []CraneGripV2            `json:"lines,omitempty" api:"list=map,key=title"`
	Engines  map[string]CraneEngineV2 `json:"engines,omitempty"`
	Hint     string                   `json:"hint,omitempty"` // v1 has no words for it
}

type CraneEngineV2 struct {
	Power int32 `json:"power,omitempty"`
	Noisy bool  `json:"noisy,omitempty"`
}

type CraneGripV2 struct {
	Title  string `json:"title"`
	Weight int32  `json:"weight,omitempty"`
	Loose  bool   `json:"loose,omitempty"`
}

const (
	cranes   = "/apis/example.com/v1/namespaces/default/cranes"
	cranesV2 = "/apis/example.com/v2/namespaces/default/cranes"
)

func craneResource() rest.Resource[Crane] {
	return rest.Resource[Crane]{Group: "example.com", Version: "v1", Plural: "cranes", Versions: []rest.VersionOf[Crane]{
		rest.Converted(rest.Resource[CraneV2]{Version: "v2"}, craneToStored, craneFromStored),
	}}
}

func craneToStored(in *CraneV2, out *Crane) error {
	s := in.Spec
	out.Spec = CraneSpec{Replicas: s.Count, Reach: s.Radius, Enabled: !s.Disabled, Note: s.Remark, Marks: s.Tags,
		Limits: s.Bounds, Maybe: s.Perhaps, Motor: CraneMotor{Watts: s.Engine.Power, Loud: s.Engine.Noisy}, Mode: "Off"}
	if s.Active {
		out.Spec.Mode = "On"
	}
	for _, g := range s.Grips {
		out.Spec.Hooks = append(out.Spec.Hooks, CraneHook{Name: g.Title, Grams: g.Weight, Fixed: !g.Loose})
	}
	for _, g := range s.Lines {
		out.Spec.Ropes = append(out.Spec.Ropes, CraneHook{Name: g.Title, Grams: g.Weight, Fixed: !g.Loose})
	}
	for name, e := range s.Engines {
		if out.Spec.Motors == nil {
			out.Spec.Motors = map[string]CraneMotor{}
		}
		out.Spec.Motors[name] = CraneMotor{Watts: e.Power, Loud: e.Noisy}
	}
	return nil
}

func craneFromStored(in *Crane, out *CraneV2) error {
	s := in.Spec
	out.Spec = CraneSpecV2{Count: s.Replicas, Radius: s.Reach, Disabled: !s.Enabled, Remark: s.Note, Tags: s.Marks,
		Bounds: s.Limits, Perhaps: s.Maybe, Engine: CraneEngineV2{Power: s.Motor.Watts, Noisy: s.Motor.Loud}}
	switch s.Mode {
	case "On":
		out.Spec.Active = true
	case "Off", "":
	default:
		return fmt.Errorf("mode %q", s.Mode)
	}
	for _, h := range s.Hooks {
		out.Spec.Grips = append(out.Spec.Grips, CraneGripV2{Title: h.Name, Weight: h.Grams, Loose: !h.Fixed})
	}
	for _, h := range s.Ropes {
		out.Spec.Lines = append(out.Spec.Lines, CraneGripV2{Title: h.Name, Weight: h.Grams, Loose: !h.Fixed})
	}
	for name, m := range s.Motors {
		if out.Spec.Engines == nil {
			out.Spec.Engines = map[string]CraneEngineV2{}
		}
		out.Spec.Engines[name] = CraneEngineV2{Power: m.Watts, Noisy: m.Loud}
	}
	return nil
}

func craneBody(version, spec string) string {
	return fmt.Sprintf(`{"apiVersion":"example.com/%s","kind":"Crane","metadata":{"name":"a"},"spec":%s}`, version, spec)
}

// specOf returns the spec of an object as JSON.
func specOf(t *testing.T, api *rest.API, target string) string {
	t.Helper()
	out, err := json.Marshal(apitest.Must(t, api, "GET", target+"/a", "").Value(t, "spec"))
	require.NoError(t, err)
	return string(out)
}

// A client finds every zero that it has sent, although Go omits it and the stored version has another word for it.
func TestSentZerosAreShown(t *testing.T) {
	for _, c := range []struct{ name, sent, stored string }{
		{"number", `{"count":0}`, `{"replicas":0}`},
		{"number that both versions omit", `{"radius":0}`, `{"replicas":0,"reach":0}`},
		{"text", `{"remark":""}`, `{"replicas":0,"note":""}`},
		{"list", `{"tags":[]}`, `{"replicas":0,"marks":[]}`},
		{"map", `{"bounds":{}}`, `{"replicas":0,"limits":{}}`},
		{"number in a map", `{"bounds":{"a":0}}`, `{"replicas":0,"limits":{"a":0}}`},
		{"pointer", `{"perhaps":0}`, `{"replicas":0,"maybe":0}`},
		{"struct", `{"engine":{"power":0,"noisy":false}}`, `{"replicas":0,"motor":{"watts":0,"loud":false}}`},
		{"empty struct", `{"engine":{}}`, `{"replicas":0,"motor":{}}`},
		{"elements", `{"grips":[{"title":"a","weight":0},{"title":"b"}]}`,
			`{"replicas":0,"hooks":[{"name":"a","grams":0,"fixed":true},{"name":"b","fixed":true}]}`},
		{"structs in a map", `{"engines":{"a":{"power":0},"b":{}}}`, `{"replicas":0,"motors":{"a":{"watts":0},"b":{}}}`},
		{"opposite", `{"disabled":false}`, `{"replicas":0}`},
		{"opposite in a keyed list", `{"lines":[{"title":"a","loose":false},{"title":"b"}]}`,
			`{"replicas":0,"ropes":[{"name":"a","fixed":true},{"name":"b","fixed":true}]}`},
		{"another type", `{"active":false}`, `{"replicas":0}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := apitest.New(t, rest.Options{}, craneResource())
			created := apitest.Must(t, api, "POST", cranesV2, craneBody("v2", c.sent))
			var stored, want map[string]any
			require.NoError(t, json.Unmarshal([]byte(specOf(t, api, cranes)), &stored))
			require.NoError(t, json.Unmarshal([]byte(c.stored), &want))
			delete(stored, "mode")
			if !strings.Contains(c.sent, "disabled") {
				delete(stored, "enabled")
			} else {
				want["enabled"] = true
			}
			assert.Equal(t, want, stored)
			wantShown(t, api, c.sent, created.Value(t, "metadata.resourceVersion"))
		})
	}
}

// A conversion that loses a field does not turn it into a zero.
func TestFieldThatAConversionLosesIsNotZero(t *testing.T) {
	api := apitest.New(t, rest.Options{}, craneResource())
	for sent, want := range map[string]any{`{"hint":"left"}`: nil, `{"hint":""}`: ""} {
		a := apitest.Must(t, api, "POST", cranesV2, craneBody("v2", sent))
		assert.Equal(t, want, a.Value(t, "spec.hint"))
		assert.Equal(t, want, apitest.Must(t, api, "GET", cranesV2+"/a", "").Value(t, "spec.hint"))
		apitest.Must(t, api, "DELETE", cranesV2+"/a", "")
	}
}

// wantShown checks that each way of reading v2 shows what was sent, and that sending it again changes nothing.
func wantShown(t *testing.T, api *rest.API, sent string, revision any) {
	t.Helper()
	covers := func(how string, shown any) {
		t.Helper()
		out, err := json.Marshal(shown)
		require.NoError(t, err)
		if !containsJSON(t, string(out), sent) {
			assert.Fail(t, how, "%s lacks a part of %s", out, sent)
		}
	}
	covers("get", apitest.Must(t, api, "GET", cranesV2+"/a", "").Value(t, "spec"))
	covers("list", apitest.Must(t, api, "GET", cranesV2, "").Value(t, "items.0.spec"))
	again := apitest.Must(t, api, "PATCH", cranesV2+"/a", `{"spec":`+sent+`}`, "Content-Type", apitest.TypeMergePatch)
	covers("patch", again.Value(t, "spec"))
	assert.Equal(t, revision, again.Value(t, "metadata.resourceVersion"), "the patch changes nothing")
	put := apitest.Must(t, api, "PUT", cranesV2+"/a", string(apitest.Must(t, api, "GET", cranesV2+"/a", "").Body))
	assert.Equal(t, revision, put.Value(t, "metadata.resourceVersion"), "writing back what was read changes nothing")
	for range 2 {
		apply := apitest.Must(t, api, "PATCH", cranesV2+"/a?fieldManager=gitops&force=true", craneBody("v2", sent),
			"Content-Type", apitest.TypeApply)
		covers("apply", apply.Value(t, "spec"))
	}
	apitest.Must(t, api, "PATCH", cranes+"/a", `{"metadata":{"labels":{"x":"y"}}}`, "Content-Type", apitest.TypeMergePatch)
	covers("after a write in v1", apitest.Must(t, api, "GET", cranesV2+"/a", "").Value(t, "spec"))
}

// containsJSON reports whether a JSON text has all that another one has.
func containsJSON(t *testing.T, text, part string) bool {
	t.Helper()
	var v, p any
	require.NoError(t, json.Unmarshal([]byte(text), &v))
	require.NoError(t, json.Unmarshal([]byte(part), &p))
	return containsValue(v, p)
}

func containsValue(v, part any) bool {
	switch part := part.(type) {
	case map[string]any:
		of, ok := v.(map[string]any)
		for key, value := range part {
			child, has := of[key]
			ok = ok && has && containsValue(child, value)
		}
		return ok
	case []any:
		of, ok := v.([]any)
		return ok && slices.EqualFunc(of, part, containsValue)
	}
	return v == part
}

// FuzzSentZerosAreShown sends a random Crane in v2.
func FuzzSentZerosAreShown(f *testing.F) {
	for seed := range uint64(60) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 2))
		maybe := func(member string, values ...string) string {
			if r.IntN(2) == 0 {
				return ""
			}
			return `"` + member + `":` + values[r.IntN(len(values))] + ","
		}
		object := func(members ...string) string { return "{" + strings.TrimSuffix(strings.Join(members, ""), ",") + "}" }
		engine := func() string { return object(maybe("power", "0", "1"), maybe("noisy", "false", "true")) }
		grip := func(title string) string {
			return object(`"title":"`+title+`",`, maybe("weight", "0", "1"))
		}
		line := func(title string) string {
			return object(`"title":"`+title+`",`, maybe("weight", "0", "1"), maybe("loose", "false", "true"))
		}
		sent := object(maybe("count", "0", "1"), maybe("radius", "0", "7"), maybe("disabled", "false", "true"),
			maybe("active", "false", "true"), maybe("remark", `""`, `"x"`), maybe("tags", "[]", `["",""]`, `["a"]`),
			maybe("bounds", "{}", `{"a":0,"b":1}`), maybe("perhaps", "0", "3"), maybe("engine", engine()),
			maybe("grips", "[]", "["+grip("a")+","+grip("a")+"]"), maybe("lines", "[]", "["+line("a")+","+line("b")+"]"),
			maybe("engines", "{}", `{"a":`+engine()+`,"b":`+engine()+"}"))
		api := apitest.New(t, rest.Options{}, craneResource())
		created := apitest.Must(t, api, "POST", cranesV2, craneBody("v2", sent))
		wantShown(t, api, sent, created.Value(t, "metadata.resourceVersion"))
	})
}

package webhook_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/admission"
)

func TestPatches(t *testing.T) {
	big := `[` + strings.TrimSuffix(strings.Repeat(`{"op":"add","path":"/spec/teeth","value":1},`, 10_001), ",") + `]`
	for _, c := range []struct {
		name    string
		answer  response
		code    int
		message string
		spec    any
	}{
		{"no patch", response{"allowed": true}, 201, "", map[string]any{"teeth": 1.0}},
		{"an empty patch", patched(`[]`)(nil), 201, "", map[string]any{"teeth": 1.0}},
		{"a patch", patched(`[{"op":"add","path":"/spec/material","value":"brass"},{"op":"replace","path":"/spec/teeth","value":2}]`)(nil), 201,
			"", map[string]any{"teeth": 2.0, "material": "brass"}},
		{"a patch of an unknown field", patched(`[{"op":"add","path":"/spec/nothing","value":1}]`)(nil), 201, "",
			map[string]any{"teeth": 1.0}},
		{"a patch of fields that the server sets",
			patched(`[{"op":"add","path":"/metadata/uid","value":"x"},{"op":"replace","path":"/metadata/name","value":"b"},{"op":"replace","path":"/kind","value":"Other"}]`)(nil), 201, "", map[string]any{"teeth": 1.0}},
		{"a patch whose result is invalid", patched(`[{"op":"replace","path":"/spec/teeth","value":101}]`)(nil), 422,
			`Gear.example.com "a" is invalid: spec.teeth: Invalid value: 101: spec.teeth in body should be less than or equal to 100`, nil},
		{"a patch that does not apply", patched(`[{"op":"remove","path":"/spec/nothing"}]`)(nil), 500,
			`Internal error occurred: operation 0, remove "/spec/nothing": `, nil},
		{"a patch to a list", patched(`[{"op":"replace","path":"","value":[]}]`)(nil), 500,
			`Internal error occurred: admission webhook "patch.example.com" returned a patch whose result is not an object`,
			nil},
		{"not a patch", patched(`{"op":"add"}`)(nil), 500,
			`Internal error occurred: failed calling webhook "patch.example.com": received undecodable patch in webhook response: `, nil},
		{"too large a patch", patched(big)(nil), 500,
			`Internal error occurred: failed calling webhook "patch.example.com": received undecodable patch in webhook response: `, nil},
		{"a patch without a type", response{"allowed": true, "patch": []byte(`[]`)}, 500,
			`Internal error occurred: failed calling webhook "patch.example.com": received invalid webhook response: webhook returned response.patch but not response.patchType`, nil},
		{"a type without a patch", response{"allowed": true, "patchType": "JSONPatch"}, 500,
			`Internal error occurred: failed calling webhook "patch.example.com": received invalid webhook response: webhook returned response.patchType but not response.patch`, nil},
		{"an empty type", response{"allowed": true, "patch": []byte(`[]`), "patchType": ""}, 500,
			`Internal error occurred: failed calling webhook "patch.example.com": received invalid webhook response: webhook returned invalid response.patchType of ""`, nil},
		{"an unknown type", response{"allowed": true, "patch": []byte(`[{"op":"add","path":"/spec/teeth","value":2}]`),
			"patchType": "Merge"}, 500,
			`Internal error occurred: failed calling webhook "patch.example.com": unsupported patch type "Merge"`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.answers("/patch", func(request) response { return c.answer })
			w.mutating("patch", hook{path: "/patch"})
			a := w.do("POST", gears, gear("a", `"teeth":1`))
			assert.Equal(t, c.code, a.code)
			assert.True(t, strings.HasPrefix(a.message(), c.message), a.message())
			assert.Equal(t, c.spec, a.spec())
		})
	}
}

// A patch that the Go type of a built-in kind cannot hold is a fault of the server.
func TestPatchOfABuiltinKind(t *testing.T) {
	w := newWorld(t)
	w.answers("/patch", patched(`[{"op":"add","path":"/lines","value":"many"}]`))
	w.mutating("patch", hook{path: "/patch", more: everything})
	a := w.do("POST", memos, `{"metadata":{"name":"a"}}`)
	assert.Equal(t, 500, a.code)
	assert.Contains(t, a.message(), "Internal error occurred: ")
}

// A deletion has no object to change.
func TestPatchOfADeletion(t *testing.T) {
	w := newWorld(t)
	w.must("POST", gears, gear("a", ""))
	w.answers("/patch", patched(`[{"op":"add","path":"/spec","value":{}}]`))
	w.mutating("patch", hook{path: "/patch"})
	a := w.do("DELETE", gears+"/a", "")
	assert.Equal(t,
		`Internal error occurred: admission webhook "patch.example.com" attempted to modify the object, which is not supported for this operation`, a.message())
	w.answers("/patch", allow)
	w.must("DELETE", gears+"/a", "")
}

// A validating webhook cannot patch.
func TestPatchOfAValidatingWebhook(t *testing.T) {
	for _, c := range []struct {
		answer response
		want   string
	}{
		{patched(`[]`)(nil), "validating webhook may not return response.patch"},
		{response{"allowed": true, "patchType": "JSONPatch"}, "validating webhook may not return response.patchType"},
	} {
		w := newWorld(t)
		w.answers("/patch", func(request) response { return c.answer })
		w.validating("patch", hook{path: "/patch"})
		assert.Equal(t, `Internal error occurred: failed calling webhook "patch.example.com": received invalid webhook response: `+c.want,
			w.do("POST", gears, gear("a", "")).message())
	}
}

// A webhook sees the object in the version that its rule names, and its patch reaches the version of the request.
func TestPatchInAnotherVersion(t *testing.T) {
	w := newWorld(t)
	version := any(nil)
	w.answers("/patch", func(r request) response {
		version = r["object"].(map[string]any)["apiVersion"]
		return patched(`[{"op":"add","path":"/spec/material","value":"brass"}]`)(r)
	})
	w.mutating("patch", hook{path: "/patch"})
	a := w.must("POST", "/apis/example.com/v1beta1/namespaces/default/gears",
		strings.Replace(gear("a", ""), "/v1", "/v1beta1", 1))
	assert.Equal(t, "example.com/v1", version)
	assert.Equal(t, "example.com/v1beta1", a.body["apiVersion"])
	assert.Equal(t, map[string]any{"material": "brass"}, a.spec())
}

// stepping answers with a patch that appends the path to the steps, unless they contain it. It records each call.
func stepping(calls *[]string, path string) func(request) response {
	return func(r request) response {
		spec, _ := r["object"].(map[string]any)["spec"].(map[string]any)
		steps, _ := spec["steps"].([]any)
		called := strings.TrimPrefix(path, "/") + "["
		for _, s := range steps {
			called += s.(string)
		}
		*calls = append(*calls, called+"]")
		if strings.Contains(called[1:], path[1:]) || strings.HasSuffix(path, "idle") {
			return response{"allowed": true}
		}
		if len(steps) == 0 {
			return patched(`[{"op":"add","path":"/spec/steps","value":["` + path[1:] + `"]}]`)(r)
		}
		return patched(`[{"op":"add","path":"/spec/steps/-","value":"` + path[1:] + `"}]`)(r)
	}
}

const ifNeeded = `"reinvocationPolicy":"IfNeeded"`

// Mutating webhooks run one after another. Those with the policy IfNeeded run once more if the object has changed
// since, by a webhook or by a hook of the host.
func TestReinvocation(t *testing.T) {
	label := admission.Hook{Name: "label", SideEffects: admission.SideEffectsNone,
		Mutate: func(_ context.Context, r *admission.Request) error {
			return r.Patch(apimeta.MergePatch, []byte(`{"metadata":{"labels":{"a":"b"}}}`))
		}}
	for _, c := range []struct {
		name  string
		mine  []admission.Hook
		hooks []hook
		want  []string
	}{
		{"never", nil, []hook{{path: "/a"}, {path: "/b"}}, []string{"a[]", "b[a]"}},
		{"if needed", nil, []hook{{path: "/a", more: ifNeeded}, {path: "/b"}}, []string{"a[]", "b[a]", "a[ab]"}},
		{"not needed", nil, []hook{{path: "/a", more: ifNeeded}, {path: "/idle", more: ifNeeded}},
			[]string{"a[]", "idle[a]"}},
		{"not by its own change", nil, []hook{{path: "/a"}, {path: "/b", more: ifNeeded}}, []string{"a[]", "b[a]"}},
		{"three, of which the middle one is needed again", nil,
			[]hook{{path: "/idle", more: ifNeeded}, {path: "/b", more: ifNeeded}, {path: "/c"}},
			[]string{"idle[]", "b[]", "c[b]", "idle[bc]", "b[bc]"}},
		{"a hook of the host changes the object", []admission.Hook{label},
			[]hook{{path: "/idle", more: ifNeeded}, {path: "/b"}}, []string{"idle[]", "b[]", "idle[b]"}},
		{"only a hook of the host changes the object", []admission.Hook{label}, []hook{{path: "/idle", more: ifNeeded}},
			[]string{"idle[]", "idle[]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, c.mine...)
			var calls []string
			for _, h := range c.hooks {
				w.answers(h.path, stepping(&calls, h.path))
			}
			w.mutating("m", c.hooks...)
			w.must("POST", gears, gear("a", ""))
			assert.Equal(t, c.want, calls)
		})
	}
}

// Validating webhooks see what mutating webhooks and the hooks of the host have made.
func TestValidatingWebhooksSeeTheResult(t *testing.T) {
	w := newWorld(t)
	w.answers("/patch", patched(`[{"op":"add","path":"/spec/material","value":"brass"}]`))
	var seen any
	w.answers("/see", func(r request) response {
		seen = r["object"].(map[string]any)["spec"]
		return response{"allowed": true}
	})
	w.mutating("patch", hook{path: "/patch"})
	w.validating("see", hook{path: "/see"})
	w.must("POST", gears, gear("a", `"teeth":1`))
	assert.Equal(t, map[string]any{"teeth": 1.0, "material": "brass"}, seen)
}

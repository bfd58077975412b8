package cel_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// Valve is a kind whose zeros Go omits.
type Valve struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               ValveSpec `json:"spec,omitzero"`
}

type ValveSpec struct {
	Min    int64  `json:"min,omitempty"`
	Max    int64  `json:"max,omitempty" api:"default=9"`
	Open   bool   `json:"open,omitempty"`
	Label  string `json:"label,omitempty"`
	Always int64  `json:"always" api:"optional"`

	Tags []string `json:"tags,omitempty" api:"list=set"`
}

const valvesPath = "/apis/example.com/v1/namespaces/default/valves"

func valves(rules cel.Rules) rest.Resource[Valve] {
	return rest.Resource[Valve]{Group: "example.com", Version: "v1", Plural: "valves", Rules: cel.New(rules)}
}

func serve(t *testing.T, options rest.Options, r rest.Resource[Valve]) *rest.API {
	t.Helper()
	api, err := rest.New(options, r)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, api.Close()) })
	return api
}

// valve creates or patches the Valve a, and returns the code and the body of the answer.
func valve(api *rest.API, method, spec string) (int, string) {
	body := fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Valve","metadata":{"name":"a"},"spec":%s}`, spec)
	target, media := valvesPath, "application/json"
	if method == http.MethodPatch {
		target, media, body = valvesPath+"/a", "application/merge-patch+json", fmt.Sprintf(`{"spec":%s}`, spec)
	}
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Content-Type", media)
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// A created object can be changed: rules see a zero in the request, and later in the stored object.
func TestRulesSeeWhatIsStored(t *testing.T) {
	for _, c := range []struct {
		name, rule, spec string
		change           func(r *rest.Resource[Valve])
		code             int
	}{
		{"a zero", "self.min <= self.max", `{"min":0,"max":5}`, nil, 201},
		{"a rule that needs the zero", "has(self.min) && !self.open", `{"min":0,"open":false}`, nil, 201},
		{"nothing", "self.min <= self.max", `{}`, nil, 422},
		{"a rule that allows absence", "!has(self.min) || self.min <= self.max", `{}`, nil, 201},
		{"a default", "self.min <= self.max && self.max == 9", `{"min":0}`, nil, 201},
		{"a null", "!has(self.min)", `{"min":null}`, nil, 201},
		{"a zero that only Go would write", "!has(self.always)", `{}`, nil, 201},
		{"a value that a hook set", "self.label == 'hook' && self.min == 0", `{"min":0}`, func(r *rest.Resource[Valve]) {
			r.Hooks.Default = func(_ context.Context, v *Valve) error { v.Spec.Label = "hook"; return nil }
		}, 201},
		{"a value that a hook set to zero", "self.min == 0", `{"min":4}`, func(r *rest.Resource[Valve]) {
			r.Hooks.Prepare = func(_ context.Context, v, _ *Valve) error { v.Spec.Min = 0; return nil }
		}, 201},
		{"a zero of a built-in kind", "!has(self.min)", `{"min":0}`,
			func(r *rest.Resource[Valve]) { r.Wire.Dialect = rest.DialectBuiltin }, 201},
		{"a zero that a built-in kind writes", "self.always == 0", `{}`,
			func(r *rest.Resource[Valve]) { r.Wire.Dialect = rest.DialectBuiltin }, 201},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := valves(cel.Rules{"ValveSpec": {{Rule: c.rule}}})
			if c.change != nil {
				c.change(&r)
			}
			api := serve(t, rest.Options{}, r)
			code, body := valve(api, http.MethodPost, c.spec)
			require.Equal(t, c.code, code, body)
			if code == 201 {
				label := `{"label":"x"}`
				if strings.Contains(c.rule, "label") {
					label = `{"open":true}`
				}
				code, body = valve(api, http.MethodPatch, label)
				require.Equal(t, 200, code, body)
			}
		})
	}
}

// If a value already broke a new rule, an update may keep it, unless evaluating the rule fails for it.
func TestOnlyBrokenRulesAreLetThrough(t *testing.T) {
	for _, c := range []struct {
		name, rule, warning, refusal string
	}{
		{"false", "self.min > 5", "failed rule: self.min > 5", ""},
		{"an error", "self.label == 'x'", "", `no such key: label evaluating rule: self.label == 'x'`},
		{"an overflow", "self.min - 1 - 9223372036854775807 - 1 < 0", "", "integer overflow evaluating rule"},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := memory.New(storage.Options{})
			t.Cleanup(func() { require.NoError(t, store.Close()) })
			before := serve(t, rest.Options{Store: store}, valves(nil))
			code, body := valve(before, http.MethodPost, `{"min":0}`)
			require.Equal(t, 201, code, body)
			require.NoError(t, before.Close())

			api := serve(t, rest.Options{Store: store}, valves(cel.Rules{"ValveSpec": {{Rule: c.rule}}}))
			r := httptest.NewRequest(http.MethodPatch, valvesPath+"/a", strings.NewReader(`{"metadata":{"labels":{"x":"y"}}}`))
			r.Header.Set("Content-Type", "application/merge-patch+json")
			w := httptest.NewRecorder()
			api.ServeHTTP(w, r)
			if c.refusal != "" {
				assert.Equal(t, 422, w.Code)
				assert.Contains(t, w.Body.String(), c.refusal)
				return
			}
			assert.Equal(t, 200, w.Code, w.Body)
			assert.Contains(t, strings.Join(w.Header()["Warning"], "\n"), c.warning)
		})
	}
}

// A stored set may contain duplicates, because its kind may not have declared the list as a set at that time.
func TestSetWithDuplicatesDiffersFromOneWithout(t *testing.T) {
	store := memory.New(storage.Options{})
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	api := serve(t, rest.Options{Store: store}, valves(cel.Rules{"Valve": {{Rule: "oldSelf.spec.tags != self.spec.tags"}}}))
	key := storage.Key{Resource: "valves.example.com", Namespace: "default", Name: "a"}
	_, err := store.Update(t.Context(), key, func(*storage.Record) ([]byte, error) {
		return []byte(`{"apiVersion":"example.com/v1","kind":"Valve",` +
			`"metadata":{"name":"a","namespace":"default","uid":"1","resourceVersion":"1"},` +
			`"spec":{"always":0,"tags":["a","a"]}}`), nil
	})
	require.NoError(t, err)
	code, body := valve(api, http.MethodPatch, `{"tags":["a","b"]}`)
	require.Equal(t, 200, code, body)
}

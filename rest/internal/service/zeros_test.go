package service_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// A custom kind is stored as it was sent, with its defaults and without what is unknown or null.
func TestSentFieldsAreStored(t *testing.T) {
	const defaults = `"replicas":3,"enabled":true,` + apitest.DialDefaults
	for _, c := range []struct{ name, sent, stored string }{
		{"zeros", `{"replicas":0,"enabled":false,"label":"","limit":0,"factor":0,"colors":[]}`,
			`{"replicas":0,"enabled":false,"label":"","limit":0,"factor":0,"colors":[]}`},
		{"empty fields", `{"tags":[],"notes":{},"knob":{"size":0},"spare":{"size":0},"free":{},"maybe":0}`,
			`{"tags":[],"notes":{},"knob":{"size":0},"spare":{"size":0},"free":{},"maybe":0,` + defaults + `}`},
		{"in lists and maps", `{"knobs":[{"name":"","size":0}],"steps":[{"title":""}],"byName":{"":{"size":0}}}`,
			`{"knobs":[{"name":"","size":0}],"steps":[{"title":"","size":5}],"byName":{"":{"size":0}},` + defaults + `}`},
		{"null", `{"replicas":null,"label":null,"notes":{"a":null},"maybe":null,"remark":null,"free":{"a":null}}`,
			`{"remark":null,"notes":{},"free":{"a":null},` + defaults + `}`},
		{"unknown fields", `{"nope":1,"knob":{"nope":1},"raw":{"a":{"b":0}}}`,
			`{"knob":{"size":5},"raw":{"a":{"b":0}},` + defaults + `}`},
		{"more digits than Go holds", `{"free":{"a":123456789012345678901},"factor":0.1000000000000000055511151231257827}`,
			`{"free":{"a":123456789012345678901},"factor":0.1000000000000000055511151231257827,"replicas":3,"enabled":true,"colors":["red"]}`},
		{"other forms than Go writes", `{"when":"2026-01-02T05:04:05.5+02:00","pair":[1,2,3],"limit":1.0}`,
			`{"when":"2026-01-02T05:04:05.5+02:00","pair":[1,2,3],"limit":1,` + defaults + `}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			api, _ := apitest.NewDials(t)
			a := apitest.Must(t, api, "POST", apitest.Dials, apitest.DialBody(c.sent))
			var spec struct{ Spec json.RawMessage }
			a.Decode(t, &spec)
			assert.JSONEq(t, c.stored, string(spec.Spec))
			assert.Equal(t, digits(t, c.stored), digits(t, string(spec.Spec)), "digits")

			apitest.Must(t, api, "PATCH", apitest.Dials+"/a", `{"metadata":{"labels":{"x":"y"}}}`, "Content-Type",
				apitest.TypeMergePatch)
			apitest.WantDial(t, api, "spec", c.stored)
		})
	}
}

// digits are the numbers of a JSON text as they are written.
func digits(t *testing.T, text string) any {
	t.Helper()
	var v map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(text), &v))
	return []string{string(v["factor"]), string(v["free"])}
}

func TestZerosInEachWrite(t *testing.T) {
	const zeros = `{"replicas":0,"enabled":false,"label":"",` + apitest.DialDefaults + `}`
	for _, c := range []struct {
		name  string
		write func(t *testing.T, api *rest.API)
		want  string
	}{
		{"PUT", func(t *testing.T, api *rest.API) {
			rv := apitest.Must(t, api, "GET", apitest.Dials+"/a", "").ResourceVersion(t)
			apitest.Must(t, api, "PUT", apitest.Dials+"/a",
				`{"apiVersion":"example.com/v1","kind":"Dial","metadata":{"name":"a","resourceVersion":"`+rv+
					`"},"spec":{"replicas":0,"enabled":false,"label":""}}`)
		}, zeros},
		{"merge patch", func(t *testing.T, api *rest.API) {
			apitest.Must(t, api, "PATCH", apitest.Dials+"/a", `{"spec":{"replicas":0,"enabled":false,"label":""}}`,
				"Content-Type", apitest.TypeMergePatch)
		}, zeros},
		{"JSON patch", func(t *testing.T, api *rest.API) {
			apitest.Must(t, api, "PATCH", apitest.Dials+"/a",
				`[{"op":"replace","path":"/spec/replicas","value":0},{"op":"replace","path":"/spec/enabled","value":false},{"op":"add","path":"/spec/label","value":""}]`, "Content-Type", apitest.TypeJSONPatch)
		}, zeros},
		{"apply", func(t *testing.T, api *rest.API) {
			apitest.Must(t, api, "PATCH", apitest.Dials+"/a?fieldManager=m&force=1",
				apitest.DialBody(`{"replicas":0,"enabled":false,"label":""}`), "Content-Type", apitest.TypeApply)
		}, zeros},
		{"a null", func(t *testing.T, api *rest.API) {
			apitest.Must(t, api, "PATCH", apitest.Dials+"/a", `{"spec":{"replicas":null,"enabled":null}}`, "Content-Type",
				apitest.TypeMergePatch)
		}, `{"replicas":3,"enabled":true,` + apitest.DialDefaults + `}`},
		{"nothing", func(*testing.T, *rest.API) {}, `{"replicas":1,"enabled":true,` + apitest.DialDefaults + `}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			api, _ := apitest.NewDials(t)
			apitest.Must(t, api, "POST", apitest.Dials, apitest.DialBody(`{"replicas":1}`))
			c.write(t, api)
			apitest.WantDial(t, api, "spec", c.want)
			rv := apitest.Must(t, api, "GET", apitest.Dials+"/a", "").ResourceVersion(t)
			c.write(t, api)
			assert.Equal(t, rv, apitest.Must(t, api, "GET", apitest.Dials+"/a", "").ResourceVersion(t),
				"the same again changes nothing")
		})
	}
	t.Run("status", func(t *testing.T) {
		api, _ := apitest.NewDials(t)
		apitest.Must(t, api, "POST", apitest.Dials, apitest.DialBody(`{}`))
		apitest.Must(t, api, "PATCH", apitest.Dials+"/a/status", `{"status":{"replicas":0,"ready":false}}`, "Content-Type",
			apitest.TypeMergePatch)
		apitest.WantDial(t, api, "status", `{"replicas":0,"ready":false}`)
	})
}

// A value that a type does not take is found without decoding the object.
func TestTypesThatDecodeThemselves(t *testing.T) {
	type spec struct {
		At     apimeta.MicroTime `json:"at,omitzero"`
		Level  level             `json:"level,omitempty"`
		Levels map[level]int32   `json:"levels,omitempty"`
		Counts map[int8]string   `json:"counts,omitempty"`
	}
	type Gauge struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`
		Spec               spec `json:"spec"`
	}
	api := apitest.New(t, rest.Options{},
		rest.Resource[Gauge]{Group: "example.com", Version: "v1", Plural: "gauges", Names: rest.Names{Kind: "Gauge"}})
	post := func(spec string) apitest.Answer {
		return apitest.Do(t, api, "POST", "/apis/example.com/v1/namespaces/default/gauges",
			`{"apiVersion":"example.com/v1","kind":"Gauge","metadata":{"generateName":"a"},"spec":`+spec+`}`)
	}
	for _, c := range []struct{ spec, field, message string }{
		{`{"level":"high"}`, "spec.level", `Invalid value: "high": "high" is not a level`},
		{`{"levels":{"low":1,"high":2}}`, "spec.levels.high",
			`Invalid value: "high": the key is not of its type: "high" is not a level`},
		{`{"counts":{"1":"a","300":"b"}}`, "spec.counts.300",
			`Invalid value: "300": the key is not of its type: "300" is not an int8`},
		{`{"at":"2026-01-02T03:04:05Z"}`, "spec.at", `Invalid value: "2026-01-02T03:04:05Z": parsing time`},
	} {
		a := post(c.spec)
		require.Equal(t, 422, a.Code, a.Body)
		assert.Equal(t, "FieldValueTypeInvalid", a.Text(t, "details.causes.0.reason"))
		assert.Equal(t, c.field, a.Text(t, "details.causes.0.field"))
		assert.Contains(t, a.Text(t, "details.causes.0.message"), c.message)
	}
	a := post(`{"level":"low","levels":{"low":0},"counts":{"-1":""},"at":"2026-01-02T03:04:05.000000Z"}`)
	require.Equal(t, 201, a.Code, a.Body)
}

// level is a text that decodes itself.
type level string

func (l *level) UnmarshalText(text []byte) error {
	if string(text) != "low" {
		return fmt.Errorf("%q is not a level", text)
	}
	*l = level(text)
	return nil
}

// The changes of hooks are merged into the object that was sent. Its other fields stay.
func TestHooksChangeNoOtherField(t *testing.T) {
	const sent = `{"replicas":0,"enabled":false,"label":"","limit":0,"tags":[],"knobs":[{"name":"a","size":0},{"name":"b","size":1}],"steps":[{"size":0}],"free":{"a":123456789012345678901},"pair":[1,2,3]}`
	const kept = `"replicas":0,"enabled":false,"limit":0,"tags":[],"steps":[{"size":0}],"free":{"a":123456789012345678901},"pair":[1,2,3],` + apitest.DialDefaults
	hook := func(d *apitest.Dial) {
		d.Spec.Label = "by the hook"
		d.Spec.Knobs = d.Spec.Knobs[:1]
		d.Spec.Knobs[0].Title = "by the hook"
	}
	for _, c := range []struct {
		name    string
		options rest.Options
		option  apitest.DialOption
		write   func(t *testing.T, api *rest.API)
	}{
		{"Prepare", rest.Options{}, func(r *rest.Resource[apitest.Dial]) {
			r.Hooks.Prepare = func(_ context.Context, d, _ *apitest.Dial) error { hook(d); return nil }
		}, nil},
		{"admission", rest.Options{Admission: []admission.Hook{apitest.Mutating("m",
			func(_ context.Context, r *admission.Request) error {
				var d apitest.Dial
				if err := r.Object(&d); err != nil {
					return err
				}
				hook(&d)
				return r.SetObject(d)
			})}}, nil, nil},
		{"admission in a type of its own",
			rest.Options{Admission: []admission.Hook{apitest.Mutating("m",
				func(_ context.Context, r *admission.Request) error {
					var d struct {
						Spec struct {
							Label string `json:"label,omitempty"`
							Knobs []struct {
								Name  string `json:"name"`
								Title string `json:"title,omitempty"`
							} `json:"knobs,omitempty"`
						} `json:"spec"`
					}
					if err := r.Object(&d); err != nil {
						return err
					}
					d.Spec.Label, d.Spec.Knobs = "by the hook", d.Spec.Knobs[:1]
					d.Spec.Knobs[0].Title = "by the hook"
					return r.SetObject(&d)
				})}}, nil, nil},
		{"a subresource", rest.Options{}, func(r *rest.Resource[apitest.Dial]) {
			r.Subresources = append(r.Subresources, rest.Subresource[apitest.Dial, apitest.Paint]{Name: "paint",
				Get:    func(context.Context, *apitest.Dial) (*apitest.Paint, error) { return &apitest.Paint{}, nil },
				Update: func(_ context.Context, d *apitest.Dial, _ *apitest.Paint) error { hook(d); return nil },
			})
		}, func(t *testing.T, api *rest.API) {
			apitest.Must(t, api, "PATCH", apitest.Dials+"/a/paint", `{"spec":{"color":"red"}}`, "Content-Type",
				apitest.TypeMergePatch)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := apitest.DialResource()
			if c.option != nil {
				c.option(&r)
			}
			api := apitest.New(t, c.options, r)
			apitest.Must(t, api, "POST", apitest.Dials, apitest.DialBody(sent))
			if c.write != nil {
				c.write(t, api)
			}
			apitest.WantDial(t, api, "spec",
				`{"label":"by the hook","knobs":[{"name":"a","size":0,"title":"by the hook"}],`+kept+`}`)
		})
	}
}

func TestZerosThatHooksSet(t *testing.T) {
	api, _ := apitest.NewDials(t, func(r *rest.Resource[apitest.Dial]) {
		r.Hooks.Prepare = func(_ context.Context, d, _ *apitest.Dial) error {
			d.Spec = apitest.DialSpec{Maybe: d.Spec.Maybe, Tags: nil}
			return nil
		}
	})
	apitest.Must(t, api, "POST", apitest.Dials,
		apitest.DialBody(`{"replicas":2,"label":"x","tags":["a"],"maybe":1,"knob":{"title":"t"},"spare":{},"notes":{"a":"b"}}`))
	apitest.WantDial(t, api, "spec",
		`{"replicas":0,"enabled":false,"label":"","factor":0,"colors":[],"maybe":1,"knob":{"size":0,"title":""}}`)
}

func TestDefaultHookAndZeros(t *testing.T) {
	api, _ := apitest.NewDials(t, func(r *rest.Resource[apitest.Dial]) {
		r.Hooks.Default = func(_ context.Context, d *apitest.Dial) error {
			if d.Spec.Label == "" {
				d.Spec.Label = "none"
			}
			if len(d.Spec.Knobs) == 0 {
				d.Spec.Knobs = []apitest.NamedKnob{{Name: "first"}}
			}
			return nil
		}
	})
	apitest.Must(t, api, "POST", apitest.Dials, apitest.DialBody(`{"replicas":0}`))
	apitest.WantDial(t, api, "spec",
		`{"replicas":0,"enabled":true,"label":"none","knobs":[{"name":"first","size":5}],`+apitest.DialDefaults+`}`)
	a := apitest.Do(t, api, "POST", apitest.Dials, apitest.DialBody(`{"label":""}`))
	assert.Equal(t, 500, a.Code)
	assert.Contains(t, a.Text(t, "message"), `changed "spec.label", which the client had set`)
}

// The zeros of the typed client: unset in Create, meant in Update where a default would take their place.
func TestZerosOfTypedClients(t *testing.T) { apitest.OverBoth(t, testZerosOfTypedClients) }

func testZerosOfTypedClients(t *testing.T, by apitest.Transport) {
	ctx := t.Context()
	named := func(spec apitest.DialSpec) *apitest.Dial {
		return &apitest.Dial{ObjectMeta: apimeta.ObjectMeta{Name: "a"}, Spec: spec}
	}
	t.Run("Create", func(t *testing.T) {
		api, client := by.NewDials(t)
		_, err := client.Create(ctx, named(apitest.DialSpec{Label: "x", Steps: []apitest.Knob{{}}}))
		require.NoError(t, err)
		apitest.WantDial(t, api, "spec",
			`{"replicas":3,"enabled":true,"label":"x","steps":[{"size":5}],`+apitest.DialDefaults+`}`)
	})
	change := func(d *apitest.Dial) {
		d.Spec.Replicas, d.Spec.Enabled, d.Spec.Label, d.Spec.Factor, d.Spec.Colors = 0, false, "", 0, nil
		d.Spec.Knobs = append(d.Spec.Knobs, apitest.NamedKnob{Name: "new"})
		d.Status.Replicas, d.Status.Ready = 0, false
	}
	const spec = `{"replicas":0,"enabled":false,"factor":0,"colors":[],"knobs":[{"name":"new","size":0}]}`
	for _, c := range []struct {
		name         string
		write        func(client rest.Client[apitest.Dial]) error
		spec, status string
	}{
		{"Update", func(client rest.Client[apitest.Dial]) error {
			d, err := client.Get(ctx, "a")
			if err != nil {
				return err
			}
			change(d)
			_, err = client.Update(ctx, d)
			return err
		}, spec, `{"replicas":2,"ready":true}`},
		{"Update of an object that was not read", func(client rest.Client[apitest.Dial]) error {
			_, err := client.Update(ctx, &apitest.Dial{ObjectMeta: apimeta.ObjectMeta{Name: "a", ResourceVersion: "3"},
				Spec: apitest.DialSpec{Knobs: []apitest.NamedKnob{{Name: "new"}}}})
			return err
		}, spec, `{"replicas":2,"ready":true}`},
		{"Modify", func(client rest.Client[apitest.Dial]) error {
			_, err := client.Modify(ctx, "a", func(d *apitest.Dial) error { change(d); return nil })
			return err
		}, spec, `{"replicas":2,"ready":true}`},
		{"UpdateStatus", func(client rest.Client[apitest.Dial]) error {
			d, err := client.Get(ctx, "a")
			if err != nil {
				return err
			}
			change(d)
			_, err = client.UpdateStatus(ctx, d)
			return err
		}, `{"replicas":2,"enabled":true,"label":"x",` + apitest.DialDefaults + `}`, `{"ready":false}`},
		{"ModifyStatus", func(client rest.Client[apitest.Dial]) error {
			_, err := client.ModifyStatus(ctx, "a", func(d *apitest.Dial) error { change(d); return nil })
			return err
		}, `{"replicas":2,"enabled":true,"label":"x",` + apitest.DialDefaults + `}`, `{"ready":false}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			api, client := by.NewDials(t)
			apitest.Must(t, api, "POST", apitest.Dials, apitest.DialBody(`{"replicas":2,"label":"x"}`))
			apitest.Must(t, api, "PATCH", apitest.Dials+"/a/status", `{"status":{"replicas":2}}`, "Content-Type",
				apitest.TypeMergePatch)
			require.NoError(t, c.write(client))
			apitest.WantDial(t, api, "spec", c.spec)
			apitest.WantDial(t, api, "status", c.status)
		})
	}
}

// A stored zero stays with its owner when a typed client changes something else.
func TestTypedClientsLeaveZerosToTheirOwners(t *testing.T) {
	apitest.OverBoth(t, testTypedClientsLeaveZerosToTheirOwners)
}

func testTypedClientsLeaveZerosToTheirOwners(t *testing.T, by apitest.Transport) {
	ctx := t.Context()
	api, client := by.NewDials(t)
	apitest.Must(t, api, "PATCH", apitest.Dials+"/a?fieldManager=applier",
		apitest.DialBody(`{"replicas":0,"enabled":false,"limit":0,"notes":{},"knobs":[{"name":"a","size":0}]}`),
		"Content-Type", apitest.TypeApply)
	before := apitest.Must(t, api, "GET", apitest.Dials+"/a", "")
	client = client.FieldManager("controller")

	d, err := client.Update(ctx, apitest.GetDial(t, client))
	require.NoError(t, err)
	assert.Equal(t, before.ResourceVersion(t), d.ResourceVersion, "nothing has changed")

	d.Spec.Knobs[0].Title = "x"
	_, err = client.Update(ctx, d)
	require.NoError(t, err)
	after := apitest.Must(t, api, "GET", apitest.Dials+"/a", "")
	assert.Equal(t,
		`applier Apply {"f:spec":{"f:enabled":{},"f:knobs":{"k:{\"name\":\"a\"}":{".":{},"f:name":{},"f:size":{}}},"f:limit":{},"f:notes":{},"f:replicas":{}}}
controller Update {"f:spec":{"f:knobs":{"k:{\"name\":\"a\"}":{"f:title":{}}}}}`, apitest.OwnersOf(t, after))
	apitest.WantDial(t, api, "spec",
		`{"replicas":0,"enabled":false,"limit":0,"notes":{},"knobs":[{"name":"a","size":0,"title":"x"}],`+
			apitest.DialDefaults+`}`)
}

// A virtual kind answers what was asked, zeros included.
func TestACallKeepsZeros(t *testing.T) {
	api := apitest.New(t, rest.Options{}, apitest.DialResource(func(r *rest.Resource[apitest.Dial]) {
		r.Scale = nil
		r.Hooks.Call = func(_ context.Context, d *apitest.Dial) error {
			if d.Spec.Enabled {
				return errors.New("it is enabled")
			}
			d.Status.Ready = true
			return nil
		}
	}))
	a := apitest.Must(t, api, "POST", apitest.Dials, apitest.DialBody(`{"replicas":0,"enabled":false,"label":""}`))
	assert.Equal(t, map[string]any{"replicas": 0.0, "enabled": false, "label": "", "factor": 1.0, "colors": []any{"red"}},
		a.Value(t, "spec"))
	assert.Equal(t, map[string]any{"ready": true}, a.Value(t, "status"))
}

// Kinds of the built-in dialect are stored as Go writes them.
func TestZerosOfBuiltinKinds(t *testing.T) { apitest.OverBoth(t, testZerosOfBuiltinKinds) }

func testZerosOfBuiltinKinds(t *testing.T, by apitest.Transport) {
	api, client := by.NewDials(t, func(r *rest.Resource[apitest.Dial]) { r.Wire.Dialect = rest.DialectBuiltin })
	apitest.Must(t, api, "POST", apitest.Dials, apitest.DialBody(`{"replicas":0,"enabled":true,"label":"","tags":[]}`))
	apitest.WantDial(t, api, "spec", `{"enabled":true,`+apitest.DialDefaults+`}`)
	d := apitest.GetDial(t, client)
	d.Spec.Label = "x"
	_, err := client.Update(t.Context(), d)
	require.NoError(t, err)
	apitest.WantDial(t, api, "spec", `{"replicas":3,"enabled":true,"label":"x",`+apitest.DialDefaults+`}`)
}

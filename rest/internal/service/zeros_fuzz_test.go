package service_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// FuzzTypedClientsKeepZeros stores random Dials over HTTP. What a typed client reads and writes back changes nothing,
// and what it changes changes nothing else, not even its owner.
func FuzzTypedClientsKeepZeros(f *testing.F) {
	for seed := range uint64(60) {
		f.Add(seed)
	}
	changes := map[string]func(s *apitest.DialSpec){
		"label":   func(s *apitest.DialSpec) { s.Label += "!" },
		"limit":   func(s *apitest.DialSpec) { s.Limit = 42 },
		"enabled": func(s *apitest.DialSpec) { s.Enabled = !s.Enabled },
		"factor":  func(s *apitest.DialSpec) { s.Factor = 7 - s.Factor },
		"knob":    func(s *apitest.DialSpec) { s.Knob.Title += "!" },
		"knobs":   func(s *apitest.DialSpec) { s.Knobs = append(s.Knobs, apitest.NamedKnob{Name: "new"}) },
		"notes":   func(s *apitest.DialSpec) { s.Notes = map[string]string{"new": ""} },
		"colors":  func(s *apitest.DialSpec) { s.Colors = append(s.Colors, "green") },
		"maybe":   func(s *apitest.DialSpec) { s.Maybe = new(int32(8)) },
		"pair":    func(s *apitest.DialSpec) { s.Pair[0]++ },
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 0))
		api, client := apitest.Transports[seed%2].NewDials(t)
		client = client.FieldManager("typed")
		apitest.Must(t, api, "POST", apitest.Dials+"?fieldManager=http", apitest.DialBody(randomDial(r)))
		stored := apitest.Must(t, api, "GET", apitest.Dials+"/a", "").Body

		read := apitest.GetDial(t, client)
		for _, write := range []func() (*apitest.Dial, error){
			func() (*apitest.Dial, error) { return client.Update(t.Context(), read) },
			func() (*apitest.Dial, error) { return client.UpdateStatus(t.Context(), read) },
			func() (*apitest.Dial, error) {
				return client.Modify(t.Context(), "a", func(*apitest.Dial) error { return nil })
			},
			func() (*apitest.Dial, error) {
				return client.ModifyStatus(t.Context(), "a", func(d *apitest.Dial) error { d.Spec.Label += "!"; return nil })
			},
		} {
			written, err := write()
			require.NoError(t, err)
			require.Equal(t, read, written)
			require.Equal(t, stored, apitest.Must(t, api, "GET", apitest.Dials+"/a", "").Body)
		}

		names := slices.Sorted(maps.Keys(changes))
		name := names[r.IntN(len(names))]
		before := partsOf(t, stored)
		changes[name](&read.Spec)
		_, err := client.Update(t.Context(), read)
		require.NoError(t, err)
		after := partsOf(t, apitest.Must(t, api, "GET", apitest.Dials+"/a", "").Body)
		require.NotEqual(t, before.spec[name], after.spec[name], name)
		require.Equal(t, before.without(name), after.without(name), "%s of %s", name, stored)
		require.Equal(t, read.Spec, apitest.GetDial(t, client).Spec)
	})
}

// dialParts are the fields of a stored Dial as they are written, and those that the manager http owns.
type dialParts struct{ spec, owned map[string]json.RawMessage }

func partsOf(t *testing.T, text string) dialParts {
	t.Helper()
	var obj struct {
		Metadata struct{ ManagedFields []apimeta.ManagedFieldsEntry }
		Spec     map[string]json.RawMessage
	}
	require.NoError(t, json.Unmarshal([]byte(text), &obj))
	p := dialParts{spec: obj.Spec}
	for _, e := range obj.Metadata.ManagedFields {
		if e.Manager == "http" {
			var fields struct {
				Spec map[string]json.RawMessage `json:"f:spec"`
			}
			require.NoError(t, json.Unmarshal(e.FieldsV1.Raw, &fields))
			p.owned = fields.Spec
		}
	}
	return p
}

// without are all fields but one, and the owned ones with empty maps for none.
func (p dialParts) without(name string) [2]map[string]json.RawMessage {
	spec, owned := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	maps.Copy(spec, p.spec)
	maps.Copy(owned, p.owned)
	delete(spec, name)
	delete(owned, "f:"+name)
	delete(owned, ".")
	return [2]map[string]json.RawMessage{spec, owned}
}

// randomDial is a Dial with zeros and ones in random places.
func randomDial(r *rand.Rand) string {
	of := func(values ...string) string { return values[r.IntN(len(values))] }
	object := func(members map[string]func() string) string {
		out := map[string]json.RawMessage{}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if r.IntN(2) == 0 {
				out[name] = json.RawMessage(members[name]())
			}
		}
		text, _ := json.Marshal(out)
		return string(text)
	}
	knob := func() map[string]func() string {
		return map[string]func() string{
			"size":  func() string { return of("0", "1", "5", "null") },
			"title": func() string { return of(`""`, `"t"`, "null") },
		}
	}
	spec := map[string]func() string{
		"replicas": func() string { return of("0", "1", "3") },
		"enabled":  func() string { return of("false", "true") },
		"label":    func() string { return of(`""`, `"x"`) },
		"limit":    func() string { return of("0", "9007199254740993", "-0") },
		"factor":   func() string { return of("0", "0.0", "1", "0.1", "1e300", "0.1000000000000000055511151231257827") },
		"knob":     func() string { return object(knob()) },
		"spare":    func() string { return object(knob()) },
		"knobs": func() string {
			return of(`[]`, `[{"name":"a","size":0},{"name":"b"}]`, `[{"name":"","title":""},{"name":"a","size":1}]`)
		},
		"steps":  func() string { return "[" + object(knob()) + "," + object(knob()) + "]" },
		"tags":   func() string { return of(`[]`, `[""]`, `["a","b"]`) },
		"colors": func() string { return of(`[]`, `["blue"]`) },
		"notes":  func() string { return of(`{}`, `{"a":""}`, `{"a":"b","":"c"}`) },
		"byName": func() string { return `{"x":` + object(knob()) + `}` },
		"maybe":  func() string { return of("0", "1", "null") },
		"remark": func() string { return of(`""`, `"x"`, "null") },
		"free": func() string {
			return of(`{}`, `{"a":null,"b":0,"c":123456789012345678901}`, `{"a":[{},0,"",false,0.10]}`)
		},
		"raw":  func() string { return of(`{}`, `0`, `""`, `[{"a":0}]`, `false`) },
		"when": func() string { return of(`"2026-01-02T03:04:05Z"`, `"2026-01-02T05:04:05.5+02:00"`) },
		"pair": func() string { return of(`[]`, `[0,0]`, `[1]`, `[1,2,3]`) },
	}
	return object(spec)
}

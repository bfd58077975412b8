package write_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
)

// Beacon is a kind with conditions.
type Beacon struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Status             struct {
		Conditions []apimeta.Condition `json:"conditions,omitempty" api:"list=map,key=type"`
		Lamps      int32               `json:"lamps,omitempty"`
	} `json:"status,omitzero"`
}

const beacons = "/apis/example.com/v1/namespaces/default/beacons"

func newBeacons(t *testing.T, store storage.Store, dialect rest.Dialect) *rest.API {
	t.Helper()
	return apitest.New(t, rest.Options{Store: store},
		rest.Resource[Beacon]{Group: "example.com", Version: "v1", Plural: "beacons", Wire: rest.Wire{Dialect: dialect}})
}

// litBeacon returns a condition of a Beacon with changes. A null removes a field.
func litBeacon(t *testing.T, changes string) string {
	t.Helper()
	condition := map[string]any{"type": "Lit", "status": "True", "reason": "AsPlanned", "message": "", "observedGeneration": 1,
		"lastTransitionTime": apitest.NowText}
	changed := map[string]any{}
	require.NoError(t, json.Unmarshal([]byte(changes), &changed))
	maps.Copy(condition, changed)
	maps.DeleteFunc(condition, func(_ string, v any) bool { return v == nil })
	return apitest.JSONOf(t, condition)
}

// The rules for conditions belong to the type (API conventions, Typical status properties).
func TestConditions(t *testing.T) {
	const at = "status.conditions[0]."
	const namePattern = `^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?` +
		`(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`
	const reasonPattern = `^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`
	mismatch := func(field, value, pattern string) apitest.Cause {
		return apitest.Invalid(at+field, fmt.Sprintf("Invalid value: %q: conditions[0].%s in body should match '%s'", value,
			field, pattern))
	}
	for _, c := range []struct {
		name, changes string
		want          []apitest.Cause
	}{
		{"as it should be", `{}`, nil},
		{"a type with a domain", `{"type":"lamps.example.com/Lit"}`, nil},
		{"reasons with a colon and a comma", `{"reason":"Wind:Strong,Rain_2"}`, nil},
		{"the longest values", `{"type":"` + strings.Repeat("t", 316) + `","reason":"` + strings.Repeat("r", 1024) +
			`","message":"` + strings.Repeat("ä", 32768) + `"}`, nil},
		{"another status", `{"status":"Yes"}`, []apitest.Cause{apitest.NotSupported(at+"status",
			`Unsupported value: "Yes": supported values: "True", "False", "Unknown"`)}},
		{"a status in lower case", `{"status":"true"}`, []apitest.Cause{apitest.NotSupported(at+"status",
			`Unsupported value: "true": supported values: "True", "False", "Unknown"`)}},
		{"an empty reason", `{"reason":""}`, []apitest.Cause{apitest.Invalid(at+"reason",
			`Invalid value: "": conditions[0].reason in body should be at least 1 chars long`)}},
		{"a blank reason", `{"reason":" "}`, []apitest.Cause{mismatch("reason", " ", reasonPattern)}},
		{"a sentence as the reason", `{"reason":"the lamp burns"}`,
			[]apitest.Cause{mismatch("reason", "the lamp burns", reasonPattern)}},
		{"a type with blanks", `{"type":"Is Lit"}`, []apitest.Cause{mismatch("type", "Is Lit", namePattern)}},
		{"an empty type", `{"type":""}`, []apitest.Cause{mismatch("type", "", namePattern)}},
		{"a negative generation", `{"observedGeneration":-1}`, []apitest.Cause{apitest.Invalid(at+"observedGeneration",
			"Invalid value: -1: conditions[0].observedGeneration in body should be greater than or equal to 0")}},
		{"values that are too long", `{"type":"` + strings.Repeat("t", 317) + `","reason":"` + strings.Repeat("r", 1025) +
			`","message":"` + strings.Repeat("m", 32769) + `"}`, []apitest.Cause{
			apitest.TooLong(at+"message", "Too long: may not be more than 32768 bytes"),
			apitest.TooLong(at+"reason", "Too long: may not be more than 1024 bytes"),
			apitest.TooLong(at+"type", "Too long: may not be more than 316 bytes")}},
		{"missing fields", `{"status":null,"reason":null,"message":null,"lastTransitionTime":null}`, []apitest.Cause{
			apitest.Required(at+"status", "Required value"), apitest.Required(at+"lastTransitionTime", "Required value"),
			apitest.Required(at+"reason", "Required value"), apitest.Required(at+"message", "Required value")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := newBeacons(t, nil, rest.DialectCustom)
			apitest.Must(t, api, "POST", beacons, `{"apiVersion":"example.com/v1","kind":"Beacon","metadata":{"name":"a"}}`)
			patch := `{"status":{"conditions":[` + litBeacon(t, c.changes) + `]}}`
			if a := apitest.MergePatch(t, api, beacons+"/a/status", patch); len(c.want) > 0 {
				apitest.WantInvalid(t, a, "Beacon.example.com", "a", c.want...)
			} else {
				assert.Equal(t, 200, a.Code, a.Body)
			}
		})
	}
	t.Run("in the built-in dialect", func(t *testing.T) {
		api := newBeacons(t, nil, rest.DialectBuiltin)
		apitest.Must(t, api, "POST", beacons, `{"metadata":{"name":"a"}}`)
		a := apitest.MergePatch(t, api, beacons+"/a/status",
			`{"status":{"conditions":[`+litBeacon(t, `{"status":"Yes"}`)+`]}}`)
		assert.Equal(t, 422, a.Code, a.Body)
	})
}

// A condition that was stored before the rules existed stands in no writer's way until somebody changes it.
func TestConditionsStoredBefore(t *testing.T) {
	store := apitest.NewStore(t)
	api := newBeacons(t, store, rest.DialectCustom)
	old, good := litBeacon(t, `{"status":"Yes","reason":""}`), litBeacon(t, `{"type":"Seen"}`)
	_, err := store.Update(context.Background(),
		storage.Key{Resource: "beacons.example.com", Namespace: "default", Name: "a"},
		func(*storage.Record) ([]byte, error) {
			return []byte(`{"apiVersion":"example.com/v1","kind":"Beacon","metadata":{"name":"a","namespace":"default",` +
				`"uid":"u","resourceVersion":"0"},"status":{"conditions":[` + old + `]}}`), nil
		})
	require.NoError(t, err)

	apitest.Must(t, api, "PATCH", beacons+"/a", `{"metadata":{"labels":{"a":"b"}}}`, "Content-Type", apitest.TypeMergePatch)
	status := func(conditions string) apitest.Answer {
		return apitest.MergePatch(t, api, beacons+"/a/status", `{"status":{"lamps":2,"conditions":[`+conditions+`]}}`)
	}
	a := status(good + "," + old)
	assert.Equal(t, 200, a.Code, "the old condition is at another place: %s", a.Body)
	a = status(old + "," + litBeacon(t, `{"type":"Seen","status":"No"}`))
	assert.Equal(t, 422, a.Code, a.Body)
	assert.NotContains(t, a.Body, "conditions[0]")
	a = status(litBeacon(t, `{"status":"No","reason":""}`) + "," + good)
	assert.Equal(t, 422, a.Code, "the old condition has changed: %s", a.Body)
	assert.Equal(t, 200, status(litBeacon(t, `{"status":"False"}`)+","+good).Code)
}

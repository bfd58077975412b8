package objectmeta_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest/internal/objectmeta"
)

func parse(t *testing.T, json string) doc.Value {
	t.Helper()
	if json == "" {
		return doc.Value{}
	}
	v, _, err := codec.DecodeJSON([]byte(json))
	require.NoError(t, err)
	return v
}

func text(v doc.Value) string { return string(codec.AppendJSON(nil, v)) }

func TestForCreateDecidesWhatAClientMayNotSet(t *testing.T) {
	sent := parse(t, `{"metadata":{"name":"a","uid":"mine","generation":7,"resourceVersion":"3","selfLink":"/x","namespace":"theirs",
		"creationTimestamp":"2001-01-01T00:00:00Z","deletionTimestamp":"2001-01-01T00:00:00Z","deletionGracePeriodSeconds":1,"labels":{"a":"b"}}}`)
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	assert.JSONEq(t, `{"metadata":{"name":"a","uid":"u","generation":1,"namespace":"ns","creationTimestamp":"2026-01-02T03:04:05Z","labels":{"a":"b"}}}`,
		text(objectmeta.ForCreate(sent, objectmeta.Origin{Namespace: "ns", UID: "u", Created: at, Generation: doc.OfInt(1)})))
	assert.JSONEq(t, `{"metadata":{"name":"a","creationTimestamp":"2026-01-02T03:04:05Z","labels":{"a":"b"}}}`,
		text(objectmeta.ForCreate(sent, objectmeta.Origin{Created: at})),
		"a call in the cluster scope is in no namespace and has no uid")
}

func TestForUpdateRestoresWhatAnUpdateCannotChange(t *testing.T) {
	old := `{"metadata":{"name":"a","uid":"u","generation":2,"resourceVersion":"9","creationTimestamp":"2026-01-02T03:04:05Z"%s}}`
	const deleting = `,"deletionTimestamp":"2026-02-02T00:00:00Z","deletionGracePeriodSeconds":30`
	for name, c := range map[string]struct{ stored, sent, want string }{
		"nothing sent": {"", `{"name":"a"}`, fmt.Sprintf(old, "")},
		"system fields sent": {"", `{"name":"a","generation":5,"resourceVersion":"1","creationTimestamp":null}`,
			fmt.Sprintf(old, "")},
		"deletion restored": {deleting, `{"name":"a","deletionTimestamp":"2030-01-01T00:00:00Z"}`,
			fmt.Sprintf(old, deleting)},
		"deletion kept for validation": {"", `{"name":"a","deletionTimestamp":"2030-01-01T00:00:00Z"}`,
			fmt.Sprintf(old, `,"deletionTimestamp":"2030-01-01T00:00:00Z"`)},
		"uid kept for validation": {"", `{"name":"a","uid":"other"}`,
			strings.Replace(fmt.Sprintf(old, ""), `"u"`, `"other"`, 1)},
		"selfLink dropped":   {`,"selfLink":"/old"`, `{"name":"a","selfLink":"/new"}`, fmt.Sprintf(old, "")},
		"empty uid restored": {"", `{"name":"a","uid":""}`, fmt.Sprintf(old, "")},
		"managers are the client's to reset": {`,"managedFields":[{"manager":"m"}]`, `{"name":"a","managedFields":[]}`,
			fmt.Sprintf(old, `,"managedFields":[]`)},
	} {
		t.Run(name, func(t *testing.T) {
			got := objectmeta.ForUpdate(parse(t, `{"metadata":`+c.sent+`}`), parse(t, fmt.Sprintf(old, c.stored)))
			assert.JSONEq(t, c.want, text(got))
		})
	}
}

func TestValidate(t *testing.T) {
	custom := objectmeta.Rules{CheckName: apimeta.ValidateDNS1123Subdomain, Namespaced: true, WarnOfBareFinalizers: true}
	core := objectmeta.Rules{CheckName: apimeta.ValidateDNS1123Label, Core: true}
	manyLabels := make([]string, 300)
	for i := range manyLabels {
		manyLabels[i] = fmt.Sprintf(`"-%d":"x"`, i)
	}
	for name, c := range map[string]struct {
		rules    objectmeta.Rules
		obj, old string
		fields   []string
		warnings int
	}{
		"valid":   {rules: custom, obj: `{"name":"a","namespace":"ns"}`},
		"no name": {rules: custom, obj: `{"namespace":"ns"}`, fields: []string{"metadata.name"}},
		"no name for a call": {rules: objectmeta.Rules{CheckName: apimeta.ValidateDNS1123Label, Nameless: true},
			obj: `{}`},
		"name": {rules: custom, obj: `{"name":"A","namespace":"ns"}`,
			fields: []string{"metadata.name"}},
		"a stored name stands": {rules: custom, obj: `{"name":"A","namespace":"ns"}`,
			old: `{"name":"A","namespace":"ns"}`},
		"base": {rules: custom, obj: `{"generateName":"AB-","name":"a","namespace":"ns"}`,
			fields: []string{"metadata.generateName"}},
		"base may end in a dash": {rules: custom, obj: `{"generateName":"a-","name":"a","namespace":"ns"}`},
		"base of an update": {rules: custom, obj: `{"generateName":"AB-","name":"a","namespace":"ns"}`,
			old: `{"name":"a"}`},
		"base of an update, core": {rules: core, obj: `{"generateName":"AB-","name":"a"}`, old: `{"name":"a"}`,
			fields: []string{"metadata.generateName"}},
		"namespace missing": {rules: custom, obj: `{"name":"a"}`, fields: []string{"metadata.namespace"}},
		"namespace where none belongs": {rules: core, obj: `{"name":"a","namespace":"ns"}`,
			fields: []string{"metadata.namespace"}},
		"generation": {rules: core, obj: `{"name":"a","generation":-1}`,
			fields: []string{"metadata.generation"}},
		"labels": {rules: core, obj: `{"name":"a","labels":{"a b":"c d"}}`,
			fields: []string{"metadata.labels", "metadata.labels"}},
		"annotations": {rules: core, obj: `{"name":"a","annotations":{"a b":"any value"}}`,
			fields: []string{"metadata.annotations"}},
		"owners": {rules: core, obj: `{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":""}]}`,
			fields: []string{"metadata.ownerReferences[0].uid"}},
		"two controllers": {rules: core,
			obj: `{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":"1","controller":true},
			{"apiVersion":"v1","kind":"K","name":"m","uid":"2","controller":true}]}`, fields: []string{"metadata.ownerReferences"}},
		"an event owns nothing": {rules: core,
			obj:    `{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"Event","name":"n","uid":"1"}]}`,
			fields: []string{"metadata.ownerReferences[0]"}},
		"bare finalizer": {rules: custom, obj: `{"name":"a","namespace":"ns","finalizers":["x"]}`, warnings: 1},
		"bare finalizer, old": {rules: custom, obj: `{"name":"a","namespace":"ns","finalizers":["x"]}`,
			old: `{"name":"a","finalizers":["x"]}`},
		"bare finalizer, core": {rules: core, obj: `{"name":"a","finalizers":["x"]}`,
			fields: []string{"metadata.finalizers[0]"}},
		"finalizers that disagree": {rules: custom,
			obj:    `{"name":"a","namespace":"ns","finalizers":["orphan","foregroundDeletion"]}`,
			fields: []string{"metadata.finalizers"}},
		"uid": {rules: core, obj: `{"name":"a","uid":"1"}`, old: `{"name":"a","uid":"2"}`, fields: []string{"metadata.uid"}},
		"finalizer too late": {rules: core,
			obj: `{"name":"a","finalizers":["x/y"],"deletionTimestamp":"2026-01-01T00:00:00Z"}`,
			old: `{"name":"a","deletionTimestamp":"2026-01-01T00:00:00Z"}`, fields: []string{"metadata.finalizers"}},
	} {
		t.Run(name, func(t *testing.T) {
			old := doc.Value{}
			if c.old != "" {
				old = parse(t, `{"metadata":`+c.old+`}`)
			}
			errs, warnings := c.rules.Validate(parse(t, `{"metadata":`+c.obj+`}`), old)
			var fields []string
			for _, err := range errs {
				fields = append(fields, err.Field)
			}
			assert.Equal(t, c.fields, fields, "%v", errs)
			assert.Len(t, warnings, c.warnings)
		})
	}
	errs, _ := core.Validate(parse(t, `{"metadata":{"name":"a","labels":{`+strings.Join(manyLabels, ",")+`}}}`),
		doc.Value{})
	assert.Len(t, errs, 100, "an answer is not many times the size of its request")
}

func TestWithoutRepeatedOwners(t *testing.T) {
	const owner = `{"apiVersion":"v1","kind":"K","name":"n","uid":"1"}`
	obj, warning := objectmeta.WithoutRepeatedOwners(parse(t, `{"metadata":{"ownerReferences":[`+owner+`,`+owner+`]}}`),
		objectmeta.AfterMutation)
	assert.JSONEq(t, `{"metadata":{"ownerReferences":[`+owner+`]}}`, text(obj))
	assert.Contains(t, warning, "after mutating admission happens; ")
	assert.Contains(t, warning, "observed: 1")
	single := parse(t, `{"metadata":{"ownerReferences":[`+owner+`]}}`)
	obj, warning = objectmeta.WithoutRepeatedOwners(single, objectmeta.AsSent)
	assert.True(t, doc.Equal(single, obj))
	assert.Empty(t, warning)
}

func TestGeneratedName(t *testing.T) {
	assert.Regexp(t, `^web-[bcdfghjklmnpqrstvwxz2456789]{5}$`, objectmeta.GeneratedName("web-"))
	assert.Len(t, objectmeta.GeneratedName(strings.Repeat("a", 100)), 63)
	assert.Empty(t, apimeta.ValidateDNS1123Label(objectmeta.GeneratedName("a")))
}

func TestRandomUIDIsAVersion4UUID(t *testing.T) {
	assert.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, objectmeta.RandomUID())
	assert.NotEqual(t, objectmeta.RandomUID(), objectmeta.RandomUID())
}

func TestTimesOfADeletion(t *testing.T) {
	obj := parse(t, `{"metadata":{"deletionTimestamp":"2026-01-01T00:00:30Z","deletionGracePeriodSeconds":30}}`)
	assert.True(t, objectmeta.Deleting(obj))
	due, ok := objectmeta.DueAt(obj)
	require.True(t, ok)
	requested, _ := objectmeta.RequestedAt(obj)
	assert.Equal(t, 30*time.Second, due.Sub(requested))
	_, ok = objectmeta.DueAt(doc.MapOf())
	assert.False(t, ok)
	assert.Positive(t, objectmeta.Seconds(1<<62), "a number of seconds beyond a duration is the longest duration")
}

func TestWithoutNulls(t *testing.T) {
	m := parse(t, `{"labels":{"a":null},"annotations":{"b":null},"finalizers":[null],"ownerReferences":[null],"name":null}`)
	assert.JSONEq(t, `{"labels":{"a":""},"annotations":{"b":""},"finalizers":[""],"ownerReferences":[{}],"name":null}`,
		text(objectmeta.WithoutNulls(m)))
}

func TestValidateManagedFields(t *testing.T) {
	obj := parse(t,
		`{"metadata":{"managedFields":[{"manager":"a\u0001"},{"manager":"`+strings.Repeat("m", 129)+`"},{"subresource":"`+
			strings.Repeat("s", 257)+`"}]}}`)
	assert.Len(t, objectmeta.ValidateManagedFields(obj), 3)
}

package builtin_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
)

func TestNamespacesAreThoseOfTheAPI(t *testing.T) {
	s := start(t)
	ns, err := resttest.Client[builtin.Namespace](t, s.API).Create(t.Context(),
		&builtin.Namespace{ObjectMeta: apimeta.ObjectMeta{Name: "one"}})
	require.NoError(t, err)
	assert.Equal(t, builtin.NamespaceActive, ns.Status.Phase)
	assert.Equal(t, []string{"kubernetes"}, ns.Spec.Finalizers)

	_, err = resttest.Client[builtin.Lease](t, s.API).Namespace("two").Create(t.Context(),
		&builtin.Lease{ObjectMeta: apimeta.ObjectMeta{Name: "a"}})
	assert.True(t, status.IsNotFound(err), err)
}

func TestLeaseIsWrittenAsInKubernetes(t *testing.T) {
	s := start(t)
	lease := `{"metadata":{"name":"a"},"spec":{"holderIdentity":"me","leaseDurationSeconds":15,"renewTime":"2026-01-02T03:04:05.000006Z","strategy":"x","preferredHolder":"you"}}`
	code, body := send(t, s, http.MethodPut, leases+"/a", lease)
	require.Equal(t, http.StatusCreated, code, body)
	assert.Contains(t, body, `"spec":{"holderIdentity":"me","leaseDurationSeconds":15,"renewTime":"2026-01-02T03:04:05.000006Z"}`)

	code, body = send(t, s, http.MethodPut, leases+"/a", lease)
	assert.Equal(t, http.StatusUnprocessableEntity, code)
	assert.Contains(t, body, "metadata.resourceVersion: Invalid value: 0: must be specified for an update")

	code, body = send(t, s, http.MethodPost, leases,
		`{"metadata":{"name":"b"},"spec":{"leaseDurationSeconds":0,"leaseTransitions":-1}}`)
	assert.Equal(t, http.StatusUnprocessableEntity, code)
	assert.Equal(t, []string{
		"spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
		"spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0",
	}, causes(t, body))
}

// causes returns the causes of a Status in the form "FIELD: MESSAGE".
func causes(t *testing.T, body string) (out []string) {
	t.Helper()
	var answer struct {
		Details struct {
			Causes []struct{ Field, Message string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(body), &answer))
	for _, c := range answer.Details.Causes {
		out = append(out, c.Field+": "+c.Message)
	}
	return out
}

func TestEventOfTheCoreGroupIsValidatedAsInKubernetes(t *testing.T) {
	s := start(t)
	long := strings.Repeat("x", 1025)
	const modern = `"eventTime":"2026-01-02T03:04:05.000006Z"`
	const elsewhere = `involvedObject.namespace: Invalid value: %: does not match event.namespace`
	for name, c := range map[string]struct {
		fields string
		faults []string
	}{
		"about an object of the namespace": {fields: `"involvedObject":{"namespace":"default"}`},
		"about a cluster-scoped object":    {fields: `"involvedObject":{"kind":"Node"}`},
		"about an object of another": {fields: `"involvedObject":{"namespace":"two"}`,
			faults: []string{strings.Replace(elsewhere, "%", `"two"`, 1)}},
		"with an eventTime, about another": {fields: modern +
			`,"involvedObject":{"namespace":"two"},"reportingComponent":"a","reportingInstance":"b","action":"c","reason":"d"`},
		"with an eventTime and nothing else": {fields: modern, faults: []string{
			"reportingComponent: Required value",
			`reportingComponent: Invalid value: "": name part must be non-empty`,
			`reportingComponent: Invalid value: "": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
			"reportingInstance: Required value", "action: Required value", "reason: Required value",
		}},
		"with long texts": {
			fields: modern + `,"reportingComponent":"a","reportingInstance":"` + long[:129] + `","action":"` + long[:129] +
				`","reason":"` +
				long[:129] + `","message":"` + long + `"`,
			faults: []string{
				`reportingInstance: Invalid value: "": can have at most 128 characters`,
				`action: Invalid value: "": can have at most 128 characters`,
				`reason: Invalid value: "": can have at most 128 characters`,
				`message: Invalid value: "": can have at most 1024 characters`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			code, body := send(t, s, http.MethodPost, events, `{"metadata":{"generateName":"e-"},`+c.fields+`}`)
			if len(c.faults) == 0 {
				assert.Equal(t, http.StatusCreated, code, body)
				return
			}
			assert.Equal(t, http.StatusUnprocessableEntity, code)
			assert.Equal(t, c.faults, causes(t, body))
		})
	}
}

// The recorder of client-go names an event after its object, so a ClusterRole system:node leads to an
// event whose name contains a colon.
func TestEventMayHaveAnyNameThatFitsAPath(t *testing.T) {
	s := start(t)
	code, body := send(t, s, http.MethodPost, events, `{"metadata":{"name":"system:node.17b2"}}`)
	assert.Equal(t, http.StatusCreated, code, body)
}

// Kubernetes sends these fields even if they are empty, and clients rely on it.
func TestEventHasTheEmptyFieldsOfKubernetes(t *testing.T) {
	s := start(t)
	_, body := send(t, s, http.MethodPut, events+"/a", `{"metadata":{"name":"a"},"reason":"Tested"}`)
	assert.Contains(t, body,
		`"eventTime":null,"firstTimestamp":null,"involvedObject":{},"lastTimestamp":null,"reason":"Tested","reportingComponent":"","reportingInstance":"","source":{}}`)
}

func TestColumnsAreThoseOfKubernetes(t *testing.T) {
	s := start(t)
	s.Clock.Set(s.Clock.Now().Truncate(1e9))
	at := s.Clock.Now().UTC().Format("2006-01-02T15:04:05Z")
	for _, c := range []struct{ path, object, columns, row string }{
		{"/api/v1/namespaces", `{"metadata":{"name":"a"}}`, "Name Status Age", `["a","Active","0s"]`},
		{leases, `{"metadata":{"name":"a"},"spec":{"holderIdentity":"me"}}`, "Name Holder Age", `["a","me","0s"]`},
		{leases, `{"metadata":{"name":"a"}}`, "Name Holder Age", `["a","","0s"]`},
		{events,
			`{"metadata":{"name":"a"},"involvedObject":{"kind":"Widget","name":"w","namespace":"default"},"source":{"component":"c","host":"h"},"type":"Normal","reason":"Tested","message":" fine\n","count":3,"firstTimestamp":"` + at + `","lastTimestamp":"` + at + `"}`,
			"Last Seen Type Reason Object Subobject Source Message First Seen Count Name",
			`["0s","Normal","Tested","widget/w","","c, h","fine","0s",3,"a"]`},
		{events, `{"metadata":{"name":"a"},"eventTime":"` + at[:19] +
			`.000000Z","reportingComponent":"c","reportingInstance":"i","action":"Test","reason":"Tested","series":{"count":4,"lastObservedTime":"` +
			at[:19] + `.000000Z"}}`,
			"Last Seen Type Reason Object Subobject Source Message First Seen Count Name",
			`["0s","","Tested","","","c, i","","0s",4,"a"]`},
	} {
		code, body := send(t, s, http.MethodPost, c.path+"?dryRun=All", c.object, "Accept",
			"application/json;as=Table;v=v1;g=meta.k8s.io")
		require.Equal(t, http.StatusCreated, code, body)
		var table struct {
			ColumnDefinitions []struct{ Name, Type string }
			Rows              []struct{ Cells json.RawMessage }
		}
		require.NoError(t, json.Unmarshal([]byte(body), &table))
		var names []string
		for _, d := range table.ColumnDefinitions {
			names = append(names, d.Name)
			assert.Equal(t, "string", d.Type)
		}
		assert.Equal(t, c.columns, strings.Join(names, " "))
		assert.JSONEq(t, c.row, string(table.Rows[0].Cells))
	}
}

// kubectl describe selects the events of an object.
func TestEventsAreSelectedByTheirObject(t *testing.T) {
	s := start(t)
	for _, name := range []string{"a", "b"} {
		code, body := send(t, s, http.MethodPost, events,
			`{"metadata":{"name":"`+name+`"},"involvedObject":{"namespace":"default","name":"`+name+
				`"},"reportingComponent":"c"}`)
		require.Equal(t, http.StatusCreated, code, body)
	}
	code, body := send(t, s, http.MethodGet,
		events+"?fieldSelector=involvedObject.name=b,involvedObject.namespace=default,reportingComponent=c", "")
	require.Equal(t, http.StatusOK, code, body)
	assert.NotContains(t, body, `"name":"a"`)
	assert.Contains(t, body, `"name":"b"`)
}

func TestKindsAreServedInProtobuf(t *testing.T) {
	const protobuf = "application/vnd.kubernetes.protobuf"
	s := start(t)
	for _, path := range []string{"/api/v1/namespaces", leases, events} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://host"+path, nil)
		require.NoError(t, err)
		r.Header.Set("Accept", protobuf)
		answer, err := s.RoundTripper().RoundTrip(r)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		assert.Equal(t, protobuf, answer.Header.Get("Content-Type"), path)
	}
}

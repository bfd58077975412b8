package builtin_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/lifecycle"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
)

// modern is the path of the events of namespace default in events.k8s.io.
const modern = "/apis/events.k8s.io/v1/namespaces/default/events"

// modernEvent holds the fields of a valid event of events.k8s.io, without metadata.
const modernEvent = `"eventTime":"2026-01-02T03:04:05.000006Z","reportingController":"example.com/gardener","reportingInstance":"gardener-1","action":"Watering",
	"reason":"Watered","type":"Normal","note":"with 3 litres","regarding":{"kind":"Plant","name":"p","namespace":"default"}`

// created creates an object and returns the body of the response.
func created(t *testing.T, s *resttest.Server, path, object string) string {
	t.Helper()
	code, body := send(t, s, http.MethodPost, path, object)
	require.Equal(t, http.StatusCreated, code, body)
	return body
}

// fields returns an object without its kind and its metadata.
func fields(t *testing.T, object string) string {
	t.Helper()
	var members map[string]any
	require.NoError(t, json.Unmarshal([]byte(object), &members))
	delete(members, "metadata")
	delete(members, "kind")
	delete(members, "apiVersion")
	out, err := json.Marshal(members)
	require.NoError(t, err)
	return string(out)
}

// Each group has its own field names for an event. No group loses fields that a client wrote in the
// other.
func TestAnEventInBothGroups(t *testing.T) {
	for _, c := range []struct{ name, written, in, shown, out string }{
		{"an old event", events, `{"involvedObject":{"kind":"Plant","name":"p","namespace":"default","uid":"1"},"reason":"Watered","message":"with 3 litres",
			"source":{"component":"gardener","host":"h"},"firstTimestamp":"2026-01-02T03:04:05Z","lastTimestamp":"2026-01-02T03:04:06Z","count":2,"type":"Normal"`,
			modern, `{"eventTime":null,"regarding":{"kind":"Plant","name":"p","namespace":"default","uid":"1"},"reason":"Watered","note":"with 3 litres",
			"deprecatedSource":{"component":"gardener","host":"h"},"deprecatedFirstTimestamp":"2026-01-02T03:04:05Z","deprecatedLastTimestamp":"2026-01-02T03:04:06Z","deprecatedCount":2,"type":"Normal"}`},
		{"a new event", modern, `{` + modernEvent +
			`,"related":{"name":"q"},"series":{"count":2,"lastObservedTime":"2026-01-02T03:04:06.000007Z"}`, events,
			`{"eventTime":"2026-01-02T03:04:05.000006Z","reportingComponent":"example.com/gardener","reportingInstance":"gardener-1","action":"Watering",
			"reason":"Watered","type":"Normal","message":"with 3 litres","involvedObject":{"kind":"Plant","name":"p","namespace":"default"},"related":{"name":"q"},
			"series":{"count":2,"lastObservedTime":"2026-01-02T03:04:06.000007Z"},"source":{},"firstTimestamp":null,"lastTimestamp":null}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t)
			written := created(t, s, c.written, c.in+`,"metadata":{"name":"a"}}`)
			code, shown := send(t, s, http.MethodGet, c.shown+"/a", "")
			require.Equal(t, http.StatusOK, code)
			assert.JSONEq(t, c.out, fields(t, shown))

			// A client changes only a label in the other group. All other fields must keep their values.
			code, labelled := send(t, s, http.MethodPatch, c.shown+"/a", `{"metadata":{"labels":{"k":"v"}}}`, "Content-Type",
				"application/merge-patch+json")
			require.Equal(t, http.StatusOK, code, labelled)
			code, again := send(t, s, http.MethodGet, c.written+"/a", "")
			require.Equal(t, http.StatusOK, code)
			assert.JSONEq(t, fields(t, written), fields(t, again))

			code, body := send(t, s, http.MethodDelete, c.shown+"/a", "")
			assert.Equal(t, http.StatusOK, code, body)
			code, _ = send(t, s, http.MethodGet, c.written+"/a", "")
			assert.Equal(t, http.StatusNotFound, code)
		})
	}
}

func TestEventsAreValidatedByTheGroupOfTheRequest(t *testing.T) {
	s := start(t)
	created(t, s, modern, `{"metadata":{"name":"new"},`+modernEvent+`}`)
	created(t, s, events, `{"metadata":{"name":"old"},"involvedObject":{"namespace":"default"},"reason":"Watered"}`)
	merge := []string{"Content-Type", "application/strategic-merge-patch+json"}
	for _, c := range []struct {
		name, method, path, body string
		headers, faults          []string
	}{
		{name: "nothing is given", method: http.MethodPost, path: modern,
			body: `{"metadata":{"name":"A"},"regarding":{"namespace":"default"}}`, faults: []string{
				`metadata.name: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
				"eventTime: Required value", `type: Invalid value: "": has invalid value: `,
			}},
		{name: "deprecated fields and an empty series", method: http.MethodPost, path: modern,
			body: `{"metadata":{"name":"b"},` + modernEvent + `,"series":{},
			"deprecatedSource":{"host":"h"},"deprecatedFirstTimestamp":"2026-01-02T03:04:05Z","deprecatedLastTimestamp":"2026-01-02T03:04:05Z","deprecatedCount":1}`, faults: []string{
				`series.count: Invalid value: "": should be at least 2`, "series.lastObservedTime: Required value",
				`firstTimestamp: Invalid value: "": needs to be unset`,
				`lastTimestamp: Invalid value: "": needs to be unset`, `count: Invalid value: "": needs to be unset`,
				`source: Invalid value: "": needs to be unset`,
			}},
		{name: "the event repeats", method: http.MethodPatch, path: modern + "/new", headers: merge,
			body: `{"series":{"count":2,"lastObservedTime":"2026-01-02T03:04:06.000007Z"}}`},
		{name: "other texts", method: http.MethodPatch, path: modern + "/new", headers: merge,
			body: `{"note":"with 4 litres","type":"Warning","deprecatedCount":3}`, faults: []string{
				`message: Invalid value: "with 4 litres": field is immutable`, `count: Invalid value: 3: field is immutable`,
				`type: Invalid value: "Warning": field is immutable`,
			}},
		{name: "other texts in the core group", method: http.MethodPatch, path: events + "/new", headers: merge,
			body: `{"message":"with 4 litres","type":"Warning","count":3}`},
		{name: "a label on an old event", method: http.MethodPatch, path: modern + "/old", headers: merge,
			body: `{"metadata":{"labels":{"k":"v"}}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, body := send(t, s, c.method, c.path+"?dryRun=All", c.body, c.headers...)
			if len(c.faults) == 0 {
				assert.Equal(t, http.StatusOK, code, body)
				return
			}
			assert.Equal(t, http.StatusUnprocessableEntity, code)
			assert.Equal(t, c.faults, causes(t, body))
			assert.Contains(t, body, `Event \"`)
		})
	}
}

func TestAnEventOfTheOtherGroupIsRefused(t *testing.T) {
	s := start(t)
	for path, other := range map[string][2]string{events: {"events.k8s.io/v1", "v1"}, modern: {"v1", "events.k8s.io/v1"}} {
		code, body := send(t, s, http.MethodPost, path,
			`{"apiVersion":"`+other[0]+`","kind":"Event","metadata":{"name":"a"}}`)
		assert.Equal(t, http.StatusBadRequest, code)
		assert.Contains(t, body, "the API version in the data ("+other[0]+") does not match the expected API version ("+
			other[1]+")")
	}
}

// The garbage collector deletes an event from both groups, whichever group a client wrote it in.
func TestAnEventIsCollectedOnce(t *testing.T) {
	s := start(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- lifecycle.CollectGarbage(ctx, s.API, lifecycle.Options{}) }()
	defer func() {
		stop()
		require.NoError(t, <-ended)
	}()
	leases := resttest.Client[builtin.Lease](t, s.API).Namespace("default")
	owner, err := leases.Create(t.Context(), &builtin.Lease{ObjectMeta: apimeta.ObjectMeta{Name: "a"}})
	require.NoError(t, err)
	created(t, s, modern,
		`{"metadata":{"name":"a","ownerReferences":[{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","name":"a","uid":"`+
			owner.UID+`"}]},`+modernEvent+`}`)
	require.NoError(t, leases.Delete(t.Context(), "a", rest.DeleteOptions{}))
	resttest.WaitForGone(t, resttest.Client[builtin.Event](t, s.API).Namespace("default"), "a")
	resttest.WaitForGone(t, resttest.Client[builtin.CoreEvent](t, s.API).Namespace("default"), "a")
}

func TestEventsAreSelectedInTheWordsOfEachGroup(t *testing.T) {
	s := start(t)
	created(t, s, modern, `{"metadata":{"name":"a"},`+modernEvent+`}`)
	created(t, s, events,
		`{"metadata":{"name":"b"},"involvedObject":{"namespace":"default","name":"q"},"source":{"component":"kubelet"},"reportingComponent":"other"}`)
	for path, found := range map[string]string{
		events + "?fieldSelector=involvedObject.name=p,reportingComponent=example.com/gardener": `"name":"a"`,
		modern + "?fieldSelector=regarding.name=p,reportingController=example.com/gardener":     `"name":"a"`,
		events + "?fieldSelector=source=example.com/gardener":                                   `"name":"a"`,
		events + "?fieldSelector=source=kubelet":                                                `"name":"b"`,
		modern + "?fieldSelector=regarding.name=q,type=":                                        `"name":"b"`,
		events + "?fieldSelector=regarding.name=p":                                              "field label not supported: regarding.name",
		modern + "?fieldSelector=involvedObject.name=p":                                         "field label not supported: involvedObject.name",
	} {
		_, body := send(t, s, http.MethodGet, path, "")
		assert.Contains(t, body, found, path)
		assert.False(t, strings.Contains(body, `"name":"a"`) && strings.Contains(body, `"name":"b"`), path)
	}
}

func TestTheTypedClientsOfBothGroupsSeeOneEvent(t *testing.T) {
	s := start(t)
	core, modern := resttest.Client[builtin.CoreEvent](t, s.API).Namespace("default"),
		resttest.Client[builtin.Event](t, s.API).Namespace("default")
	written := &builtin.CoreEvent{Reason: "Watered"}
	written.Name = "a"
	written, err := core.FieldManager("one").Create(t.Context(), written)
	require.NoError(t, err)
	read, err := modern.Get(t.Context(), "a")
	require.NoError(t, err)
	assert.Equal(t, "Watered", read.Reason)
	assert.Equal(t, [2]string{written.UID, written.ResourceVersion}, [2]string{read.UID, read.ResourceVersion})

	read.Labels = map[string]string{"k": "v"}
	read, err = modern.FieldManager("two").Update(t.Context(), read)
	require.NoError(t, err)
	var owners []string
	for _, e := range read.ManagedFields {
		owners = append(owners, e.Manager+" in "+e.APIVersion)
	}
	assert.ElementsMatch(t, []string{"one in v1", "two in events.k8s.io/v1"}, owners)

	_, err = modern.Get(t.Context(), "b")
	assert.EqualError(t, err, `events "b" not found`)
	assert.True(t, status.IsNotFound(err))
	_, err = core.Get(t.Context(), "b")
	assert.EqualError(t, err, `events "b" not found`)
}

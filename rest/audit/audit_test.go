package audit_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/audit"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

// recorder is a sink that keeps events in memory.
type recorder struct {
	mu  sync.Mutex
	all []*audit.Event
}

func (r *recorder) Write(_ context.Context, events []*audit.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, events...)
	return nil
}

// take returns the events since the last call.
func (r *recorder) take() []*audit.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.all
	r.all = nil
	return all
}

// secret is a Secret of the core group.
type secret struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Data               map[string][]byte `json:"data,omitempty"`
	StringData         map[string]string `json:"stringData,omitempty"`
}

func secrets() rest.Definition {
	return rest.Resource[secret]{Version: "v1", Plural: "secrets", Names: rest.Names{Kind: "Secret"},
		Wire: rest.Wire{Dialect: rest.DialectBuiltin}}
}

func memos() rest.Definition {
	return rest.Resource[apitest.Memo]{Group: "example.com", Version: "v1", Plural: "memos"}
}

const (
	memosPath   = "/apis/example.com/v1/namespaces/default/memos"
	secretsPath = "/api/v1/namespaces/default/secrets"
)

func memoBody(name string) string {
	return `{"apiVersion":"example.com/v1","kind":"Memo","metadata":{"name":"` + name + `"}}`
}

// audited returns an API with a plug-in of these options.
func audited(t testing.TB, options audit.Options, more rest.Options,
	definitions ...rest.Definition) (*rest.API, *audit.Audit) {
	t.Helper()
	a, err := audit.New(options)
	require.NoError(t, err)
	more.Plugins = append(more.Plugins, a)
	return apitest.New(t, more, definitions...), a
}

func TestNewRefusesWrongOptions(t *testing.T) {
	sink := audit.Output{Sink: audit.NewWriter(io.Discard)}
	for want, o := range map[string]audit.Options{
		"Options.Policy: rules: Required value": {Policy: &audit.Policy{}, Outputs: []audit.Output{sink}},
		`rules[0].level: Unsupported value: "All"`: {Policy: &audit.Policy{Rules: []audit.PolicyRule{{Level: "All"}}},
			Outputs: []audit.Output{sink}},
		"Options.Outputs must not be empty":   {},
		"Options.Outputs[1].Sink must be set": {Outputs: []audit.Output{sink, {}}},
	} {
		_, err := audit.New(o)
		assert.ErrorContains(t, err, want)
	}
}

func TestAStrictOutputThatFailsRefusesRequestsBeforeTheyAct(t *testing.T) {
	var fails error
	sink := audit.SinkFunc(func(context.Context, []*audit.Event) error { return fails })
	for _, c := range []struct {
		mode audit.Mode
		code int
	}{{audit.Strict, http.StatusInternalServerError}, {audit.Blocking, http.StatusCreated}} {
		fails = errors.New("the disk is full")
		api, a := audited(t, audit.Options{Outputs: []audit.Output{{Sink: sink, Mode: c.mode}},
			Logger: apitest.LoggerTo(io.Discard)}, rest.Options{Logger: apitest.LoggerTo(io.Discard)}, memos())
		answer := apitest.Do(t, api, "POST", memosPath, memoBody("a"))
		assert.Equal(t, c.code, answer.Code)
		assert.NotContains(t, answer.Body, "disk")
		fails = nil
		stored := apitest.Do(t, api, "GET", memosPath+"/a", "")
		assert.Equal(t, c.code == http.StatusCreated, stored.Code == http.StatusOK, "the request is refused before it acts")
		assert.Positive(t, a.Stats()[0].Failed)
		assert.Equal(t, uint64(2), a.Stats()[0].Written)
	}
}

func TestAPanicInASinkIsAnError(t *testing.T) {
	sink := audit.SinkFunc(func(context.Context, []*audit.Event) error { panic("no") })
	api, a := audited(t, audit.Options{Outputs: []audit.Output{{Sink: sink, Mode: audit.Blocking}},
		Logger: apitest.LoggerTo(io.Discard)}, rest.Options{}, memos())
	apitest.Must(t, api, "POST", memosPath, memoBody("a"))
	assert.Equal(t, audit.Stats{Failed: 2}, a.Stats()[0])
}

func TestAFullQueueDropsAndCounts(t *testing.T) {
	var b bytes.Buffer
	api, a := audited(t, audit.Options{Outputs: []audit.Output{{Sink: audit.NewWriter(&b), QueueEvents: 3}}},
		rest.Options{}, memos())
	for _, name := range []string{"a", "b", "c"} { // nothing empties the queue before Start
		apitest.Must(t, api, "POST", memosPath, memoBody(name))
	}
	assert.Equal(t, audit.Stats{Dropped: 3, Queued: 3}, a.Stats()[0])
	require.NoError(t, api.Start(t.Context()))
	require.NoError(t, api.Shutdown(t.Context()))
	assert.Equal(t, audit.Stats{Written: 3, Dropped: 3}, a.Stats()[0])
	assert.Len(t, idsOf(t, b.Bytes()), 3)
}

func TestRequestsWaitForAFullQueue(t *testing.T) {
	entered, release := make(chan struct{}, 10), make(chan struct{})
	var sink recorder
	slow := audit.SinkFunc(func(ctx context.Context, events []*audit.Event) error {
		entered <- struct{}{}
		<-release
		return sink.Write(ctx, events)
	})
	api, a := audited(t, audit.Options{Outputs: []audit.Output{{Sink: slow, QueueEvents: 1, BatchEvents: 1,
		WaitWhenFull: true}}}, rest.Options{}, memos())
	require.NoError(t, api.Start(t.Context()))
	done := apitest.InBackground(func() apitest.Answer { return apitest.Do(t, api, "POST", memosPath, memoBody("a")) })
	<-entered // the sink has the first event
	assert.Equal(t, http.StatusCreated, apitest.Within(t, "the first request", done).Code)
	second := apitest.InBackground(func() apitest.Answer { return apitest.Do(t, api, "POST", memosPath, memoBody("b")) })
	select { // the queue has the second event, and no room
	case <-second:
		t.Error("the request has not waited")
	case <-entered:
		t.Error("the sink is called twice at a time")
	default:
	}
	close(release)
	assert.Equal(t, http.StatusCreated, apitest.Within(t, "the second request", second).Code)
	require.NoError(t, api.Shutdown(t.Context()))
	assert.Equal(t, audit.Stats{Written: 4}, a.Stats()[0])
	assert.Len(t, sink.take(), 4)
}

func TestShutdownDoesNotWaitForASinkThatHangs(t *testing.T) {
	entered := make(chan struct{}, 1)
	sink := audit.SinkFunc(func(ctx context.Context, _ []*audit.Event) error {
		entered <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	})
	api, a := audited(t, audit.Options{Outputs: []audit.Output{{Sink: sink, BatchEvents: 1}},
		Logger: apitest.LoggerTo(io.Discard)}, rest.Options{}, memos())
	require.NoError(t, api.Start(t.Context()))
	apitest.Do(t, api, "GET", memosPath, "")
	<-entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, api.Shutdown(ctx), context.Canceled)
	apitest.Await(t, "the sink is abandoned", func() bool { return a.Stats()[0].Failed > 0 })
}

// A rule for everything at the highest level does not name the confidential resources.
func TestCredentialsAreRecordedOnlyIfTheRuleNamesThem(t *testing.T) {
	const planted = "hunter2-planted"
	encoded := "aHVudGVyMi1wbGFudGVk" // planted, in base64
	for policy, recorded := range map[string]bool{
		"rules: [{level: RequestResponse}]": false,
		"rules: [{level: RequestResponse, resources: [{group: ''}, {group: authentication.k8s.io}]}]": false,
		"rules: [{level: RequestResponse, resources: [{group: '*', resources: ['*']}]}]":              false,
		"rules: [{level: Metadata}]": false,
		"rules: [{level: RequestResponse, resources: [{resources: [secrets]}, {group: authentication.k8s.io, resources: [tokenreviews]}]}]": true,
	} {
		var b bytes.Buffer
		api, _ := audited(t, audit.Options{Policy: parse(t, policy),
			Outputs: []audit.Output{{Sink: audit.NewWriter(&b), Mode: audit.Strict}}},
			rest.Options{Authenticator: auth.Tokens(auth.Token{Secret: "bearer-" + planted, User: access.User{Name: "alice"}}),
				Plugins: []rest.Plugin{auth.Reviews()}}, secrets())
		do := func(method, target, body string, more ...string) {
			apitest.Do(t, api, method, target, body, append([]string{"Authorization", "Bearer bearer-" + planted}, more...)...)
		}
		do("POST", secretsPath, `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"stringData":{"p":"`+planted+
			`"},"data":{"q":"`+encoded+`"}}`)
		do("POST", secretsPath, `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"stringData":{"p":"`+planted)
		do("POST", secretsPath, `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"q":"`+planted+`"}}`)
		do("PATCH", secretsPath+"/s", `{"stringData":{"r":"`+planted+`"}}`, "Content-Type", apitest.TypeMergePatch)
		do("GET", secretsPath, "")
		do("GET", secretsPath+"/s", "")
		do("DELETE", secretsPath+"/s", "")
		do("POST", "/apis/authentication.k8s.io/v1/tokenreviews",
			`{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"`+planted+`"}}`)
		apitest.Do(t, api, "GET", secretsPath, "", "Authorization", "Bearer wrong-"+planted)
		log := b.String()
		assert.Contains(t, log, "tokenreviews")
		assert.Equal(t, recorded, strings.Contains(log, planted) || strings.Contains(log, encoded), policy)
		assert.NotContains(t, log, "bearer-"+planted)
		assert.NotContains(t, log, "wrong-"+planted)
	}
}

// The event of a refused request says why, also about a confidential resource. A failure that may quote the object says
// everything else.
func TestFailuresAboutConfidentialObjects(t *testing.T) {
	denied := access.AuthorizerFunc(func(_ context.Context, a access.Access) (access.Decision, error) {
		if a.User.Name == "alice" {
			return access.Deny("not today"), nil
		}
		return access.Allow(""), nil
	})
	var sink recorder
	api, _ := audited(t, audit.Options{Outputs: []audit.Output{{Sink: &sink, Mode: audit.Strict}}},
		rest.Options{Authorizer: denied, Authenticator: auth.Tokens(
			auth.Token{Secret: "alice", User: access.User{Name: "alice"}}, auth.Token{Secret: "bob", User: access.User{Name: "bob"}})},
		secrets())
	const valid = `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"}}`
	for _, c := range []struct {
		name, user, method, path, body string
		reason                         status.Reason
		message                        bool
		details                        *status.Details
	}{
		{"a refused watch", "alice", "GET", secretsPath + "?watch=1", "", status.ReasonForbidden, true,
			&status.Details{Kind: "secrets"}},
		{"a refused get", "alice", "GET", secretsPath + "/s", "", status.ReasonForbidden, true,
			&status.Details{Kind: "secrets", Name: "s"}},
		{"a refused create", "alice", "POST", secretsPath, valid, status.ReasonForbidden, true, &status.Details{Kind: "secrets"}},
		{"a refused delete of all", "alice", "DELETE", secretsPath, "", status.ReasonForbidden, true,
			&status.Details{Kind: "secrets"}},
		{"nobody", "eve", "GET", secretsPath + "?watch=1", "", status.ReasonUnauthorized, true, nil},
		{"a create", "bob", "POST", secretsPath, valid, "", false, nil},
		{"a conflict", "bob", "POST", secretsPath, valid, status.ReasonAlreadyExists, false,
			&status.Details{Kind: "secrets", Name: "s"}},
		{"an absent object", "bob", "GET", secretsPath + "/t", "", status.ReasonNotFound, false,
			&status.Details{Kind: "secrets", Name: "t"}},
		{"an invalid object", "bob", "POST", secretsPath, `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"S"}}`,
			status.ReasonInvalid, false, &status.Details{Kind: "Secret", Name: "S"}},
	} {
		apitest.Do(t, api, c.method, c.path, c.body, "Authorization", "Bearer "+c.user)
		events := sink.take()
		require.NotEmpty(t, events, c.name)
		got := events[len(events)-1].ResponseStatus
		assert.Equal(t, c.reason, got.Reason, c.name)
		assert.Equal(t, c.reason != "", got.Status == status.Failure, c.name)
		assert.Equal(t, c.message, got.Message != "", c.name)
		assert.Equal(t, c.details, got.Details, c.name)
	}
}

func TestLargeObjectsAreLeftOut(t *testing.T) {
	var sink recorder
	api, _ := audited(t, audit.Options{Policy: parse(t, "rules: [{level: Request}]"),
		Outputs: []audit.Output{{Sink: &sink, Mode: audit.Strict}}, MaxObjectBytes: 10},
		rest.Options{}, memos())
	apitest.Must(t, api, "POST", memosPath, memoBody("a"))
	got := sink.take()
	require.Len(t, got, 2)
	assert.Empty(t, got[1].RequestObject)
	assert.Equal(t, "true", got[1].Annotations["audit.k8s.io/truncated"])
	assert.Equal(t, "a", got[1].ObjectRef.Name)
}

func TestHooksAnnotateTheirRequest(t *testing.T) {
	var sink recorder
	hook := apitest.Validating("notes.example.com", func(ctx context.Context, _ *admission.Request) error {
		audit.Annotate(ctx, "notes.example.com/why", "because")
		audit.Annotate(ctx, "notes.example.com/why", "again")
		return nil
	})
	api, _ := audited(t, audit.Options{Outputs: []audit.Output{{Sink: &sink, Mode: audit.Strict}}},
		rest.Options{Admission: []admission.Hook{hook}}, memos())
	apitest.Must(t, api, "POST", memosPath, memoBody("a"))
	got := sink.take()
	require.Len(t, got, 2)
	assert.Empty(t, got[0].Annotations)
	assert.Equal(t, map[string]string{"notes.example.com/why": "because"}, got[1].Annotations)
	audit.Annotate(t.Context(), "a", "b") // a context without a request
}

func TestAPanicHasAStageOfItsOwn(t *testing.T) {
	var sink recorder
	hook := apitest.Validating("panics.example.com", func(context.Context, *admission.Request) error { panic("no") })
	api, _ := audited(t, audit.Options{Outputs: []audit.Output{{Sink: &sink, Mode: audit.Strict}}},
		rest.Options{Admission: []admission.Hook{hook}, Logger: apitest.LoggerTo(io.Discard)}, memos())
	apitest.Do(t, api, "POST", memosPath, memoBody("a"))
	got := sink.take()
	require.Len(t, got, 2)
	assert.Equal(t, audit.StagePanic, got[1].Stage)
	assert.Equal(t, int32(http.StatusInternalServerError), got[1].ResponseStatus.Code)
}

// The order of the addresses is that of the way of the request.
func TestEventsNameTheClient(t *testing.T) {
	var sink recorder
	api, _ := audited(t, audit.Options{Outputs: []audit.Output{{Sink: &sink, Mode: audit.Strict}}}, rest.Options{},
		memos())
	r := apitest.NewRequest("GET", memosPath+"?limit=1", nil, "X-Forwarded-For", "192.0.2.1, 192.0.2.2", "User-Agent",
		strings.Repeat("x", 2000), "Audit-ID", "mine")
	r.RemoteAddr = "192.0.2.3:1234"
	apitest.Ask(api, r)
	e := sink.take()[1]
	assert.Equal(t, []string{"192.0.2.1", "192.0.2.2", "192.0.2.3"}, e.SourceIPs)
	assert.Equal(t, strings.Repeat("x", 1024)+"...TRUNCATED", e.UserAgent)
	assert.Equal(t, "mine", e.AuditID)
	assert.Equal(t, memosPath+"?limit=1", e.RequestURI)
	assert.Equal(t, "system:anonymous", e.User.Username)
}

package rest_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// journal is what plug-ins have done, in order.
type journal []string

// plugin returns a plug-in that writes into the journal, and whose start fails with err.
func (j *journal) plugin(name string, err error) rest.PluginParts {
	return rest.PluginParts{
		Name: name,
		Start: func(context.Context, *rest.API) error {
			*j = append(*j, "start "+name)
			return err
		},
		Stop: func(context.Context) error {
			*j = append(*j, "stop "+name)
			return nil
		},
	}
}

// plugged returns an API with plug-ins, which has not been started.
func plugged(t *testing.T, plugins ...rest.Plugin) *rest.API {
	t.Helper()
	return apitest.New(t, rest.Options{Plugins: plugins})
}

func TestPluginsStartInOrderAndStopInReverse(t *testing.T) {
	var j journal
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{j.plugin("a", nil), rest.PluginParts{Name: "idle"},
		j.plugin("b", nil)}})
	require.NoError(t, err)
	assert.Empty(t, j, "New starts nothing")
	require.NoError(t, api.Start(t.Context()))
	assert.EqualError(t, api.Start(t.Context()), "rest: Start: the plug-ins run already")
	require.NoError(t, api.Shutdown(t.Context()))
	require.NoError(t, api.Shutdown(t.Context()))
	assert.Equal(t, journal{"start a", "start b", "stop b", "stop a"}, j)
	assert.EqualError(t, api.Start(t.Context()), "rest: Start: the API has been closed")
}

// A failed start undoes the earlier ones. The host may try again.
func TestAFailedStartStopsThoseBefore(t *testing.T) {
	var j journal
	broken := errors.New("no route")
	fails := true
	last := rest.PluginParts{Name: "last", Start: func(context.Context, *rest.API) error {
		if fails {
			return broken
		}
		return nil
	}}
	api := plugged(t, j.plugin("a", nil), j.plugin("b", nil), last, j.plugin("never", nil))
	err := api.Start(t.Context())
	require.ErrorIs(t, err, broken)
	assert.EqualError(t, err, `rest: Start: plug-in "last": no route`)
	assert.Equal(t, journal{"start a", "start b", "stop b", "stop a"}, j)
	assert.Equal(t, 500, apitest.Do(t, api, "GET", "/readyz", "").Code)
	fails = false
	require.NoError(t, api.Start(t.Context()))
	assert.Equal(t, 200, apitest.Do(t, api, "GET", "/readyz", "").Code)
}

// The context of a plug-in ends when the API stops the plug-in, and not with the context of a Start that has succeeded.
func TestContextOfAPlugin(t *testing.T) {
	type key struct{}
	var living context.Context
	alive := rest.PluginParts{
		Name:  "alive",
		Start: func(ctx context.Context, _ *rest.API) error { living = ctx; return nil },
		Stop:  func(context.Context) error { assert.Error(t, living.Err(), "it ends before Stop"); return nil },
	}
	api := plugged(t, alive)
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "v"))
	require.NoError(t, api.Start(ctx))
	cancel()
	assert.NoError(t, living.Err())
	assert.Equal(t, "v", living.Value(key{}))
	require.NoError(t, api.Close())
	assert.Error(t, living.Err())
}

// The end of the context of Start ends a start under way, and so does a shutdown.
func TestCloseEndsAStartInProgress(t *testing.T) {
	for name, end := range map[string]func(api *rest.API, cancel func()){
		"context":  func(_ *rest.API, cancel func()) { cancel() },
		"shutdown": func(api *rest.API, _ func()) { assert.NoError(t, api.Shutdown(t.Context())) },
	} {
		t.Run(name, func(t *testing.T) {
			begun := make(chan struct{})
			slow := rest.PluginParts{Name: "slow", Start: func(ctx context.Context, _ *rest.API) error {
				close(begun)
				<-ctx.Done()
				return ctx.Err()
			}}
			api := plugged(t, slow)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan error)
			go func() { ended <- api.Start(ctx) }()
			<-begun
			end(api, cancel)
			assert.ErrorContains(t, <-ended, `plug-in "slow"`)
		})
	}
}

// A plug-in that does not stop in time is named, and a later Shutdown asks it again.
func TestPluginDoesNotStop(t *testing.T) {
	release := make(chan struct{})
	stuck := rest.PluginParts{Name: "stuck", Start: func(context.Context, *rest.API) error { return nil },
		Stop: func(ctx context.Context) error {
			select {
			case <-release:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}}
	api := plugged(t, stuck)
	require.NoError(t, api.Start(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := api.Shutdown(ctx)
	assert.EqualError(t, err, `rest: stopping plug-in "stuck": context canceled`, "no request is in flight")
	assert.Equal(t, 503, apitest.Do(t, api, "GET", "/api", "").Code, "the API is closed nevertheless")
	close(release)
	assert.NoError(t, api.Shutdown(t.Context()))
}

// An API with plug-ins that start something is not ready before that.
func TestReadinessWaitsForTheStart(t *testing.T) {
	var j journal
	api := plugged(t, j.plugin("a", nil), j.plugin("b", nil))
	answer := apitest.Do(t, api, "GET", "/readyz", "")
	assert.Equal(t, 500, answer.Code)
	assert.Contains(t, answer.Body, "[-]plugins failed: the API has not started its plug-ins: a, b")
	assert.Equal(t, 200, apitest.Do(t, api, "GET", "/livez", "").Code)
	require.NoError(t, api.Start(t.Context()))
	assert.Equal(t, 200, apitest.Do(t, api, "GET", "/readyz", "").Code)
	assert.Equal(t, 200, apitest.Do(t, plugged(t, rest.PluginParts{Name: "static"}), "GET", "/readyz", "").Code)
}

// Among parts of one sort, the host's parts come first, followed by the plug-ins' parts in their order.
func TestOrderOfParts(t *testing.T) {
	var asked []string
	hook := func(name string) []admission.Hook {
		return []admission.Hook{{Name: name, Validate: func(context.Context, *admission.Request) error {
			asked = append(asked, "admission "+name)
			return nil
		}}}
	}
	users := func(name string) access.Authenticator {
		return access.AuthenticatorFunc(func(r *http.Request) (*access.Identity, error) {
			asked = append(asked, "authenticator "+name)
			if r.Header.Get("Test-User") != name {
				return nil, nil
			}
			return &access.Identity{User: access.User{Name: name}}, nil
		})
	}
	rights := func(name string) access.Authorizer {
		return access.AuthorizerFunc(func(_ context.Context, a access.Access) (access.Decision, error) {
			asked = append(asked, "authorizer "+name)
			if a.User.Name != name {
				return access.Decision{}, nil
			}
			return access.Allow(""), nil
		})
	}
	part := func(name string) rest.Plugin {
		return rest.PluginParts{Name: name, Admission: hook(name), Authenticator: users(name), Authorizer: rights(name)}
	}
	api := apitest.New(t, rest.Options{
		Admission: hook("host"), Authenticator: users("host"), Authorizer: rights("host"),
		Plugins: []rest.Plugin{part("one"), rest.PluginParts{Name: "nothing"}, part("two")},
	}, apitest.WidgetResource())
	answer := apitest.Do(t, api, "POST", apitest.Widgets,
		`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"size":1}}`, "Test-User", "two")
	require.Equal(t, 201, answer.Code, answer.Body)
	assert.Equal(t, []string{
		"authenticator host", "authenticator one", "authenticator two",
		"authorizer host", "authorizer one", "authorizer two",
		"admission host", "admission one", "admission two",
	}, asked)
}

// A resource that the host declares replaces the same resource of a plug-in. Two plug-ins cannot declare the same
// resource.
func TestDefinitionsOfPlugins(t *testing.T) {
	part := rest.PluginParts{Name: "widgets", Definitions: []rest.Definition{rest.Resource[apitest.Thing]{
		Group: "example.com", Version: "v1", Plural: "widgets", Names: rest.Names{Kind: "Widget", Short: []string{"w"}}}}}
	own := rest.Resource[apitest.Thing]{Group: "example.com", Version: "v1", Plural: "widgets",
		Names: rest.Names{Kind: "Widget", Short: []string{"own"}}}
	assert.Contains(t, apitest.Do(t, apitest.New(t, rest.Options{Plugins: []rest.Plugin{part}}), "GET",
		"/apis/example.com/v1", "").Body, `"shortNames":["w"]`)
	assert.Contains(t, apitest.Do(t, apitest.New(t, rest.Options{Plugins: []rest.Plugin{part}}, own), "GET",
		"/apis/example.com/v1", "").Body, `"shortNames":["own"]`)
	_, err := rest.New(rest.Options{Plugins: []rest.Plugin{part, part}})
	assert.EqualError(t, err, `rest.New: kind "Widget": declared twice`)
}

// pluginFunc is a plug-in that is a function.
type pluginFunc func(api rest.PluginAPI) (rest.PluginParts, error)

func (f pluginFunc) Plug(api rest.PluginAPI) (rest.PluginParts, error) { return f(api) }

func TestWrongPluginsAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		plugin rest.Plugin
		want   string
	}{
		"nil":            {nil, "rest.New: Options.Plugins[0] is nil"},
		"without a name": {rest.PluginParts{}, "rest.New: plug-in rest.PluginParts: Name is empty"},
		"stop without start": {rest.PluginParts{Name: "a", Stop: func(context.Context) error { return nil }},
			"rest.New: plug-in rest.PluginParts: Stop without Start"},
		"an error": {pluginFunc(func(rest.PluginAPI) (rest.PluginParts, error) {
			return rest.PluginParts{}, errors.New("wrong")
		}),
			"rest.New: plug-in rest_test.pluginFunc: wrong"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := rest.New(rest.Options{Plugins: []rest.Plugin{c.plugin}})
			assert.EqualError(t, err, c.want)
		})
	}
}

func TestExemptGroupsOfPlugins(t *testing.T) {
	for name, c := range map[string]struct {
		host []string
		want bool
	}{"default": {nil, true}, "set by the host": {[]string{"others"}, false}} {
		t.Run(name, func(t *testing.T) {
			entered, release := make(chan struct{}), make(chan struct{})
			wait := admission.Hook{Name: "wait", Validate: func(_ context.Context, r *admission.Request) error {
				if r.Name == "slow" {
					close(entered)
					<-release
				}
				return nil
			}}
			users := access.AuthenticatorFunc(func(r *http.Request) (*access.Identity, error) {
				name := r.Header.Get("Test-User")
				return &access.Identity{User: access.User{Name: name, Groups: []string{name + "s"}}}, nil
			})
			api := apitest.New(t, rest.Options{Admission: []admission.Hook{wait}, Authenticator: users,
				Limits:  rest.Limits{MaxInFlight: 2, ExemptGroups: c.host},
				Plugins: []rest.Plugin{rest.PluginParts{Name: "groups", ExemptGroups: []string{"annas"}}}},
				apitest.WidgetResource())
			go apitest.Do(t, api, "POST", apitest.Widgets,
				`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"slow"},"spec":{"size":1}}`, "Test-User", "anna")
			<-entered
			defer close(release)
			code := apitest.Do(t, api, "GET", apitest.Widgets, "", "Test-User", "anna").Code
			assert.Equal(t, c.want, code == 200, code)
		})
	}
}

package remote_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

// roundTrip is a transport that calls a function.
type roundTrip func(r *http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// answering returns a client of Widgets that sends its requests to f.
func answering(t testing.TB, f http.HandlerFunc) rest.Client[apitest.Widget] {
	return apitest.ClientForEndpoint(t, apitest.EndpointOf(f), apitest.WidgetResource()).Namespace("default")
}

func TestTheZeroClientReturnsErrors(t *testing.T) {
	_, err := rest.Client[apitest.Widget]{}.Namespace("default").Get(t.Context(), "a")
	assert.ErrorContains(t, err, "call one of the functions named ClientFor")
}

func TestClientForAnInvalidEndpoint(t *testing.T) {
	valid := apitest.EndpointOf(http.NotFoundHandler())
	for _, c := range []struct {
		name   string
		server rest.Endpoint
		widget rest.Resource[apitest.Widget]
		text   string
	}{
		{"no URL", rest.Endpoint{}, apitest.WidgetResource(),
			`the URL "" of the server must have the form https://HOST/PREFIX`},
		{"no scheme", rest.Endpoint{URL: "api.example.com"}, apitest.WidgetResource(),
			`the URL "api.example.com" of the server must have the form`},
		{"another scheme", rest.Endpoint{URL: "ftp://api.example.com"}, apitest.WidgetResource(), "must have the form"},
		{"a query", rest.Endpoint{URL: "https://api.example.com/?a=b"}, apitest.WidgetResource(), "must have the form"},
		{"a secret in a bad URL", rest.Endpoint{URL: "ftp://me:secret@api.example.com"}, apitest.WidgetResource(),
			"me:xxxxx@api"},
		{"no URL at all", rest.Endpoint{URL: "http://%zz"}, apitest.WidgetResource(), "invalid URL escape"},
		{"no plural", valid, rest.Resource[apitest.Widget]{Group: "example.com", Version: "v1"}, `Plural ""`},
		{"no version", valid, rest.Resource[apitest.Widget]{Group: "example.com", Plural: "widgets"}, `Version ""`},
		{"no subresource", valid,
			apitest.WidgetResource(func(r *rest.Resource[apitest.Widget]) {
				r.Subresources = []rest.SubresourceOf[apitest.Widget]{nil}
			}), "a subresource is nil"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := rest.ClientForEndpoint(c.server, c.widget)
			assert.ErrorContains(t, err, "rest.ClientForEndpoint: apitest.Widget: ")
			assert.ErrorContains(t, err, c.text)
		})
	}
}

func TestRequestsContainOnlyWhatTheServerNeeds(t *testing.T) {
	api := apitest.NewWidgets(t, apitest.WithSubresources)
	var sent []string
	server := apitest.EndpointOf(http.StripPrefix("/pre/fix", api))
	inner := server.HTTP.Transport
	server.HTTP.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		line := r.Method + " " + r.URL.RequestURI()
		if r.Body != nil {
			body, err := io.ReadAll(r.Body)
			require.NoError(t, err)
			r.Body = io.NopCloser(bytes.NewReader(body))
			line += " " + r.Header.Get("Content-Type")
		}
		assert.Equal(t, "application/json", r.Header.Get("Accept"))
		assert.NotContains(t, fmt.Sprint(r.Header, r.URL), "somebody")
		sent = append(sent, line)
		return inner.RoundTrip(r)
	})
	ctx := access.WithUser(t.Context(), access.User{Name: "somebody"})
	client := apitest.ClientForEndpoint(t, server,
		apitest.WidgetResource(apitest.WithSubresources)).Namespace("default").FieldManager("me")
	wants := func(err error, lines ...string) {
		t.Helper()
		require.NoError(t, err)
		assert.Equal(t, lines, sent)
		sent = nil
	}
	const one, all = "/pre/fix" + apitest.Widgets + "/a", "/pre/fix" + apitest.Widgets
	w, err := client.Create(ctx, apitest.NewWidget("a", 1))
	wants(err, "POST "+all+"?fieldManager=me application/json")
	_, err = client.Get(ctx, "a")
	wants(err, "GET "+one)
	_, err = client.GetNotOlderThan(ctx, "a", "0")
	wants(err, "GET "+one+"?resourceVersion=0")
	_, err = client.List(ctx, rest.ListOptions{LabelSelector: "a,b", Limit: 1, ResourceVersion: "1",
		ResourceVersionMatch: apimeta.MatchNotOlderThan})
	wants(err, "GET "+all+"?labelSelector=a%2Cb&limit=1&resourceVersion=1&resourceVersionMatch=NotOlderThan")
	_, err = client.Namespace("").List(ctx, rest.ListOptions{})
	wants(err, "GET /pre/fix"+apitest.AllWidgets)
	_, err = client.Update(ctx, w)
	wants(err, "GET "+one, "PUT "+one+"?fieldManager=me application/json")
	_, err = client.ModifyStatus(ctx, "a", func(*apitest.Widget) error { return nil })
	wants(err, "GET "+one, "PUT "+one+"/status?fieldManager=me application/json")
	_, err = client.DryRun().Validation(apimeta.FieldValidationStrict).Patch(ctx, "a", apimeta.MergePatch, []byte(`{}`))
	wants(err, "PATCH "+one+"?dryRun=All&fieldManager=me&fieldValidation=Strict application/merge-patch+json")
	_, err = client.ApplyStatus(ctx, "a", map[string]any{}, apimeta.ApplyOptions{Force: true})
	wants(err, "PATCH "+one+"/status?fieldManager=me&force=true application/apply-patch+yaml")
	_, err = rest.CreateSubresource(ctx, client, "a", "restart", &apitest.Restart{})
	wants(err, "POST "+one+"/restart?fieldManager=me application/json")
	_, err = client.DeleteCollection(ctx, rest.DeleteOptions{}, rest.ListOptions{FieldSelector: "metadata.name=b"})
	wants(err, "DELETE "+all+"?fieldSelector=metadata.name%3Db application/json")
	err = client.Delete(ctx, "a", rest.DeleteOptions{})
	wants(err, "DELETE "+one+" application/json")
}

// A successful answer that is not the object or the list that the client asked for is an error. Otherwise a controller
// would see no objects, and Modify would write a nearly empty object.
func TestUnexpectedAnswers(t *testing.T) {
	for _, c := range []struct{ name, answer, get, list string }{
		{"nothing", ``, "not an object: unexpected end", "not a list: unexpected EOF"},
		{"null", `null`, `the kind "" of ""`, "not a list: it has no resourceVersion"},
		{"an empty object", `{}`, `the kind "" of ""`, "not a list: it has no resourceVersion"},
		{"a text", `"hello"`, "not an object: json: cannot unmarshal string", "not a list: json: cannot unmarshal string"},
		{"a Status", `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"}`,
			`the kind "Status" of "v1", not "Widget" of "example.com/v1"`, "not a list: it has no resourceVersion"},
		{"another object", apitest.StoredWidget{Name: "b"}.String(), `the Widget "b", not "a"`,
			"not a list: it has no items"},
		{"another kind", strings.Replace(apitest.StoredWidget{}.String(), "Widget", "Gadget", 1),
			`the kind "Gadget" of "example.com/v1", not "Widget"`, "not a list: it has no items"},
		{"another version", strings.Replace(apitest.StoredWidget{}.String(), "/v1", "/v2", 1),
			`the kind "Widget" of "example.com/v2", not`, "not a list: it has no items"},
		{"items that are not objects", `{"metadata":{"resourceVersion":"5"},"items":[1]}`, `the kind "" of ""`,
			"not a list of objects: json: cannot unmarshal number"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var sent []string
			client := answering(t, func(w http.ResponseWriter, r *http.Request) {
				sent = append(sent, r.Method)
				_, _ = io.WriteString(w, c.answer)
			})
			got, err := client.Get(t.Context(), "a")
			assert.ErrorContains(t, err, c.get)
			assert.Nil(t, got)
			_, err = client.Modify(t.Context(), "a", func(*apitest.Widget) error { return nil })
			assert.ErrorContains(t, err, c.get)
			assert.Equal(t, []string{"GET", "GET"}, sent, "Modify writes nothing")
			_, err = client.Patch(t.Context(), "a", apimeta.MergePatch, []byte(`{}`))
			assert.ErrorContains(t, err, c.get)
			_, err = client.List(t.Context(), rest.ListOptions{})
			assert.ErrorContains(t, err, c.list)
			assert.ErrorContains(t, apitest.FirstError(client.Watch(t.Context(), rest.WatchOptions{})), c.list)
			assert.ErrorContains(t, apitest.FirstError(client.Follow(t.Context(), rest.WatchOptions{})), c.list)
			assert.NoError(t, client.Delete(t.Context(), "a", rest.DeleteOptions{}),
				"a server may answer a deletion with a Status or an object")
		})
	}
	client := answering(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"}`)
			return
		}
		_, _ = io.WriteString(w, `{"kind":"WidgetList","apiVersion":"example.com/v1","metadata":{"resourceVersion":"5"},"items":null}`)
	})
	page, err := client.List(t.Context(), rest.ListOptions{})
	require.NoError(t, err)
	assert.Empty(t, page.Items)
	_, err = client.DeleteCollection(t.Context(), rest.DeleteOptions{}, rest.ListOptions{})
	assert.NoError(t, err)
}

// If a proxy answers without a Status, the error has the reason of the HTTP code and quotes the beginning of the
// response.
func TestAnswersWithoutAStatus(t *testing.T) {
	page := "<html>Bad Gateway\xff" + strings.Repeat("!", 10_000)
	for code, is := range map[int]func(error) bool{
		400: status.IsBadRequest, 401: status.IsUnauthorized, 403: status.IsForbidden, 404: status.IsNotFound,
		405: status.IsMethodNotAllowed,
		406: status.IsNotAcceptable, 409: status.IsConflict, 410: status.IsGone, 413: status.IsRequestEntityTooLarge,
		415: status.IsUnsupportedMediaType,
		422: status.IsInvalid, 429: status.IsTooManyRequests, 500: status.IsInternalError, 502: status.IsInternalError,
		503: status.IsServiceUnavailable, 504: status.IsTimeout,
	} {
		client := answering(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			_, _ = io.WriteString(w, page)
		})
		_, err := client.Get(t.Context(), "a")
		assert.True(t, is(err), "%d: %v", code, err)
		assert.Equal(t, code, status.CodeOf(err))
		assert.True(t, status.HasCause(err, status.CauseUnexpectedServerResponse))
		assert.ErrorContains(t, err,
			fmt.Sprintf(`GET /pre/fix%s/a: the server answered %d %s without a Status: "<html>Bad Gateway!!!`, apitest.Widgets,
				code, http.StatusText(code)))
		assert.Less(t, len(err.Error()), 3000)
		_, err = client.Create(t.Context(), apitest.NewWidget("a", 1))
		if code == http.StatusConflict {
			is = status.IsAlreadyExists
		}
		assert.True(t, is(err), "%d: %v", code, err)
	}
	for name, text := range map[string]string{
		"another kind":         `{"kind":"Widget","apiVersion":"example.com/v1"}`,
		"a Status of success":  `{"kind":"Status","apiVersion":"v1","status":"Success"}`,
		"a Status without end": `{"kind":"Status","apiVersion":"v1","status":"Failure"`,
	} {
		_, err := answering(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, text)
		}).Get(t.Context(), "a")
		assert.True(t, status.IsForbidden(err) && status.HasCause(err, status.CauseUnexpectedServerResponse), "%s: %v", name,
			err)
	}
	_, err := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "<html>")
	}).List(t.Context(), rest.ListOptions{})
	assert.ErrorContains(t, err, "the server's answer is not a list")
	_, err = answering(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000000000")
	}).Get(t.Context(), "a")
	assert.ErrorContains(t, err, "exceeds the limit")
}

// The client retries after a Retry-After, but a limited number of times.
func TestClientAtIsPatient(t *testing.T) {
	busy := func(code int, retryAfter string, times int, asked *int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if *asked++; *asked <= times {
				if retryAfter != "" {
					w.Header().Set("Retry-After", retryAfter)
				}
				w.WriteHeader(code)
				return
			}
			if r.Method == http.MethodGet {
				body = []byte(apitest.StoredWidget{}.String())
			}
			_, _ = w.Write(body)
		}
	}
	for _, c := range []struct {
		name       string
		code       int
		retryAfter string
		times      int // how often the server answers that it is busy
		asked      int
		took       time.Duration
	}{
		{"too many requests", 429, "2", 3, 4, 6 * time.Second},
		{"unavailable", 503, "0", 10, 11, 0},
		{"busy for ever", 503, "1", 100, 11, 10 * time.Second},
		{"without Retry-After", 429, "", 1, 1, 0},
		{"a date", 429, "Fri, 31 Dec 1999 23:59:59 GMT", 1, 1, 0},
		{"another failure", 500, "1", 1, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, write := range []bool{false, true} {
				synctest.Test(t, func(t *testing.T) {
					asked := 0
					client, began := answering(t, busy(c.code, c.retryAfter, c.times, &asked)), time.Now()
					var w *apitest.Widget
					var err error
					if write {
						w, err = client.Create(t.Context(), apitest.NewWidget("a", 1))
					} else {
						w, err = client.Get(t.Context(), "a")
					}
					assert.Equal(t, c.asked, asked)
					assert.Equal(t, c.took, time.Since(began))
					if c.asked <= c.times {
						assert.Equal(t, c.code, status.CodeOf(err))
						return
					}
					require.NoError(t, err)
					assert.Equal(t, "a", w.Name, "a retry sends the body again")
				})
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		asked, began := 0, time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := answering(t, busy(429, "3600", 1, &asked)).Get(ctx, "a")
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, time.Second, time.Since(began))
	})
}

// A redirect must not turn a write into a read.
func TestRedirectedWrites(t *testing.T) {
	client := answering(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/elsewhere" {
			_, _ = io.WriteString(w, apitest.StoredWidget{}.String())
			return
		}
		http.Redirect(w, r, "/elsewhere", http.StatusMovedPermanently)
	})
	got, err := client.Get(t.Context(), "a")
	require.NoError(t, err)
	assert.Equal(t, "a", got.Name)
	err = client.Delete(t.Context(), "a", rest.DeleteOptions{})
	assert.ErrorContains(t, err,
		"DELETE https://api.example.com/pre/fix/apis/example.com/v1/namespaces/default/widgets/a: a redirect to https://api.example.com/elsewhere changed the method to GET")
}

func TestNamesThatWouldChangeThePathAreRefused(t *testing.T) {
	client := answering(t, func(_ http.ResponseWriter, r *http.Request) { t.Error("sent:", r.Method, r.URL) })
	for _, name := range []string{"", ".", "..", "a/b", "a%2Fstatus", "a/../../b"} {
		_, err := client.Get(t.Context(), name)
		assert.True(t, status.IsBadRequest(err), "%q: %v", name, err)
		assert.True(t, status.IsBadRequest(client.Delete(t.Context(), name, rest.DeleteOptions{})), name)
		_, err = client.Modify(t.Context(), name, func(*apitest.Widget) error { return nil })
		assert.True(t, status.IsBadRequest(err), "%q: %v", name, err)
		if name != "" {
			_, err = client.Namespace(name).List(t.Context(), rest.ListOptions{})
			assert.True(t, status.IsBadRequest(err), "%q: %v", name, err)
			_, err = rest.GetSubresource[apitest.Paint](t.Context(), client, "a", name)
			assert.True(t, status.IsBadRequest(err), "%q: %v", name, err)
		}
	}
	const odd = "a b?c#d:é"
	var path string
	_, err := answering(t, func(w http.ResponseWriter, r *http.Request) {
		path = r.RequestURI
		_, _ = io.WriteString(w, apitest.StoredWidget{Name: odd}.String())
	}).Get(t.Context(), odd)
	require.NoError(t, err)
	assert.Equal(t, "/pre/fix"+apitest.Widgets+"/a%20b%3Fc%23d:%C3%A9", path)
}

// The client unquotes and splits the warnings of the server.
func TestWarningsOverHTTP(t *testing.T) {
	for header, want := range map[string][]string{
		`299 - "one"`:                       {"one"},
		`299 - "say \"hi\" \\ there"`:       {`say "hi" \ there`},
		`299 api.example.com "one, two"`:    {"one, two"},
		`299 - "one", 299 - "two"`:          {"one", "two"},
		`299 - "one" "Fri, 31 Dec",299 - x`: {"one", "x"},
		`199 - "other", 299 - "one"`:        {"one"},
		`299 - ""`:                          nil,
		`299 - "open\`:                      {"open"},
		`299`:                               nil,
		`,, `:                               nil,
	} {
		var heard []string
		ctx := rest.WithWarnings(t.Context(), func(text string) { heard = append(heard, text) })
		client := answering(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Warning", header)
			if r.Method == http.MethodPost {
				w.WriteHeader(http.StatusForbidden)
			}
			_, _ = io.WriteString(w, apitest.StoredWidget{}.String())
		})
		_, err := client.Get(ctx, "a")
		require.NoError(t, err)
		assert.Empty(t, heard, "of a read")
		_, err = client.Patch(ctx, "a", apimeta.MergePatch, []byte(`{}`))
		require.NoError(t, err)
		assert.Equal(t, want, heard, header)
		heard = nil
		_, err = client.Create(ctx, apitest.NewWidget("a", 1))
		assert.True(t, status.IsForbidden(err))
		assert.Equal(t, want, heard, "%s: of a refused write", header)
	}
}

// SmallDial is the type of a program that uses only one field of Dial.
type SmallDial struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Label string      `json:"label,omitempty"`
		Knobs []SmallKnob `json:"knobs,omitempty" api:"list=map,key=name"`
	} `json:"spec"`
}

type SmallKnob struct {
	Name string `json:"name"`
}

// An update keeps fields that the Go type of the client lacks.
func TestClientAtKeepsUnknownFields(t *testing.T) {
	api, _ := apitest.NewDials(t)
	apitest.Must(t, api, "POST", apitest.Dials,
		apitest.DialBody(`{"replicas":0,"label":"x","knobs":[{"name":"a","size":0},{"name":"b","title":"t"}],"free":{"a":123456789012345678901}}`))
	client := apitest.ClientForEndpoint(t, apitest.EndpointOf(http.StripPrefix("/pre/fix", api)),
		rest.Resource[SmallDial]{Group: "example.com", Version: "v1", Plural: "dials",
			Names: rest.Names{Kind: "Dial"}}).Namespace("default")
	d, err := client.Get(t.Context(), "a")
	require.NoError(t, err)
	same, err := client.Update(t.Context(), d)
	require.NoError(t, err)
	assert.Equal(t, d, same, "nothing has changed")
	d.Spec.Label, d.Spec.Knobs = "", d.Spec.Knobs[:1]
	_, err = client.Update(t.Context(), d)
	require.NoError(t, err)
	apitest.WantDial(t, api, "spec",
		`{"replicas":0,"enabled":true,"knobs":[{"name":"a","size":0}],"free":{"a":123456789012345678901},`+
			apitest.DialDefaults+`}`)
}

// Modify retries after a conflict with another write, but not after any other Conflict.
func TestModifyOverHTTP(t *testing.T) {
	t.Run("loses every race", func(t *testing.T) {
		api := apitest.NewWidgets(t)
		client, other, runs := apitest.OverHTTP.Widgets(t, api), apitest.WidgetClient(t, api), 0
		_, err := client.Create(t.Context(), apitest.NewWidget("a", 1))
		require.NoError(t, err)
		_, err = client.Modify(t.Context(), "a", func(w *apitest.Widget) error {
			runs++
			w.Labels = map[string]string{"mine": "x"}
			_, err := other.Modify(t.Context(), "a",
				func(w *apitest.Widget) error { w.Labels = map[string]string{"n": fmt.Sprint(runs)}; return nil })
			return err
		})
		assert.True(t, status.IsConflict(err), "%v", err)
		assert.Equal(t, 16, runs)
	})
	t.Run("is refused", func(t *testing.T) {
		var refuse bool
		client, runs := apitest.OverHTTP.Widgets(t, apitest.NewWidgets(t, func(r *rest.Resource[apitest.Widget]) {
			r.Hooks.Prepare = func(_ context.Context, w, _ *apitest.Widget) error {
				if refuse {
					return status.Conflict(apimeta.GroupResource{Group: "example.com", Resource: "widgets"}, w.Name, "it is locked")
				}
				return nil
			}
		})), 0
		_, err := client.Create(t.Context(), apitest.NewWidget("a", 1))
		require.NoError(t, err)
		refuse = true
		_, err = client.Modify(t.Context(), "a",
			func(w *apitest.Widget) error { runs++; w.Labels = map[string]string{"x": ""}; return nil })
		assert.ErrorContains(t, err, "it is locked")
		assert.Equal(t, 1, runs)
	})
}

// A client need not declare the subresources that it uses.
func TestUndeclaredSubresources(t *testing.T) {
	ctx, api := t.Context(), apitest.NewWidgets(t, apitest.WithSubresources)
	client := apitest.ClientForEndpoint(t, apitest.EndpointOf(http.StripPrefix("/pre/fix", api)),
		rest.Resource[apitest.Widget]{Group: "example.com", Version: "v1", Plural: "widgets"}).Namespace("default")
	_, err := client.Create(ctx, apitest.NewWidget("a", 1))
	require.NoError(t, err)
	p, err := rest.GetSubresource[apitest.Paint](ctx, client, "a", "paint")
	require.NoError(t, err)
	p.TypeMeta, p.Spec.Color = apimeta.TypeMeta{}, "blue"
	p, err = rest.UpdateSubresource(ctx, client, "a", "paint", p)
	require.NoError(t, err)
	assert.Equal(t, "blue", p.Spec.Color)
	type Scale struct {
		apimeta.ObjectMeta `json:"metadata"`
		Spec               struct {
			Replicas int32 `json:"replicas"`
		} `json:"spec"`
	}
	s, err := rest.UpdateSubresource(ctx, client, "a", "scale", &Scale{Spec: struct {
		Replicas int32 `json:"replicas"`
	}{4}})
	require.NoError(t, err)
	assert.Equal(t, int32(4), s.Spec.Replicas)
	_, err = rest.GetSubresource[apitest.Paint](ctx, client, "a", "bogus")
	assert.True(t, status.IsNotFound(err), "%v", err)
	_, err = rest.GetSubresource[apitest.Widget](ctx, client, "a", "status")
	assert.True(t, status.IsNotFound(err), "%v", err)
}

// Items of lists have their kind in both dialects.
func TestItemsOverHTTPHaveTheirKind(t *testing.T) {
	api, client := apitest.OverHTTP.NewDials(t,
		func(r *rest.Resource[apitest.Dial]) { r.Wire.Dialect = rest.DialectBuiltin })
	apitest.Must(t, api, "POST", apitest.Dials, apitest.DialBody(`{}`))
	assert.NotContains(t, apitest.Must(t, api, "GET", apitest.Dials, "").Body, `"kind":"Dial"`)
	page, err := client.List(t.Context(), rest.ListOptions{})
	require.NoError(t, err)
	assert.Equal(t, apimeta.TypeMeta{Kind: "Dial", APIVersion: "example.com/v1"}, page.Items[0].TypeMeta)
}

// A call returns the error of the http.Client if the connection breaks, and the cause of the context if the context
// ends.
func TestBrokenConnections(t *testing.T) {
	server := rest.Endpoint{URL: "http://api.example.com",
		HTTP: &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response,
			error) {
			return nil, io.ErrUnexpectedEOF
		})}}
	client := apitest.ClientForEndpoint(t, server, apitest.WidgetResource()).Namespace("default")
	_, err := client.Get(t.Context(), "a")
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
	var failed *url.Error
	assert.ErrorAs(t, err, &failed)
	_, err = client.Create(t.Context(), apitest.NewWidget("a", 1))
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
	assert.ErrorIs(t, apitest.FirstError(client.Follow(t.Context(), rest.WatchOptions{})), io.ErrUnexpectedEOF,
		"before the first answer")

	ctx, cancel := context.WithCancelCause(t.Context())
	waiting := make(chan struct{})
	client = answering(t, func(_ http.ResponseWriter, r *http.Request) { close(waiting); <-r.Context().Done() })
	ended := apitest.InBackground(func() error { _, err := client.Get(ctx, "a"); return err })
	<-waiting
	cancel(fmt.Errorf("the user has left"))
	assert.EqualError(t, apitest.Within(t, "a call whose context has ended", ended), "the user has left")

	out, err := json.Marshal(struct{}{})
	require.NoError(t, err)
	_, err = answering(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write(out)
		panic(http.ErrAbortHandler)
	}).Get(t.Context(), "a")
	assert.Error(t, err, "half an answer")
}

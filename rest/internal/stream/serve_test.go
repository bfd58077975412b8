package stream_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

// mirror answers with what it was asked.
func mirror(w http.ResponseWriter, r *http.Request, thing *apitest.Thing, _ *apitest.ThingProxyOptions) {
	body, _ := io.ReadAll(r.Body)
	_, _ = fmt.Fprintf(w, "%s %s %s raw=%s query=%s body=%s", thing.Name, r.Method, r.URL.Path, r.URL.RawPath,
		r.URL.RawQuery, body)
}

func TestServe(t *testing.T) {
	s := apitest.NewThingStreams(t, rest.Options{}, apitest.ThingProxy{Name: "proxy", Serve: mirror},
		apitest.ThingLog{Name: "log", Output: apitest.NoOutput})
	for _, c := range []struct {
		name, method, target, body string
		code                       int
		want                       string
	}{
		{"the root", "GET", "/a/proxy/", "", 200, "a GET / raw= query= body="},
		{"a path", "GET", "/a/proxy/x/y?q=1", "", 200, "a GET /x/y raw= query=q=1 body="},
		{"a directory", "GET", "/a/proxy/x/y/", "", 200, "a GET /x/y/ raw= query= body="},
		{"a body", "POST", "/a/proxy/x", "hello", 200, "a POST /x raw= query= body=hello"},
		{"PUT without a slash", "PUT", "/a/proxy", "hello", 200, "a PUT / raw= query= body=hello"},
		{"PATCH", "PATCH", "/a/proxy/x", "", 200, "a PATCH /x raw= query= body="},
		{"DELETE", "DELETE", "/a/proxy/x", "", 200, "a DELETE /x raw= query= body="},
		{"OPTIONS", "OPTIONS", "/a/proxy/x", "", 200, "a OPTIONS /x raw= query= body="},
		{"a method of the host's", "PURGE", "/a/proxy/x", "", 200, "a PURGE /x raw= query= body="},
		{"an escaped space", "GET", "/a/proxy/x%20y", "", 200, "a GET /x y raw= query= body="},
		{"an escaped slash", "GET", "/a/proxy/x%2Fy/z", "", 200, "a GET /x/y/z raw=/x%2Fy/z query= body="},
		{"empty segments", "GET", "/a/proxy//x//y", "", 200, "a GET //x//y raw= query= body="},
		{"dots", "GET", "/a/proxy/../x", "", 200, "a GET /../x raw= query= body="},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := s.Do(c.method, apitest.Things+c.target, c.body)
			assert.Equal(t, c.code, w.Code)
			assert.Equal(t, c.want, w.Body)
		})
	}
	for _, c := range []struct {
		name, target string
		code         int
	}{
		{"no object", "/b/proxy/x", 404},
		{"an escaped slash in the name", "/a%2Fb/proxy/x", 400},
		{"below another stream", "/a/log/x", 404},
		{"below nothing", "/a/nothing/x", 404},
		{"an escaped slash below nothing", "/a/nothing/x%2Fy", 404},
		{"an escaped slash in the subresource", "/a/proxy%2Fx", 404},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.code, int(apitest.StatusOf(t, s.Do("GET", apitest.Things+c.target, "")).Code))
		})
	}
	t.Run("without a slash, links would lead elsewhere", func(t *testing.T) {
		h := http.StripPrefix("/platform", s.API)
		for _, method := range []string{"GET", "HEAD"} {
			w := httptest.NewRecorder()
			r := httptest.NewRequest(method, "/platform"+apitest.Things+"/a/proxy?q=1", nil)
			h.ServeHTTP(w, r)
			assert.Equal(t, http.StatusMovedPermanently, w.Code)
			assert.Equal(t, "/platform"+apitest.Things+"/a/proxy/?q=1", w.Header().Get("Location"))
		}
	})
}

func TestServeOfClusterScopedAndNamespaces(t *testing.T) {
	globals := apitest.GlobalThingResource()
	globals.Subresources = []rest.SubresourceOf[apitest.GlobalThing]{rest.Stream[apitest.GlobalThing, struct{}]{Name: "proxy",
		Serve: func(w http.ResponseWriter, r *http.Request, g *apitest.GlobalThing, _ *struct{}) {
			_, _ = fmt.Fprint(w, g.Name, r.URL.Path)
		}}}
	s := apitest.NewThingServer(t, rest.Options{}, globals)
	require.Equal(t, 201, s.Do("POST", apitest.ThingsV1+"/globalthings",
		`{"apiVersion":"things.example.com/v1","kind":"GlobalThing","metadata":{"name":"g"},"spec":{"size":1}}`).Code)
	assert.Equal(t, "g/x/y", s.Do("GET", apitest.ThingsV1+"/globalthings/g/proxy/x/y", "").Body)

	type Namespace apitest.Thing
	namespaces := rest.NamespacesOf[Namespace]()
	namespaces.Subresources = []rest.SubresourceOf[Namespace]{rest.Stream[Namespace, struct{}]{Name: "proxy",
		Serve: func(w http.ResponseWriter, r *http.Request, n *Namespace, _ *struct{}) {
			_, _ = fmt.Fprint(w, n.Name, r.URL.Path)
		}}}
	s = apitest.NewThingServer(t, rest.Options{}, namespaces)
	assert.Equal(t, "default/x/y", s.Do("GET", "/api/v1/namespaces/default/proxy/x/y", "").Body)
	assert.Equal(t, "default/", s.Do("GET", "/api/v1/namespaces/default/proxy/", "").Body)
}

func TestServeFailures(t *testing.T) {
	for _, c := range []struct {
		name  string
		serve func(w http.ResponseWriter)
		code  int // 0: broken off
	}{
		{"a panic first", func(http.ResponseWriter) { panic("boom") }, 500},
		{"a panic after the header", func(w http.ResponseWriter) { w.WriteHeader(200); panic("boom") }, 0},
		{"a panic after bytes", func(w http.ResponseWriter) { _, _ = w.Write([]byte("x")); panic("boom") }, 0},
		{"a panic after a flush", func(w http.ResponseWriter) { w.(http.Flusher).Flush(); panic("boom") }, 0},
		{"broken off by the host", func(http.ResponseWriter) { panic(http.ErrAbortHandler) }, 0},
		{"nothing", func(http.ResponseWriter) {}, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log bytes.Buffer
			s := apitest.NewThingStreams(t, rest.Options{Logger: apitest.LoggerTo(&log)},
				apitest.ThingProxy{Name: "proxy",
					Serve: func(w http.ResponseWriter, _ *http.Request, _ *apitest.Thing, _ *apitest.ThingProxyOptions) {
						c.serve(w)
					}})
			serve := func() apitest.Answer { return s.Do("GET", apitest.Things+"/a/proxy/", "") }
			if c.code == 0 {
				assert.PanicsWithValue(t, http.ErrAbortHandler, func() { serve() })
				return
			}
			w := serve()
			assert.Equal(t, c.code, w.Code)
			if c.code == 500 {
				assert.Equal(t, status.ReasonInternalError, apitest.StatusOf(t, w).Reason)
				assert.Contains(t, log.String(), "panic in the host's hook Serve of proxy: boom")
			}
		})
	}
}

// A reverse proxy to something behind the object is what Serve is for: ordinary answers, streams and WebSockets.
func TestServeAReverseProxy(t *testing.T) {
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/echo" {
			conn, err := websocket.Accept(w, r, nil)
			if err != nil {
				return
			}
			kind, data, _ := conn.Read(r.Context())
			_ = conn.Write(r.Context(), kind, data)
			_ = conn.Close(websocket.StatusNormalClosure, "")
			return
		}
		_, _ = fmt.Fprintln(w, r.URL.EscapedPath())
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(backend.Close)
	target, err := url.Parse(backend.URL)
	require.NoError(t, err)
	s := apitest.NewThingStreams(t, rest.Options{},
		apitest.ThingProxy{Name: "proxy",
			Serve: func(w http.ResponseWriter, r *http.Request, _ *apitest.Thing, _ *apitest.ThingProxyOptions) {
				proxy := httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(target) }}
				proxy.ServeHTTP(w, r)
			}})
	server := apitest.Serve(t, s.API)

	conn := apitest.DialWebSocket(t, server.URL+apitest.Things+"/a/proxy/echo", nil)
	require.NoError(t, conn.Write(t.Context(), websocket.MessageText, []byte("hello")))
	_, got := apitest.ReadMessage(t, conn)
	require.Equal(t, "hello", string(got))
	_ = conn.Close(websocket.StatusNormalClosure, "")

	response, err := http.Get(server.URL + apitest.Things + "/a/proxy/a%2Fb")
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	line, err := bufio.NewReader(response.Body).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "/a%2Fb\n", line)
	require.NoError(t, apitest.Within(t, "Close", apitest.InBackground(s.API.Close)),
		"an answer that goes on ends with the API")
}

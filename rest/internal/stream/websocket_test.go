package stream_test

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

func TestWatchOverWebSocket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := apitest.NewThingServer(t, rest.Options{})
		var answering apitest.InFlight
		server := apitest.ServeOnPipes(t, http.StripPrefix("/platform", answering.Of(apitest.BehindUnwrap(s.API))),
			func(config *http.Server) { config.ReadTimeout, config.WriteTimeout = time.Second, time.Second })
		conn := apitest.DialWebSocket(t, server.URL+"/platform"+apitest.Things+"?watch=1",
			&websocket.DialOptions{HTTPClient: server.Client})
		require.Empty(t, conn.Subprotocol(), "none was asked for")

		chatter := []byte(strings.Repeat("whatever", 1<<17))
		require.NoError(t, conn.Write(t.Context(), websocket.MessageText, chatter),
			"the server reads and drops what the client says")
		apitest.LetPass(time.Minute)
		s.MustCreate(t, "a")
		s.MustCreate(t, "b")
		for _, name := range []string{"a", "b"} {
			event, thing := apitest.ReadThingEvent(t, conn)
			require.Equal(t, apimeta.EventAdded, event)
			require.Equal(t, name, thing.Name, "one event in each message")
		}
		require.NoError(t, conn.Close(websocket.StatusNormalClosure, ""))
		synctest.Wait()
		require.Zero(t, answering.Load(), "the watch ends with its client")
	})
}

func TestWebSocketEndsInOrder(t *testing.T) {
	ended := func(t *testing.T, conn *websocket.Conn) {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), apitest.Deadline)
		defer cancel()
		_, _, err := conn.Read(ctx)
		require.Equal(t, websocket.StatusNormalClosure, websocket.CloseStatus(err), "%v", err)
	}
	t.Run("when its time is over", func(t *testing.T) {
		s := apitest.NewThingServer(t, rest.Options{})
		ended(t, apitest.DialWebSocket(t, apitest.Serve(t, s.API).URL+apitest.Things+"?watch=1&timeoutSeconds=1", nil))
	})
	t.Run("when the API closes", func(t *testing.T) {
		s := apitest.NewThingServer(t, rest.Options{})
		conn := apitest.DialWebSocket(t, apitest.Serve(t, s.API).URL+apitest.Things+"?watch=1", nil)
		closed := apitest.InBackground(s.API.Close)
		ended(t, conn)
		require.NoError(t, apitest.Within(t, "Close", closed))
	})
	t.Run("when the API closes and the client does not read", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := apitest.NewThingServer(t, rest.Options{})
			var answering apitest.InFlight
			server := apitest.ServeOnPipes(t, answering.Of(s.API))
			apitest.DialWebSocket(t, server.URL+apitest.Things+"?watch=1", &websocket.DialOptions{HTTPClient: server.Client})
			s.MustCreate(t, "a")
			synctest.Wait() // the server sends the event
			require.NoError(t, s.API.Close())
			synctest.Wait()
			require.Zero(t, answering.Load())
		})
	})
}

func TestWebSocketRefusals(t *testing.T) {
	s := apitest.NewThingServer(t, rest.Options{})
	server := apitest.Serve(t, s.API)
	for _, c := range []struct {
		name, query string
		header      []string
		code        int
		message     string
	}{
		{"bad options", "watch=1&resourceVersionMatch=Foo&resourceVersion=1", apitest.UpgradeHeaders(), 422, ""},
		{"bad selector", "watch=1&labelSelector=a%20b", apitest.UpgradeHeaders(), 400, ""},
		{"not acceptable", "watch=1", apitest.UpgradeHeaders("Accept", "text/html"), 406, ""},
		{"an outdated version", "watch=1", apitest.UpgradeHeaders("Sec-WebSocket-Version", "8"), 400,
			`unsupported WebSocket protocol version (only 13 is supported): "8"`},
		{"an invalid key", "watch=1", apitest.UpgradeHeaders("Sec-WebSocket-Key", "short"), 400,
			`WebSocket protocol violation: invalid Sec-WebSocket-Key "short", must be a 16 byte base64 encoded string`},
		{"a page of another site", "watch=1", apitest.UpgradeHeaders("Origin", "https://evil.example"), 403,
			`a WebSocket from the origin "https://evil.example" needs a bearer token`},
		{"a page of no site", "watch=1", apitest.UpgradeHeaders("Origin", "null"), 403,
			`a WebSocket from the origin "null" needs a bearer token`},
		{"a password is sent by browsers too", "watch=1",
			apitest.UpgradeHeaders("Origin", "https://evil.example", "Authorization", "Basic YTpi"), 403,
			`a WebSocket from the origin "https://evil.example" needs a bearer token`},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := apitest.ReadAnswer(t, apitest.Open(t.Context(), t, server.Client(), "GET",
				server.URL+apitest.Things+"?"+c.query, c.header...))
			var got status.Status
			a.Decode(t, &got)
			assert.Equal(t, c.code, a.Code)
			assert.Equal(t, c.code, int(got.Code))
			assert.Equal(t, "Status", got.Kind)
			if c.message != "" {
				assert.Equal(t, c.message, got.Message)
			}
		})
	}
	t.Run("a writer that cannot be hijacked", func(t *testing.T) {
		got := apitest.StatusOf(t, s.Do("GET", apitest.Things+"?watch=1", "", apitest.UpgradeHeaders()...))
		require.Equal(t, status.ReasonInternalError, got.Reason)
		require.Contains(t, got.Message, "Unwrap")
	})
}

func TestWebSocketOrigins(t *testing.T) {
	s := apitest.NewThingServer(t, rest.Options{})
	server := apitest.Serve(t, s.API)
	for name, header := range map[string]http.Header{
		"a page of our own":     {"Origin": {server.URL}},
		"a bearer token":        {"Origin": {"https://elsewhere.example"}, "Authorization": {"Bearer t"}},
		"no browser, no origin": {},
	} {
		t.Run(name, func(t *testing.T) {
			apitest.DialWebSocket(t, server.URL+apitest.Things+"?watch=1", &websocket.DialOptions{HTTPHeader: header})
		})
	}
}

func TestWebSocketBearer(t *testing.T) {
	token := func(s string) string {
		return "base64url.bearer.authorization.k8s.io." + base64.RawURLEncoding.EncodeToString([]byte(s))
	}
	for _, c := range []struct {
		name      string
		protocols string
		header    string
		wantAuth  string
		wantLeft  string
	}{
		{name: "the token becomes a header", protocols: token("se.cr-et") + ", other", wantAuth: "Bearer se.cr-et",
			wantLeft: "other"},
		{name: "wherever it stands", protocols: "a," + token("secret") + ",b", wantAuth: "Bearer secret", wantLeft: "a, b"},
		{name: "alone", protocols: token("secret")},
		{name: "twice", protocols: token("a") + "," + token("b") + ",other", wantLeft: "other"},
		{name: "no base64", protocols: "base64url.bearer.authorization.k8s.io.a=b,other", wantLeft: "other"},
		{name: "no UTF-8", protocols: token("\xff") + ",other", wantLeft: "other"},
		{name: "a line break", protocols: token("a\r\nX-Remote-User: root") + ",other", wantLeft: "other"},
		{name: "empty", protocols: token("") + ",other", wantLeft: "other"},
		{name: "a header is there", protocols: token("secret") + ",other", header: "Bearer mine", wantAuth: "Bearer mine",
			wantLeft: "other"},
		{name: "no token", protocols: "other", wantLeft: "other"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var seen http.Header
			h := auth.WebSocketBearer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r.Header }))
			r := httptest.NewRequest("GET", "/", nil)
			header := apitest.UpgradeHeaders("Sec-WebSocket-Protocol", c.protocols)
			for i := 0; i+1 < len(header); i += 2 {
				r.Header.Set(header[i], header[i+1])
			}
			if c.header != "" {
				r.Header.Set("Authorization", c.header)
			}
			h.ServeHTTP(httptest.NewRecorder(), r)
			assert.Equal(t, c.wantAuth, seen.Get("Authorization"))
			assert.Equal(t, c.wantLeft, seen.Get("Sec-WebSocket-Protocol"))
		})
	}
	t.Run("a request that is not a WebSocket stays as it is", func(t *testing.T) {
		var seen http.Header
		h := auth.WebSocketBearer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r.Header }))
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Sec-WebSocket-Protocol", token("secret")+",other")
		h.ServeHTTP(httptest.NewRecorder(), r)
		assert.Empty(t, seen.Get("Authorization"))
	})
	t.Run("with a watch", func(t *testing.T) {
		s := apitest.NewThingServer(t, rest.Options{})
		server := apitest.Serve(t, auth.WebSocketBearer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer secret" {
				http.Error(w, "who?", http.StatusUnauthorized)
				return
			}
			s.API.ServeHTTP(w, r)
		})))
		conn := apitest.DialWebSocket(t, server.URL+apitest.Things+"?watch=1", &websocket.DialOptions{
			Subprotocols: []string{token("secret"), "k8s"}, HTTPHeader: http.Header{"Origin": {"https://console.example"}},
		})
		require.Equal(t, "k8s", conn.Subprotocol(), "the token is not repeated in the answer")
	})
}

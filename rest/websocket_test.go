package rest_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// socket opens a WebSocket and fails the test where the server refuses it.
func socket(t testing.TB, url string, options *websocket.DialOptions) *websocket.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), thingDeadline)
	t.Cleanup(cancel)
	conn, response, err := websocket.Dial(ctx, url, options)
	if err != nil && response != nil {
		body, _ := io.ReadAll(response.Body)
		require.NoError(t, err, string(body))
	}
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}

// message reads the next message of a WebSocket.
func message(t testing.TB, conn *websocket.Conn) (websocket.MessageType, []byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), thingDeadline)
	defer cancel()
	kind, data, err := conn.Read(ctx)
	require.NoError(t, err)
	return kind, data
}

func socketEvent(t testing.TB, conn *websocket.Conn) (watch.EventType, Thing) {
	t.Helper()
	kind, data := message(t, conn)
	require.Equal(t, websocket.MessageText, kind)
	var e thingEvent
	require.NoError(t, json.Unmarshal(data, &e), string(data))
	var thing Thing
	require.NoError(t, json.Unmarshal(e.Object, &thing))
	return e.Type, thing
}

// upgradeHeaders are what a client sends to open a WebSocket.
func upgradeHeaders(more ...string) []string {
	return append([]string{"Connection", "keep-alive, Upgrade", "Upgrade", "WebSocket", "Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}, more...)
}

func TestWatchOverWebSocket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newThingServer(t, rest.Options{})
		var answering inFlight
		server := pipeHTTP(t, http.StripPrefix("/platform", answering.of(behindUnwrap(s.api))), func(config *http.Server) { config.ReadTimeout, config.WriteTimeout = time.Second, time.Second })
		conn := socket(t, server.URL+"/platform"+thingsIn+"?watch=1", &websocket.DialOptions{HTTPClient: server.Client})
		require.Empty(t, conn.Subprotocol(), "none was asked for")

		chatter := []byte(strings.Repeat("whatever", 1<<17))
		require.NoError(t, conn.Write(t.Context(), websocket.MessageText, chatter), "the server reads and drops what the client says")
		time.Sleep(time.Minute)
		s.mustCreate(t, "a")
		s.mustCreate(t, "b")
		for _, name := range []string{"a", "b"} {
			event, thing := socketEvent(t, conn)
			require.Equal(t, watch.Added, event)
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
		ctx, cancel := context.WithTimeout(context.Background(), thingDeadline)
		defer cancel()
		_, _, err := conn.Read(ctx)
		require.Equal(t, websocket.StatusNormalClosure, websocket.CloseStatus(err), "%v", err)
	}
	t.Run("when its time is over", func(t *testing.T) {
		s := newThingServer(t, rest.Options{})
		ended(t, socket(t, thingHTTP(t, s.api).URL+thingsIn+"?watch=1&timeoutSeconds=1", nil))
	})
	t.Run("when the API closes", func(t *testing.T) {
		s := newThingServer(t, rest.Options{})
		conn := socket(t, thingHTTP(t, s.api).URL+thingsIn+"?watch=1", nil)
		closed := inBackground(s.api.Close)
		ended(t, conn)
		require.NoError(t, within(t, "Close", closed))
	})
	t.Run("when the API closes and the client does not read", func(t *testing.T) {
		s := newThingServer(t, rest.Options{})
		var answering inFlight
		socket(t, thingHTTP(t, answering.of(s.api)).URL+thingsIn+"?watch=1", nil)
		for i := range 8 { // more than fits into the buffers between the two
			w := s.do("POST", thingsIn, string(paddedThing(fmt.Sprint("big-", i), 1<<20)))
			require.Equal(t, http.StatusCreated, w.Code)
		}
		began := time.Now()
		require.NoError(t, within(t, "Close", inBackground(s.api.Close)))
		require.Less(t, time.Since(began), thingDeadline/2)
		require.Zero(t, answering.Load())
	})
}

func TestWebSocketRefusals(t *testing.T) {
	s := newThingServer(t, rest.Options{})
	server := thingHTTP(t, s.api)
	for _, c := range []struct {
		name, query string
		header      []string
		code        int
		message     string
	}{
		{"bad options", "watch=1&resourceVersionMatch=Foo&resourceVersion=1", upgradeHeaders(), 422, ""},
		{"bad selector", "watch=1&labelSelector=a%20b", upgradeHeaders(), 400, ""},
		{"not acceptable", "watch=1", upgradeHeaders("Accept", "text/html"), 406, ""},
		{"a version of long ago", "watch=1", upgradeHeaders("Sec-WebSocket-Version", "8"), 400, `unsupported WebSocket protocol version (only 13 is supported): "8"`},
		{"a key that is none", "watch=1", upgradeHeaders("Sec-WebSocket-Key", "short"), 400, `WebSocket protocol violation: invalid Sec-WebSocket-Key "short", must be a 16 byte base64 encoded string`},
		{"a page of another site", "watch=1", upgradeHeaders("Origin", "https://evil.example"), 403, `a WebSocket from the origin "https://evil.example" needs a bearer token`},
		{"a page of no site", "watch=1", upgradeHeaders("Origin", "null"), 403, `a WebSocket from the origin "null" needs a bearer token`},
		{"a password is sent by browsers too", "watch=1", upgradeHeaders("Origin", "https://evil.example", "Authorization", "Basic YTpi"), 403, `a WebSocket from the origin "https://evil.example" needs a bearer token`},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := received(t, open(t.Context(), t, server.Client(), "GET", server.URL+thingsIn+"?"+c.query, c.header...))
			var got status.Status
			a.decode(t, &got)
			assert.Equal(t, c.code, a.Code)
			assert.Equal(t, c.code, int(got.Code))
			assert.Equal(t, "Status", got.Kind)
			if c.message != "" {
				assert.Equal(t, c.message, got.Message)
			}
		})
	}
	t.Run("a writer that cannot be hijacked", func(t *testing.T) {
		got := statusOf(t, s.do("GET", thingsIn+"?watch=1", "", upgradeHeaders()...))
		require.Equal(t, status.ReasonInternalError, got.Reason)
		require.Contains(t, got.Message, "Unwrap")
	})
}

func TestWebSocketOrigins(t *testing.T) {
	s := newThingServer(t, rest.Options{})
	server := thingHTTP(t, s.api)
	for name, header := range map[string]http.Header{
		"a page of our own":     {"Origin": {server.URL}},
		"a bearer token":        {"Origin": {"https://elsewhere.example"}, "Authorization": {"Bearer t"}},
		"no browser, no origin": {},
	} {
		t.Run(name, func(t *testing.T) {
			socket(t, server.URL+thingsIn+"?watch=1", &websocket.DialOptions{HTTPHeader: header})
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
		{name: "the token becomes a header", protocols: token("se.cr-et") + ", other", wantAuth: "Bearer se.cr-et", wantLeft: "other"},
		{name: "wherever it stands", protocols: "a," + token("secret") + ",b", wantAuth: "Bearer secret", wantLeft: "a, b"},
		{name: "alone", protocols: token("secret")},
		{name: "twice", protocols: token("a") + "," + token("b") + ",other", wantLeft: "other"},
		{name: "no base64", protocols: "base64url.bearer.authorization.k8s.io.a=b,other", wantLeft: "other"},
		{name: "no UTF-8", protocols: token("\xff") + ",other", wantLeft: "other"},
		{name: "a line break", protocols: token("a\r\nX-Remote-User: root") + ",other", wantLeft: "other"},
		{name: "empty", protocols: token("") + ",other", wantLeft: "other"},
		{name: "a header is there", protocols: token("secret") + ",other", header: "Bearer mine", wantAuth: "Bearer mine", wantLeft: "other"},
		{name: "no token", protocols: "other", wantLeft: "other"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var seen http.Header
			h := auth.WebSocketBearer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r.Header }))
			r := httptest.NewRequest("GET", "/", nil)
			header := upgradeHeaders("Sec-WebSocket-Protocol", c.protocols)
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
	t.Run("a request that is no WebSocket is left alone", func(t *testing.T) {
		var seen http.Header
		h := auth.WebSocketBearer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r.Header }))
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Sec-WebSocket-Protocol", token("secret")+",other")
		h.ServeHTTP(httptest.NewRecorder(), r)
		assert.Empty(t, seen.Get("Authorization"))
	})
	t.Run("with a watch", func(t *testing.T) {
		s := newThingServer(t, rest.Options{})
		server := thingHTTP(t, auth.WebSocketBearer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer secret" {
				http.Error(w, "who?", http.StatusUnauthorized)
				return
			}
			s.api.ServeHTTP(w, r)
		})))
		conn := socket(t, server.URL+thingsIn+"?watch=1", &websocket.DialOptions{
			Subprotocols: []string{token("secret"), "k8s"}, HTTPHeader: http.Header{"Origin": {"https://console.example"}},
		})
		require.Equal(t, "k8s", conn.Subprotocol(), "the token is not repeated in the answer")
	})
}

package rest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// until is an Authenticator whose credentials expire.
func until(expires time.Time) rest.Authenticator {
	return rest.AuthenticatorFunc(func(*http.Request) (*rest.Identity, error) {
		return &rest.Identity{User: rest.User{Name: "alice"}, Expires: expires}, nil
	})
}

// lastStatus returns the Status in an ERROR event.
func lastStatus(t testing.TB, event string) status.Status {
	t.Helper()
	var got struct {
		Type   string
		Object status.Status
	}
	require.NoError(t, json.Unmarshal([]byte(event), &got))
	require.Equal(t, "ERROR", got.Type, event)
	return got.Object
}

// A watch ends when the credentials expire, and the client learns why. Afterwards the credentials are refused.
func TestWatchEndsWhenCredentialsExpire(t *testing.T) {
	for _, query := range []string{"?watch=1", "?watch=1&resourceVersion=1", "?watch=1&timeoutSeconds=3600&allowWatchBookmarks=true"} {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			api := newAPI(t, rest.Options{Now: time.Now, Authenticator: until(begin.Add(5 * time.Second))}, widgetResource())
			must(t, api, "POST", widgets, widgetBody(`"name":"a"`))
			s := follow(t, api, widgets+query)
			require.NotEmpty(t, s.events())
			<-s.done
			assert.Equal(t, 5*time.Second, time.Since(begin))
			events := s.events()
			require.Len(t, events, 1)
			got := lastStatus(t, events[0])
			assert.Equal(t, int32(410), got.Code)
			assert.Equal(t, status.ReasonExpired, got.Reason)
			assert.Equal(t, "the credentials of the user have expired; log in again", got.Message)
			wantFailure(t, do(t, api, "GET", widgets, ""), 401, "Unauthorized", "Unauthorized", "")
		})
	}
}

// Watches end when the credentials are revoked, even if that happens while they are opened. Every registration is undone.
func TestWatchesEndWhenCredentialsAreRevoked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ends := map[int]func(){}
		revoked, registered := false, 0
		authenticator := rest.AuthenticatorFunc(func(*http.Request) (*rest.Identity, error) {
			return &rest.Identity{User: rest.User{Name: "alice"}, OnRevoked: func(end func()) func() {
				registered++
				n := registered
				ends[n] = end
				if revoked {
					end()
				}
				return func() { delete(ends, n) }
			}}, nil
		})
		api := newAPI(t, rest.Options{Authenticator: authenticator}, widgetResource())
		must(t, api, "POST", widgets, widgetBody(`"name":"a"`))
		must(t, api, "GET", widgets, "")
		require.Zero(t, registered, "only watches and streams register")
		first, second := follow(t, api, widgets+"?watch=1"), follow(t, api, widgets+"?watch=1")
		require.Len(t, ends, 2)
		require.Len(t, first.events(), 1)
		ends[1]()
		<-first.done
		assert.Equal(t, "the credentials of the user have been revoked; log in again", lastStatus(t, first.events()[0]).Message)
		assert.False(t, second.ended())
		second.stop()
		<-second.done
		revoked = true
		third := request(t, api, widgets+"?watch=1")
		<-third.done
		assert.Equal(t, http.StatusGone, third.code())
		assert.Empty(t, ends)
	})
}

// Credentials that expire later do not shorten a watch.
func TestWatchEndsBeforeCredentialsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		api := newAPI(t, rest.Options{Now: time.Now, Authenticator: until(begin.Add(time.Minute))}, widgetResource())
		s := follow(t, api, widgets+"?watch=1&timeoutSeconds=7")
		<-s.done
		assert.Equal(t, 7*time.Second, time.Since(begin))
		assert.Empty(t, s.events())
	})
}

// Streams and watches over WebSockets end when the credentials expire.
func TestStreamsEndWhenCredentialsExpire(t *testing.T) {
	ended := make(chan error, 1)
	output := followed(nil, ended)
	exec := thingExec{Name: "exec", Session: shell}
	// The clock stands still, so every request counts as in time; the timer runs from the time at which the stream opens.
	s := streamed(t, rest.Options{Now: now, Authenticator: until(now().Add(50 * time.Millisecond))}, output, exec)
	server := thingHTTP(t, s.api)

	response, err := http.Get(server.URL + thingsIn + "/a/log")
	require.NoError(t, err)
	_, err = io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.True(t, status.IsExpired(within(t, "the log", ended)))

	got, code := openSession(t, server.URL, "v5.channel.k8s.io", "command=wait&stdout=true").rest()
	assert.Equal(t, status.ReasonExpired, outcomeOf(t, got[3]).Reason)
	assert.Equal(t, websocket.StatusNormalClosure, code)

	conn := socket(t, server.URL+thingsIn+"?watch=1&resourceVersion=1", nil)
	_, text := message(t, conn)
	for strings.Contains(string(text), `"ADDED"`) {
		_, text = message(t, conn)
	}
	assert.Equal(t, status.ReasonExpired, lastStatus(t, string(text)).Reason)
}

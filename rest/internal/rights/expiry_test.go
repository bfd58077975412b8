package rights_test

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
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

// until is an Authenticator whose credentials expire.
func until(expires time.Time) access.Authenticator {
	return access.AuthenticatorFunc(func(*http.Request) (*access.Identity, error) {
		return &access.Identity{User: access.User{Name: "alice"}, Expires: expires}, nil
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
	for _, query := range []string{"?watch=1", "?watch=1&resourceVersion=1",
		"?watch=1&timeoutSeconds=3600&allowWatchBookmarks=true"} {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			api := apitest.New(t, rest.Options{Now: time.Now, Authenticator: until(begin.Add(5 * time.Second))},
				apitest.WidgetResource())
			apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`))
			s := apitest.OpenWatch(t, api, apitest.Widgets+query)
			require.NotEmpty(t, s.Events())
			<-s.Done
			assert.Equal(t, 5*time.Second, time.Since(begin))
			events := s.Events()
			require.Len(t, events, 1)
			got := lastStatus(t, events[0])
			assert.Equal(t, int32(410), got.Code)
			assert.Equal(t, status.ReasonExpired, got.Reason)
			assert.Equal(t, "the credentials of the user have expired; log in again", got.Message)
			apitest.WantFailure(t, apitest.Do(t, api, "GET", apitest.Widgets, ""), 401, "Unauthorized", "Unauthorized", "")
		})
	}
}

// Watches end when the credentials are revoked, even if that happens while they are opened. Every registration is
// undone.
func TestWatchesEndWhenCredentialsAreRevoked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ends := map[int]func(){}
		revoked, registered := false, 0
		authenticator := access.AuthenticatorFunc(func(*http.Request) (*access.Identity, error) {
			return &access.Identity{User: access.User{Name: "alice"}, OnRevoked: func(end func()) func() {
				registered++
				n := registered
				ends[n] = end
				if revoked {
					end()
				}
				return func() { delete(ends, n) }
			}}, nil
		})
		api := apitest.New(t, rest.Options{Authenticator: authenticator}, apitest.WidgetResource())
		apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a"`))
		apitest.Must(t, api, "GET", apitest.Widgets, "")
		require.Zero(t, registered, "only watches and streams register")
		first, second := apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1"),
			apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1")
		require.Len(t, ends, 2)
		require.Len(t, first.Events(), 1)
		ends[1]()
		<-first.Done
		assert.Equal(t, "the credentials of the user have been revoked; log in again",
			lastStatus(t, first.Events()[0]).Message)
		assert.False(t, second.Ended())
		second.Stop()
		<-second.Done
		revoked = true
		third := apitest.RequestWatch(t, api, apitest.Widgets+"?watch=1")
		<-third.Done
		assert.Equal(t, http.StatusGone, third.Code())
		assert.Empty(t, ends)
	})
}

// Credentials that expire later do not shorten a watch.
func TestWatchEndsBeforeCredentialsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		api := apitest.New(t, rest.Options{Now: time.Now, Authenticator: until(begin.Add(time.Minute))},
			apitest.WidgetResource())
		s := apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1&timeoutSeconds=7")
		<-s.Done
		assert.Equal(t, 7*time.Second, time.Since(begin))
		assert.Empty(t, s.Events())
	})
}

// Streams and watches over WebSockets end when the credentials expire.
func TestStreamsEndWhenCredentialsExpire(t *testing.T) {
	ended := make(chan error, 1)
	output := apitest.FollowedLog(nil, ended)
	exec := apitest.ThingExec{Name: "exec", Session: apitest.Shell}
	// The clock stands still, so every request counts as in time; the timer runs from the time at which the stream opens.
	s := apitest.NewThingStreams(t,
		rest.Options{Now: apitest.Now, Authenticator: until(apitest.Now().Add(50 * time.Millisecond))}, output, exec)
	server := apitest.Serve(t, s.API)

	response, err := http.Get(server.URL + apitest.Things + "/a/log")
	require.NoError(t, err)
	_, err = io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.True(t, status.IsExpired(apitest.Within(t, "the log", ended)))

	got, code := apitest.OpenSession(t, server.URL, "v5.channel.k8s.io", "command=wait&stdout=true").ReadToEnd()
	assert.Equal(t, status.ReasonExpired, apitest.OutcomeOf(t, got[3]).Reason)
	assert.Equal(t, websocket.StatusNormalClosure, code)

	conn := apitest.DialWebSocket(t, server.URL+apitest.Things+"?watch=1&resourceVersion=1", nil)
	_, text := apitest.ReadMessage(t, conn)
	for strings.Contains(string(text), `"ADDED"`) {
		_, text = apitest.ReadMessage(t, conn)
	}
	assert.Equal(t, status.ReasonExpired, lastStatus(t, string(text)).Reason)
}

package stream_test

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// A quiet session is pinged, and one that nobody uses any more ends after hours.
func TestQuietSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		things := apitest.ThingResource()
		things.Subresources = []rest.SubresourceOf[apitest.Thing]{apitest.ThingExec{Name: "exec",
			Session: func(ctx context.Context, _ *apitest.Thing, _ *apitest.ThingExecOptions, s *rest.Session) error {
				_, err := io.Copy(s.Stdout, s.Stdin)
				<-ctx.Done()
				ended <- err
				return err
			}}}
		api := apitest.Start(t, rest.Options{}, things)
		_, err := apitest.ClientFor[apitest.Thing](t, api).Namespace("default").Create(t.Context(),
			&apitest.Thing{ObjectMeta: apimeta.ObjectMeta{Name: "a"}})
		require.NoError(t, err)
		server := apitest.ServeOnPipes(t, api)
		pings := make(chan struct{}, 1000)
		conn, _, err := websocket.Dial(t.Context(), server.URL+apitest.Things+"/a/exec?stdin=true&stdout=true",
			&websocket.DialOptions{
				HTTPClient: server.Client, Subprotocols: []string{"v5.channel.k8s.io"},
				OnPingReceived: func(context.Context, []byte) bool { pings <- struct{}{}; return true },
			})
		require.NoError(t, err)
		began := time.Now()
		left := make(chan time.Duration, 1)
		go func() {
			for {
				if _, _, err := conn.Read(context.Background()); err != nil {
					left <- time.Since(began)
					return
				}
			}
		}()

		for range 3 * 60 * 2 {
			<-pings
		}
		assert.Equal(t, 3*time.Hour, time.Since(began), "one every half minute")
		require.NoError(t, conn.Write(t.Context(), websocket.MessageBinary, []byte{0, 'x'}))
		assert.Equal(t, 7*time.Hour, <-left, "four hours after something moved")
		require.Error(t, <-ended)

		_ = conn.CloseNow()
	})
}

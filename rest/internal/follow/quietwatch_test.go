package follow_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// A watch goes on after minutes without an event, although the client has only one minute to take each event.
func TestQuietWatch(t *testing.T) {
	for name, set := range map[string]func(p *http.Protocols){
		"HTTP/1.1": func(p *http.Protocols) { p.SetHTTP1(true) },
		"HTTP/2.0": func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := apitest.NewWidgets(t)
				server := apitest.ServeOnPipes(t, api, func(server *http.Server) {
					server.Protocols = new(http.Protocols)
					set(server.Protocols)
				})
				w := apitest.OpenThingWatch(t, server.Client, server.URL+apitest.Widgets+"?watch=true&resourceVersion=1")
				assert.Equal(t, name, w.Response.Proto)
				for _, object := range []string{"a", "b", "c"} {
					apitest.CreateWidget(t, api, object)
					var e struct{ Object json.RawMessage }
					require.NoError(t, w.Decoder.Decode(&e))
					<-time.After(3 * time.Minute) // the clock of the bubble moves at once
				}
			})
		})
	}
}

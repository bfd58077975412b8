package stream_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

// connectTo echoes on port 7, fails on others, and says hello on port 80.
func connectTo(_ context.Context, thing *apitest.Thing, _ *apitest.ThingForwardOptions, port uint16,
	conn io.ReadWriter) error {
	switch port {
	case 7:
		_, err := io.Copy(conn, conn)
		return err
	case 80:
		_, err := fmt.Fprintf(conn, "hello from %s", thing.Name)
		return err
	case 81:
		return status.BadRequest("nobody listens")
	case 82:
		panic("boom")
	}
	return errors.New("no route")
}

func TestForward(t *testing.T) {
	var log apitest.LogBuffer
	s := apitest.NewThingStreams(t, rest.Options{Logger: apitest.LoggerTo(&log)},
		rest.Stream[apitest.Thing, apitest.ThingForwardOptions]{Name: "portforward", Forward: connectTo})
	server := apitest.Serve(t, s.API).URL
	number := func(port uint16) string { return string(binary.LittleEndian.AppendUint16(nil, port)) }
	open := func(t *testing.T, query, protocol string) *apitest.Session {
		t.Helper()
		options := &websocket.DialOptions{}
		if protocol != "" {
			options.Subprotocols = []string{protocol}
		}
		return &apitest.Session{Conn: apitest.DialWebSocket(t, server+apitest.Things+"/a/portforward?"+query, options), T: t,
			Protocol: protocol}
	}
	for _, protocol := range []string{"", "v4.channel.k8s.io", "v4.base64.channel.k8s.io"} {
		t.Run("in "+protocol, func(t *testing.T) {
			client := open(t, "ports=80,81", protocol)
			got, code := client.ReadToEnd()
			assert.Equal(t, websocket.StatusNormalClosure, code)
			assert.Equal(t, [5]string{number(80) + "hello from a", number(80), number(81),
				number(81) + "error forwarding port 81: nobody listens"}, got)
		})
	}
	t.Run("both ways", func(t *testing.T) {
		client := open(t, "ports=80&ports=7", "v4.channel.k8s.io")
		client.Send(2, "marco")
		heard := ""
		for !strings.HasSuffix(heard, "marco") {
			if channel, text := client.Next(); channel == 2 {
				heard += text
			}
		}
		assert.Equal(t, number(7)+"marco", heard)
		require.NoError(t, client.Close(websocket.StatusNormalClosure, ""))
	})
	t.Run("only the log has internal errors", func(t *testing.T) {
		got, _ := open(t, "ports=82,83", "v4.channel.k8s.io").ReadToEnd()
		assert.Equal(t, number(82)+"error forwarding port 82: Internal error occurred: the request could not be completed",
			got[1])
		assert.Equal(t, number(83)+"error forwarding port 83: Internal error occurred: the request could not be completed",
			got[3])
		assert.Contains(t, log.String(), "boom")
		assert.Contains(t, log.String(), "no route")
	})
	for _, c := range []struct{ name, query, message string }{
		{"no port", "", `query parameter "ports" is required`},
		{"an empty one", "ports=", `the parameter "ports": strconv.ParseInt: parsing "": invalid syntax`},
		{"no number", "ports=http", `the parameter "ports": strconv.ParseInt: parsing "http": invalid syntax`},
		{"zero", "ports=80,0", `port "80,0" must be > 0`},
		{"too large", "ports=65536",
			`unable to parse "65536" as a port: strconv.ParseUint: parsing "65536": value out of range`},
		{"too many", "ports=1" + strings.Repeat(",1", 127), "128 ports, at most 127 can be forwarded at once"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := apitest.StatusOf(t, s.Do("GET", apitest.Things+"/a/portforward?"+c.query, "", apitest.UpgradeHeaders()...))
			assert.Equal(t, 400, int(got.Code))
			assert.Equal(t, c.message, got.Message)
		})
	}
	t.Run("kubectl's tunnel of SPDY is not served", func(t *testing.T) {
		got := apitest.StatusOf(t, s.Do("GET", apitest.Things+"/a/portforward?ports=80", "",
			apitest.UpgradeHeaders("Sec-WebSocket-Protocol", "SPDY/3.1+portforward.k8s.io")...))
		assert.Equal(t, "requested protocol(s) are not supported: [SPDY/3.1+portforward.k8s.io]; supports [v4.channel.k8s.io v4.base64.channel.k8s.io ]", got.Message)
	})
}

package apitest

import (
	"context"
	"encoding/json"
	"io"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
)

// DialWebSocket opens a WebSocket and fails the test where the server refuses it.
func DialWebSocket(t testing.TB, url string, options *websocket.DialOptions) *websocket.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Deadline)
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

// ReadMessage reads the next message of a WebSocket.
func ReadMessage(t testing.TB, conn *websocket.Conn) (websocket.MessageType, []byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Deadline)
	defer cancel()
	kind, data, err := conn.Read(ctx)
	require.NoError(t, err)
	return kind, data
}

// ReadThingEvent reads the next event of a watch of Things.
func ReadThingEvent(t testing.TB, conn *websocket.Conn) (apimeta.EventType, Thing) {
	t.Helper()
	kind, data := ReadMessage(t, conn)
	require.Equal(t, websocket.MessageText, kind)
	var e thingEvent
	require.NoError(t, json.Unmarshal(data, &e), string(data))
	var thing Thing
	require.NoError(t, json.Unmarshal(e.Object, &thing))
	return e.Type, thing
}

// UpgradeHeaders are what a client sends to open a WebSocket.
func UpgradeHeaders(more ...string) []string {
	return append([]string{"Connection", "keep-alive, Upgrade", "Upgrade", "WebSocket", "Sec-WebSocket-Version", "13",
		"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}, more...)
}

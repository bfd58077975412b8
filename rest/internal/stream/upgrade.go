package stream

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/decorum-go/decorum/status"
)

// WantsSocket reports whether a request asks to become a WebSocket.
func WantsSocket(r *http.Request) bool {
	return strings.EqualFold(strings.TrimSpace(r.Header.Get("Upgrade")), "websocket") &&
		slices.ContainsFunc(headerTokens(r.Header, "Connection"),
			func(t string) bool { return strings.EqualFold(t, "upgrade") })
}

// RequireSocket refuses a request for a subresource that does not ask to become a WebSocket. Clients older than that
// protocol ask for SPDY.
func RequireSocket(r *http.Request, subresource string) error {
	if WantsSocket(r) {
		return nil
	}
	if asked := r.Header.Get("Upgrade"); asked != "" {
		return status.BadRequest(fmt.Sprintf("%s is served over WebSocket, not %s: use a newer client", subresource, asked))
	}
	return status.BadRequest("Upgrade request required")
}

// Upgrade turns the request into a WebSocket (RFC 6455) that speaks one of the given subprotocols: the first one in the
// client's list, which begins with its favourite, that is among them. If "" is among them, a client may offer none. If
// protocols is empty, every subprotocol is accepted, and the answer names the client's first: a browser that offers
// some requires one to be chosen.
//
// If the handshake fails before the answer has begun, as begun reports, the request can still be answered with the
// error. The caller closes the connection. The request's context no longer ends when the client leaves; a failing read
// shows it.
func Upgrade(w http.ResponseWriter, r *http.Request, protocols []string) (conn *Conn, begun bool, err error) {
	if err := checkOrigin(r); err != nil {
		return nil, false, err
	}
	chosen, err := chooseProtocol(r.Header, protocols)
	if err != nil {
		return nil, false, err
	}
	options := websocket.AcceptOptions{InsecureSkipVerify: true} // checkOrigin has verified the origin
	if chosen != "" {
		options.Subprotocols = []string{chosen}
	}
	h := &handshakeWriter{ResponseWriter: w}
	socket, err := websocket.Accept(h, r, &options)
	if err != nil {
		return nil, h.switched, h.failure(err)
	}
	return &Conn{Conn: socket, below: h.conn}, h.switched, nil
}

// Conn is the WebSocket of an upgraded request.
type Conn struct {
	*websocket.Conn
	below net.Conn
}

// Cut ends all that waits for the client, also a Close that is under way: the library gives its closing handshake 5
// seconds, and has no way to give it less.
func (c *Conn) Cut() { _ = c.below.SetDeadline(time.Now()) }

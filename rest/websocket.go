package rest

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/coder/websocket"

	"github.com/decorum-go/decorum/status"
)

// wantsSocket reports whether a request asks to become a WebSocket.
func wantsSocket(r *http.Request) bool {
	return strings.EqualFold(strings.TrimSpace(r.Header.Get("Upgrade")), "websocket") &&
		slices.ContainsFunc(headerTokens(r.Header, "Connection"), func(t string) bool { return strings.EqualFold(t, "upgrade") })
}

// upgrade makes the request a WebSocket (RFC 6455) that speaks one of these subprotocols: the first of the client's that
// is among them, as the client lists what it likes best first. "" among them takes a client that asks for none. With no
// protocols given every one will do, and the client's first is echoed, because browsers want one to be.
//
// What is wrong with the request is returned as an error, and the request can still be answered. The connection is the
// caller's to close; the request's context no longer tells when the client leaves, reading does.
func (q *request) upgrade(protocols []string) (*websocket.Conn, error) {
	if err := checkOrigin(q.r); err != nil {
		return nil, err
	}
	chosen, err := chooseProtocol(q.r.Header, protocols)
	if err != nil {
		return nil, err
	}
	options := websocket.AcceptOptions{InsecureSkipVerify: true} // checkOrigin has looked
	if chosen != "" {
		options.Subprotocols = []string{chosen}
	}
	w := &handshakeWriter{ResponseWriter: q.w}
	conn, err := websocket.Accept(w, q.r, &options)
	q.wrote = q.wrote || w.switched
	switch {
	case err == nil:
		return conn, nil
	case w.code == http.StatusNotImplemented:
		return nil, status.InternalError(errors.New("a WebSocket needs a ResponseWriter that can be hijacked: a wrapper around it must have a method Unwrap"))
	case w.code == http.StatusInternalServerError || w.code == 0:
		return nil, status.InternalError(err)
	case w.code == http.StatusBadRequest:
		return nil, status.BadRequest(w.text())
	}
	return nil, status.Generic(w.code, w.text())
}

// checkOrigin keeps a page of another site from using what a browser sends along by itself: cookies, passwords, client
// certificates, or just its place in the network. A browser says where a page is from, other clients do not. Who shows a
// bearer token may come from anywhere: no page has that by accident.
func checkOrigin(r *http.Request) error {
	origin := r.Header.Get("Origin")
	if origin == "" || bearerToken(r.Header) {
		return nil
	}
	if u, err := url.Parse(origin); err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host) {
		return nil
	}
	return status.Generic(http.StatusForbidden, fmt.Sprintf("a WebSocket from the origin %q needs a bearer token", origin))
}

func bearerToken(h http.Header) bool {
	scheme, token, _ := strings.Cut(h.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "bearer") && strings.TrimSpace(token) != ""
}

// chooseProtocol picks the subprotocol of a WebSocket; see upgrade.
func chooseProtocol(h http.Header, served []string) (string, error) {
	offered, _ := splitBearer(headerTokens(h, protocolHeader))
	if len(served) == 0 {
		return append(offered, "")[0], nil
	}
	if len(offered) == 0 && slices.Contains(served, "") {
		return "", nil
	}
	for _, p := range offered {
		if slices.Contains(served, p) {
			return p, nil
		}
	}
	return "", status.BadRequest(fmt.Sprintf("requested protocol(s) are not supported: %v; supports %v", offered, served))
}

const protocolHeader = "Sec-Websocket-Protocol"

// headerTokens returns the elements of a header that is a list.
func headerTokens(h http.Header, key string) []string {
	var out []string
	for _, line := range h[key] {
		for t := range strings.SplitSeq(line, ",") {
			if t = strings.TrimSpace(t); t != "" {
				out = append(out, t)
			}
		}
	}
	return out
}

// handshakeWriter keeps the refusal of a handshake back, which is plain text, so that it can be said with a Status.
type handshakeWriter struct {
	http.ResponseWriter
	switched bool
	code     int
	refusal  bytes.Buffer
}

// Unwrap leads to the writer that can be hijacked.
func (w *handshakeWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *handshakeWriter) WriteHeader(code int) {
	if code == http.StatusSwitchingProtocols {
		w.switched = true
		w.ResponseWriter.WriteHeader(code)
		return
	}
	w.code = code
}

func (w *handshakeWriter) Write(b []byte) (int, error) { return w.refusal.Write(b) }

func (w *handshakeWriter) text() string { return strings.TrimSpace(w.refusal.String()) }

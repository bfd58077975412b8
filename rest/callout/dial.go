package callout

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"time"
)

// maxAddresses limits how many addresses of one name a call tries.
const maxAddresses = 8

// callKey is the key of the context value that holds the context of a call.
type callKey struct{}

// beginDialsOf returns the context for the request of a call. The transport opens connections with a context that has
// its values, but does not end with it, so that a later call can use the connection. The value lets dial end with the
// call, because a server that never finishes a handshake would otherwise hold one connection for each call that has
// given up.
func beginDialsOf(ctx context.Context) context.Context { return context.WithValue(ctx, callKey{}, ctx) }

// dialTLS opens a connection to a host and port, as the transport names them, and verifies the server.
func (c *Client) dialTLS(ctx context.Context, address string, config *tls.Config) (net.Conn, error) {
	if !c.begin() {
		return nil, errClosed
	}
	defer c.running.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.life, cancel)()
	if call, ok := ctx.Value(callKey{}).(context.Context); ok {
		defer context.AfterFunc(call, cancel)()
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, dialError(nil, err)
	}
	plain, err := c.dial(ctx, address)
	if err != nil {
		return nil, err
	}
	if config.ServerName == "" {
		config = config.Clone()
		config.ServerName = host
	}
	conn := tls.Client(plain, config)
	if err := conn.HandshakeContext(ctx); err != nil {
		_ = plain.Close()
		return nil, err
	}
	return conn, nil
}

// dial opens a connection to the first address of a host that Allow permits and that answers.
func (c *Client) dial(ctx context.Context, address string) (net.Conn, error) {
	addresses, err := c.lookup(ctx, address)
	if err != nil {
		return nil, dialError(nil, err)
	}
	var first error
	for i, one := range addresses {
		conn, err := c.dialOne(ctx, one, len(addresses)-i)
		if err == nil {
			return conn, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// lookup returns the IP addresses of a host, with its port.
func (c *Client) lookup(ctx context.Context, address string) (found []netip.AddrPort, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return nil, errors.New("invalid port")
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.AddrPort{netip.AddrPortFrom(ip.Unmap(), uint16(port))}, nil
	}
	defer recovered("Lookup", &err)
	ips, err := c.options.Lookup(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	for _, ip := range ips[:min(len(ips), maxAddresses)] {
		found = append(found, netip.AddrPortFrom(ip.Unmap(), uint16(port)))
	}
	if len(found) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return found, nil
}

// dialOne asks Allow and opens a connection. It leaves the remaining addresses their share of the time.
func (c *Client) dialOne(ctx context.Context, address netip.AddrPort, left int) (net.Conn, error) {
	if err := c.allow(address); err != nil {
		return nil, dialError(net.TCPAddrFromAddrPort(address), err)
	}
	if call, ok := ctx.Value(callKey{}).(context.Context); ok && left > 1 {
		deadline, _ := call.Deadline()
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/time.Duration(left))
		defer cancel()
	}
	conn, err := c.connect(ctx, address)
	if err != nil {
		return nil, err
	}
	return c.track(conn), nil
}

// allow calls the host's function.
func (c *Client) allow(address netip.AddrPort) (err error) {
	defer recovered("Allow", &err)
	return c.options.Allow(address)
}

// connect calls the host's function.
func (c *Client) connect(ctx context.Context, address netip.AddrPort) (conn net.Conn, err error) {
	defer recovered("Dial", &err)
	if conn, err = c.options.Dial(ctx, "tcp", address.String()); err == nil && conn == nil {
		err = errors.New("callout: Options.Dial returned no connection")
	}
	return conn, err
}

// dialError describes an error as net.Dialer does.
func dialError(address net.Addr, err error) error {
	return &net.OpError{Op: "dial", Net: "tcp", Addr: address, Err: err}
}

// connection is an open connection of a client.
type connection struct {
	net.Conn
	client *Client
}

// track makes Close of the client close the connection.
func (c *Client) track(conn net.Conn) net.Conn {
	tracked := &connection{Conn: conn, client: c}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[tracked] = struct{}{}
	return tracked
}

func (c *connection) Close() error {
	c.client.mu.Lock()
	delete(c.client.open, c)
	c.client.mu.Unlock()
	return c.Conn.Close()
}

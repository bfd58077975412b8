package callout

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http/httptrace"
	"net/url"
	"sync"
	"time"

	"github.com/decorum-go/decorum/internal/codec"
)

// errClosed is the error of a call after Close.
var errClosed = errors.New("the client for calls out is closed")

// Client calls webhooks. It may be used by several goroutines at a time. Connections are kept for later calls.
type Client struct {
	options Options
	pools   pools
	life    context.Context // Close ends it
	end     context.CancelFunc

	mu      sync.Mutex
	closed  bool
	open    map[*connection]struct{}
	running sync.WaitGroup // calls and dials
}

// New returns a client. It opens no connection. New returns an error if Options.Dial is not set.
func New(options Options) (*Client, error) {
	if options.Dial == nil {
		return nil, errors.New("callout.New: Options.Dial must be set")
	}
	if options.Allow == nil {
		options.Allow = RefuseLocal
	}
	if options.Lookup == nil {
		options.Lookup = net.DefaultResolver.LookupNetIP
	}
	c := &Client{options: options, open: map[*connection]struct{}{}}
	c.life, c.end = context.WithCancel(context.Background())
	return c, nil
}

// Close ends the calls under way, which return errors, and closes all connections. Later calls return an error.
func (c *Client) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.end()
	c.running.Wait()
	c.pools.close()
	c.mu.Lock()
	left := c.open
	c.open = nil
	c.mu.Unlock()
	for conn := range left {
		_ = conn.Conn.Close()
	}
}

// begin reports whether a call or a dial may begin; c.running.Done ends it.
func (c *Client) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.running.Add(1)
	}
	return !c.closed
}

// Post sends the JSON of a request to a webhook, and stores the JSON of its answer in response, which is a pointer.
// Post sends a json.RawMessage unchanged and unchecked.
//
// The errors of Post are made to stand behind the name of the webhook. They say what failed in the words of package
// net/http, for example
//
//	Post "https://hooks.example.com/convert?timeout=30s": dial tcp 192.0.2.1:443: connect: connection refused
//
// and wrap what Options.Dial, the other functions of Options and the context return. They contain nothing that the
// server has sent but the names in its certificate and the code of its answer, which must be between 200 and 206.
func (c *Client) Post(ctx context.Context, target Target, request, response any) error {
	u, err := target.Endpoint()
	if err != nil {
		return err
	}
	body, ready := request.(json.RawMessage)
	if !ready {
		if body, err = codec.Marshal(request); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(target.Timeout, defaultTimeout))
	defer cancel()
	defer context.AfterFunc(c.life, cancel)()
	deadline, _ := ctx.Deadline()
	u.RawQuery = url.Values{"timeout": {wholeSeconds(time.Until(deadline)).String()}}.Encode()
	if err := c.post(ctx, call{Target: &target, url: u, body: body}, response); err != nil {
		return &url.Error{Op: "Post", URL: u.String(), Err: err}
	}
	return nil
}

// wholeSeconds rounds up, and returns at least one second.
func wholeSeconds(d time.Duration) time.Duration {
	return max(time.Second, (d + time.Second - 1).Truncate(time.Second))
}

// call is one call of a webhook.
type call struct {
	*Target
	url  *url.URL
	body []byte
}

// post carries out a call.
func (c *Client) post(ctx context.Context, asked call, response any) (err error) {
	if !c.begin() {
		return errClosed
	}
	defer c.running.Done()
	defer func() {
		switch {
		case err == nil:
		case c.life.Err() != nil:
			err = errClosed
		case ctx.Err() != nil:
			err = ctx.Err()
		}
	}()

	var connected bool
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected = true }}
	r, pool, err := c.prepare(httptrace.WithClientTrace(ctx, trace), asked)
	if err != nil {
		return err
	}
	defer c.pools.release(pool)
	answer, err := pool.transport.RoundTrip(r)
	switch {
	case err != nil && connected:
		return withoutQuotes(err)
	case err != nil:
		return err
	}
	defer answer.Body.Close()
	return read(answer, cmp.Or(asked.MaxAnswer, defaultAnswer), response)
}

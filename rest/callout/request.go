package callout

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
)

var errNoResolver = errors.New("this server calls webhooks only by URL, because it cannot resolve services")

// prepare returns the request of a call and the pool that carries it. The caller releases the pool.
func (c *Client) prepare(ctx context.Context, asked call) (*http.Request, *pool, error) {
	host := withPort(asked.url)
	shown, err := c.credentials(ctx, host)
	if err != nil {
		return nil, nil, err
	}
	target, name := *asked.url, ""
	if asked.Service != nil {
		name = asked.Service.serverName()
		if target.Host, err = c.resolve(ctx, *asked.Service); err != nil {
			return nil, nil, err
		}
	}
	p, err := c.pools.acquire(c, poolKey{bundle: string(bytes.TrimSpace(asked.CABundle)), serverName: name},
		shown.Certificate)
	if err != nil {
		return nil, nil, err
	}
	r := (&http.Request{
		Method: http.MethodPost, URL: &target, Host: asked.url.Host, ContentLength: int64(len(asked.body)),
		GetBody: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(asked.body)), nil },
		Header:  http.Header{},
	}).WithContext(beginDialsOf(ctx))
	r.Body, _ = r.GetBody()
	maps.Copy(r.Header, headerOf(ctx))
	maps.Copy(r.Header, http.Header{
		"Accept": {mediaType}, "Content-Type": {mediaType}, "User-Agent": {"decorum"},
		// Reviews may be sent twice, so the transport repeats one that met the end of a kept connection. It does not send the
		// header.
		"X-Idempotency-Key": {},
	})
	maps.Copy(r.Header, shown.Header)
	return r, p, nil
}

// credentials calls the host's function.
func (c *Client) credentials(ctx context.Context, host string) (shown Credentials, err error) {
	if c.options.Credentials == nil {
		return shown, nil
	}
	defer recovered("Credentials", &err)
	return c.options.Credentials(ctx, host)
}

// resolve returns the address of a service: a host and a port.
func (c *Client) resolve(ctx context.Context, s Service) (address string, err error) {
	if c.options.Resolve == nil {
		return "", errNoResolver
	}
	defer recovered("Resolve", &err)
	if address, err = c.options.Resolve(ctx, s); err == nil && address == "" {
		err = errors.New("callout: Options.Resolve returned no address")
	}
	return address, err
}

// recovered turns the panic of a function of Options into an error.
func recovered(function string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("callout: Options.%s panicked: %v", function, p)
	}
}

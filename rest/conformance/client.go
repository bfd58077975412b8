package conformance

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	userAgent      = "conform/v1"
	defaultTimeout = 25 * time.Second
	maxAnswer      = 64 << 20 // how many bytes of an answer are read
)

// client sends requests unchanged: paths keep their escapes. It returns redirects as
// answers and decompresses nothing.
type client struct {
	scheme, host, prefix, token string
	timeout                     time.Duration // the time limit of one answer
	keep                        bool          // do not delete what the cases create
	http                        *http.Client
}

// request is one request; its path may carry a query.
type request struct {
	method, path string
	headers      []pair // an empty value removes a header
	body         *string
}

func newClient(o Options) (*client, error) {
	u, err := url.Parse(o.Server)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("the server %q is not a URL", o.Server)
	}
	prefix := strings.TrimSuffix(u.Path, "/")
	if p := strings.Trim(o.Prefix, "/"); p != "" {
		prefix += "/" + p
	}
	credentials, err := o.tlsConfig()
	if err != nil {
		return nil, err
	}
	timeout := o.Timeout
	if timeout <= 0 {
		timeout = defaultTimeout
	}
	return &client{
		scheme: u.Scheme, host: u.Host, prefix: prefix, token: o.Token, timeout: timeout, keep: o.Keep,
		http: &http.Client{
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Transport: &http.Transport{
				DialContext:         (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
				TLSClientConfig:     credentials,
				TLSNextProto:        map[string]func(string, *tls.Conn) http.RoundTripper{}, // HTTP/1.1, one connection per watch
				DisableCompression:  true,
				MaxIdleConnsPerHost: max(16, o.Jobs),
			},
		},
	}, nil
}

// tlsConfig returns how to verify the server, and the client's own certificate.
func (o Options) tlsConfig() (*tls.Config, error) {
	config := &tls.Config{InsecureSkipVerify: o.Insecure}
	if len(o.Authorities) > 0 {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(o.Authorities) {
			return nil, errors.New("the certificate authorities hold no certificate in PEM")
		}
	}
	if len(o.Certificate) > 0 || len(o.Key) > 0 {
		pair, err := tls.X509KeyPair(o.Certificate, o.Key)
		if err != nil {
			return nil, fmt.Errorf("the client certificate: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

func (c *client) close() { c.http.CloseIdleConnections() }

// reachable returns an error if no server answers at the address.
func (c *client) reachable(ctx context.Context) error {
	if _, _, err := c.ask(ctx, request{method: http.MethodGet, path: "/api"}); err != nil {
		return fmt.Errorf("the server does not answer: %w", err)
	}
	return nil
}

// ask sends a request and reads the whole answer.
func (c *client) ask(ctx context.Context, r request) (status int, body []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	resp, err := c.send(ctx, r)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	return resp.StatusCode, body, err
}

// send sends a request; the caller closes the body of the response.
func (c *client) send(ctx context.Context, r request) (*http.Response, error) {
	path := r.path
	if c.prefix != "" && !strings.HasPrefix(path, c.prefix+"/") { // a path from the server has the prefix already
		path = c.prefix + path
	}
	path, query, hasQuery := strings.Cut(path, "?")
	var body io.Reader
	if r.body != nil {
		body = strings.NewReader(*r.body)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, c.scheme+"://"+c.host+"/", body)
	if err != nil {
		return nil, err
	}
	req.URL = &url.URL{Scheme: c.scheme, Host: c.host, Opaque: path, RawQuery: query, ForceQuery: hasQuery && query == ""}
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Accept", "application/json")
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	setHeaders(req.Header, r.headers)
	resp, err := c.http.Do(req)
	if cause, ok := errors.AsType[*url.Error](err); ok { // *url.Error would show an opaque URL
		err = fmt.Errorf("%s %s://%s%s: %w", r.method, c.scheme, c.host, path, cause.Err)
	}
	return resp, err
}

// setHeaders replaces defaults. If a name occurs several times, it sends all values.
func setHeaders(h http.Header, values []pair) {
	replaced := map[string]bool{}
	for _, v := range values {
		key := http.CanonicalHeaderKey(v.name)
		switch {
		case v.value == "" && key == "User-Agent":
			h[key] = []string{""} // otherwise net/http sends its own
		case v.value == "":
			h.Del(key)
		case replaced[key]:
			h.Add(key, v.value)
		default:
			h.Set(key, v.value)
			replaced[key] = true
		}
	}
}

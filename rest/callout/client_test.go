package callout_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/callout"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// post calls a webhook and returns what it says.
func post(t testing.TB, calls *callout.Client, target callout.Target) (string, error) {
	t.Helper()
	var got answer
	err := calls.Post(t.Context(), target, question{"why"}, &got)
	return got.Say, err
}

// A call is a POST of JSON to the clean path, with the timeout as a parameter, and says nothing about compression.
func TestPostSendsJSON(t *testing.T) {
	var seen *http.Request
	var body []byte
	w := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen = r
		body, _ = io.ReadAll(r.Body)
		say("because")(w, r)
	}, nil)
	t.Setenv("HTTPS_PROXY", "http://192.0.2.1:1")
	target := w.target("//review/")
	target.Timeout = 90 * time.Second
	said, err := post(t, client(t, nil), target)
	require.NoError(t, err)
	assert.Equal(t, "because", said)
	assert.Equal(t, "POST /review?timeout=1m30s HTTP/1.1", fmt.Sprint(seen.Method, " ", seen.RequestURI, " ", seen.Proto))
	assert.Equal(t, `{"ask":"why"}`, string(body))
	assert.Equal(t, "application/json", seen.Header.Get("Content-Type"))
	assert.NotContains(t, seen.Header, "Accept-Encoding")
	assert.NotContains(t, seen.Header, "X-Idempotency-Key")
	assert.Equal(t, strings.TrimPrefix(w.URL, "https://"), seen.Host)
}

// The answers of a webhook, whether well or ill meant. The word secret never appears in an error.
func TestAnswers(t *testing.T) {
	reply := func(code int, header, value string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(header, value)
			w.WriteHeader(code)
			_, _ = io.WriteString(w, `{"say":"secret"}`)
		}
	}
	large := func(size int, declared bool) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			if declared {
				w.Header().Set("Content-Length", fmt.Sprint(size))
			}
			for sent := 0; sent < size; sent += 1 << 10 {
				if _, err := io.WriteString(w, strings.Repeat(" ", 1<<10)); err != nil {
					return
				}
			}
		}
	}
	raw := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			conn, out, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return
			}
			defer conn.Close()
			_, _ = out.WriteString(text)
			_ = out.Flush()
		}
	}
	const tooLong = "the server did not answer in HTTP, or its header is larger than 65536 bytes"
	for name, c := range map[string]struct {
		handle http.HandlerFunc
		err    string // empty: the answer is accepted
	}{
		"200":      {handle: reply(200, "Content-Type", "application/json")},
		"201":      {handle: reply(201, "Content-Type", "application/json; charset=utf-8")},
		"text":     {handle: reply(200, "Content-Type", "text/plain")},
		"identity": {handle: reply(200, "Content-Encoding", "identity")},
		"302": {reply(302, "Location", "https://secret.example.com"),
			"the server answered 302 Found: redirects are not followed"},
		"307": {reply(307, "Location", "/elsewhere"),
			"the server answered 307 Temporary Redirect: redirects are not followed"},
		"404":                {reply(404, "X", "secret"), "the server answered 404 Not Found"},
		"500":                {reply(500, "X", "secret"), "the server answered 500 Internal Server Error"},
		"unknown code":       {reply(799, "X", "secret"), "the server answered 799"},
		"invalid media type": {reply(200, "Content-Type", "secret/"), "the answer has an invalid Content-Type"},
		"compressed":         {reply(200, "Content-Encoding", "gzip"), "the answer is compressed"},
		"not JSON": {raw("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret"),
			"the answer is not JSON of the expected form"},
		"another form": {raw("HTTP/1.1 200 OK\r\nContent-Length: 18\r\n\r\n{\"say\":[\"secret\"]}"),
			"the answer is not JSON of the expected form"},
		"no body": {raw("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
			"the answer is not JSON of the expected form"},
		"half a body": {raw("HTTP/1.1 200 OK\r\nContent-Length: 60\r\n\r\n{\"say\":\"secret"),
			"reading the answer: unexpected EOF"},
		"50 MB":                    {large(50<<20, true), "the answer is larger than 3145728 bytes"},
		"50 MB of unknown length":  {large(50<<20, false), "the answer is larger than 3145728 bytes"},
		"one byte more than 3 MiB": {large(3<<20+1<<10, false), "the answer is larger than 3145728 bytes"},
		"large header":             {reply(200, "X-Large", strings.Repeat("secret", 20<<10)), tooLong},
		"informal answers": {raw(strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </secret>\r\n\r\n", 1<<15)),
			tooLong},
		"switched protocols": {raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: secret\r\nConnection: Upgrade\r\n\r\n"),
			"the server answered 101 Switching Protocols"},
		"closed before the answer": {raw(""), "EOF"},
		"closed within the header": {raw("HTTP/1.1 200 OK\r\nContent-"), tooLong},
		"not HTTP":                 {raw("secret\r\n\r\n"), tooLong},
		"invalid header":           {raw("HTTP/1.1 200 OK\r\nContent-Length: secret\r\n\r\n"), tooLong},
		"invalid trailer": {raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nsecret\r\n\r\n"),
			"reading the answer: the server did not answer in HTTP"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := serve(t, c.handle, nil)
			said, err := post(t, client(t, nil), w.target("/"))
			if c.err == "" {
				assert.NoError(t, err)
				assert.Equal(t, "secret", said)
				return
			}
			assert.ErrorContains(t, err, c.err)
			assert.ErrorContains(t, err, `Post "`+w.URL+`/?timeout=30s": `)
			assert.NotContains(t, fmt.Sprintf("%v %+v %q", err, err, err), "secret")
		})
	}
}

// A Target may allow a larger answer.
func TestMaxAnswer(t *testing.T) {
	text := strings.Repeat("x", 4<<20)
	w := serve(t, say(text), nil)
	target := w.target("/")
	calls := client(t, nil)
	_, err := post(t, calls, target)
	assert.ErrorContains(t, err, "the answer is larger than 3145728 bytes")
	target.MaxAnswer = 5 << 20
	said, err := post(t, calls, target)
	require.NoError(t, err)
	assert.Len(t, said, len(text))
}

// The bundle names the only authorities, and may be the certificate of the server itself.
func TestServersAreVerified(t *testing.T) {
	w := serve(t, say("yes"), nil, "hooks.example.com")
	other := newAuthority(t)
	lookup := func(context.Context, string, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	_, port, err := net.SplitHostPort(w.Listener.Addr().String())
	require.NoError(t, err)
	roots := x509.NewCertPool()
	roots.AddCert(w.authority.certificate)
	byName := "https://hooks.example.com:" + port
	for name, c := range map[string]struct {
		url, err string
		bundle   []byte
		roots    *x509.CertPool
	}{
		"by its authority": {url: w.URL, bundle: bundle(w.authority.certificate.Raw)},
		"by itself":        {url: w.URL, bundle: bundle(w.certificate.Certificate[0])},
		"by one of two":    {url: w.URL, bundle: bundle(other.certificate.Raw, w.certificate.Certificate[0])},
		"by name":          {url: byName, bundle: bundle(w.certificate.Certificate[0])},
		"by the roots":     {url: w.URL, roots: roots},
		"white space":      {url: w.URL, roots: roots, bundle: []byte(" \n")},
		"another authority": {url: w.URL, bundle: bundle(other.certificate.Raw),
			err: "certificate signed by unknown authority"},
		"the bundle, not roots": {url: w.URL, roots: roots, bundle: bundle(other.certificate.Raw),
			err: "certificate signed by unknown authority"},
		"another name": {url: "https://other.example.com:" + port, bundle: bundle(w.certificate.Certificate[0]),
			err: "certificate is valid for hooks.example.com, not other.example.com"},
		"no bundle, empty roots":  {url: w.URL, roots: x509.NewCertPool(), err: "certificate signed by unknown authority"},
		"a bundle without a word": {url: w.URL, bundle: []byte("PEM"), err: "unable to load root certificates"},
	} {
		t.Run(name, func(t *testing.T) {
			calls := client(t, func(o *callout.Options) { o.Roots, o.Lookup = c.roots, lookup })
			_, err := post(t, calls, callout.Target{URL: c.url, CABundle: c.bundle})
			if c.err == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, c.err)
			}
		})
	}
}

// A server without TLS 1.2 is refused.
func TestOldTLSIsRefused(t *testing.T) {
	w := serve(t, say("yes"), func(w *webhook) { w.TLS.MinVersion, w.TLS.MaxVersion = tls.VersionTLS10, tls.VersionTLS11 })
	_, err := post(t, client(t, nil), w.target("/"))
	assert.ErrorContains(t, err, "tls: ")
}

// The client dials an address that Allow has seen, and no other, also if a name changes its address at each look.
func TestDialsOnlyWhatAllowHasSeen(t *testing.T) {
	w := serve(t, say("yes"), nil, "hooks.example.com")
	at := netip.MustParseAddrPort(w.Listener.Addr().String())
	var lookups, allowed, dialled []string
	calls := client(t, func(o *callout.Options) {
		o.Lookup = func(_ context.Context, network, host string) ([]netip.Addr, error) {
			lookups = append(lookups, network+" "+host)
			if len(lookups) > 1 {
				return []netip.Addr{netip.MustParseAddr("169.254.169.254")}, nil
			}
			return []netip.Addr{netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("::ffff:127.0.0.1")}, nil
		}
		o.Allow = func(a netip.AddrPort) error {
			allowed = append(allowed, a.String())
			if a.Addr().IsPrivate() {
				return errors.New("not this one")
			}
			return nil
		}
		o.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			dialled = append(dialled, network+" "+address)
			return new(net.Dialer).DialContext(ctx, network, address)
		}
	})
	_, err := post(t, calls, callout.Target{URL: fmt.Sprintf("https://hooks.example.com:%d", at.Port()),
		CABundle: bundle(w.authority.certificate.Raw)})
	require.NoError(t, err)
	assert.Equal(t, []string{"ip hooks.example.com"}, lookups)
	assert.Equal(t, []string{fmt.Sprintf("10.0.0.1:%d", at.Port()), at.String()}, allowed)
	assert.Equal(t, []string{"tcp " + at.String()}, dialled)
}

// Hosts that the client does not reach.
func TestUnreachableHosts(t *testing.T) {
	addresses := func(texts ...string) func(context.Context, string, string) ([]netip.Addr, error) {
		return func(context.Context, string, string) (found []netip.Addr, _ error) {
			for _, text := range texts {
				found = append(found, netip.MustParseAddr(text))
			}
			return found, nil
		}
	}
	for name, c := range map[string]struct {
		url, err string
		lookup   func(context.Context, string, string) ([]netip.Addr, error)
	}{
		"loopback": {url: "https://127.0.0.1:9/", err: "dial tcp 127.0.0.1:9: refused: loopback address"},
		"loopback, mapped": {url: "https://[::ffff:127.0.0.1]:9/",
			err: "dial tcp 127.0.0.1:9: refused: loopback address"},
		"link-local with a zone": {url: "https://[fe80::1%25eth0]/", err: "refused: link-local address"},
		"a name of loopback": {url: "https://localhost/", lookup: addresses("127.0.0.1", "::1"),
			err: "dial tcp 127.0.0.1:443: refused: loopback address"},
		"a number of loopback": {url: "https://2130706433/", lookup: addresses("127.0.0.1"),
			err: "refused: loopback address"},
		"the metadata of a cloud": {url: "https://metadata.example.com/", lookup: addresses("169.254.169.254"),
			err: "refused: link-local address"},
		"no address": {url: "https://hooks.example.com/", lookup: addresses(),
			err: "dial tcp: lookup hooks.example.com: no such host"},
		"no such host": {url: "https://hooks.example.com/", err: "dial tcp: lookup hooks.example.com: no such host",
			lookup: func(_ context.Context, _, host string) ([]netip.Addr, error) {
				return nil, &net.DNSError{Err: "no such host", Name: host}
			}},
		"port out of range": {url: "https://192.0.2.1:99999/", err: "invalid port"},
		"refused by Dial":   {url: "https://192.0.2.1/", err: "dial tcp 192.0.2.1:443: no route"},
	} {
		t.Run(name, func(t *testing.T) {
			calls := client(t, func(o *callout.Options) {
				o.Allow, o.Lookup = nil, c.lookup
				o.Dial = func(_ context.Context, _, address string) (net.Conn, error) {
					return nil, fmt.Errorf("dial tcp %s: no route", address)
				}
			})
			_, err := post(t, calls, callout.Target{URL: c.url})
			assert.ErrorContains(t, err, c.err)
		})
	}
}

// A panic or an empty answer of a host's function is an error of the call.
func TestHostFunctionsThatFail(t *testing.T) {
	w := serve(t, say("yes"), nil)
	service := callout.Target{Service: &callout.Service{Namespace: "ops", Name: "check"}}
	for name, c := range map[string]struct {
		err       string
		target    callout.Target
		configure func(*callout.Options)
	}{
		"Dial": {"Options.Dial panicked: oh", w.target("/"), func(o *callout.Options) {
			o.Dial = func(context.Context, string, string) (net.Conn, error) { panic("oh") }
		}},
		"no Dial": {"Options.Dial returned no connection", w.target("/"), func(o *callout.Options) {
			o.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, nil }
		}},
		"Allow": {"Options.Allow panicked: oh", w.target("/"),
			func(o *callout.Options) { o.Allow = func(netip.AddrPort) error { panic("oh") } }},
		"Lookup": {"Options.Lookup panicked: oh", callout.Target{URL: "https://hooks.example.com"}, func(o *callout.Options) {
			o.Lookup = func(context.Context, string, string) ([]netip.Addr, error) { panic("oh") }
		}},
		"Credentials": {"Options.Credentials panicked: oh", w.target("/"), func(o *callout.Options) {
			o.Credentials = func(context.Context, string) (callout.Credentials, error) { panic("oh") }
		}},
		"Resolve": {"Options.Resolve panicked: oh", service, func(o *callout.Options) {
			o.Resolve = func(context.Context, callout.Service) (string, error) { panic("oh") }
		}},
		"no address": {"Options.Resolve returned no address", service, func(o *callout.Options) {
			o.Resolve = func(context.Context, callout.Service) (string, error) { return "", nil }
		}},
		"no Resolve": {"this server calls webhooks only by URL, because it cannot resolve services", service, nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := post(t, client(t, c.configure), c.target)
			assert.ErrorContains(t, err, c.err)
		})
	}
	_, err := callout.New(callout.Options{})
	assert.ErrorContains(t, err, "Options.Dial must be set")
}

// A service is found by Resolve and verified by its name.
func TestServices(t *testing.T) {
	var host string
	handle := func(w http.ResponseWriter, r *http.Request) {
		host = r.Host
		say("yes")(w, r)
	}
	w, other := serve(t, handle, nil, "check.ops.svc"), serve(t, handle, nil, "hooks.example.com")
	for _, c := range []struct {
		w   *webhook
		err string
	}{
		{w: w},
		{w: other,
			err: `Post "https://check.ops.svc:8443/a?timeout=30s": tls: failed to verify certificate: x509: certificate is valid for hooks.example.com, not check.ops.svc`},
	} {
		asked := callout.Service{Namespace: "ops", Name: "check", Path: "/a", Port: 8443}
		calls := client(t, func(o *callout.Options) {
			o.Resolve = func(_ context.Context, s callout.Service) (string, error) {
				assert.Equal(t, asked, s)
				return c.w.Listener.Addr().String(), nil
			}
		})
		_, err := post(t, calls, callout.Target{Service: &asked, CABundle: bundle(c.w.authority.certificate.Raw)})
		if c.err != "" {
			assert.EqualError(t, err, c.err)
		} else {
			assert.NoError(t, err)
			assert.Equal(t, "check.ops.svc:8443", host)
		}
	}
}

// The host may give credentials for a server, and clients with different certificates share no connection.
func TestCredentials(t *testing.T) {
	var clients []string
	w := serve(t, func(w http.ResponseWriter, r *http.Request) {
		name := ""
		if len(r.TLS.PeerCertificates) > 0 {
			name = r.TLS.PeerCertificates[0].DNSNames[0]
		}
		clients = append(clients, r.Header.Get("Authorization")+" "+name)
		say("yes")(w, r)
	}, func(w *webhook) { w.TLS.ClientAuth = tls.RequestClientCert })
	first, second := w.authority.issue(t, "first"), w.authority.issue(t, "second")
	shown := []callout.Credentials{
		{},
		{Certificate: &first, Header: http.Header{"Authorization": {"Bearer a"}}},
		{Certificate: &second},
		{Certificate: &first},
	}
	var i int
	calls := client(t, func(o *callout.Options) {
		o.Credentials = func(_ context.Context, host string) (callout.Credentials, error) {
			assert.Equal(t, w.Listener.Addr().String(), host)
			return shown[i], nil
		}
	})
	for i = range shown {
		_, err := post(t, calls, w.target("/"))
		require.NoError(t, err)
	}
	assert.Equal(t, []string{" ", "Bearer a first", " second", " first"}, clients)
	assert.EqualValues(t, 3, w.open.Load())
}

// Calls share connections. A call survives that the server has closed the connection in the meantime.
func TestConnectionsAreKept(t *testing.T) {
	w := serve(t, say("yes"), nil)
	var dials atomic.Int64
	calls := client(t, func(o *callout.Options) {
		o.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			dials.Add(1)
			return new(net.Dialer).DialContext(ctx, network, address)
		}
	})
	for range 10 {
		_, err := post(t, calls, w.target("/"))
		require.NoError(t, err)
	}
	assert.EqualValues(t, 1, dials.Load())
	w.CloseClientConnections()
	_, err := post(t, calls, w.target("/"))
	require.NoError(t, err)
	assert.EqualValues(t, 2, dials.Load())
}

// A call and its connection end with the timeout or the context, regardless of the server.
func TestCallsEnd(t *testing.T) {
	hang := func(_ http.ResponseWriter, r *http.Request) { untilLeft(r) }
	drip := func(w http.ResponseWriter, r *http.Request) {
		flusher := http.NewResponseController(w)
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, " ")
			_ = flusher.Flush()
		}
	}
	for name, handle := range map[string]http.HandlerFunc{"no answer": hang, "no end of the answer": drip} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var reached atomic.Bool
			left := make(chan struct{}, 1)
			w := serve(t, func(w http.ResponseWriter, r *http.Request) {
				reached.Store(true)
				handle(w, r)
				select {
				case left <- struct{}{}:
				default:
				}
			}, nil)
			target, calls := w.target("/"), client(t, nil)
			target.Timeout, target.MaxAnswer = 50*time.Millisecond, 1<<40
			for !reached.Load() { // on a busy machine, the timeout may precede the connection, which then waits for the next call
				_, err := post(t, calls, target)
				assert.ErrorIs(t, err, context.DeadlineExceeded)
				assert.ErrorContains(t, err, "?timeout=1s")
			}
			<-left // the client has closed the connection
		})
	}
	t.Run("no handshake", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		t.Cleanup(func() { _ = listener.Close() })
		ended := make(chan error, 1)
		go func() {
			conn, err := listener.Accept()
			if err == nil {
				defer conn.Close()
				_, err = io.Copy(io.Discard, conn)
			}
			ended <- err
		}()
		calls := client(t, nil)
		_, err = post(t, calls, callout.Target{URL: "https://" + listener.Addr().String(), Timeout: 50 * time.Millisecond})
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		require.NoError(t, listener.Close()) // on a busy machine, the timeout may precede the connection
		<-ended                              // the client has closed the connection
	})
	t.Run("the caller leaves", func(t *testing.T) {
		called := make(chan struct{})
		w := serve(t, func(_ http.ResponseWriter, r *http.Request) {
			close(called)
			untilLeft(r)
		}, nil)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-called
			cancel()
		}()
		err := client(t, nil).Post(ctx, w.target("/"), question{}, new(answer))
		assert.ErrorIs(t, err, context.Canceled)
		awaitClosed(t, w)
	})
}

// untilLeft waits until the client has left. The server notices once the body has been read.
func untilLeft(r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

// awaitClosed waits until a webhook has no connection.
func awaitClosed(t *testing.T, w *webhook) {
	t.Helper()
	assert.Eventually(t, func() bool { return w.open.Load() == 0 }, apitest.Deadline, time.Millisecond)
}

// Close ends the calls under way, and leaves neither connections nor goroutines.
func TestClose(t *testing.T) {
	started := make(chan struct{}, 8)
	w := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			say("yes")(w, r)
			return
		}
		started <- struct{}{}
		untilLeft(r)
	}, nil)
	calls := client(t, nil)
	for range 3 {
		_, err := post(t, calls, w.target("/"))
		require.NoError(t, err)
	}
	var under sync.WaitGroup
	for range cap(started) {
		under.Go(func() {
			err := calls.Post(context.Background(), w.target("/hang"), question{}, new(answer))
			assert.ErrorContains(t, err, "the client for calls out is closed")
		})
	}
	for range cap(started) {
		<-started
	}
	calls.Close()
	calls.Close()
	under.Wait()
	awaitClosed(t, w)
	_, err := post(t, calls, w.target("/"))
	assert.ErrorContains(t, err, "the client for calls out is closed")
	w.Close()
	apitest.Await(t, "no goroutine of the client is left",
		func() bool { return len(apitest.Goroutines(t, "rest/callout")) == 0 })
}

// The client keeps the connections of 200 different ways to verify a server, and closes those of the others.
func TestKeptConnectionsAreBounded(t *testing.T) {
	const bound, more = 200, 5
	w := serve(t, say("yes"), nil)
	calls := client(t, nil)
	target := w.target("/")
	for i := range bound + more {
		one := target
		one.CABundle = fmt.Appendf(nil, "%d\n%s", i, target.CABundle)
		_, err := post(t, calls, one)
		require.NoError(t, err)
	}
	assert.Eventually(t, func() bool { return w.open.Load() == bound }, apitest.Deadline, time.Millisecond, "%d connections",
		w.open.Load())
}

package hostile_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The server refuses headers that are too large or too many, and long lists of impersonated groups.
func headerBombs(t *testing.T, h *host) {
	const large = 1 << 20
	many := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	long := strings.Repeat("x", large)
	for name, header := range map[string]string{
		"one large":            "X-Large: " + long + "\r\n",
		"a large name":         long + ": x\r\n",
		"many":                 many("X-Many-%d: x\r\n", 50_000),
		"a large token":        "Authorization: Bearer " + long + "\r\n",
		"a large selector":     "Cookie: " + strings.Repeat("a=b;", large/4) + "\r\n",
		"many extras":          "Impersonate-User: root\r\n" + many("Impersonate-Extra-Key%d: x\r\n", 50_000),
		"a large content type": "Content-Type: application/json;" + strings.Repeat("a=b;", large/4) + "\r\n",
	} {
		got := raw(t, h.hasty.Listener.Addr().String(),
			"GET "+notesIn("team-a")+" HTTP/1.1\r\nHost: host\r\nAuthorization: Bearer token-of-alice\r\n"+header+
				"Connection: close\r\n\r\n")
		code := codeOf(got)
		require.True(t, code == http.StatusRequestHeaderFieldsTooLarge || code == 0, "%s: %.200s", name,
			got) // 0: the server closed the connection while the client was still sending
	}
	// These headers are below the server's limit.
	groups := ask32K(t, h, "Impersonate-Group", "g")
	assert.Equal(t, http.StatusForbidden, groups.code, groups.body)
	accept := ask32K(t, h, "Accept", "application/json;q=0.1,")
	assert.Less(t, accept.code, 500, accept.body)
	assert.Less(t, len(groups.body), 64<<10)
}

// ask32K sends a request of alice with a header that is almost as large as the server allows.
func ask32K(t *testing.T, h *host, name, value string) answer {
	t.Helper()
	return h.as("alice").ask(t, "GET", notesIn("team-a")+"/own0", "", name, strings.Repeat(value, 24<<10/len(value)),
		"Impersonate-User", "root")
}

// zeros returns a body of n spaces, generated as it is read.
func zeros(n int64) io.Reader { return io.LimitReader(spaces{}, n) }

type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// The server refuses bodies that are too large, too deep or compressed, even if many arrive at once.
func bodyBombs(t *testing.T, h *host) {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, err := io.Copy(w, zeros(8<<20))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	laughs := "l0: &l0 [lol,lol,lol,lol,lol,lol,lol,lol,lol,lol]\n"
	for i := 1; i < 10; i++ {
		laughs += fmt.Sprintf("l%d: &l%d [%s*l%d]\n", i, i, strings.Repeat(fmt.Sprintf("*l%d,", i-1), 9), i-1)
	}
	over := &http.Client{Transport: &http.Transport{}}
	defer over.CloseIdleConnections()
	var refused atomic.Int64
	var group sync.WaitGroup
	const atOnce = 4 // the number of each
	bombs := map[string]struct {
		body       func() io.Reader
		media, zip string
		codes      []int
		length     int64
	}{
		"large":   {body: func() io.Reader { return zeros(50 << 20) }, length: 50 << 20, codes: []int{413}},
		"endless": {body: func() io.Reader { return zeros(1 << 40) }, length: -1, codes: []int{413}},
		"zipped": {body: func() io.Reader { return bytes.NewReader(zipped.Bytes()) }, length: int64(zipped.Len()),
			zip: "gzip", codes: []int{400, 415}},
		"deep": {body: func() io.Reader { return strings.NewReader(strings.Repeat(`{"a":`, 100_000)) }, length: -1,
			codes: []int{400}},
		"laughing YAML": {body: func() io.Reader { return strings.NewReader(laughs) }, length: -1, media: "application/yaml",
			codes: []int{400}},
		"a form": {body: func() io.Reader { return strings.NewReader("a=b") }, length: -1,
			media: "application/x-www-form-urlencoded", codes: []int{415}},
	}
	for name, c := range bombs {
		for range atOnce {
			group.Add(1)
			go func() {
				defer group.Done()
				r, err := http.NewRequestWithContext(t.Context(), "POST", h.plain.URL+notesIn("team-a"), c.body())
				if !assert.NoError(t, err) {
					return
				}
				r.ContentLength = c.length
				r.Header.Set("Authorization", "Bearer token-of-alice")
				r.Header.Set("Content-Type", "application/json")
				if c.media != "" {
					r.Header.Set("Content-Type", c.media)
				}
				if c.zip != "" {
					r.Header.Set("Content-Encoding", c.zip)
				}
				got, err := over.Do(r)
				if err != nil { // the server closed the connection before the client had sent the whole body
					return
				}
				defer got.Body.Close()
				assert.Contains(t, append(c.codes, http.StatusTooManyRequests), got.StatusCode, name)
				text, _ := io.ReadAll(got.Body)
				assert.Less(t, len(text), 64<<10, name)
				refused.Add(1)
			}()
		}
	}
	group.Wait()
	t.Logf("%d of %d bodies got an answer", refused.Load(), len(bombs)*atOnce)
}

// stalled opens n connections, sends the request on each, and then neither sends nor reads.
func stalled(t *testing.T, address string, n int, request string) (conns []net.Conn) {
	t.Helper()
	for range n {
		conn, err := net.Dial("tcp", address)
		require.NoError(t, err)
		require.NoError(t, conn.(*net.TCPConn).SetReadBuffer(4<<10))
		_, err = io.WriteString(conn, request)
		require.NoError(t, err)
		conns = append(conns, conn)
	}
	return conns
}

// ended reads each connection until the server closes it, then closes it too. It returns the number of connections for
// each status code. Code 0 counts the connections without a response.
func ended(t *testing.T, conns []net.Conn) map[int]int {
	t.Helper()
	codes := map[int]int{}
	for _, conn := range conns {
		text, _ := io.ReadAll(conn)
		require.NotContains(t, string(text), secret)
		codes[codeOf(strings.TrimPrefix(string(text), "HTTP/1.1 100 Continue\r\n\r\n"))]++
		require.NoError(t, conn.Close())
	}
	return codes
}

// The server closes connections that send too slowly, and refuses requests above the limit on concurrent requests.
func slowWriters(t *testing.T, h *host) {
	const head = " HTTP/1.1\r\nHost: host\r\nAuthorization: Bearer token-of-alice\r\n"
	address := h.hasty.Listener.Addr().String()
	conns := stalled(t, address, 100, "GET "+notesIn("team-a")+head)
	conns = append(conns, stalled(t, address, 2*maxInFlight,
		"POST "+notesIn("team-a")+head+"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")...)
	conns = append(conns, stalled(t, address, 50,
		"POST "+notesIn("team-a")+head+"Expect: 100-continue\r\nContent-Length: 1000\r\n\r\n")...)
	conns = append(conns, stalled(t, address, 50,
		"POST "+notesIn("team-a")+head+"Transfer-Encoding: chunked\r\n\r\n5\r\n{")...)
	conns = append(conns, stalled(t, address, 50, "")...)
	codes := ended(t, conns)
	t.Logf("answers by code: %v", codes)
	for code := range codes {
		assert.True(t, code == 0 || code >= 400, code)
	}
}

// Clients that do not read do not delay others: the server cuts off their lists, and their watches end with their
// connections.
func slowReaders(t *testing.T, h *host) {
	const head = " HTTP/1.1\r\nHost: host\r\nAuthorization: Bearer token-of-alice\r\n\r\n"
	const lists, watches = 20, 20 // the sum is below the limit on concurrent requests
	address := h.hasty.Listener.Addr().String()
	conns := stalled(t, address, lists, "GET "+notesIn("team-a")+head)
	conns = append(conns, stalled(t, address, watches, "GET "+notesIn("team-a")+"?watch=1"+head)...)
	for n := range 20 { // more than the socket buffers hold
		h.must(t, "PATCH", notesIn("team-a")+"/large0", fmt.Sprintf(`{"metadata":{"labels":{"n":"%d"}}}`, n), "Content-Type",
			"application/merge-patch+json")
	}
	const calm = 2 // the watch and the request of the client that behaves well
	await(t, "the lists end", func() string {
		if n := h.running.Load(); n > watches+calm {
			return fmt.Sprint("requests under way: ", n)
		}
		return ""
	})
	for _, conn := range conns {
		require.NoError(t, conn.Close())
	}
}

// Lists that nobody reads take little memory, in whatever form the client asks for them, because no copy of such a list
// exists.
func unreadForms(t *testing.T, h *host) {
	const lists = maxInFlight / 2
	for name, accept := range map[string]string{
		"YAML": "application/yaml", "a table in YAML": "application/yaml;as=Table;g=meta.k8s.io;v=v1",
		"JSON": "application/json",
	} {
		before := bytesInUse()
		request := bearer("GET", notesIn("team-a")+"?pretty=true&includeObject=Object", "token-of-alice") + "Accept: " +
			accept + "\r\n\r\n"
		conns := stalled(t, h.plain.Listener.Addr().String(), lists, request)
		await(t, "the server sends the lists", func() string {
			if running := h.running.Load(); running < lists {
				return fmt.Sprint("requests under way: ", running)
			}
			return ""
		})
		after := bytesInUse()
		t.Logf("%d lists of 1.3 MB in %s take %d KiB", lists, name, (int64(after)-int64(before))>>10)
		require.Less(t, after, before+48<<20, name)
		for _, conn := range conns {
			require.NoError(t, conn.Close())
		}
	}
}

// Clients that rapidly reset their HTTP/2 streams leave no goroutines and no memory behind.
func resets(t *testing.T, h *host) {
	over := h.http2.Client()
	defer over.CloseIdleConnections()
	targets := []struct{ method, path, body string }{
		{"GET", notesIn("team-a"), ""}, {"GET", notesIn("team-a") + "?watch=1", ""},
		{"POST", notesIn("team-a") + "?dryRun=All", note("x", "", "")},
		{"GET", "/openapi/v2", ""}, {"GET", notesIn("team-b"), ""},
	}
	var group sync.WaitGroup
	for worker := range 10 {
		group.Add(1)
		go func() {
			defer group.Done()
			for n := range 40 {
				c := targets[(worker+n)%len(targets)]
				ctx, reset := context.WithCancel(t.Context())
				r, err := http.NewRequestWithContext(ctx, c.method, h.http2.URL+c.path, strings.NewReader(c.body))
				if !assert.NoError(t, err) {
					reset()
					return
				}
				r.Header.Set("Authorization", "Bearer token-of-alice")
				r.Header.Set("Content-Type", "application/json")
				if n%2 == 0 { // half of the clients leave before the answer
					go reset()
				}
				if got, err := over.Do(r); err == nil {
					assert.Equal(t, 2, got.ProtoMajor)
					reset()
					_ = got.Body.Close()
				}
				reset()
			}
		}()
	}
	group.Wait()
}

func TestBombsAndSlowClients(t *testing.T) {
	underAttack(t, attack{"header bombs", headerBombs}, attack{"body bombs", bodyBombs},
		attack{"slow writers", slowWriters}, attack{"slow readers", slowReaders}, attack{"unread lists", unreadForms},
		attack{"HTTP/2 resets", resets})
}

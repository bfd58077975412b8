package hostile_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
)

// pipes is a listener in memory, because ten thousand connections with both ends in one process need too many file
// descriptors.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

func (p *pipes) dial() (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// connections returns how many connections to open.
func connections(t *testing.T) int {
	text := os.Getenv("DECORUM_CONNECTIONS")
	if text == "" {
		return 1010
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, "DECORUM_CONNECTIONS")
	return n
}

// watcher is one of many connections with a watch.
type watcher struct {
	conn   net.Conn
	events *json.Decoder
	err    error
}

// open opens the watch, and reads its first event.
func (w *watcher) open(token string) error {
	if _, err := fmt.Fprintf(w.conn, "GET %s?watch=1 HTTP/1.1\r\nHost: host\r\nAuthorization: Bearer %s\r\n\r\n",
		notesIn("crowd"), token); err != nil {
		return err
	}
	answer, err := http.ReadResponse(bufio.NewReader(w.conn), nil)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s", answer.Status)
	}
	w.events = json.NewDecoder(answer.Body)
	return w.expect("first")
}

// expect reads an event about a note of that name.
func (w *watcher) expect(name string) error {
	var e struct {
		Type   string
		Object Note
	}
	if err := w.events.Decode(&e); err != nil {
		return err
	}
	if e.Object.Name != name {
		return fmt.Errorf("%s %s instead of %s", e.Type, e.Object.Name, name)
	}
	return nil
}

// expectEnd reads the 410 with which the API ends a watch.
func (w *watcher) expectEnd() error {
	var e struct{ Object status.Status }
	if err := w.events.Decode(&e); err != nil {
		return err
	}
	if e.Object.Reason != status.ReasonExpired {
		return fmt.Errorf("%v", e.Object)
	}
	if err := w.events.Decode(&e); err != io.EOF {
		return fmt.Errorf("after the end: %v", err)
	}
	return nil
}

// each runs a step of all watchers, and returns how long it took.
func each(t *testing.T, watchers []*watcher, step func(i int, w *watcher) error) time.Duration {
	t.Helper()
	began := time.Now()
	var group sync.WaitGroup
	for i, w := range watchers {
		group.Add(1)
		go func() {
			defer group.Done()
			w.err = step(i, w)
		}()
	}
	group.Wait()
	took := time.Since(began)
	for i, w := range watchers {
		require.NoError(t, w.err, "connection %d", i)
	}
	return took
}

// A thousand connections of two accounts watch. Every connection receives every event. When one account is deleted and
// the other loses its rights, all watches end.
func manyConnections(t *testing.T, h *host) {
	h.must(t, "POST", "/api/v1/namespaces", `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"crowd"}}`)
	at := "/apis/rbac.authorization.k8s.io/v1/namespaces/crowd"
	h.must(t, "POST", at+"/roles",
		`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"reader"},
		"rules":[{"apiGroups":["example.com"],"resources":["notes"],"verbs":["list","watch"]}]}`)
	tokens := make([]string, 2)
	for i, name := range []string{"one", "two"} {
		h.must(t, "POST", "/api/v1/namespaces/crowd/serviceaccounts",
			fmt.Sprintf(`{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":%q}}`, name))
		h.must(t, "POST", at+"/rolebindings",
			fmt.Sprintf(`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":{"name":%q},
			"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"reader"},"subjects":[{"kind":"ServiceAccount","name":%q,"namespace":"crowd"}]}`, name, name))
		tokens[i] = h.token(t, "crowd", name)
	}
	h.must(t, "POST", notesIn("crowd"), note("first", "", ""))

	listener := newPipes()
	server := &http.Server{Handler: h.plain.Config.Handler, ReadHeaderTimeout: patience}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	before := bytesInUse()
	watchers := make([]*watcher, connections(t))
	for i := range watchers {
		conn, err := listener.dial()
		require.NoError(t, err)
		watchers[i] = &watcher{conn: conn}
	}
	opening := time.Now()
	// The well-behaved client needs the rest of the concurrent requests that the API permits.
	const atOnce = maxInFlight / 2
	for from := 0; from < len(watchers); from += atOnce {
		some := watchers[from:min(from+atOnce, len(watchers))]
		each(t, some, func(i int, w *watcher) error { return w.open(tokens[(from+i)%2]) })
	}
	opened := time.Since(opening)
	taken := bytesInUse() - before

	h.must(t, "POST", notesIn("crowd"), note("second", "", ""))
	told := each(t, watchers, func(_ int, w *watcher) error { return w.expect("second") })

	var ofAccount, ofRights []*watcher
	for i, w := range watchers {
		if i%2 == 0 {
			ofAccount = append(ofAccount, w)
		} else {
			ofRights = append(ofRights, w)
		}
	}
	h.must(t, "DELETE", "/api/v1/namespaces/crowd/serviceaccounts/one", "")
	died := each(t, ofAccount, func(_ int, w *watcher) error { return w.expectEnd() })
	h.must(t, "POST", notesIn("crowd"), note("third", "", ""))
	each(t, ofRights, func(_ int, w *watcher) error { return w.expect("third") })
	h.must(t, "DELETE", at+"/rolebindings/two", "")
	lost := each(t, ofRights, func(_ int, w *watcher) error { return w.expectEnd() })
	t.Logf("%d connections: opened in %v, %d KiB each with both ends; all got an event in %v; %d ended %v after their account, %d ended %v after their rights",
		len(watchers), opened, taken>>10/uint64(len(watchers)), told, len(ofAccount), died, len(ofRights), lost)

	for _, w := range watchers {
		assert.NoError(t, w.conn.Close())
	}
	require.NoError(t, server.Close())
	require.ErrorIs(t, <-served, http.ErrServerClosed)
}

func TestConnections(t *testing.T) {
	underAttack(t, attack{"many connections", manyConnections})
}

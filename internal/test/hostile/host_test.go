package hostile_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/rbac"
	"github.com/decorum-go/decorum/rest/serviceaccount"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// Note is a kind with secrets in its text.
type Note struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Text               string `json:"text,omitempty"`
}

// secret is in every note that no attacker may see.
const secret = "the-secret-of-another-team"

// maxInFlight is small, so that an attack reaches the limit.
const maxInFlight = 64

// host serves an API to these users, whose tokens are "token-of-" and the name:
//
//   - root is the administrator.
//   - calm edits the notes in namespace calm, and is the well-behaved client.
//   - alice edits the notes in team-a, where she is the attacker; bob edits those in team-b.
//   - fay sees the notes of namespace shared that have the label team=a, gus those with team=b.
//   - mallory has no rights.
//   - crowd0, crowd1 and so on write traps and snares in namespace throng, kinds whose webhooks hang in some attacks.
type host struct {
	api      *rest.API
	store    storage.Store
	tokens   access.Authenticator
	accounts *serviceaccount.Issuer
	running  atomic.Int64 // requests whose handlers have not returned

	issuer *outsider        // an identity provider
	silent *outsider        // the webhooks
	hooks  *httptest.Server // the server of the webhooks

	plain *httptest.Server // HTTP/1.1
	http2 *httptest.Server
	// hasty has the short timeouts of a server that faces the network. Only attackers use it, because on a busy machine
	// such timeouts would also end legitimate requests.
	hasty *httptest.Server
	calm  *http.Client // the client that behaves well
}

// crowd is how many users take all places together, because each gets as many as are free.
const crowd = 8

// trapped are the kinds of the crowd, by resource.
var trapped = map[string]string{"traps": "Trap", "snares": "Snare"}

// hastily is the duration of every timeout of the hasty server.
const hastily = 500 * time.Millisecond

func newHost(t *testing.T) *host {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	h := &host{calm: &http.Client{Transport: &http.Transport{}}, issuer: newOutsider(), silent: newOutsider()}
	h.accounts, err = serviceaccount.New(serviceaccount.Options{Issuer: "https://host.example.com",
		Keys: []serviceaccount.Key{{Signer: key}}})
	require.NoError(t, err)
	var tokens []auth.Token
	users := []string{"root", "calm", "alice", "bob", "fay", "gus", "mallory"}
	for i := range crowd {
		users = append(users, fmt.Sprint("crowd", i))
	}
	for _, name := range users {
		u := access.User{Name: name}
		if name == "root" {
			u.Groups = []string{"admins"}
		}
		tokens = append(tokens, auth.Token{Secret: "token-of-" + name, User: u})
	}
	roles, err := rbac.New(rbac.Options{Administrators: []string{"admins"}})
	require.NoError(t, err)
	store := memory.New(storage.Options{MaxLogBytes: 4 << 20})
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	kinds := []rest.Definition{builtin.Namespaces(), notes()}
	for resource, kind := range trapped {
		r := notes()
		r.Plural, r.Names.Kind = resource, kind
		kinds = append(kinds, r)
	}
	h.store, h.tokens = store, auth.Tokens(tokens...)
	h.api, err = rest.New(rest.Options{
		Store: store, Limits: rest.Limits{MaxInFlight: maxInFlight}, Logger: slog.New(slog.DiscardHandler),
		Authenticator: access.Authenticators{h.tokens, auth.Bearer(h.issuer.recognize)}, Authorizer: byTeam(t),
		Plugins: []rest.Plugin{h.accounts, roles, auth.Reviews(), h.serveWebhooks(t)},
	}, kinds...)
	require.NoError(t, err)
	require.NoError(t, h.api.Start(t.Context()))
	h.serve(t)
	h.fill(t)
	return h
}

func notes() rest.Resource[Note] {
	return rest.Resource[Note]{Group: "example.com", Version: "v1", Plural: "notes"}
}

// byTeam restricts fay and gus to the notes of their team.
func byTeam(t *testing.T) access.Authorizer {
	only := map[string]access.Filter{}
	for user, team := range map[string]string{"fay": "team=a", "gus": "team=b"} {
		labels, err := apimeta.ParseLabelSelector(team)
		require.NoError(t, err)
		only[user] = access.Filter{Labels: labels}
	}
	return access.AuthorizerFunc(func(_ context.Context, a access.Access) (access.Decision, error) {
		filter, ok := only[a.User.Name]
		if !ok || a.Resource != "notes" || a.Namespace != "shared" {
			return access.Decision{}, nil
		}
		return access.AllowOnly("", filter), nil
	})
}

// serve starts the servers. The API is mounted at the root and, behind a ServeMux, at /mounted.
func (h *host) serve(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/mounted/", http.StripPrefix("/mounted", h.api))
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.running.Add(1)
		defer h.running.Add(-1)
		if strings.HasPrefix(r.URL.Path, "/mounted") {
			mux.ServeHTTP(w, r)
		} else {
			h.api.ServeHTTP(w, r)
		}
	})
	quiet := slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	for _, server := range []**httptest.Server{&h.plain, &h.http2, &h.hasty} {
		*server = httptest.NewUnstartedServer(handler)
		(*server).Config.ErrorLog = quiet
		(*server).Config.MaxHeaderBytes = 32 << 10
	}
	h.hasty.Config.ReadHeaderTimeout, h.hasty.Config.ReadTimeout, h.hasty.Config.WriteTimeout = hastily, hastily, hastily
	h.hasty.Config.IdleTimeout = hastily
	h.hasty.Listener, h.plain.Listener = tightListener{h.hasty.Listener}, tightListener{h.plain.Listener}
	h.http2.EnableHTTP2 = true
	h.plain.Start()
	h.hasty.Start()
	h.http2.StartTLS()
	t.Cleanup(func() {
		h.calm.CloseIdleConnections()
		require.NoError(t, h.api.Close())
		for _, server := range []*httptest.Server{h.plain, h.http2, h.hasty} {
			server.CloseClientConnections()
			server.Close()
		}
	})
}

// tightListener accepts connections with small send buffers.
type tightListener struct{ net.Listener }

func (l tightListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return conn, conn.(*net.TCPConn).SetWriteBuffer(4 << 10)
}

// fill creates the namespaces, the roles and the notes.
func (h *host) fill(t *testing.T) {
	for _, name := range []string{"calm", "team-a", "team-b", "shared", "throng"} {
		h.must(t, "POST", "/api/v1/namespaces",
			fmt.Sprintf(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":%q}}`, name))
	}
	editors := map[string]string{"calm": "calm", "alice": "team-a", "bob": "team-b"}
	for i := range crowd {
		editors[fmt.Sprint("crowd", i)] = "throng"
	}
	for _, namespace := range []string{"calm", "team-a", "team-b", "throng"} {
		h.must(t, "POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/"+namespace+"/roles",
			`{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role",
			"metadata":{"name":"editor"},"rules":[{"apiGroups":["example.com"],"resources":["notes","traps","snares"],"verbs":["*"]}]}`)
	}
	for user, namespace := range editors {
		h.must(t, "POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/"+namespace+"/rolebindings",
			fmt.Sprintf(`{"apiVersion":"rbac.authorization.k8s.io/v1",
			"kind":"RoleBinding","metadata":{"name":%q},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"editor"},
			"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":%[1]q}]}`, user))
	}
	h.must(t, "POST", "/api/v1/namespaces/team-b/serviceaccounts",
		`{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"robot"}}`)
	h.must(t, "POST", notesIn("team-a"), note("own", "own", ""))
	for i := range 20 {
		h.must(t, "POST", notesIn("team-a"), note(fmt.Sprint("large", i), strings.Repeat("x", 64<<10), ""))
		h.must(t, "POST", notesIn("team-b"), note(fmt.Sprint("hidden", i), secret, ""))
	}
	h.must(t, "POST", notesIn("shared"), note("mine", "of a", `"team":"a"`))
	h.must(t, "POST", notesIn("shared"), note("theirs", secret, `"team":"b"`))
}

func notesIn(namespace string) string {
	return "/apis/example.com/v1/namespaces/" + namespace + "/notes"
}

// note returns the JSON of a note with labels, which may be empty.
func note(name, text, labels string) string {
	return fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Note","metadata":{"name":%q,"labels":{%s}},"text":%q}`,
		name, labels, text)
}

// must sends a request as root.
func (h *host) must(t testing.TB, method, path, body string, header ...string) {
	t.Helper()
	a := h.as("root").ask(t, method, path, body, header...)
	require.Less(t, a.code, 300, "%s %s: %s", method, path, a.body)
}

// answer is the response that a client received.
type answer struct {
	code   int
	header http.Header
	body   string
}

// client sends requests to a server with a token.
type client struct {
	over       *http.Client
	url, token string
}

// as returns a client of a user over HTTP/1.1.
func (h *host) as(user string) client { return client{h.calm, h.plain.URL, "token-of-" + user} }

// ask sends a request and returns the response. It fails the test if the request fails. header alternates names and
// values.
func (c client) ask(t testing.TB, method, path, body string, header ...string) answer {
	t.Helper()
	a, err := c.send(t.Context(), method, path, body, header...)
	require.NoError(t, err)
	return a
}

func (c client) send(ctx context.Context, method, path, body string, header ...string) (answer, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header[header[i]] = []string{header[i+1]}
	}
	return answerTo(c.over, r)
}

// answerTo sends a request and reads the answer.
func answerTo(over *http.Client, r *http.Request) (answer, error) {
	got, err := over.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	return answer{got.StatusCode, got.Header, string(text)}, err
}

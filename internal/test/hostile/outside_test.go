package hostile_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/callout"
	"github.com/decorum-go/decorum/rest/webhook"
	"github.com/decorum-go/decorum/status"
)

// outsider is something outside of the host that never answers: an identity provider, or webhooks.
type outsider struct {
	waiting atomic.Int64 // requests that wait for it
	over    chan struct{}
}

func newOutsider() *outsider { return &outsider{over: make(chan struct{})} }

func (o *outsider) wait(ctx context.Context) {
	o.waiting.Add(1)
	defer o.waiting.Add(-1)
	select {
	case <-o.over:
	case <-ctx.Done():
	}
}

// forged begins the tokens that only the identity provider can tell from valid ones.
const forged = "forged-"

// recognize is the authenticator of the identity provider. It lets any number of requests wait.
func (o *outsider) recognize(ctx context.Context, token string) (*access.Identity, error) {
	if !strings.HasPrefix(token, forged) {
		return nil, errors.New("the token is of another issuer")
	}
	o.wait(ctx)
	return nil, status.ServiceUnavailable("the identity provider does not answer")
}

// serveWebhooks serves webhooks that never answer, and returns the hooks of the host that call webhooks.
func (h *host) serveWebhooks(t *testing.T) *webhook.Webhooks {
	h.hooks = httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not notice when the caller leaves
		h.silent.wait(r.Context())
	}))
	h.hooks.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	h.hooks.StartTLS()
	t.Cleanup(h.hooks.Close)
	calls, err := callout.New(callout.Options{Dial: (&net.Dialer{}).DialContext,
		Allow: func(netip.AddrPort) error { return nil }})
	require.NoError(t, err)
	t.Cleanup(calls.Close)
	hooks, err := webhook.New(webhook.Options{Calls: calls, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	return hooks
}

// register registers a webhook for the creation of the objects of a resource.
func (h *host) register(t *testing.T, resource string) {
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: h.hooks.Certificate().Raw})
	bundle, err := json.Marshal(certificate)
	require.NoError(t, err)
	h.must(t, "POST", webhooks, fmt.Sprintf(`{
		"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":{"name":%[1]q},
		"webhooks":[{"name":"%[1]s.example.com","clientConfig":{"url":"%[2]s/%[1]s","caBundle":%[3]s},
			"sideEffects":"None","admissionReviewVersions":["v1"],"timeoutSeconds":30,
			"rules":[{"operations":["CREATE"],"apiGroups":["example.com"],"apiVersions":["v1"],"resources":[%[1]q]}]}]}`, resource, h.hooks.URL, bundle))
}

const webhooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"

// bearer returns the head of a raw request, up to where more headers may follow.
func bearer(method, path, token string) string {
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: host\r\nAuthorization: Bearer %s\r\n", method, path, token)
}

// serves requires that every request of a user and of the administrator gets its answer.
func (h *host) serves(t *testing.T, when string) {
	t.Helper()
	for i := range 50 {
		for _, user := range []string{"bob", "root"} {
			a := h.as(user).ask(t, "GET", notesIn("team-b")+"/hidden0", "")
			require.Equal(t, http.StatusOK, a.code, "%s, a read of %s: %s", when, user, a.body)
			a = h.as(user).ask(t, "POST", notesIn("team-b")+"?dryRun=All", note(fmt.Sprint("new", i), "", ""))
			require.Equal(t, http.StatusCreated, a.code, "%s, a write of %s: %s", when, user, a.body)
		}
	}
}

// Clients without credentials send forged tokens while the identity provider does not answer. They keep nobody else
// from anything.
func forgedTokens(t *testing.T, h *host) {
	n := connections(t)
	conns := stalled(t, h.plain.Listener.Addr().String(), n, bearer("GET", notesIn("team-b"), forged+"token")+"\r\n")
	await(t, "all wait for the identity provider", func() string {
		if waiting := h.issuer.waiting.Load(); waiting < int64(n) {
			return fmt.Sprint("requests that wait: ", waiting)
		}
		return ""
	})
	h.serves(t, "forged tokens")
	for _, conn := range conns {
		require.NoError(t, conn.Close())
	}
}

// A crowd of users, who together may take all places, write objects of two kinds whose webhooks do not answer. Requests
// that need no webhook are all answered, and the administrator removes the webhooks.
func hangingWebhooks(t *testing.T, h *host) {
	for resource := range trapped {
		h.register(t, resource)
	}
	var conns []net.Conn
	for i := range crowd {
		for resource, kind := range trapped {
			body := strings.Replace(note("x", "", ""), `"Note"`, strconv.Quote(kind), 1)
			request := bearer("POST", "/apis/example.com/v1/namespaces/throng/"+resource+"?dryRun=All",
				fmt.Sprint("token-of-crowd", i)) +
				fmt.Sprintf("Content-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(body)) + body
			conns = append(conns, stalled(t, h.plain.Listener.Addr().String(), maxInFlight, request)...)
		}
	}
	await(t, "the webhooks hang", func() string {
		if waiting := h.silent.waiting.Load(); waiting < maxInFlight/4 {
			return fmt.Sprint("calls that wait: ", waiting)
		}
		return ""
	})
	h.serves(t, "webhooks that hang")
	for resource := range trapped {
		h.must(t, "DELETE", webhooks+"/"+resource, "")
	}
	for _, conn := range conns {
		require.NoError(t, conn.Close())
	}
}

func TestPlacesBesideOutsiders(t *testing.T) {
	underAttack(t, attack{"forged tokens", forgedTokens}, attack{"webhooks that hang", hangingWebhooks})
}

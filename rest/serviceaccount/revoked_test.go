package serviceaccount_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/rest/serviceaccount"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// watching is a watch of the namespaces with a token.
type watching struct {
	ended chan struct{}
	last  status.Status // the Status of the ERROR event; set when the watch has ended
}

// watchAs opens a watch with a token, through an API.
func watchAs(t *testing.T, api http.Handler, token string) *watching {
	t.Helper()
	answer := askToWatch(t, api, token)
	require.Equal(t, http.StatusOK, answer.StatusCode)
	w := &watching{ended: make(chan struct{})}
	go func() {
		defer close(w.ended)
		defer answer.Body.Close()
		for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
			var event struct{ Object status.Status }
			if json.Unmarshal(lines.Bytes(), &event) == nil {
				w.last = event.Object
			}
		}
	}()
	return w
}

func askToWatch(t *testing.T, api http.Handler, token string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://host/api/v1/namespaces?watch=1", nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := rest.RoundTripper(api).RoundTrip(r)
	require.NoError(t, err)
	return answer
}

func (w *watching) isOpen() bool {
	synctest.Wait()
	select {
	case <-w.ended:
		return false
	default:
		return true
	}
}

// sharedStore is a store whose resources another API has registered.
type sharedStore struct{ storage.Store }

func (sharedStore) Register(context.Context, storage.Resource) error { return nil }

// The watches of a token end when the token dies, and the watches of other tokens
// continue.
func TestWatchesEndWithTheirToken(t *testing.T) {
	pods := func(s *server) rest.Client[Pod] { return resttest.Client[Pod](t, s.API).Namespace("team") }
	for _, c := range []struct {
		name  string
		bound string // the kind of the object to which the token is bound; its name is "o"
		kill  func(t *testing.T, s *server) error
		after time.Duration
	}{
		{"the account is deleted", "", func(t *testing.T, s *server) error {
			return s.clients(t).Delete(t.Context(), "builder", rest.DeleteOptions{})
		}, 0},
		{"another account has the name", "", func(t *testing.T, s *server) error {
			if err := s.clients(t).Delete(t.Context(), "builder", rest.DeleteOptions{}); err != nil {
				return err
			}
			_, err := s.clients(t).Create(t.Context(),
				&serviceaccount.ServiceAccount{ObjectMeta: apimeta.ObjectMeta{Name: "builder"}})
			return err
		}, 0},
		{"the account waits for a finalizer", "", func(t *testing.T, s *server) error {
			_, err := s.clients(t).Modify(t.Context(), "builder", func(a *serviceaccount.ServiceAccount) error {
				a.Finalizers = []string{"example.com/hold"}
				return nil
			})
			if err != nil {
				return err
			}
			return s.clients(t).Delete(t.Context(), "builder", rest.DeleteOptions{})
		}, 0},
		{"the key is removed", "", func(_ *testing.T, s *server) error {
			return s.accounts.SetKeys(serviceaccount.Key{ID: "second", Signer: s.key})
		}, 0},
		{"the account of a bound token is deleted", "Secret", func(t *testing.T, s *server) error {
			return s.clients(t).Delete(t.Context(), "builder", rest.DeleteOptions{})
		}, 0},
		{"the Secret is deleted", "Secret", func(t *testing.T, s *server) error {
			return resttest.Client[Secret](t, s.API).Namespace("team").Delete(t.Context(), "o", rest.DeleteOptions{})
		}, 0},
		{"the Node is deleted", "Node", func(t *testing.T, s *server) error {
			return resttest.Client[Node](t, s.API).Delete(t.Context(), "o", rest.DeleteOptions{})
		}, 0},
		{"the Pod is removed", "Pod", func(t *testing.T, s *server) error {
			return pods(s).Delete(t.Context(), "o", rest.DeleteOptions{GracePeriodSeconds: ptr[int64](0)})
		}, 0},
		{"the grace period of the Pod ends", "Pod", func(t *testing.T, s *server) error {
			return pods(s).Delete(t.Context(), "o", rest.DeleteOptions{})
		}, 30 * time.Second},
		{"the grace period of the Pod becomes shorter", "Pod", func(t *testing.T, s *server) error {
			if err := pods(s).Delete(t.Context(), "o", rest.DeleteOptions{}); err != nil {
				return err
			}
			return pods(s).Delete(t.Context(), "o", rest.DeleteOptions{GracePeriodSeconds: ptr[int64](5)})
		}, 5 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := start(t, nil, boundKinds()...)
				s.account(t, "builder")
				s.account(t, "other")
				bound := serviceaccount.TokenRequestSpec{}
				if c.bound != "" {
					createBound(t, s, c.bound)
					bound.BoundObjectRef = &serviceaccount.BoundObjectReference{APIVersion: "v1", Kind: c.bound, Name: "o"}
				}
				r, err := s.request(t, "builder", bound)
				require.NoError(t, err)
				dying, other, root := watchAs(t, s.API, r.Status.Token), watchAs(t, s.API, s.token(t, "other")),
					watchAs(t, s.API, "root")
				require.True(t, dying.isOpen())

				began := time.Now()
				require.NoError(t, c.kill(t, s))
				<-dying.ended
				assert.Equal(t, c.after, time.Since(began))
				assert.Equal(t, status.ReasonExpired, dying.last.Reason)
				assert.Contains(t, dying.last.Message, "revoked")
				assert.Equal(t, c.name != "the key is removed", other.isOpen())
				assert.True(t, root.isOpen())
				require.NoError(t, s.API.Close())
				<-other.ended
				assert.NotContains(t, root.last.Message, "revoked")
			})
		})
	}
}

// createBound creates an object to which a token of builder can be bound.
func createBound(t testing.TB, s *server, kind string) {
	t.Helper()
	meta := apimeta.ObjectMeta{Name: "o"}
	var err error
	switch kind {
	case "Secret":
		_, err = resttest.Client[Secret](t, s.API).Namespace("team").Create(t.Context(), &Secret{ObjectMeta: meta})
	case "Node":
		_, err = resttest.Client[Node](t, s.API).Create(t.Context(), &Node{ObjectMeta: meta})
	case "Pod":
		pod := &Pod{ObjectMeta: meta}
		pod.Spec.ServiceAccountName = "builder"
		_, err = resttest.Client[Pod](t, s.API).Namespace("team").Create(t.Context(), pod)
	}
	require.NoError(t, err)
}

// A watch ends if any replica deletes the account, and if the token dies while the watch opens.
func TestWatchesEndInEveryReplica(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New(storage.Options{})
		t.Cleanup(func() { require.NoError(t, store.Close()) })
		s := startOn(t, store, nil)
		accounts, err := serviceaccount.New(serviceaccount.Options{Issuer: issuer,
			Keys: []serviceaccount.Key{{ID: "first", Signer: s.key}}})
		require.NoError(t, err)
		var while func() // runs between the check of a token and the registration of its watch
		authenticator := access.AuthenticatorFunc(func(r *http.Request) (*access.Identity, error) {
			who, err := accounts.Authenticate(r)
			if while != nil {
				while()
			}
			return who, err
		})
		replica, err := rest.New(rest.Options{Store: sharedStore{store},
			Plugins: []rest.Plugin{replaced{accounts, authenticator}}, Now: s.Clock.Now}, builtin.Namespaces())
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, replica.Close()) })
		deleteAccount := func() { require.NoError(t, s.clients(t).Delete(t.Context(), "builder", rest.DeleteOptions{})) }

		s.account(t, "builder")
		w := watchAs(t, replica, s.token(t, "builder"))
		require.True(t, w.isOpen())
		deleteAccount()
		assert.False(t, w.isOpen())

		s.account(t, "builder")
		token := s.token(t, "builder")
		while = deleteAccount
		answer := askToWatch(t, replica, token)
		assert.Equal(t, http.StatusGone, answer.StatusCode)
		require.NoError(t, answer.Body.Close())
	})
}

// replaced is an Issuer with another authenticator.
type replaced struct {
	*serviceaccount.Issuer
	by access.Authenticator
}

func (r replaced) Plug(api rest.PluginAPI) (rest.PluginParts, error) {
	parts, err := r.Issuer.Plug(api)
	parts.Authenticator = r.by
	return parts, err
}

// While the Issuer cannot follow the accounts, it keeps no watch open. The next watch makes it follow them again.
func TestWatchesEndIfTheStoreFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &apitest.FailsToWatchOnce{Store: memory.New(storage.Options{}), Resource: "serviceaccounts"}
		t.Cleanup(func() { require.NoError(t, store.Close()) })
		s := startOn(t, store, nil)
		s.account(t, "builder")
		token := s.token(t, "builder")
		answer := askToWatch(t, s.API, token) // ends before or after its answer has begun
		_, err := io.Copy(io.Discard, answer.Body)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.True(t, store.Failed.Load())

		w := watchAs(t, s.API, token)
		require.True(t, w.isOpen())
		require.NoError(t, s.clients(t).Delete(t.Context(), "builder", rest.DeleteOptions{}))
		assert.False(t, w.isOpen())
	})
}

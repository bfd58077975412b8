package console_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/console"
	"github.com/decorum-go/decorum/status"
)

// bearers knows the users by their tokens.
func bearers(users *sync.Map) access.Authenticator {
	return access.AuthenticatorFunc(func(r *http.Request) (*access.Identity, error) {
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok {
			return nil, nil
		}
		name, ok := users.Load(token)
		if !ok {
			return nil, status.Unauthorized("unknown token")
		}
		return &access.Identity{User: access.User{Name: name.(string)}}, nil
	})
}

// admins may do everything, and all other users may read.
func admins(_ context.Context, a access.Access) (access.Decision, error) {
	reads := a.Verb == "get" || a.Verb == "list" || a.Verb == "watch" || a.Group == "authorization.k8s.io" ||
		a.Group == "authentication.k8s.io"
	if a.User.Name == "admin" || reads && a.User.Name != "system:anonymous" {
		return access.Allow(""), nil
	}
	return access.Decision{}, nil
}

// guarded serves items to an admin and to readers. The token of each is the name with "-token".
func guarded(t *testing.T) (*rest.API, *sync.Map) {
	t.Helper()
	users := &sync.Map{}
	users.Store("admin-token", "admin")
	users.Store("reader-token", "reader")
	items := rest.Resource[Item]{Group: "example.com", Version: "v1", Plural: "items",
		Scale: &rest.Scale{SpecReplicas: ".spec.size", StatusReplicas: ".spec.size"}}
	api, err := rest.New(rest.Options{Authenticator: bearers(users), Authorizer: access.AuthorizerFunc(admins)}, items)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, api.Close()) })
	client, err := rest.ClientForType[Item](api)
	require.NoError(t, err)
	_, err = client.Namespace("default").Create(t.Context(), &Item{ObjectMeta: apimeta.ObjectMeta{Name: "one"}})
	require.NoError(t, err)
	return api, users
}

const items = "/apis/example.com/v1/namespaces/default/items"

// The page offers what the user may do. An admin may act as another user, and sees what that user sees.
func TestOnlyWhatTheUserMayDoIsOffered(t *testing.T) {
	api, _ := guarded(t)
	p := openPage(t, serve(t, api))
	p.fill("#token", "reader-token")
	p.awaitText(".user", "reader")
	p.open("#" + items + "/one")
	p.awaitText(".tabs", "document")
	p.awaitText(".dot", "live")
	p.open("#" + items)
	p.awaitText("tbody tr", "one")
	assert.Empty(t, p.texts(".bar .primary"), "a reader may not create")
	p.clickText(".user", "reader")
	p.await("document.querySelector('dialog[open]')")
	assert.Empty(t, p.texts("#impersonated"), "a reader may not act as others")

	p.fill("#token", "admin-token")
	p.awaitText(".user", "admin")
	p.awaitText(".bar .primary", "Create")
	p.open("#" + items + "/one")
	p.awaitText(".actions", "ScaleLabelsAnnotationsDelete")
	p.awaitText("[role=tab]", "edit")

	p.clickText(".user", "admin")
	p.fill("#impersonated", "reader")
	p.awaitText(".user.impersonated", "as reader")
	p.awaitText(".dot", "live")
	p.await("!document.querySelector('.actions button') && !document.querySelector('#tab-edit')")
	p.open("#" + items + "/one?tab=edit")
	p.awaitText(".note", "You may not change this object.")
	p.clickText(".user", "as reader")
	p.clickText("dialog button", "Be yourself again")
	p.awaitText(".actions", "Delete")
	assert.NotContains(t, eval[string](p,
		"JSON.stringify({ ...localStorage, ...sessionStorage }) + location.href + document.cookie"), "admin-token")
}

// Each refusal is explained in one sentence that says what to do.
func TestRefusalsAreExplained(t *testing.T) {
	kind := apimeta.GroupResource{Group: "example.com", Resource: "items"}
	var answer atomic.Pointer[status.Error]
	api, _ := guarded(t)
	refusing := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := answer.Load(); err != nil && r.URL.Query().Get("dryRun") != "" {
			api.Error(w, r, err)
			return
		}
		api.ServeHTTP(w, r)
	})
	p := openPage(t, serve(t, refusing))
	p.fill("#token", "admin-token")
	p.awaitText(".user", "admin")
	for i, tt := range []struct {
		err       *status.Error
		code, say string
	}{
		{status.Forbidden(kind, "one", "no"), "403", "ask an administrator for the right"},
		{status.Conflict(kind, "one", "busy"), "409", "read it again, and repeat your change"},
		{status.AlreadyExists(kind, "one"), "409", "choose another name"},
		{status.Expired("too old"), "410", "reads it again"},
		{status.Invalid(apimeta.GroupKind{Group: "example.com", Kind: "Item"}, "one", status.FieldErrors{
			status.InvalidField(status.NewPath("spec", "size"), 5, "odd")}), "422", "mend the fields"},
		{status.TooManyRequests("wait", 1), "429", "try again in a moment"},
		{status.Unauthorized("who are you?"), "401", "sign in"},
	} {
		t.Run(tt.code, func(t *testing.T) {
			answer.Store(nil)
			p.open(fmt.Sprintf("#%s/one?now=%d", items, i))
			p.clickText(".actions button", "Scale")
			answer.Store(tt.err)
			p.fill("#replicas", "5")
			p.awaitText("dialog .failure", tt.code)
			p.awaitText("dialog .failure", tt.say)
			p.run("document.querySelectorAll('dialog').forEach((d) => d.close())")
			p.await("!document.querySelector('dialog')")
		})
	}
}

// A host with a cookie wraps its mount in http.CrossOriginProtection. A page of another origin has the cookie sent, and
// changes nothing.
func TestCookieAndHostilePage(t *testing.T) {
	var reached atomic.Int32
	withCookie := 0
	mutex := sync.Mutex{}
	authenticator := access.AuthenticatorFunc(func(r *http.Request) (*access.Identity, error) {
		cookie, err := r.Cookie("session")
		if err != nil || cookie.Value != "alice-session" {
			return nil, nil
		}
		return &access.Identity{User: access.User{Name: "alice"}}, nil
	})
	api, err := rest.New(rest.Options{Authenticator: authenticator,
		Authorizer: access.AuthorizerFunc(func(_ context.Context, a access.Access) (access.Decision, error) {
			if a.User.Name == "alice" {
				return access.Allow(""), nil
			}
			return access.Decision{}, nil
		})}, rest.Resource[Item]{Group: "example.com", Version: "v1", Plural: "items"})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, api.Close()) })
	client, err := rest.ClientForType[Item](api)
	require.NoError(t, err)
	_, err = client.Namespace("default").Create(t.Context(), &Item{ObjectMeta: apimeta.ObjectMeta{Name: "one"}})
	require.NoError(t, err)

	mux := http.NewServeMux()
	mux.HandleFunc("/login", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "alice-session", Path: "/", HttpOnly: true,
			SameSite: http.SameSiteLaxMode})
		http.Redirect(w, r, "/console/", http.StatusSeeOther)
	})
	protected := http.NewCrossOriginProtection().Handler(http.StripPrefix("/platform",
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet && r.Method != http.MethodOptions { // a browser asks with OPTIONS, and the API does not agree
				reached.Add(1)
			}
			api.ServeHTTP(w, r)
		})))
	mux.Handle("/platform/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("session"); err == nil && r.Header.Get("Sec-Fetch-Site") == "same-site" {
			mutex.Lock()
			withCookie++
			mutex.Unlock()
		}
		protected.ServeHTTP(w, r)
	}))
	mux.Handle("/console/", console.New(console.Options{API: "/platform"}))
	host := httptest.NewServer(mux)
	t.Cleanup(func() {
		host.CloseClientConnections()
		host.Close()
	})

	p := openPage(t, host.URL)
	p.awaitText("dialog", "Bearer token")
	p.do(chromedp.Navigate(host.URL + "/login"))
	p.awaitText(".user", "alice")
	p.clickText(".side a", "items")
	p.clickText("tbody a", "one")
	p.clickText(".actions button", "Annotations")
	p.await("document.querySelector('dialog[open]')")
	p.run("document.querySelector(\"[aria-label='Key 1']\").focus()")
	p.press("note")
	p.fill("[aria-label='Value 1']", "by alice")
	p.clickText("dialog button", "Save")
	p.awaitText(".chip", "noteby alice")

	// The other port makes it another origin of the same site, so the browser sends the cookie.
	attacker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<!doctype html>")
	}))
	t.Cleanup(attacker.Close)
	p.do(chromedp.Navigate(attacker.URL))
	before := reached.Load()
	target := host.URL + "/platform" + items
	for _, hostile := range []string{
		`{ method: 'POST', mode: 'no-cors', credentials: 'include', headers: { 'Content-Type': 'text/plain' }, body: '{"metadata":{"name":"stolen"}}' }`,
		`{ method: 'POST', mode: 'no-cors', credentials: 'include', body: new URLSearchParams({ a: 'b' }) }`,
		`{ method: 'DELETE', credentials: 'include' }`,
	} {
		eval[string](p, "fetch("+quote(target)+", "+hostile+").then((r) => r.type, () => 'refused')")
	}
	assert.Equal(t, before, reached.Load(), "no change of the other page passes the protection")
	mutex.Lock()
	defer mutex.Unlock()
	assert.NotZero(t, withCookie, "the browser sent the cookie")
	p.forgive("CORS policy")
}

// An idp is an issuer of OpenID Connect, which knows one user and one public client.
type idp struct {
	*httptest.Server
	t         *testing.T
	users     *sync.Map
	mutex     sync.Mutex
	asked     url.Values // the parameters of the last authorization
	nonce     string     // overrides the nonce of the tokens
	exchanges int
}

func newIDP(t *testing.T, users *sync.Map) *idp {
	i := &idp{t: t, users: users}
	i.Server = httptest.NewTLSServer(i)
	t.Cleanup(i.Close)
	return i
}

func (i *idp) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	w.Header().Set("Access-Control-Allow-Origin", "*")
	answer := func(code int, value any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(value)
	}
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		answer(http.StatusOK, map[string]string{"issuer": i.URL, "authorization_endpoint": i.URL + "/authorize",
			"token_endpoint": i.URL + "/token"})
	case "/authorize":
		i.asked = r.URL.Query()
		back := i.asked.Get("redirect_uri") + "?" + url.Values{"code": {"the-code"}, "state": {i.asked.Get("state")}}.Encode()
		http.Redirect(w, r, back, http.StatusFound)
	case "/token":
		i.exchanges++
		proof := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		right := r.FormValue("code") == "the-code" && r.FormValue("client_id") == "console" &&
			base64.RawURLEncoding.EncodeToString(proof[:]) == i.asked.Get("code_challenge")
		if !right {
			answer(http.StatusBadRequest, map[string]string{"error": "invalid_grant"})
			return
		}
		nonce := i.asked.Get("nonce")
		if i.nonce != "" {
			nonce = i.nonce
		}
		claims, err := json.Marshal(map[string]string{"iss": i.URL, "sub": "reader", "nonce": nonce})
		assert.NoError(i.t, err)
		token := "e30." + base64.RawURLEncoding.EncodeToString(claims) + ".c2ln"
		i.users.Store(token, "reader")
		answer(http.StatusOK, map[string]string{"id_token": token, "token_type": "Bearer", "access_token": "unused"})
	default:
		http.NotFound(w, r)
	}
}

// A user signs in at an issuer, with a code and PKCE. Neither storage nor an address has the token.
func TestOpenIDConnect(t *testing.T) {
	api, users := guarded(t)
	provider := newIDP(t, users)
	issuer, err := console.NewIssuer(console.IssuerOptions{URL: provider.URL, ClientID: "console",
		Scopes: []string{"email"}})
	require.NoError(t, err)
	mux := http.NewServeMux()
	mux.Handle("/platform/", http.StripPrefix("/platform", api))
	mux.Handle("/console/", console.New(console.Options{API: "/platform", Issuer: issuer}))
	host := httptest.NewServer(mux)
	t.Cleanup(func() {
		host.CloseClientConnections()
		host.Close()
	})
	p := openPage(t, host.URL)
	p.open("#" + items)
	p.awaitText("dialog[open]", "Sign in at "+strings.TrimPrefix(provider.URL, "https://"))

	provider.mutex.Lock()
	provider.nonce = "of another sign-in"
	provider.mutex.Unlock()
	p.click("dialog button.primary")
	p.awaitText("dialog .problem", "a token for another sign-in")
	provider.mutex.Lock()
	provider.nonce = ""
	provider.mutex.Unlock()
	p.click("dialog button.primary")
	p.awaitText(".user", "reader")
	p.awaitText("tbody tr", "one")
	assert.Equal(t, "#"+items, eval[string](p, "location.hash"), "the view stays")
	kept := eval[string](p, "JSON.stringify({ ...localStorage, ...sessionStorage }) + location.href + document.cookie")
	assert.NotContains(t, kept, "the-code")
	assert.NotContains(t, kept, ".c2ln")
	provider.mutex.Lock()
	defer provider.mutex.Unlock()
	assert.Equal(t, 2, provider.exchanges)
	assert.Equal(t, "openid email", provider.asked.Get("scope"))
	assert.Equal(t, "S256", provider.asked.Get("code_challenge_method"))
	assert.Equal(t, host.URL+"/console/", provider.asked.Get("redirect_uri"))
}

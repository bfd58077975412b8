package e2e_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/labstack/echo/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/rbac"
	"github.com/decorum-go/decorum/rest/resttest"
)

// routers are the ways of docs/login.md to mount an API below /platform.
func routers() map[string]func(api http.Handler) http.Handler {
	return map[string]func(api http.Handler) http.Handler{
		"net/http": func(api http.Handler) http.Handler {
			mux := http.NewServeMux()
			mux.Handle("/platform/", http.StripPrefix("/platform", api))
			return mux
		},
		"chi": func(api http.Handler) http.Handler {
			router := chi.NewRouter()
			router.Mount("/platform", http.StripPrefix("/platform", api))
			return router
		},
		"echo": func(api http.Handler) http.Handler {
			router := echo.New()
			router.Any("/platform/*", echo.WrapHandler(http.StripPrefix("/platform", api)))
			return router
		},
		"gin": func(api http.Handler) http.Handler {
			gin.SetMode(gin.ReleaseMode)
			router := gin.New()
			router.Any("/platform/*path", gin.WrapH(http.StripPrefix("/platform", api)))
			return router
		},
	}
}

// authority is a certificate authority, whose files are in a directory.
type authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
	// clients are the authorities of the clients of serve, this one and maybe others.
	clients *x509.CertPool
}

// newAuthority makes an authority and writes its certificate to ca.crt.
func newAuthority(t *testing.T, dir string) *authority {
	a := &authority{dir: dir, pool: x509.NewCertPool()}
	a.cert = &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"},
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	a.issue(t, "ca", a.cert)
	a.pool.AddCert(a.cert)
	a.clients = a.pool.Clone()
	return a
}

// issue makes a certificate and a key, and writes them to NAME.crt and NAME.key. The first certificate is the
// authority's own.
func (a *authority) issue(t *testing.T, name string, template *x509.Certificate) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	if a.key == nil {
		a.key = key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	require.NoError(t, err)
	if template == a.cert {
		a.cert, err = x509.ParseCertificate(der)
		require.NoError(t, err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})
	require.NoError(t, os.WriteFile(filepath.Join(a.dir, name+".crt"), certPEM, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(a.dir, name+".key"), keyPEM, 0o600))
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	require.NoError(t, err)
	return pair
}

// client issues a client certificate.
func (a *authority) client(t *testing.T, name string, groups ...string) tls.Certificate {
	return a.issue(t, name, &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()),
		Subject: pkix.Name{CommonName: name, Organization: groups}, NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
}

// serve serves a handler over TLS and HTTP/2 until the test ends, and verifies client certificates.
func (a *authority) serve(t *testing.T, h http.Handler) *httptest.Server {
	own := a.issue(t, "server", &x509.Certificate{SerialNumber: big.NewInt(2), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}})
	s := httptest.NewUnstartedServer(h)
	s.EnableHTTP2 = true
	s.TLS = &tls.Config{Certificates: []tls.Certificate{own}, ClientCAs: a.clients, ClientAuth: tls.VerifyClientCertIfGiven}
	s.StartTLS()
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// login is an API with the authority of its server and its users, and the one of proxies.
type login struct {
	*authority
	proxies *authority
	*server
	api *rest.API
}

// The token of the chapter, which belongs to alice.
const aliceToken = "0123456789abcdef"

// newLogin starts an API with widgets in the namespaces team-a and team-b. Administrators have the group
// platform-admins.
func newLogin(t *testing.T) *login {
	home := t.TempDir()
	roles, err := rbac.New(rbac.Options{Administrators: []string{"platform-admins"}})
	require.NoError(t, err)
	people, proxies := newAuthority(t, home), newAuthority(t, t.TempDir())
	byProxy, err := auth.RequestHeaders(auth.RequestHeaderOptions{Authorities: proxies.pool, UserAuthorities: people.pool,
		Names: []string{"front-proxy"}})
	require.NoError(t, err)
	people.clients.AddCert(proxies.cert)
	users := access.Authenticators{byProxy, auth.Certificates(people.pool),
		auth.Tokens(auth.Token{Secret: aliceToken, User: access.User{Name: "alice"}})}
	api, err := rest.New(rest.Options{Authenticator: users, Plugins: []rest.Plugin{roles, newAccounts(t), auth.Reviews()}},
		builtin.Namespaces(), rest.Resource[Note]{Group: "example.com", Version: "v1", Plural: "widgets",
			Names: rest.Names{Kind: "Widget"}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, api.Close()) })
	require.NoError(t, api.Start(t.Context()))
	for _, name := range []string{"team-a", "team-b"} {
		_, err := resttest.Client[builtin.Namespace](t, api).Create(t.Context(),
			&builtin.Namespace{ObjectMeta: apimeta.ObjectMeta{Name: name}})
		require.NoError(t, err)
	}
	require.NoError(t, os.Symlink(newest().program, filepath.Join(home, "kubectl")))
	return &login{people, proxies, &server{kubectl: newest(), home: home}, api}
}

// sh runs a command of the chapter with a kubeconfig, in the directory with the files of the authority, and returns its
// output.
func (l *login) sh(t *testing.T, kubeconfig, line string) string {
	t.Helper()
	line = strings.ReplaceAll(line, "https://platform.example.com:6443", l.url)
	cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
	cmd.Dir = l.home
	cmd.Env = []string{"HOME=" + l.home, "KUBECONFIG=" + filepath.Join(l.home, kubeconfig),
		"PATH=" + l.home + ":" + os.Getenv("PATH"), "TOKEN=" + aliceToken}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s\n%s", line, out)
	return string(out)
}

// loginAsAdministrator makes the kubeconfig "admin".
func (l *login) loginAsAdministrator(t *testing.T) {
	t.Helper()
	l.client(t, "root", "platform-admins")
	l.sh(t, "admin", "kubectl config set-cluster platform --server=https://platform.example.com:6443/platform --certificate-authority=ca.crt --embed-certs")
	l.sh(t, "admin", "kubectl config set-credentials root --client-certificate=root.crt --client-key=root.key --embed-certs")
	l.sh(t, "admin", "kubectl config set-context platform --cluster=platform --user=root && kubectl config use-context platform")
}

// The commands of docs/login.md work with each router, over HTTP/2, with a token and with a client certificate.
func TestLogin(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "login.md"))
	require.NoError(t, err)
	var chapters [][]string
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		chapters = append(chapters, strings.Split(strings.TrimSpace(block[1]), "\n"))
	}
	require.Len(t, chapters, 3, "with a token, with a certificate, rights")
	for name, mount := range routers() {
		t.Run(name, func(t *testing.T) {
			l := newLogin(t)
			var old atomic.Int32 // requests that are not HTTP/2
			handler := mount(l.api)
			l.url = l.serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.ProtoMajor != 2 {
					old.Add(1)
				}
				handler.ServeHTTP(w, r)
			})).URL
			l.client(t, "alice")
			run := func(kubeconfig string, lines []string) (last string) {
				for _, line := range lines {
					last = l.sh(t, kubeconfig, line)
				}
				return last
			}
			assert.Contains(t, run("token", chapters[0]), "alice")
			assert.Contains(t, run("certificate", chapters[1]), "alice")
			l.loginAsAdministrator(t)
			assert.Contains(t, run("admin", chapters[2]), "widgets.example.com")

			l.file(t, "widget.yaml", "{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}}")
			l.sh(t, "token", "kubectl apply -f widget.yaml")
			const watch = "kubectl get widgets -o name --watch --request-timeout=%ds --output-watch-events || true"
			seen := ""
			for seconds := 1; seconds < 100 && seen == ""; seconds *= 4 { // a busy machine needs longer than a second
				seen = l.sh(t, "certificate", fmt.Sprintf(watch, seconds))
			}
			assert.Contains(t, seen, "widget.example.com/a")
			assert.Contains(t, l.sh(t, "token", "kubectl get widgets -n team-b 2>&1 || true"), "Forbidden")
			assert.Zero(t, old.Load())
		})
	}
}

// The commands of docs/security.md show an administrator who they are, and give a program an identity.
func TestSecurityPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "security.md"))
	require.NoError(t, err)
	l := newLogin(t)
	l.url = l.serve(t, routers()["net/http"](l.api)).URL
	l.loginAsAdministrator(t)
	var said []string
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		for line := range strings.Lines(block[1]) {
			said = append(said, l.sh(t, "admin", strings.TrimSpace(line)))
		}
	}
	require.Len(t, said, 6)
	assert.Contains(t, said[0], "root")
	assert.Equal(t, "yes\n", said[1])
	assert.Len(t, strings.Split(strings.TrimSpace(said[5]), "."), 3, "a token")
}

// A reverse proxy in front of the API finds out the users itself, and passes them on: by impersonation, or in request
// headers.
func TestLoginBehindAReverseProxy(t *testing.T) {
	for name, pass := range map[string]struct {
		by          func(*login) *authority
		certificate []string // the name and the groups of the proxy
		header      string
	}{
		"impersonation": {func(l *login) *authority { return l.authority }, []string{"gateway", "platform-admins"},
			"Impersonate-User"},
		"request headers": {func(l *login) *authority { return l.proxies }, []string{"front-proxy"}, "X-Remote-User"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLogin(t)
			behind, err := url.Parse(l.serve(t, routers()["net/http"](l.api)).URL)
			require.NoError(t, err)
			own := pass.by(l).client(t, pass.certificate[0], pass.certificate[1:]...)
			proxy := &httputil.ReverseProxy{
				FlushInterval: -1,
				Rewrite: func(r *httputil.ProxyRequest) {
					r.SetURL(behind)
					for header := range r.Out.Header {
						if strings.HasPrefix(header, "Impersonate-") || strings.HasPrefix(header, "X-Remote-") {
							r.Out.Header.Del(header)
						}
					}
					r.Out.Header.Del("Authorization")
					if r.In.Header.Get("Authorization") == "Bearer session of bob" {
						r.Out.Header.Set(pass.header, "bob")
					}
				},
				Transport: &http.Transport{ForceAttemptHTTP2: true,
					TLSClientConfig: &tls.Config{RootCAs: l.pool, Certificates: []tls.Certificate{own}}},
			}
			front := l.serve(t, proxy)
			l.url = front.URL
			l.sh(t, "bob", "kubectl config set-cluster platform --server=https://platform.example.com:6443/platform --certificate-authority=ca.crt --embed-certs")
			l.sh(t, "bob", "kubectl config set-credentials bob --token='session of bob'")
			l.sh(t, "bob", "kubectl config set-context platform --cluster=platform --user=bob && kubectl config use-context platform")
			assert.Contains(t, l.sh(t, "bob", "kubectl auth whoami"), "bob")
			assert.Contains(t, l.sh(t, "bob", "kubectl get widgets -n team-b 2>&1 || true"),
				`User "bob" cannot list resource "widgets"`)
			assert.NotContains(t, l.sh(t, "bob", "kubectl auth whoami --as=root --as-group=platform-admins"), "root",
				"the proxy decides who the user is")
			proxy.Transport.(*http.Transport).CloseIdleConnections()
		})
	}
}

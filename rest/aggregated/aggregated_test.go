package aggregated_test

import (
	"bufio"
	"context"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/realapitest"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/aggregated"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/internal/review"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/storage"
)

// inCluster runs a test in a bubble, with a cluster that trusts its proxy.
func inCluster(t *testing.T, change func(*aggregated.Options), test func(t *testing.T, f *fake, s *server)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.trusts()
		s, _ := f.serve(change)
		synctest.Wait()
		require.Equal(t, http.StatusOK, s.send(request("GET", "/readyz", "", nil)).Code, s.log)
		test(t, f, s)
	})
}

// Headers that name a user count only over the certificate of the proxy.
func TestForgedHeaders(t *testing.T) {
	inCluster(t, nil, func(t *testing.T, f *fake, s *server) {
		f.accept("bob's", review.TokenStatus{Authenticated: true, User: review.UserInfo{Username: "bob"}})
		expired := realapitest.Issue(&x509.Certificate{SerialNumber: big.NewInt(3), Subject: pkix.Name{CommonName: "front-proxy"},
			NotAfter:    time.Now().Add(-time.Second),
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}, f.proxies)
		ofServers := realapitest.Issue(&x509.Certificate{SerialNumber: big.NewInt(4), Subject: pkix.Name{CommonName: "front-proxy"},
			NotAfter:    time.Now().Add(time.Hour),
			ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}, f.proxies)
		masters := append(alice(), "X-Remote-Group", "system:masters")
		for _, c := range []struct {
			name        string
			certificate *realapitest.Authority
			headers     []string
			want        int
		}{
			{"the proxy", f.headers, masters, 200},
			{"no certificate", nil, masters, 401},
			{"no credentials", nil, nil, 401},
			{"another authority", realapitest.NewAuthority("proxies").Sign("front-proxy", "crew"), masters, 401},
			{"a certificate that signs itself", realapitest.NewAuthority("front-proxy"), masters, 401},
			{"another name", f.proxies.Sign("mallory", "crew"), masters, 401},
			{"a client named like the proxy", f.clients.Sign("front-proxy", "crew"), masters, 200},
			{"an expired certificate", expired, masters, 401},
			{"a certificate of a server", ofServers, masters, 401},
			{"the proxy without headers", f.headers, nil, 401},
			{"two users", f.headers, append(masters, "X-Remote-User", "root"), 401},
			{"a token and forged headers", nil, append(masters, "Authorization", "Bearer bob's"), 200},
			{"an unknown token", nil, []string{"Authorization", "Bearer guess"}, 401},
		} {
			f.took("")
			assert.Equal(t, c.want, s.get(c.certificate, c.headers...), c.name)
			switch c.name {
			case "a token and forged headers":
				assert.Len(t, f.took("bob"), 1, "the user is that of the token, with its rights")
			case "a client named like the proxy":
				assert.Len(t, f.took("front-proxy"), 1, "the user is that of the certificate, with its rights")
			}
		}
		f.refuse("front-proxy")
		apitest.LetPass(time.Minute)
		assert.Equal(t, 403, s.get(f.clients.Sign("front-proxy", "crew"), masters...), "the headers give no right")
	})
}

// A server in front that has verified a certificate by authorities of its own proves nothing.
func TestVerifiedElsewhere(t *testing.T) {
	inCluster(t, nil, func(t *testing.T, f *fake, s *server) {
		stranger := realapitest.NewAuthority("strangers")
		r := request("GET", reportsPath, "", stranger.Sign("front-proxy", "crew"), alice()...)
		r.TLS.VerifiedChains = [][]*x509.Certificate{{r.TLS.PeerCertificates[0], f.proxies.Certificate}}
		assert.Equal(t, 401, s.send(r).Code)
		r.TLS = nil
		assert.Equal(t, 401, s.send(r).Code)
		assert.Contains(t, s.log.String(), "a request has arrived without TLS")
	})
}

// Only the headers that the cluster names count: the proxy of an older cluster does not remove the others.
func TestHeadersThatTheClusterNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.trusts("requestheader-uid-headers", "", "requestheader-extra-headers-prefix", "null",
			"requestheader-username-headers", `["X-Name"]`, "requestheader-group-headers", `["X-Team","X-Guild"]`)
		s, _ := f.serve(nil)
		synctest.Wait()
		assert.Equal(t, 401, s.get(f.headers, alice()...))
		assert.Equal(t, 200, s.get(f.headers, "X-Name", "carol", "X-Remote-Uid", "7", "X-Remote-Extra-A", "b",
			"X-Remote-Group", "system:masters", "X-Team", "a", "X-Guild", "b"))
		assert.Equal(t, []string{`{"resourceAttributes":{"namespace":"default","verb":"list","group":"reports.example.com",` +
			`"version":"v1","resource":"reports"},"user":"carol","groups":["a","b","system:authenticated"]}`}, f.took("carol"))
	})
}

// The cluster reviews exactly what the request does.
func TestWhatIsReviewed(t *testing.T) {
	inCluster(t, nil, func(t *testing.T, f *fake, s *server) {
		const all = `"group":"reports.example.com","version":"v1","resource":"reports"`
		for _, c := range []struct{ method, path, want string }{
			{"GET", reportsPath + "/a", `{"namespace":"default","verb":"get",` + all + `,"name":"a"}`},
			{"GET", reportsPath, `{"namespace":"default","verb":"list",` + all + `}`},
			{"GET", "/apis/reports.example.com/v1/reports?watch=1&timeoutSeconds=1", `{"verb":"watch",` + all + `}`},
			{"GET", reportsPath + "?fieldSelector=metadata.name%3Da", `{"namespace":"default","verb":"list",` + all +
				`,"name":"a","fieldSelector":{"requirements":[{"key":"metadata.name","operator":"In","values":["a"]}]}}`},
			{"GET", reportsPath + "?labelSelector=a%3Db,c!%3Dd,e,!f,g+in+(h,i),j%3E3", `{"namespace":"default","verb":"list",` +
				all + `,"labelSelector":{"requirements":[{"key":"a","operator":"In","values":["b"]},` +
				`{"key":"c","operator":"NotIn","values":["d"]},{"key":"e","operator":"Exists"},` +
				`{"key":"f","operator":"DoesNotExist"},{"key":"g","operator":"In","values":["h","i"]}]}}`},
			{"GET", strings.Replace(reportsPath, "default", "b", 1) + "?labelSelector=a%3D%3D%3D",
				`{"namespace":"b","verb":"list",` + all + `}`},
			{"DELETE", reportsPath + "?labelSelector=a", `{"namespace":"default","verb":"deletecollection",` + all +
				`,"labelSelector":{"requirements":[{"key":"a","operator":"Exists"}]}}`},
			{"DELETE", reportsPath + "/a", `{"namespace":"default","verb":"delete",` + all + `,"name":"a"}`},
			{"POST", reportsPath, `{"namespace":"default","verb":"create",` + all + `}`},
			{"PUT", reportsPath + "/a", `{"namespace":"default","verb":"update",` + all + `,"name":"a"}`},
			{"PATCH", reportsPath + "/a", `{"namespace":"default","verb":"patch",` + all + `,"name":"a"}`},
			{"GET", "/apis/reports.example.com/v1", `{"path":"/apis/reports.example.com/v1","verb":"get"}`},
			{"GET", "/readyz/aggregated", `{"path":"/readyz/aggregated","verb":"get"}`},
			{"GET", "/healthz/", `{"path":"/healthz/","verb":"get"}`},
		} {
			about := "resourceAttributes"
			if strings.Contains(c.want, `"path"`) {
				about = "nonResourceAttributes"
			}
			f.took("")
			s.send(request(c.method, c.path, "", f.headers, "X-Remote-User", "alice", "X-Remote-Uid", "7", "X-Remote-Group", "a",
				"X-Remote-Extra-Team", "t"))
			assert.Equal(t, []string{`{"` + about + `":` + c.want + `,"user":"alice","groups":["a","system:authenticated"],` +
				`"extra":{"team":["t"]},"uid":"7"}`}, f.took("alice"), c.method+" "+c.path)
		}
	})
}

// Impersonation and an update that creates need more than one right, and the cluster reviews each.
func TestSeveralReviewsOfOneRequest(t *testing.T) {
	inCluster(t, nil, func(t *testing.T, f *fake, s *server) {
		assert.Equal(t, 200, s.get(f.headers, append(alice(), "Impersonate-User", "bob")...))
		assert.Equal(t, []string{`{"resourceAttributes":{"verb":"impersonate","resource":"users","name":"bob"},` +
			`"user":"alice","groups":["system:authenticated"]}`}, f.took("alice"))
		f.refuse("alice")
		apitest.LetPass(time.Minute)
		assert.Equal(t, 403, s.get(f.headers, append(alice(), "Impersonate-User", "bob")...))
	})
}

// Members of system:masters need no review, and everybody may ask for the health.
func TestWhatNeedsNoReview(t *testing.T) {
	inCluster(t, nil, func(t *testing.T, f *fake, s *server) {
		f.gone.Store(true)
		assert.Equal(t, 200, s.get(f.headers, append(alice(), "X-Remote-Group", "system:masters")...))
		for _, path := range []string{"/healthz", "/livez", "/readyz", "/readyz?verbose"} {
			assert.Equal(t, 200, s.send(request("GET", path, "", nil, "Authorization", "Bearer guess")).Code, path)
		}
		for _, path := range []string{"/healthz/ping", "/readyz/", "/version", "//healthz", "/apis"} {
			assert.Equal(t, 401, s.send(request("GET", path, "", nil)).Code, path)
		}
	})
}

// The program starts without the cluster, the ConfigMap or its rights, and nobody gets in before it knows whom the
// cluster trusts.
func TestStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.gone.Store(true)
		s, _ := f.serve(nil)
		f.accept("bob's", review.TokenStatus{Authenticated: true, User: review.UserInfo{Username: "bob"}})
		closed := func(state string) {
			t.Helper()
			synctest.Wait()
			assert.Equal(t, 503, s.get(f.headers, append(alice(), "X-Remote-Group", "system:masters")...), state)
			assert.Equal(t, 503, s.get(nil, alice()...), state)
			w := s.send(request("GET", reportsPath, "", nil, "Authorization", "Bearer bob's"))
			assert.Equal(t, 503, w.Code, state)
			assert.Equal(t, "1", w.Header().Get("Retry-After"), state)
			assert.Equal(t, 500, s.send(request("GET", "/readyz", "", nil)).Code, state)
			assert.Equal(t, 200, s.send(request("GET", "/livez", "", nil)).Code, state)
		}
		closed("no cluster")
		assert.Contains(t, s.log.String(), "the cluster is gone")
		f.gone.Store(false)
		apitest.LetPass(time.Minute)
		closed("no ConfigMap")
		f.trusts("requestheader-allowed-names", "front-proxy")
		apitest.LetPass(time.Minute)
		closed("an invalid ConfigMap")
		assert.Contains(t, s.log.String(), "requestheader-allowed-names: ")
		f.trusts()
		apitest.LetPass(time.Minute)
		assert.Equal(t, 200, s.get(f.headers, alice()...))
		assert.Equal(t, 200, s.send(request("GET", "/readyz", "", nil)).Code, s.log)
	})
}

// A right that the program lacks is named in the log, and so is what gives it.
func TestMissingRights(t *testing.T) {
	for _, c := range []struct{ resource, hint string }{
		{"configmaps", "extension-apiserver-authentication-reader"},
		{"tokenreviews", "system:auth-delegator"},
		{"subjectaccessreviews", "system:auth-delegator"},
		{"namespaces", "docs/aggregated.md"},
	} {
		t.Run(c.resource, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake(t)
				f.trusts()
				f.Inject(resttest.Fault{Resource: c.resource, Code: 403, Times: 2})
				s, _ := f.serve(nil)
				synctest.Wait()
				assert.Equal(t, 500, s.send(request("GET", "/readyz", "", nil)).Code)
				assert.Contains(t, s.log.String(), c.hint)
				apitest.LetPass(time.Minute)
				assert.Equal(t, 200, s.send(request("GET", "/readyz", "", nil)).Code, s.log)
			})
		})
	}
}

// New authorities count from the next request on, also over connections that began before, and what the former ones
// have signed ends.
func TestRotation(t *testing.T) {
	inCluster(t, nil, func(t *testing.T, f *fake, s *server) {
		watching := s.watch(f.headers, alice()...)
		before := f.headers
		f.proxies = realapitest.NewAuthority("next")
		f.headers = f.proxies.Sign("front-proxy", "crew")
		assert.Equal(t, 401, s.get(f.headers, alice()...))
		both := f.proxies.PEM
		f.trusts("requestheader-client-ca-file", both+realapitest.NewAuthority("other").PEM)
		synctest.Wait()
		assert.Equal(t, 200, s.get(f.headers, alice()...))
		assert.Equal(t, 401, s.get(before, alice()...))
		assert.Contains(t, watching.end(), `"reason":"Expired"`)

		client := f.clients.Sign("carol", "crew")
		assert.Equal(t, 200, s.get(client))
		f.clients = realapitest.NewAuthority("next clients")
		f.trusts()
		synctest.Wait()
		assert.Equal(t, 401, s.get(client))
		assert.Equal(t, 200, s.get(f.clients.Sign("carol", "crew")))

		f.trusts("requestheader-client-ca-file", "nothing")
		synctest.Wait()
		assert.Equal(t, 200, s.get(f.headers, alice()...), "an invalid ConfigMap does not count")
		f.trusts("requestheader-client-ca-file", "")
		synctest.Wait()
		assert.Equal(t, 401, s.get(f.headers, alice()...), "no proxy is trusted any more")
	})
}

// A certificate that expires ends what it opened.
func TestExpiringCertificate(t *testing.T) {
	inCluster(t, nil, func(t *testing.T, f *fake, s *server) {
		assert.Equal(t, 200, s.get(f.headers, alice()...))
		apitest.LetPass(time.Hour)
		assert.Equal(t, 401, s.get(f.headers, alice()...))
	})
}

// Answers count for ten seconds, whether the cluster is there or not. Then requests fail until it is back.
func TestClusterGoneAndBack(t *testing.T) {
	inCluster(t, nil, func(t *testing.T, f *fake, s *server) {
		f.accept("bob's", review.TokenStatus{Authenticated: true, User: review.UserInfo{Username: "bob"}})
		bob := []string{"Authorization", "Bearer bob's"}
		f.refuse("mallory")
		all := func() []int {
			return []int{s.get(f.headers, alice()...), s.get(nil, bob...), s.get(f.headers, "X-Remote-User", "mallory"),
				s.get(nil, "Authorization", "Bearer guess")}
		}
		known := []int{200, 200, 403, 401}
		assert.Equal(t, known, all())
		f.gone.Store(true)
		apitest.LetPass(10*time.Second - time.Nanosecond)
		assert.Equal(t, known, all())
		assert.Equal(t, 503, s.get(f.headers, "X-Remote-User", "carol"), "an unknown answer")
		apitest.LetPass(time.Nanosecond)
		assert.Equal(t, []int{503, 503, 503, 503}, all())
		assert.Equal(t, 1, strings.Count(s.log.String(), "review=SubjectAccessReview"), "the log has a line for all failures")
		f.gone.Store(false)
		assert.Equal(t, known, all())
		assert.Contains(t, s.log.String(), "reviews requests again")
	})
}

// A right that is withdrawn counts for ten seconds at most, and open watches end within a minute.
func TestWithdrawnRights(t *testing.T) {
	inCluster(t, nil, func(t *testing.T, f *fake, s *server) {
		f.accept("bob's", review.TokenStatus{Authenticated: true, User: review.UserInfo{Username: "bob"}})
		bob := []string{"Authorization", "Bearer bob's"}
		watches := []*watching{s.watch(f.headers, alice()...), s.watch(nil, bob...),
			s.watch(f.headers, "X-Remote-User", "carol")}
		apitest.LetPass(5 * time.Minute)
		f.deny("alice")
		f.change(func() { delete(f.tokens, "bob's") })
		apitest.LetPass(10 * time.Second)
		assert.Equal(t, 403, s.get(f.headers, alice()...))
		assert.Equal(t, 401, s.get(nil, bob...))
		apitest.LetPass(time.Minute)
		assert.Contains(t, watches[0].end(), `"reason":"Expired"`)
		assert.Contains(t, watches[1].end(), `"reason":"Expired"`)
		assert.False(t, watches[2].ended())

		f.gone.Store(true)
		apitest.LetPass(2 * time.Minute)
		assert.Contains(t, watches[2].end(), `"reason":"Expired"`, "nobody can tell that the right still exists")
	})
}

// Many requests with one token cause one review, and answers are not asked for again while they count.
func TestSharedReviews(t *testing.T) {
	inCluster(t, nil, func(t *testing.T, f *fake, s *server) {
		f.accept("bob's", review.TokenStatus{Authenticated: true,
			User: review.UserInfo{Username: "bob", UID: "7", Groups: []string{"a"}, Extra: map[string][]string{"k": {"v"}}}})
		release := make(chan struct{})
		f.change(func() { f.hold = release })
		var all sync.WaitGroup
		leaving, leave := context.WithCancel(t.Context())
		first := request("GET", reportsPath, "", nil, "Authorization", "Bearer bob's").WithContext(leaving)
		all.Go(func() { s.send(first) })
		synctest.Wait()
		for range 20 {
			all.Go(func() { assert.Equal(t, 200, s.get(nil, "Authorization", "Bearer bob's")) })
		}
		synctest.Wait()
		leave() // the client whose request asks goes away, and another one asks
		synctest.Wait()
		close(release)
		all.Wait()
		assert.LessOrEqual(t, f.tookTokens("bob's"), 2)
		assert.Equal(t, []string{`{"resourceAttributes":{"namespace":"default","verb":"list","group":"reports.example.com",` +
			`"version":"v1","resource":"reports"},"user":"bob","groups":["a","system:authenticated"],"extra":{"k":["v"]},` +
			`"uid":"7"}`}, f.took("bob"))
		assert.Equal(t, 200, s.get(nil, "Authorization", "Bearer bob's"))
		assert.Zero(t, f.tookTokens("bob's"))
	})
}

// A cluster that does not answer holds a request for ten seconds at most.
func TestSlowCluster(t *testing.T) {
	inCluster(t, nil, func(t *testing.T, f *fake, s *server) {
		f.change(func() { f.hold = make(chan struct{}) })
		answer := make(chan int, 1)
		go func() { answer <- s.get(nil, "Authorization", "Bearer slow") }()
		apitest.LetPass(10*time.Second - time.Nanosecond)
		synctest.Wait()
		assert.Empty(t, answer)
		apitest.LetPass(time.Nanosecond)
		assert.Equal(t, 503, <-answer)
	})
}

// Tokens for other audiences are refused, if the host names its own.
func TestAudiences(t *testing.T) {
	change := func(o *aggregated.Options) { o.Audiences = []string{"reports"} }
	inCluster(t, change, func(t *testing.T, f *fake, s *server) {
		user := review.UserInfo{Username: "bob"}
		f.accept("ours", review.TokenStatus{Authenticated: true, User: user, Audiences: []string{"x", "reports"}})
		f.accept("theirs", review.TokenStatus{Authenticated: true, User: user, Audiences: []string{"x"}})
		f.accept("anybody's", review.TokenStatus{Authenticated: true, User: user})
		f.accept("nobody's", review.TokenStatus{Authenticated: true, Audiences: []string{"reports"}})
		for token, want := range map[string]int{"ours": 200, "theirs": 401, "anybody's": 401, "nobody's": 401} {
			assert.Equal(t, want, s.get(nil, "Authorization", "Bearer "+token), token)
		}
	})
}

// The answers that the plug-in keeps stay within the budget.
func TestAnswersAreBounded(t *testing.T) {
	budget := storage.NewBudget(1 << 20)
	change := func(o *aggregated.Options) { o.Budget, o.MaxCacheBytes = budget, 64<<10 }
	inCluster(t, change, func(t *testing.T, f *fake, s *server) {
		for i := range 500 {
			require.Equal(t, 200, s.get(f.headers, "X-Remote-User", fmt.Sprint("user", i)))
			require.Equal(t, 401, s.get(nil, "Authorization", fmt.Sprint("Bearer ", i)))
		}
		assert.LessOrEqual(t, budget.Used(), int64(64<<10))
		assert.Positive(t, budget.Used())
	})
}

// Each request is reviewed if the host wants that.
func TestNoAnswersAreKept(t *testing.T) {
	change := func(o *aggregated.Options) { o.AllowedFor, o.RefusedFor = -1, -1 }
	inCluster(t, change, func(t *testing.T, f *fake, s *server) {
		for range 3 {
			assert.Equal(t, 200, s.get(f.headers, alice()...))
		}
		assert.Len(t, f.took("alice"), 3)
	})
}

// Objects can be created only in namespaces of the cluster.
func TestNamespaces(t *testing.T) {
	inCluster(t, nil, func(t *testing.T, f *fake, s *server) {
		create := func(namespace string) (int, string) {
			w := s.send(request("POST", "/apis/reports.example.com/v1/namespaces/"+namespace+"/reports",
				`{"apiVersion":"reports.example.com/v1","kind":"Report","metadata":{"generateName":"a"}}`, f.headers,
				append(alice(), "Content-Type", "application/json")...))
			return w.Code, w.Body.String()
		}
		code, body := create("team")
		assert.Equal(t, 404, code)
		assert.Contains(t, body, `namespaces \"team\" not found`)
		f.namespace("team")
		code, body = create("team")
		assert.Equal(t, 201, code, body)
		namespaces := resttest.Client[builtin.Namespace](t, f.API)
		require.NoError(t, namespaces.Delete(t.Context(), "team", rest.DeleteOptions{}))
		synctest.Wait()
		code, body = create("team")
		assert.Equal(t, 403, code)
		assert.Contains(t, body, "unable to create new content in namespace team because it is being terminated")
		f.gone.Store(true)
		code, _ = create("default")
		assert.Equal(t, 503, code, "the review")
	})
	inCluster(t, func(o *aggregated.Options) { o.AnyNamespace = true }, func(t *testing.T, f *fake, s *server) {
		w := s.send(request("POST", "/apis/reports.example.com/v1/namespaces/any/reports",
			`{"apiVersion":"reports.example.com/v1","kind":"Report","metadata":{"name":"a"}}`, f.headers,
			append(alice(), "Content-Type", "application/json")...))
		assert.Equal(t, 201, w.Code, w.Body)
	})
}

// The log warns of a cluster in which more than the proxy could name users.
func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		name   string
		fields func(f *fake) []string
		want   string
		code   int
	}{
		{"no names", func(*fake) []string { return []string{"requestheader-allowed-names", "[]"} },
			"anybody with a certificate of the authority of the proxies can act as any user", 200},
		{"one authority", func(f *fake) []string { return []string{"client-ca-file", f.proxies.PEM} },
			"so every client could act as any user", 200}, // as the user of the certificate
		{"no proxies", func(*fake) []string { return []string{"requestheader-client-ca-file", ""} },
			"names no authority of its proxies", 401},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake(t)
				f.trusts(c.fields(f)...)
				f.refuse("alice")
				s, _ := f.serve(nil)
				synctest.Wait()
				assert.Contains(t, s.log.String(), c.want)
				f.took("")
				code := s.get(f.headers, append(alice(), "X-Remote-Group", "system:masters")...)
				assert.Equal(t, c.code, code)
				if c.name == "one authority" {
					assert.Len(t, f.took("front-proxy"), 1)
				}
			})
		})
	}
}

// watching is a watch of the reports.
type watching struct {
	body io.ReadCloser
	done chan string
}

// watch opens a watch, and waits until it is open.
func (s *server) watch(certificate *realapitest.Authority, headers ...string) *watching {
	s.t.Helper()
	r := request("GET", "https://server"+reportsPath+"?watch=true", "", certificate, headers...).WithContext(s.t.Context())
	r.RequestURI = ""
	tls := r.TLS
	answer, err := rest.RoundTripper(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.TLS = tls
		s.api.ServeHTTP(w, r)
	})).RoundTrip(r)
	require.NoError(s.t, err)
	require.Equal(s.t, 200, answer.StatusCode)
	w := &watching{answer.Body, make(chan string, 1)}
	go func() {
		var last string
		for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
			last = lines.Text()
		}
		w.done <- last
	}()
	s.t.Cleanup(func() { _ = answer.Body.Close() })
	synctest.Wait()
	return w
}

// end waits until the server ends the watch, and returns its last event.
func (w *watching) end() string { return <-w.done }

// ended reports whether the server has ended the watch.
func (w *watching) ended() bool {
	select {
	case last := <-w.done:
		w.done <- last
		return true
	default:
		return false
	}
}

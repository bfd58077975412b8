package aggregated_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/test/realapitest"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/aggregated"
	"github.com/decorum-go/decorum/rest/apiservice"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/resttest"
)

// publishing makes the plug-in keep the certificate and the APIService.
func publishing(o *aggregated.Options) {
	o.GetCertificate = nil
	o.Publish = &aggregated.Publication{
		Service: apiservice.ServiceReference{Namespace: "default", Name: "reports"}, Groups: []string{"reports.example.com"}}
}

// published returns the APIService.
func (f *fake) published() *apiservice.APIService {
	f.t.Helper()
	s, err := resttest.Client[apiservice.APIService](f.t, f.API).Get(f.t.Context(), "v1.reports.example.com")
	require.NoError(f.t, err)
	return s
}

// certificate returns the certificate that a server presents.
func certificate(t testing.TB, cluster *aggregated.Cluster) *x509.Certificate {
	t.Helper()
	presented, err := cluster.TLSConfig().GetCertificate(&tls.ClientHelloInfo{})
	require.NoError(t, err)
	return presented.Leaf
}

// believes reports whether kube-apiserver accepts a certificate, with the bundle of the APIService.
func (f *fake) believes(presented *x509.Certificate) bool {
	f.t.Helper()
	roots := x509.NewCertPool()
	require.True(f.t, roots.AppendCertsFromPEM(f.published().Spec.CABundle))
	_, err := presented.Verify(x509.VerifyOptions{Roots: roots, DNSName: "reports.default.svc"})
	return err == nil
}

// The plug-in makes an authority, publishes it, and signs its certificate.
func TestPublish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.trusts()
		s, cluster := f.serve(publishing)
		synctest.Wait()
		assert.Equal(t, 200, s.send(request("GET", "/readyz", "", nil)).Code, s.log)
		got := f.published()
		bundle := got.Spec.CABundle
		got.Spec.CABundle = nil
		assert.Equal(t, apiservice.APIServiceSpec{Group: "reports.example.com", Version: "v1", GroupPriorityMinimum: 1000,
			VersionPriority: 1, Service: &apiservice.ServiceReference{Namespace: "default", Name: "reports",
				Port: new(int32(443))}}, got.Spec)
		assert.True(t, f.believes(certificate(t, cluster)))

		_, replica := f.serve(publishing)
		synctest.Wait()
		assert.True(t, f.believes(certificate(t, replica)), "replicas share the authority")
		assert.True(t, f.believes(certificate(t, cluster)))
		assert.Equal(t, bundle, f.published().Spec.CABundle)

		services := resttest.Client[apiservice.APIService](t, f.API)
		require.NoError(t, services.Delete(t.Context(), "v1.reports.example.com", rest.DeleteOptions{}))
		apitest.LetPass(10 * time.Minute)
		synctest.Wait()
		assert.Equal(t, bundle, f.published().Spec.CABundle, "the plug-in writes it anew")
	})
}

// Two replicas that start at once make one authority.
func TestReplicasThatStartAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.trusts()
		_, one := f.serve(publishing)
		_, two := f.serve(publishing)
		apitest.LetPass(time.Minute)
		synctest.Wait()
		assert.True(t, f.believes(certificate(t, one)))
		assert.True(t, f.believes(certificate(t, two)))
	})
}

// The authority is replaced before it expires. kube-apiserver knows the next one before it signs anything.
func TestRotationOfTheAuthority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.trusts()
		year := func(part int) { apitest.LetPass(time.Duration(part) * 365 * 24 * time.Hour / 12) }
		start := func() (*aggregated.Cluster, func()) {
			o := aggregated.Options{Cluster: f.endpoint(), Logger: quiet}
			publishing(&o)
			cluster, err := aggregated.New(o)
			require.NoError(t, err)
			api, err := rest.New(rest.Options{Plugins: []rest.Plugin{cluster}, Logger: quiet}, reports())
			require.NoError(t, err)
			require.NoError(t, api.Start(t.Context()))
			synctest.Wait()
			return cluster, func() { require.NoError(t, api.Shutdown(context.Background())) }
		}
		_, stop := start()
		first := f.published().Spec.CABundle
		stop()

		year(7)
		cluster, stop := start()
		leaf := certificate(t, cluster)
		assert.Equal(t, first, f.published().Spec.CABundle, "it is too young to be replaced")
		apitest.LetPass(2 * 24 * time.Hour)
		synctest.Wait()
		assert.False(t, leaf.Equal(certificate(t, cluster)), "the certificate is replaced after half of its life")
		assert.True(t, f.believes(certificate(t, cluster)))
		stop()

		year(1)
		cluster, stop = start()
		both := f.published().Spec.CABundle
		assert.Greater(t, len(both), len(first))
		ofFirst := certificate(t, cluster)
		assert.True(t, f.believes(ofFirst))
		apitest.LetPass(2 * time.Hour)
		synctest.Wait()
		assert.NotEqual(t, ofFirst.AuthorityKeyId, certificate(t, cluster).AuthorityKeyId, "the next authority signs now")
		assert.True(t, f.believes(certificate(t, cluster)))
		stop()

		year(4)
		cluster, stop = start()
		assert.Less(t, len(f.published().Spec.CABundle), len(both), "the first authority has expired")
		assert.True(t, f.believes(certificate(t, cluster)))
		stop()
	})
}

// A Secret that is not the plug-in's is left alone, and the log says so. Meanwhile probes reach the server.
func TestForeignSecret(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t)
		f.trusts()
		secrets := resttest.Client[Secret](t, f.API).Namespace("default")
		foreign := map[string][]byte{"ca.crt": []byte(f.clients.PEM)}
		_, err := secrets.Create(t.Context(),
			&Secret{ObjectMeta: apimeta.ObjectMeta{Name: "reports-serving-ca"}, Data: foreign})
		require.NoError(t, err)
		s, cluster := f.serve(publishing)
		synctest.Wait()
		assert.Equal(t, 500, s.send(request("GET", "/readyz", "", nil)).Code)
		assert.Contains(t, s.log.String(), "default/reports-serving-ca: the Secret does not have a key for each authority")
		assert.NotNil(t, certificate(t, cluster))
		require.NoError(t, secrets.Delete(t.Context(), "reports-serving-ca", rest.DeleteOptions{}))
		apitest.LetPass(time.Minute)
		synctest.Wait()
		assert.Equal(t, 200, s.send(request("GET", "/readyz", "", nil)).Code, s.log)
	})
}

// The plug-in does not replace a right that it lacks by anything.
func TestMissingRightsToPublish(t *testing.T) {
	for _, resource := range []string{"secrets", "apiservices"} {
		t.Run(resource, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake(t)
				f.trusts()
				f.Inject(resttest.Fault{Resource: resource, Code: 403})
				s, _ := f.serve(publishing)
				synctest.Wait()
				assert.Equal(t, 500, s.send(request("GET", "/readyz", "", nil)).Code)
				assert.Contains(t, s.log.String(), "docs/aggregated.md lists the rights")
				apitest.LetPass(time.Minute)
				synctest.Wait()
				assert.Equal(t, 200, s.send(request("GET", "/readyz", "", nil)).Code, s.log)
			})
		})
	}
}

func TestNewRefuses(t *testing.T) {
	https := rest.Endpoint{URL: "https://cluster"}
	publish := func(change func(*aggregated.Publication)) aggregated.Options {
		o := aggregated.Options{Cluster: https}
		publishing(&o)
		change(o.Publish)
		return o
	}
	none := func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return nil, nil }
	at := func(url string) aggregated.Options {
		return aggregated.Options{Cluster: rest.Endpoint{URL: url}, GetCertificate: none}
	}
	for _, c := range []struct {
		want    string
		options aggregated.Options
	}{
		{"anybody who can answer in place of the cluster could act as any user", aggregated.Options{}},
		{"the URL must begin with https", at("http://cluster")},
		{"set either Options.Publish or Options.GetCertificate", aggregated.Options{Cluster: https}},
		{"may be at most 1m0s", aggregated.Options{Cluster: https, GetCertificate: none, AllowedFor: time.Hour}},
		{"Service has no Namespace or no Name", publish(func(p *aggregated.Publication) { p.Service.Name = "" })},
		{"Groups is empty", publish(func(p *aggregated.Publication) { p.Groups = nil })},
		{`"apps" is not the name of a group`, publish(func(p *aggregated.Publication) { p.Groups = []string{"apps"} })},
		{"GroupPriority is negative", publish(func(p *aggregated.Publication) { p.GroupPriority = -1 })},
		{"must have the form https://HOST/PREFIX", at("https://cluster?a=b")},
	} {
		_, err := aggregated.New(c.options)
		assert.ErrorContains(t, err, c.want)
	}

	cluster, err := aggregated.New(publish(func(p *aggregated.Publication) { p.Groups = []string{"other.example.com"} }))
	require.NoError(t, err)
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{cluster}}, reports())
	require.NoError(t, err)
	defer api.Close()
	assert.ErrorContains(t, api.Start(t.Context()), `the API does not serve the group "other.example.com"`)
	_, err = rest.New(rest.Options{Plugins: []rest.Plugin{cluster}}, reports())
	assert.ErrorContains(t, err, "the Cluster is a plug-in of another API already")
}

// The server over real connections: what the proxy sends gets through, also while its authority rotates, and what
// others send does not.
func TestOverTLS(t *testing.T) {
	f := newFake(t)
	f.trusts()
	_, cluster := f.serve(publishing)
	api := f.served
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := &http.Server{Handler: api, TLSConfig: cluster.TLSConfig()}
	go func() { _ = server.ServeTLS(listener, "", "") }()
	t.Cleanup(func() { _ = server.Close() })

	// client returns a client with a certificate, as kube-apiserver has one.
	client := func(own *realapitest.Authority) *http.Client {
		roots := x509.NewCertPool()
		require.True(t, roots.AppendCertsFromPEM(f.published().Spec.CABundle))
		settings := &tls.Config{RootCAs: roots, ServerName: "reports.default.svc"}
		if own != nil {
			settings.Certificates = []tls.Certificate{{Certificate: [][]byte{own.Certificate.Raw}, PrivateKey: own.Key}}
		}
		transport := &http.Transport{TLSClientConfig: settings, ForceAttemptHTTP2: true}
		t.Cleanup(transport.CloseIdleConnections)
		return &http.Client{Transport: transport}
	}
	get := func(by *http.Client) int {
		r, err := http.NewRequest("GET", "https://"+listener.Addr().String()+reportsPath, nil)
		require.NoError(t, err)
		r.Header.Set("X-Remote-User", "alice")
		answer, err := by.Do(r)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		return answer.StatusCode
	}
	resttest.WaitFor(t, resttest.Client[apiservice.APIService](t, f.API), "v1.reports.example.com",
		func(*apiservice.APIService) bool { return true })
	proxy := client(f.headers)
	require.Eventually(t, func() bool { return f.believes(certificate(t, cluster)) && get(proxy) == 200 }, time.Minute,
		10*time.Millisecond)
	assert.Equal(t, 401, get(client(nil)))
	assert.Equal(t, 401, get(client(realapitest.NewAuthority("proxies").Sign("front-proxy", "crew"))))
	assert.Equal(t, 401, get(client(f.proxies.Sign("mallory", "crew"))))

	next := realapitest.NewAuthority("next")
	f.trusts("requestheader-client-ca-file", f.proxies.PEM+next.PEM)
	renewed := client(next.Sign("front-proxy", "crew"))
	require.Eventually(t, func() bool {
		assert.Equal(t, 200, get(proxy), "the former certificate counts while the bundle has its authority")
		return get(renewed) == 200
	}, time.Minute, 10*time.Millisecond)
	f.trusts("requestheader-client-ca-file", next.PEM)
	require.Eventually(t, func() bool {
		assert.Equal(t, 200, get(renewed))
		return get(proxy) == 401
	}, time.Minute, 10*time.Millisecond)
}

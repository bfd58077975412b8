package callout_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/callout"
)

// question and answer are what the tests send and receive.
type (
	question struct {
		Ask string `json:"ask"`
	}
	answer struct {
		Say string `json:"say"`
	}
)

// authority issues certificates.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(t testing.TB) authority {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour),
		IsCA:     true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	certificate, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return authority{certificate, key}
}

// issue returns a certificate for 127.0.0.1 and some names.
func (a authority) issue(t testing.TB, names ...string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: names, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, a.certificate, key.Public(), a.key)
	require.NoError(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// bundle returns certificates in PEM.
func bundle(ders ...[]byte) []byte {
	var out []byte
	for _, der := range ders {
		out = append(out, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	return out
}

// webhook is an HTTPS server on loopback.
type webhook struct {
	*httptest.Server
	authority   authority
	certificate tls.Certificate
	open        atomic.Int64 // connections
}

// serve starts a webhook whose certificate is valid for some names. configure may change its configuration.
func serve(t testing.TB, handle http.HandlerFunc, configure func(*webhook), names ...string) *webhook {
	t.Helper()
	w := &webhook{Server: httptest.NewUnstartedServer(handle), authority: newAuthority(t)}
	w.certificate = w.authority.issue(t, names...)
	w.TLS = &tls.Config{Certificates: []tls.Certificate{w.certificate}}
	w.Config.ErrorLog = log.New(io.Discard, "", 0)
	w.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			w.open.Add(1)
		case http.StateClosed, http.StateHijacked:
			w.open.Add(-1)
		}
	}
	if configure != nil {
		configure(w)
	}
	w.StartTLS()
	t.Cleanup(w.Close)
	return w
}

// target returns the webhook as clients call it.
func (w *webhook) target(path string) callout.Target {
	return callout.Target{URL: w.URL + path, CABundle: bundle(w.authority.certificate.Raw)}
}

// say answers each request with the same text.
func say(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"say":"`+text+`"}`)
	}
}

// permit allows all addresses.
func permit(netip.AddrPort) error { return nil }

// client returns a client that may call loopback.
func client(t testing.TB, configure func(*callout.Options)) *callout.Client {
	t.Helper()
	options := callout.Options{Dial: (&net.Dialer{}).DialContext, Allow: permit}
	if configure != nil {
		configure(&options)
	}
	calls, err := callout.New(options)
	require.NoError(t, err)
	t.Cleanup(calls.Close)
	return calls
}

package auth_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"log"
	"math/big"
	"net/http"
	"sync"
	"time"
)

// authority is an authority of client certificates.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	pool        *x509.CertPool
}

// The authorities of the users, of the proxies, and of strangers.
var (
	ofUsers     = sync.OnceValue(func() *authority { return newAuthority("users", nil) })
	ofProxies   = sync.OnceValue(func() *authority { return newAuthority("proxies", nil) })
	ofStrangers = sync.OnceValue(func() *authority { return newAuthority("strangers", nil) })
)

// newAuthority makes an authority, below another one unless that is nil.
func newAuthority(name string, above *authority) *authority {
	return authorityUntil(time.Now().Add(24*time.Hour), name, above)
}

// authorityUntil makes an authority that expires.
func authorityUntil(end time.Time, name string, above *authority) *authority {
	a := &authority{pool: x509.NewCertPool()}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotAfter: end, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	a.certificate, a.key = issue(template, above)
	a.pool.AddCert(a.certificate)
	return a
}

// issue makes a certificate that an authority signs, or that signs itself.
func issue(template *x509.Certificate, by *authority) (*x509.Certificate, *ecdsa.PrivateKey) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		log.Fatal(err)
	}
	parent, signer := template, key
	if by != nil {
		parent, signer = by.certificate, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		log.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		log.Fatal(err)
	}
	return certificate, key
}

// chain is a client certificate, and the authorities above it.
type chain []*x509.Certificate

// sign makes a client certificate.
func (a *authority) sign(name string, groups ...string) chain {
	leaf, _ := issue(&x509.Certificate{SerialNumber: big.NewInt(2), NotAfter: time.Now().Add(time.Hour),
		Subject:     pkix.Name{CommonName: name, Organization: groups},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}, a)
	return chain{leaf, a.certificate}
}

// present returns a copy of a request over a connection whose client presents the certificate. If it is verified, the
// state of the connection is the one that a server makes whose ClientCAs contain the last authority of the chain.
func (c chain) present(r *http.Request, verified bool) *http.Request {
	r = r.Clone(r.Context())
	r.TLS = &tls.ConnectionState{PeerCertificates: c[:1]}
	if verified {
		r.TLS.VerifiedChains = [][]*x509.Certificate{c}
	}
	return r
}

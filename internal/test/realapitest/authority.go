package realapitest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"time"
)

// Authority is a certificate with its key. An authority signs other certificates.
type Authority struct {
	Certificate *x509.Certificate
	Key         *ecdsa.PrivateKey
	// PEM is the encoded certificate.
	PEM string
}

// NewAuthority makes an authority that is valid for a day.
func NewAuthority(name string) *Authority {
	return Issue(&x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign}, nil)
}

// Sign issues a client certificate that is valid for an hour.
func (a *Authority) Sign(name string, groups ...string) *Authority {
	return Issue(&x509.Certificate{SerialNumber: big.NewInt(2),
		Subject:   pkix.Name{CommonName: name, Organization: groups},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}, a)
}

// TLS returns the certificate and its key for the TLS configuration of a client or a server.
func (a *Authority) TLS() tls.Certificate {
	return tls.Certificate{Certificate: [][]byte{a.Certificate.Raw}, PrivateKey: a.Key}
}

// PrivateKey returns the key in PEM.
func (a *Authority) PrivateKey() string {
	der, err := x509.MarshalECPrivateKey(a.Key)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}))
}

// Issue makes a certificate and its key. Without an authority, the certificate is self-signed.
func Issue(template *x509.Certificate, by *Authority) *Authority {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	signer := &Authority{Certificate: template, Key: key}
	if by != nil {
		signer = by
	}
	der, err := x509.CreateCertificate(rand.Reader, template, signer.Certificate, key.Public(), signer.Key)
	if err != nil {
		panic(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		panic(err)
	}
	return &Authority{certificate, key, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))}
}

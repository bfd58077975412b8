package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"time"
)

// Lifetime is for how long certificates are valid.
const Lifetime = 365 * 24 * time.Hour

// Authority issues certificates for servers and clients.
type Authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// NewAuthority returns an authority with a new key.
func NewAuthority() (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "kubeapi"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	certificate, err := issue(template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	return &Authority{certificate: certificate, key: key}, nil
}

// Certificate returns the certificate of the authority in PEM.
func (a *Authority) Certificate() []byte { return certificatePEM(a.certificate) }

// Pool returns a pool with the certificate of the authority.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return pool
}

// Server returns a certificate for a server at the given names and IP addresses.
func (a *Authority) Server(hosts ...string) (tls.Certificate, error) {
	template := &x509.Certificate{Subject: pkix.Name{CommonName: "kube-apiserver"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, KeyUsage: x509.KeyUsageDigitalSignature}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	certificate, key, err := a.pair(template)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{certificate.Raw}, PrivateKey: key, Leaf: certificate}, nil
}

// PEM returns a certificate of [Authority.Server] and its key in PEM.
func PEM(c tls.Certificate) (certificate, key []byte, err error) {
	private, ok := c.PrivateKey.(*ecdsa.PrivateKey)
	if !ok || c.Leaf == nil {
		return nil, nil, errors.New("not a certificate of an Authority")
	}
	key, err = keyPEM(private)
	return certificatePEM(c.Leaf), key, err
}

// Client returns a certificate and a key for a user, in PEM.
func (a *Authority) Client(user string, groups ...string) (certificate, key []byte, err error) {
	c, k, err := a.pair(&x509.Certificate{Subject: pkix.Name{CommonName: user, Organization: groups},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, KeyUsage: x509.KeyUsageDigitalSignature})
	if err != nil {
		return nil, nil, err
	}
	if key, err = keyPEM(k); err != nil {
		return nil, nil, err
	}
	return certificatePEM(c), key, nil
}

func (a *Authority) pair(template *x509.Certificate) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	certificate, err := issue(template, a.certificate, key.Public(), a.key)
	return certificate, key, err
}

// issue signs a certificate with a random serial number that is valid from a minute ago, because clocks differ.
func issue(template, parent *x509.Certificate, public any, key *ecdsa.PrivateKey) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	template.SerialNumber, template.NotBefore, template.NotAfter = serial, now.Add(-time.Minute), now.Add(Lifetime)
	raw, err := x509.CreateCertificate(rand.Reader, template, parent, public, key)
	if err != nil {
		return nil, fmt.Errorf("issue a certificate: %w", err)
	}
	return x509.ParseCertificate(raw)
}

func certificatePEM(c *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw})
}

func keyPEM(key *ecdsa.PrivateKey) ([]byte, error) {
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}), nil
}

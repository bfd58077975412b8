package embedded

import (
	"bytes"
	"context"
	"crypto"
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
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// Open makes these files in Options.Dir if it has an authority.
const (
	madeFile    = "certificate.pem" // the certificate and its key, in one file, so that both change together
	trustedFile = "authority.pem"   // the certificates of the authorities
)

const (
	lifetime = 30 * 24 * time.Hour
	renewAt  = 10 * 24 * time.Hour // how long before it expires a certificate is replaced
	// tolerance bounds the difference between the clocks of two machines. A new certificate is valid from this long
	// before its creation.
	tolerance = 7 * 24 * time.Hour
	// lookEvery is how often a process checks whether its certificate must be replaced.
	lookEvery         = time.Hour
	authorityLifetime = 20 * 365 * 24 * time.Hour
)

// MakeAuthority returns the file for Options.Authority: the certificate and the private key of a new certificate
// authority, in PEM. Make it once, and copy it to each machine. Anyone who holds the file can join the cluster, and
// read and write all objects.
func MakeAuthority() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{CommonName: "Decorum peers"},
		NotBefore: now.Add(-authorityLifetime), NotAfter: now.Add(authorityLifetime),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	return encodePair(certificate, key)
}

func serial() *big.Int {
	text := make([]byte, 16)
	rand.Read(text)
	text[0] &= 0x7f
	return new(big.Int).SetBytes(text)
}

func encodePair(certificate []byte, key crypto.PrivateKey) ([]byte, error) {
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})
	return append(text, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})...), nil
}

// authority is the content of Options.Authority.
type authority struct {
	certificates []*x509.Certificate // the first one signs, and all are trusted
	key          crypto.Signer
}

func readAuthority(file string) (*authority, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("embedded: Options.Authority: %w", err)
	}
	a := &authority{}
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		switch block.Type {
		case "CERTIFICATE":
			certificate, err := x509.ParseCertificate(block.Bytes)
			if err != nil {
				return nil, fmt.Errorf("embedded: Options.Authority: %w", err)
			}
			a.certificates = append(a.certificates, certificate)
		case "PRIVATE KEY":
			if a.key != nil {
				continue
			}
			key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
			if err != nil {
				return nil, fmt.Errorf("embedded: Options.Authority: %w", err)
			}
			a.key, _ = key.(crypto.Signer)
		}
	}
	if len(a.certificates) == 0 || a.key == nil {
		return nil, fmt.Errorf("embedded: Options.Authority: %s has no certificate or no key: make it with MakeAuthority", file)
	}
	if public, ok := a.key.Public().(interface{ Equal(crypto.PublicKey) bool }); !ok ||
		!public.Equal(a.certificates[0].PublicKey) {
		return nil, fmt.Errorf("embedded: Options.Authority: the first key and certificate of %s do not match", file)
	}
	return a, nil
}

// trusted returns the certificates of the authorities, in PEM.
func (a *authority) trusted() []byte {
	var all []byte
	for _, certificate := range a.certificates {
		all = append(all, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw})...)
	}
	return all
}

// makeCertificates makes the certificate of this process, unless the one in the directory is still good.
func (id *identity) makeCertificates() error {
	a, err := readAuthority(id.Authority)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(id.Dir, 0o700); err != nil {
		return err
	}
	if err := replaceFile(filepath.Join(id.Dir, trustedFile), a.trusted()); err != nil {
		return err
	}
	now := id.Store.Engine.Now()
	template, err := id.template(now)
	if err != nil {
		return err
	}
	made := filepath.Join(id.Dir, madeFile)
	if old, err := os.ReadFile(made); err == nil && a.stillGood(old, template, now) {
		return nil
	}
	text, err := a.issue(template)
	if err != nil {
		return err
	}
	return replaceFile(made, text)
}

// issue returns a new certificate and its key, in PEM.
func (a *authority) issue(template *x509.Certificate) ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, a.certificates[0], key.Public(), a.key)
	if err != nil {
		return nil, err
	}
	return encodePair(certificate, key)
}

// clientTLS returns the TLS configuration for an operator's connections, or nil without certificates.
func (id *identity) clientTLS() (*tls.Config, error) {
	switch {
	case id.tls.Empty():
		return nil, nil
	case id.Authority == "":
		return id.tls.ClientConfig()
	}
	a, err := readAuthority(id.Authority)
	if err != nil {
		return nil, err
	}
	template, err := id.template(id.Store.Engine.Now())
	if err != nil {
		return nil, err
	}
	text, err := a.issue(template)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(text, text)
	if err != nil {
		return nil, err
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(a.trusted())
	return &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: trusted, MinVersion: tls.VersionTLS12}, nil
}

// template returns the certificate that this process needs.
func (id *identity) template(now time.Time) (*x509.Certificate, error) {
	template := &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{CommonName: id.Self}, NotBefore: now.Add(-tolerance), NotAfter: now.Add(lifetime),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	for _, address := range []string{id.Self, id.Operations} {
		if address == "" { // an operator, who only connects
			continue
		}
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	return template, nil
}

// stillGood reports whether a certificate is signed by the first authority, names the hosts of a template, and is valid
// for long enough.
func (a *authority) stillGood(text []byte, want *x509.Certificate, now time.Time) bool {
	block, _ := pem.Decode(text)
	if block == nil {
		return false
	}
	have, err := x509.ParseCertificate(block.Bytes)
	if err != nil || have.CheckSignatureFrom(a.certificates[0]) != nil {
		return false
	}
	for _, name := range want.DNSNames {
		if have.VerifyHostname(name) != nil {
			return false
		}
	}
	for _, ip := range want.IPAddresses {
		if have.VerifyHostname(ip.String()) != nil {
			return false
		}
	}
	return now.After(have.NotBefore) && now.Before(have.NotAfter.Add(-renewAt))
}

// keepCertificates replaces the certificate in time, until ctx ends. etcd reads it again for each connection.
func (id *identity) keepCertificates(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := id.makeCertificates(); err != nil {
				id.Logger.Error("the certificate of this member cannot be replaced", "error", err)
			}
		}
	}
}

// replaceFile writes a file as a whole or not at all. The new file survives a power failure.
func replaceFile(name string, text []byte) error {
	old, err := os.ReadFile(name)
	if err == nil && bytes.Equal(old, text) {
		return nil
	}
	file, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(text)
	err = errors.Join(err, file.Sync(), file.Close())
	if err != nil {
		return err
	}
	if err := os.Rename(file.Name(), name); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(name))
}

// syncDirectory makes a new name durable. Windows cannot sync a directory.
func syncDirectory(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

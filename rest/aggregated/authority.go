package aggregated

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"
)

// The lifetimes of certificates.
const (
	// authorityLife is how long an authority is valid. Another one takes its place after two thirds of it.
	authorityLife = 365 * 24 * time.Hour
	// certificateLife is how long the certificate of a server is valid. It is replaced after half of it.
	certificateLife = 4 * 24 * time.Hour
	// backdated is by how much the clock of kube-apiserver may be slow.
	backdated = time.Hour
	// settled is how old an authority must be before it signs, if there is an older one: by then kube-apiserver has the
	// bundle with both.
	settled = time.Hour
)

// The fields of the Secret. Both have PEM blocks of all authorities, in the same order.
const (
	authorityField    = "ca.crt"
	authorityKeyField = "ca.key"
)

// authority is a certificate authority of the program.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// since returns when the authority was made.
func (a authority) since() time.Time { return a.certificate.NotBefore.Add(backdated) }

// newAuthority makes an authority for a service. Its name differs from those of the service and of earlier authorities.
func newAuthority(name string, now time.Time) (authority, error) {
	serial, err := serialNumber()
	if err != nil {
		return authority{}, err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name + " authority of " + now.UTC().Format(time.DateTime)},
		NotBefore: now.Add(-backdated), NotAfter: now.Add(authorityLife),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	return issue(template, nil)
}

// certify makes the certificate of a server, in memory only.
func (a authority) certify(names []string, now time.Time) (authority, error) {
	serial, err := serialNumber()
	if err != nil {
		return authority{}, err
	}
	until := now.Add(certificateLife)
	if a.certificate.NotAfter.Before(until) {
		until = a.certificate.NotAfter
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: names[0]}, DNSNames: names,
		NotBefore: now.Add(-backdated), NotAfter: until, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	return issue(template, &a)
}

// issue signs a certificate for a new key. Without a signer, the certificate signs itself.
func issue(template *x509.Certificate, by *authority) (authority, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return authority{}, err
	}
	signer := authority{template, private}
	if by != nil {
		signer = *by
	}
	der, err := x509.CreateCertificate(rand.Reader, template, signer.certificate, private.Public(), signer.key)
	if err != nil {
		return authority{}, err
	}
	certificate, err := x509.ParseCertificate(der)
	return authority{certificate, private}, err
}

// serialNumber returns a random serial number of 128 bits.
func serialNumber() (*big.Int, error) {
	return rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 128))
}

// authorities are all authorities of the program, the oldest first.
type authorities []authority

// renewed returns the authorities that are still valid, with a new one if the last is old. changed says that the Secret
// must be written.
func (all authorities) renewed(name string, now time.Time) (valid authorities, changed bool, err error) {
	for _, a := range all {
		if now.Before(a.certificate.NotAfter) {
			valid = append(valid, a)
		}
	}
	if n := len(valid); n > 0 && now.Sub(valid[n-1].since()) < authorityLife*2/3 {
		return valid, len(valid) != len(all), nil
	}
	made, err := newAuthority(name, now)
	return append(valid, made), true, err
}

// signer returns the authority that signs now: the youngest that kube-apiserver knows for sure.
func (all authorities) signer(now time.Time) authority {
	for _, a := range slices.Backward(all) {
		if now.Sub(a.since()) >= settled {
			return a
		}
	}
	return all[0]
}

// bundle returns the certificates in PEM.
func (all authorities) bundle() []byte {
	var text []byte
	for _, a := range all {
		text = append(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.certificate.Raw})...)
	}
	return text
}

// data returns the content of the Secret.
func (all authorities) data() (map[string][]byte, error) {
	var keys []byte
	for _, a := range all {
		der, err := x509.MarshalECPrivateKey(a.key)
		if err != nil {
			return nil, err
		}
		keys = append(keys, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})...)
	}
	return map[string][]byte{authorityField: all.bundle(), authorityKeyField: keys}, nil
}

// authoritiesIn reads the content of the Secret.
func authoritiesIn(data map[string][]byte) (all authorities, err error) {
	certificates, keys := blocks(data[authorityField]), blocks(data[authorityKeyField])
	if len(certificates) != len(keys) {
		return nil, errors.New("the Secret does not have a key for each authority")
	}
	for i := range certificates {
		var a authority
		if a.certificate, err = x509.ParseCertificate(certificates[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", authorityField, err)
		}
		if a.key, err = x509.ParseECPrivateKey(keys[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", authorityKeyField, err)
		}
		if !a.key.PublicKey.Equal(a.certificate.PublicKey) {
			return nil, errors.New("the keys in the Secret do not belong to the authorities")
		}
		all = append(all, a)
	}
	slices.SortStableFunc(all, func(a, b authority) int { return a.since().Compare(b.since()) })
	return all, nil
}

// blocks returns the contents of the blocks of a PEM text.
func blocks(text []byte) (contents [][]byte) {
	for text = bytes.TrimSpace(text); ; {
		block, rest := pem.Decode(text)
		if block == nil {
			return contents
		}
		contents, text = append(contents, block.Bytes), rest
	}
}

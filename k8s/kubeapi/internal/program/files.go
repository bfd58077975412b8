package program

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/csv"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/pki"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/serviceaccount"
)

// readOptional reads a file, or nothing if it has no name.
func readOptional(path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	return os.ReadFile(path)
}

// certificate returns the certificate of the server: that of the flags, that of the folder, or a new one, as
// kube-apiserver does.
func (f *serverFlags) certificate() (tls.Certificate, error) {
	certificate, key := f.tlsCert, f.tlsKey
	if certificate == "" && f.certDir != "" {
		certificate, key = filepath.Join(f.certDir, "apiserver.crt"), filepath.Join(f.certDir, "apiserver.key")
		if _, err := os.Stat(certificate); errors.Is(err, fs.ErrNotExist) {
			certificate = ""
		}
	}
	if certificate != "" {
		return tls.LoadX509KeyPair(certificate, key)
	}
	authority, err := pki.NewAuthority()
	if err != nil {
		return tls.Certificate{}, err
	}
	return authority.Server("localhost", "127.0.0.1", "::1", f.bindAddress)
}

// clients returns the authorities of client certificates.
func (f *serverFlags) clients(authorities []byte) (*x509.CertPool, error) {
	pool := x509.NewCertPool()
	if f.clientCA != "" && !pool.AppendCertsFromPEM(authorities) {
		return nil, fmt.Errorf("--client-ca-file: %s contains no certificate", f.clientCA)
	}
	return pool, nil
}

// accountKeys returns the key that signs the tokens of service accounts, and then those that only verify. Without a
// file, the key is new.
func accountKeys(signing string, verifying []string) ([]serviceaccount.Key, error) {
	if signing == "" {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		return []serviceaccount.Key{{Signer: key}}, err
	}
	signer, err := readKey(signing, parsePrivate)
	if err != nil {
		return nil, err
	}
	keys := []serviceaccount.Key{{Signer: signer}}
	for _, path := range verifying {
		public, err := readKey(path, parsePublic)
		if err != nil {
			return nil, err
		}
		if own, ok := signer.Public().(interface{ Equal(crypto.PublicKey) bool }); !ok || !own.Equal(public) {
			keys = append(keys, serviceaccount.Key{Public: public})
		}
	}
	return keys, nil
}

// readKey returns the first key in a PEM file that parse understands.
func readKey[K any](path string, parse func(*pem.Block) (K, bool)) (key K, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return key, err
	}
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if key, ok := parse(block); ok {
			return key, nil
		}
	}
	return key, fmt.Errorf("%s contains no key that kubeapi can read", path)
}

func parsePrivate(block *pem.Block) (crypto.Signer, bool) {
	if key, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
		signer, ok := key.(crypto.Signer)
		return signer, ok
	}
	if key, err := x509.ParseECPrivateKey(block.Bytes); err == nil {
		return key, true
	}
	key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	return key, err == nil
}

// parsePublic reads a public key, and the one in a certificate or of a private key, as kube-apiserver does.
func parsePublic(block *pem.Block) (crypto.PublicKey, bool) {
	if certificate, err := x509.ParseCertificate(block.Bytes); err == nil {
		return certificate.PublicKey, true
	}
	if key, err := x509.ParsePKIXPublicKey(block.Bytes); err == nil {
		return key, true
	}
	if key, err := x509.ParsePKCS1PublicKey(block.Bytes); err == nil {
		return key, true
	}
	if key, ok := parsePrivate(block); ok {
		return key.Public(), true
	}
	return nil, false
}

// readTokens reads a file of --token-auth-file: lines of a token, a user, a uid and, if the user has any, groups.
func readTokens(path string) (tokens []auth.Token, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := csv.NewReader(f)
	lines.FieldsPerRecord = -1
	records, err := lines.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("--token-auth-file: %w", err)
	}
	for i, record := range records {
		if len(record) < 3 || record[0] == "" || record[1] == "" {
			return nil, fmt.Errorf("--token-auth-file: line %d has no token, user and uid", i+1)
		}
		u := access.User{Name: record[1], UID: record[2]}
		if len(record) > 3 && record[3] != "" {
			u.Groups = strings.Split(record[3], ",")
		}
		tokens = append(tokens, auth.Token{Secret: record[0], User: u})
	}
	return tokens, nil
}

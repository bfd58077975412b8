package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Secrets are what a server must keep if its clients and their tokens are to survive a restart.
type Secrets struct {
	// Authority signs the certificates of the server and its clients.
	Authority *Authority
	// AccountKey signs the tokens of service accounts.
	AccountKey *ecdsa.PrivateKey
}

// NewSecrets returns new secrets.
func NewSecrets() (*Secrets, error) {
	authority, err := NewAuthority()
	if err != nil {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	return &Secrets{authority, key}, nil
}

// LoadSecrets reads secrets from a file. If the file does not exist, or its certificate expires within a month, it
// writes new ones, with mode 0600.
func LoadSecrets(path string) (*Secrets, error) {
	text, err := os.ReadFile(path)
	if err == nil {
		s, err := parseSecrets(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if time.Until(s.Authority.certificate.NotAfter) > Lifetime/12 {
			return s, nil
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	s, err := NewSecrets()
	if err != nil {
		return nil, err
	}
	if text, err = s.encode(); err != nil {
		return nil, err
	}
	return s, WriteFile(path, text)
}

func (s *Secrets) encode() ([]byte, error) {
	text := s.Authority.Certificate()
	for _, key := range []*ecdsa.PrivateKey{s.Authority.key, s.AccountKey} {
		block, err := keyPEM(key)
		if err != nil {
			return nil, err
		}
		text = append(text, block...)
	}
	return text, nil
}

// parseSecrets reads what encode has written: a certificate, its key, and the key of the service accounts.
func parseSecrets(text []byte) (*Secrets, error) {
	var blocks []*pem.Block
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		blocks = append(blocks, block)
	}
	if len(blocks) != 3 {
		return nil, errors.New("the file must contain a certificate and two keys")
	}
	certificate, err := x509.ParseCertificate(blocks[0].Bytes)
	if err != nil {
		return nil, err
	}
	var keys [2]*ecdsa.PrivateKey
	for i, block := range blocks[1:] {
		key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
		if err != nil {
			return nil, err
		}
		var ok bool
		if keys[i], ok = key.(*ecdsa.PrivateKey); !ok {
			return nil, errors.New("the keys must be ECDSA keys")
		}
	}
	return &Secrets{Authority: &Authority{certificate, keys[0]}, AccountKey: keys[1]}, nil
}

// WriteFile replaces a file by one that only its owner can read. A reader sees the old or the new file.
func WriteFile(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".kubeapi-*") // CreateTemp sets mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

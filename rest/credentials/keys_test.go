package credentials_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/credentials"
	"github.com/decorum-go/decorum/rest/serviceaccount"
)

func publicKeys(keys []serviceaccount.Key) (all []any) {
	for _, key := range keys {
		if key.Signer != nil {
			key.Public = key.Signer.Public()
		}
		all = append(all, key.Public)
	}
	return all
}

func TestKeysStayTheSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.pem")
	first, err := credentials.Keys(path)
	require.NoError(t, err)
	again, err := credentials.Keys(path)
	require.NoError(t, err)
	assert.Equal(t, publicKeys(first), publicKeys(again))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	_, err = serviceaccount.New(serviceaccount.Options{Issuer: "https://platform.example.com", Keys: first})
	require.NoError(t, err)
}

// Replicas that start at the same time have the same key.
func TestKeysOfReplicas(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.pem")
	found := make([][]any, 8)
	var replicas sync.WaitGroup
	for i := range found {
		replicas.Go(func() {
			keys, err := credentials.Keys(path)
			assert.NoError(t, err)
			found[i] = publicKeys(keys)
		})
	}
	replicas.Wait()
	for _, keys := range found {
		assert.Equal(t, found[0], keys)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, entries, 1, "no temporary file stays behind")
}

func TestRotate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.pem")
	first, err := credentials.Keys(path)
	require.NoError(t, err)
	second, err := credentials.Rotate(path, 1)
	require.NoError(t, err)
	require.Len(t, second, 2)
	assert.Equal(t, publicKeys(first), publicKeys(second)[1:], "the old key verifies")
	third, err := credentials.Rotate(path, 1)
	require.NoError(t, err)
	assert.Equal(t, publicKeys(second)[:1], publicKeys(third)[1:], "the oldest key is gone")
	loaded, err := credentials.Keys(path)
	require.NoError(t, err)
	assert.Equal(t, publicKeys(third), publicKeys(loaded))

	_, err = credentials.Rotate(filepath.Join(t.TempDir(), "absent"), 1)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestKeysRefuseWrongFiles(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	private, err := x509.MarshalECPrivateKey(key)
	require.NoError(t, err)
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	require.NoError(t, err)
	block := func(name string, bytes []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: name, Bytes: bytes}))
	}
	for _, c := range []struct {
		name, text string
		mode       os.FileMode
		err        string // empty for none
	}{
		{"older form of a key", block("EC PRIVATE KEY", private), 0o600, ""},
		{"private key behind a public one", block("PUBLIC KEY", public) + block("EC PRIVATE KEY", private), 0o400, ""},
		{"file of a group", block("EC PRIVATE KEY", private), 0o440, ""},
		{"readable by everybody", block("EC PRIVATE KEY", private), 0o644, "the mode is 0644"},
		{"no PEM", "secret", 0o600, "no private key"},
		{"public key only", block("PUBLIC KEY", public), 0o600, "no private key"},
		{"certificate", block("CERTIFICATE", public), 0o600, "block 1, CERTIFICATE: not a key"},
		{"broken key", block("EC PRIVATE KEY", private) + block("PRIVATE KEY", []byte("secret")), 0o600,
			"block 2, PRIVATE KEY"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "keys.pem")
			require.NoError(t, os.WriteFile(path, []byte(c.text), c.mode))
			require.NoError(t, os.Chmod(path, c.mode))
			keys, err := credentials.Keys(path)
			if c.err == "" {
				require.NoError(t, err)
				assert.NotNil(t, keys[0].Signer, "the first key signs")
				return
			}
			require.ErrorContains(t, err, c.err)
			assert.Contains(t, err.Error(), path)
			assert.NotContains(t, err.Error(), "secret")
		})
	}
}

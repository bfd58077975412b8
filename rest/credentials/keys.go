package credentials

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/decorum-go/decorum/internal/smallfile"
	"github.com/decorum-go/decorum/rest/serviceaccount"
)

// Keys returns the keys of service accounts that a file holds. If the file does not exist, Keys creates it with a new
// key (ECDSA on P-256), and with the mode 0600. So tokens stay valid when the program restarts. Missing directories
// are not created.
//
// The file holds blocks of PEM: PRIVATE KEY (PKCS 8), EC PRIVATE KEY, RSA PRIVATE KEY or PUBLIC KEY. The first
// private key signs, and all keys verify. To replace the key that signs, see [Rotate]. All replicas need the same
// file.
//
// Keys returns an error if a block is not a key, if the file has no private key, or if its permissions are too wide:
// only the owner and the group may read the file, and only the owner may write it. The file then stays as it is.
func Keys(path string) ([]serviceaccount.Key, error) {
	keys, err := loadKeys(path)
	if errors.Is(err, os.ErrNotExist) {
		if err = createKeys(path); err == nil || errors.Is(err, os.ErrExist) { // another replica may have created it meanwhile
			keys, err = loadKeys(path)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("credentials: %w", err)
	}
	return keys, nil
}

// Rotate puts a new key in front of the keys of a file, and keeps the newest keep of the old ones, with which earlier
// tokens remain valid. It returns the keys that the file then holds, for [serviceaccount.Issuer.SetKeys]. The file
// must exist.
//
// Several replicas must know a key before one of them signs with it. With replicas, put the new key behind the old
// one first, by hand, as SetKeys explains.
func Rotate(path string, keep int) ([]serviceaccount.Key, error) {
	keys, err := rotate(path, keep)
	if err != nil {
		return nil, fmt.Errorf("credentials: %w", err)
	}
	return keys, nil
}

func rotate(path string, keep int) ([]serviceaccount.Key, error) {
	if _, err := loadKeys(path); err != nil {
		return nil, err
	}
	old, err := smallfile.Read(path)
	if err != nil {
		return nil, err
	}
	text, err := newKey()
	if err != nil {
		return nil, err
	}
	for block, rest := pem.Decode(old); block != nil && keep > 0; block, rest = pem.Decode(rest) {
		text = append(text, pem.EncodeToMemory(block)...)
		keep--
	}
	temporary, err := writeBeside(path, text)
	if err != nil {
		return nil, err
	}
	if err := os.Rename(temporary, path); err != nil {
		return nil, errors.Join(err, os.Remove(temporary))
	}
	return loadKeys(path)
}

// createKeys creates the file with a new key. Of several programs that do so at the same time, one wins, and the
// others get [os.ErrExist].
func createKeys(path string) error {
	text, err := newKey()
	if err != nil {
		return err
	}
	temporary, err := writeBeside(path, text)
	if err != nil {
		return err
	}
	return errors.Join(os.Link(temporary, path), os.Remove(temporary)) // unlike a rename, a link replaces no file
}

// newKey returns a new private key in PEM.
func newKey() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

// writeBeside writes a temporary file into the directory of path, readable by its owner only, and returns its name.
func writeBeside(path string, text []byte) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".keys-*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

func loadKeys(path string) ([]serviceaccount.Key, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); mode&0o027 != 0 { // Kubernetes mounts secrets with the mode 0440 for a program with a group
		return nil, fmt.Errorf("%s: the mode is %04o, but others must not read a private key (chmod 600)", path, mode)
	}
	text, err := smallfile.Read(path)
	if err != nil {
		return nil, err
	}
	keys, err := parseKeys(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return keys, nil
}

// parseKeys returns the keys of a text, those that can sign first.
func parseKeys(text []byte) ([]serviceaccount.Key, error) {
	var signing, verifying []serviceaccount.Key
	number := 0
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		number++
		key, err := parseKey(block)
		if err != nil {
			return nil, fmt.Errorf("block %d, %s: %w", number, block.Type, err)
		}
		if key.Signer != nil {
			signing = append(signing, key)
		} else {
			verifying = append(verifying, key)
		}
	}
	if len(signing) == 0 {
		return nil, errors.New("the file has no private key in PEM")
	}
	return append(signing, verifying...), nil
}

func parseKey(block *pem.Block) (serviceaccount.Key, error) {
	var (
		key any
		err error
	)
	switch block.Type {
	case "PRIVATE KEY":
		key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
	case "EC PRIVATE KEY":
		key, err = x509.ParseECPrivateKey(block.Bytes)
	case "RSA PRIVATE KEY":
		key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	case "PUBLIC KEY":
		key, err = x509.ParsePKIXPublicKey(block.Bytes)
		return serviceaccount.Key{Public: key}, err
	default:
		return serviceaccount.Key{}, errors.New("not a key")
	}
	if err != nil {
		return serviceaccount.Key{}, err
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return serviceaccount.Key{}, errors.New("the key cannot sign")
	}
	return serviceaccount.Key{Signer: signer}, nil
}

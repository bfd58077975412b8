package jwt

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	_ "crypto/sha512" // ES384 and ES512 need it
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
)

// minRSABits is the least size of an RSA key (RFC 7518, section 3.3).
const minRSABits = 2048

// Key verifies tokens and, if it has a signer, signs them. The key determines the algorithm, so a token cannot choose
// one.
type Key struct {
	ID        string
	Algorithm string // the header alg
	public    crypto.PublicKey
	signer    crypto.Signer // nil for a key that only verifies
	hash      crypto.Hash   // 0 if the algorithm hashes by itself
	half      int           // bytes of each of the two numbers of an ECDSA signature
}

// NewKey returns a key. signer may be nil. If id is empty, it is derived from the public key as Kubernetes derives it.
// NewKey returns an error for a type or a size of key that no algorithm here uses.
func NewKey(id string, public crypto.PublicKey, signer crypto.Signer) (*Key, error) {
	k := &Key{ID: id, public: public, signer: signer}
	switch p := public.(type) {
	case *rsa.PublicKey:
		if p.N == nil || p.N.BitLen() < minRSABits {
			return nil, fmt.Errorf("an RSA key needs at least %d bits", minRSABits)
		}
		k.Algorithm, k.hash = "RS256", crypto.SHA256
	case *ecdsa.PublicKey:
		switch p.Curve {
		case elliptic.P256():
			k.Algorithm, k.hash = "ES256", crypto.SHA256
		case elliptic.P384():
			k.Algorithm, k.hash = "ES384", crypto.SHA384
		case elliptic.P521():
			k.Algorithm, k.hash = "ES512", crypto.SHA512
		default:
			return nil, errors.New("an ECDSA key needs the curve P-256, P-384 or P-521")
		}
		k.half = (p.Curve.Params().BitSize + 7) / 8
	case ed25519.PublicKey:
		if len(p) != ed25519.PublicKeySize {
			return nil, errors.New("an Ed25519 key has the wrong size")
		}
		k.Algorithm = "EdDSA"
	default:
		return nil, fmt.Errorf("unsupported key of type %T: use RSA, ECDSA or Ed25519", public)
	}
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		return nil, err
	}
	if k.ID == "" {
		sum := sha256.Sum256(der)
		k.ID = base64.RawURLEncoding.EncodeToString(sum[:])
	}
	return k, nil
}

// Signs reports whether the key can sign.
func (k *Key) Signs() bool { return k.signer != nil }

// PublicJWK is the public part of a key as JSON (RFC 7517, RFC 7518 and RFC 8037).
type PublicJWK struct {
	KeyType   string `json:"kty"`
	Use       string `json:"use"`
	ID        string `json:"kid"`
	Algorithm string `json:"alg"`
	Curve     string `json:"crv,omitempty"`
	N         string `json:"n,omitempty"`
	E         string `json:"e,omitempty"`
	X         string `json:"x,omitempty"`
	Y         string `json:"y,omitempty"`
}

// JWK returns the public part of the key.
func (k *Key) JWK() (PublicJWK, error) {
	text := base64.RawURLEncoding.EncodeToString
	out := PublicJWK{Use: "sig", ID: k.ID, Algorithm: k.Algorithm}
	switch p := k.public.(type) {
	case *rsa.PublicKey:
		out.KeyType, out.N, out.E = "RSA", text(p.N.Bytes()), text(big.NewInt(int64(p.E)).Bytes())
	case *ecdsa.PublicKey:
		point, err := p.Bytes() // 4, x, y
		if err != nil {
			return out, err
		}
		out.KeyType, out.Curve, out.X, out.Y = "EC", p.Curve.Params().Name, text(point[1:1+k.half]), text(point[1+k.half:])
	case ed25519.PublicKey:
		out.KeyType, out.Curve, out.X = "OKP", "Ed25519", text(p)
	}
	return out, nil
}

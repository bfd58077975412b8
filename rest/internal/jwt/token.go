package jwt

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// MaxLength is the length of the longest token that is read, in bytes.
const MaxLength = 16 << 10

// header is the first part of a token.
type header struct {
	Algorithm string          `json:"alg"`
	ID        string          `json:"kid"`
	Critical  json.RawMessage `json:"crit,omitempty"`
}

// ErrTooLong is the error of [Key.Sign] for claims that do not fit into a token.
var ErrTooLong = fmt.Errorf("the token would be longer than %d bytes", MaxLength)

// Sign returns a token with the claims, which are encoded as JSON.
func (k *Key) Sign(claims any) (string, error) {
	if k.signer == nil {
		return "", errors.New("the key has no private part")
	}
	head, err := json.Marshal(header{Algorithm: k.Algorithm, ID: k.ID})
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	signed := base64.RawURLEncoding.EncodeToString(head) + "." + base64.RawURLEncoding.EncodeToString(body)
	signature, err := k.signer.Sign(rand.Reader, k.digest(signed), k.hash)
	if err == nil && k.half > 0 {
		signature, err = k.joined(signature)
	}
	if err != nil {
		return "", err
	}
	if token := signed + "." + base64.RawURLEncoding.EncodeToString(signature); len(token) <= MaxLength {
		return token, nil
	}
	return "", ErrTooLong
}

// digest returns what the algorithm signs.
func (k *Key) digest(signed string) []byte {
	if k.hash == 0 {
		return []byte(signed)
	}
	h := k.hash.New()
	h.Write([]byte(signed))
	return h.Sum(nil)
}

// joined returns the two numbers of an ECDSA signature one after the other (RFC 7518, section 3.4). A [crypto.Signer]
// returns them in ASN.1.
func (k *Key) joined(der []byte) ([]byte, error) {
	var pair struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(der, &pair); err != nil {
		return nil, err
	}
	out := make([]byte, 2*k.half)
	pair.R.FillBytes(out[:k.half])
	pair.S.FillBytes(out[k.half:])
	return out, nil
}

// The errors of [Verify]. They reach a log, not the sender of the token.
var (
	ErrMalformed = errors.New("malformed token")
	ErrUnknown   = errors.New("the token is not signed with a known key")
	ErrSignature = errors.New("the signature of the token is wrong")
)

// Verify decodes the claims of a token into a Go value, if one of the keys has signed the token. Nothing of a token is
// decoded but its header before its signature is checked. The caller checks the claims.
func Verify(token string, keys []*Key, claims any) error {
	if len(token) > MaxLength {
		return ErrMalformed
	}
	end := strings.LastIndexByte(token, '.')
	head, body, ok := strings.Cut(token[:max(end, 0)], ".")
	if !ok || strings.Contains(body, ".") {
		return ErrMalformed
	}
	var h header
	if err := decodePart(head, &h); err != nil {
		return err
	}
	signature, err := decodeText(token[end+1:])
	if err != nil {
		return err
	}
	if h.Critical != nil {
		return ErrMalformed // an extension that must be understood (RFC 7515, section 4.1.11)
	}
	for _, k := range keys {
		if k.ID != h.ID || k.Algorithm != h.Algorithm {
			continue
		}
		if !k.verifies(token[:end], signature) {
			return ErrSignature
		}
		return decodePart(body, claims)
	}
	return ErrUnknown
}

func (k *Key) verifies(signed string, signature []byte) bool {
	switch p := k.public.(type) {
	case *rsa.PublicKey:
		return rsa.VerifyPKCS1v15(p, k.hash, k.digest(signed), signature) == nil
	case *ecdsa.PublicKey:
		if len(signature) != 2*k.half {
			return false
		}
		r, s := new(big.Int).SetBytes(signature[:k.half]), new(big.Int).SetBytes(signature[k.half:])
		return ecdsa.Verify(p, k.digest(signed), r, s)
	case ed25519.PublicKey:
		return ed25519.VerifyWithOptions(p, []byte(signed), signature, &ed25519.Options{Hash: crypto.Hash(0)}) == nil
	}
	return false
}

// decodePart decodes base64url text that holds JSON.
func decodePart(text string, into any) error {
	data, err := decodeText(text)
	if err != nil || json.Unmarshal(data, into) != nil {
		return ErrMalformed
	}
	return nil
}

// decodeText decodes unpadded base64url text. A decoder of the standard library skips line breaks, which no token has.
func decodeText(text string) ([]byte, error) {
	data, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || strings.ContainsAny(text, "\r\n") {
		return nil, ErrMalformed
	}
	return data, nil
}

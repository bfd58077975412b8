// Package seal encrypts the objects that a store keeps. A host that uses a store with a Transformer links it.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
)

// Transformer seals, and usually encrypts, the JSON of objects. It does not seal keys, revisions and times. Its methods
// must be safe for concurrent use, and must not change the bytes that they receive.
type Transformer interface {
	// KeyID identifies the key of Seal, in at most 255 bytes. The store keeps it with each sealed text. It must not change
	// while a store uses the transformer.
	KeyID() string
	// Seal returns the sealed text. context identifies the place of the text in the store; Open receives the same context.
	Seal(text, context []byte) ([]byte, error)
	// Open returns the plain text. keyID identifies the key with which the text was sealed.
	Open(keyID string, sealed, context []byte) ([]byte, error)
}

// Key is a secret key with its name.
type Key struct {
	// ID identifies the key in the store. It must differ from the ID of every other key that the store has ever used.
	ID string
	// Secret has 16, 24 or 32 bytes.
	Secret []byte
}

type aead struct {
	current string
	ciphers map[string]cipher.AEAD
}

// NewAEAD returns a transformer that seals with AES-GCM, using the first key and random nonces. It opens texts that
// were sealed with any of the keys. A key should seal at most 2^32 texts. To change the key, add the new key in front
// of the others.
func NewAEAD(keys ...Key) (Transformer, error) {
	if len(keys) == 0 {
		return nil, errors.New("seal: an AEAD needs a key")
	}
	t := &aead{current: keys[0].ID, ciphers: map[string]cipher.AEAD{}}
	for _, key := range keys {
		if key.ID == "" || len(key.ID) > 255 || t.ciphers[key.ID] != nil {
			return nil, fmt.Errorf("seal: the id of a key must be unique and have 1 to 255 bytes: %q", key.ID)
		}
		block, err := aes.NewCipher(key.Secret)
		if err != nil {
			return nil, fmt.Errorf("seal: key %q: %w", key.ID, err)
		}
		if t.ciphers[key.ID], err = cipher.NewGCMWithRandomNonce(block); err != nil {
			return nil, fmt.Errorf("seal: key %q: %w", key.ID, err)
		}
	}
	return t, nil
}

func (t *aead) KeyID() string { return t.current }

func (t *aead) Seal(text, context []byte) ([]byte, error) {
	return t.ciphers[t.current].Seal(nil, nil, text, context), nil
}

func (t *aead) Open(keyID string, sealed, context []byte) ([]byte, error) {
	c := t.ciphers[keyID]
	if c == nil {
		return nil, fmt.Errorf("no key %q", keyID)
	}
	return c.Open(nil, nil, sealed, context)
}

package bolt

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
)

// Transformer seals what a file holds of an object: its JSON. Keys, revisions and times stay in the clear. Its methods may be called by
// several goroutines at once.
type Transformer interface {
	// KeyID names the key with which Seal works, in at most 255 bytes. It is kept with each sealed text.
	KeyID() string
	// Seal returns the sealed text. The context says where the text belongs; Open gets the same one.
	Seal(text, context []byte) ([]byte, error)
	// Open returns the text that was sealed with a key.
	Open(keyID string, sealed, context []byte) ([]byte, error)
}

// Key is a secret key with its name.
type Key struct {
	// ID names the key in the file. It must differ from that of every other key that was used for the file.
	ID string
	// Secret has 16, 24 or 32 bytes.
	Secret []byte
}

type aead struct {
	current string
	ciphers map[string]cipher.AEAD
}

// NewAEAD returns a transformer that seals with AES-GCM under the first key and a random nonce, and opens what any of the keys has sealed.
// One key should seal at most 2^32 texts. To change the key, put the new one first, open the store, and call [Store.Reseal].
func NewAEAD(keys ...Key) (Transformer, error) {
	if len(keys) == 0 {
		return nil, errors.New("bolt: an AEAD needs a key")
	}
	t := &aead{current: keys[0].ID, ciphers: map[string]cipher.AEAD{}}
	for _, key := range keys {
		if key.ID == "" || len(key.ID) > 255 || t.ciphers[key.ID] != nil {
			return nil, fmt.Errorf("bolt: the id of a key must be unique and have 1 to 255 bytes: %q", key.ID)
		}
		block, err := aes.NewCipher(key.Secret)
		if err != nil {
			return nil, fmt.Errorf("bolt: key %q: %w", key.ID, err)
		}
		if t.ciphers[key.ID], err = cipher.NewGCMWithRandomNonce(block); err != nil {
			return nil, fmt.Errorf("bolt: key %q: %w", key.ID, err)
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

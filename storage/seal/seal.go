// Package seal encrypts the objects that a store keeps. A host chooses a [Transformer], and the store calls it through
// [Seal] and [Open].
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
)

// Transformer seals, and usually encrypts, the JSON of objects. It does not seal keys, revisions and times. Its methods
// must be safe for concurrent use, and must not change the bytes that they receive. A store treats a panic of Seal or
// Open as an error.
type Transformer interface {
	// KeyID identifies the key of Seal, in 1 to [MaxKeyID] bytes. The store keeps it with each sealed text. It must not
	// change while a store uses the transformer.
	KeyID() string
	// Seal returns the sealed text, which is not empty. context identifies the place of the text in the store; Open
	// receives the same context.
	Seal(text, context []byte) ([]byte, error)
	// Open returns the plain text. keyID identifies the key with which the text was sealed.
	Open(keyID string, sealed, context []byte) ([]byte, error)
}

// MaxKeyID is the maximum length of the ID of a key, in bytes. A file of package bolt stores the length in one byte. A
// [Transformer] with IDs that somebody else chooses, such as a key management service, needs it to refuse longer ones.
const MaxKeyID = 255

// Seal seals a text for a store, and returns it with the ID of its key. It passes on the error of the transformer, and
// also returns an error if the ID of the key is empty or too long, if the transformer returns no text, or if it panics:
// stores also seal in goroutines where a panic would end the process.
func Seal(t Transformer, text, context []byte) (sealed []byte, keyID string, err error) {
	err = guard(func() (err error) {
		keyID = t.KeyID()
		if err = checkKeyID(keyID); err != nil {
			return err
		}
		if sealed, err = t.Seal(text, context); err == nil && len(sealed) == 0 {
			err = errors.New("the transformer returned no text")
		}
		return err
	})
	return sealed, keyID, err
}

// Open opens a sealed text for a store. A store without a transformer passes nil, and gets an error. As in [Seal], a
// panic of the transformer is an error. The error names the key.
func Open(t Transformer, keyID string, sealed, context []byte) (text []byte, err error) {
	if t == nil {
		return nil, fmt.Errorf("it is sealed with key %q, and the store has no transformer", keyID)
	}
	err = guard(func() (err error) {
		text, err = t.Open(keyID, sealed, context)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("it cannot be opened with key %q: %w", keyID, err)
	}
	return text, nil
}

// Check returns an error if the ID of the current key is empty or too long. A store calls it when it opens. A store
// without a transformer passes nil, which is valid.
func Check(t Transformer) error {
	if t == nil {
		return nil
	}
	return checkKeyID(t.KeyID())
}

func checkKeyID(id string) error {
	if id == "" || len(id) > MaxKeyID {
		return fmt.Errorf("the id of the key must have 1 to %d bytes: %q", MaxKeyID, id)
	}
	return nil
}

func guard(call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the transformer panicked: %v", p)
		}
	}()
	return call()
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
		if err := checkKeyID(key.ID); err != nil {
			return nil, fmt.Errorf("seal: %w", err)
		}
		if t.ciphers[key.ID] != nil {
			return nil, fmt.Errorf("seal: two keys have the id %q", key.ID)
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

package bolt

import "github.com/decorum-go/decorum/storage/seal"

// Transformer seals, and usually encrypts, the JSON of objects in a file.
type Transformer = seal.Transformer

// Key is a secret key with its name.
type Key = seal.Key

// NewAEAD returns a transformer that encrypts with AES-GCM; see [seal.NewAEAD]. To change the key, add the new key in
// front of the others, open the store, and call [Store.Reseal].
func NewAEAD(keys ...Key) (Transformer, error) { return seal.NewAEAD(keys...) }

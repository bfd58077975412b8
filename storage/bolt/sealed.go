package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// maxKeyID is how long the id of a key may be, because the file stores its length in one byte.
const maxKeyID = 255

var errKeyID = errors.New("the id of the key must have at most 255 bytes")

// transformError is an error of a transformer. It says nothing about the file.
type transformError struct{ error }

func (t *transformError) Unwrap() error { return t.error }

// transform calls a method of a transformer.
func transform(do func() ([]byte, error)) (b []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the transformer panicked: %v", p)
		}
		if err != nil {
			err = &transformError{err}
		}
	}()
	return do()
}

// seal seals a text if the store has a transformer. The arguments identify the place of the text.
func (f *file) seal(bucket string, key storage.Key, revision watch.Revision,
	text []byte) (sealed []byte, keyID string, err error) {
	t := f.opts.Transformer
	if t == nil {
		return text, "", nil
	}
	sealed, err = transform(func() ([]byte, error) {
		if keyID = t.KeyID(); len(keyID) > maxKeyID {
			return nil, errKeyID
		}
		return t.Seal(bytes.Clone(text), sealContext(bucket, key, revision)) // readers may be using the text
	})
	return sealed, keyID, err
}

// open returns a copy of a text. It opens a sealed text.
func (f *file) open(bucket string, key storage.Key, revision watch.Revision, keyID string, sealed bool,
	text []byte) ([]byte, error) {
	if !sealed {
		return bytes.Clone(text), nil
	}
	t := f.opts.Transformer
	if t == nil {
		return nil, &transformError{fmt.Errorf("it is sealed with key %q, and the store has no transformer", keyID)}
	}
	sealedText := bytes.Clone(text)
	opened, err := transform(func() ([]byte,
		error) {
		return t.Open(keyID, sealedText, sealContext(bucket, key, revision))
	})
	if err != nil {
		return nil, fmt.Errorf("it cannot be opened with key %q: %w", keyID, err)
	}
	return opened, nil
}

func sealContext(bucket string, key storage.Key, revision watch.Revision) []byte {
	context := []byte(strings.Join([]string{bucket, key.Resource, key.Namespace, key.Name, ""}, "\x00"))
	return binary.BigEndian.AppendUint64(context, uint64(revision))
}

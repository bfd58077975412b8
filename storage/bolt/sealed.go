package bolt

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/seal"
	"github.com/decorum-go/decorum/watch"
)

// transformError is an error of a transformer. It says nothing about the file.
type transformError struct{ error }

func (t *transformError) Unwrap() error { return t.error }

// seal seals a text if the store has a transformer. The arguments identify the place of the text.
func (f *file) seal(bucket string, key storage.Key, revision watch.Revision,
	text []byte) (sealed []byte, keyID string, err error) {
	if f.opts.Transformer == nil {
		return text, "", nil
	}
	// A faulty transformer may change the text while readers use it.
	sealed, keyID, err = seal.Seal(f.opts.Transformer, bytes.Clone(text), sealContext(bucket, key, revision))
	if err != nil {
		return nil, "", &transformError{err}
	}
	return sealed, keyID, nil
}

// open opens a text if it is sealed. It may change the text.
func (f *file) open(bucket string, key storage.Key, revision watch.Revision, keyID string, sealed bool,
	text []byte) ([]byte, error) {
	if !sealed {
		return text, nil
	}
	opened, err := seal.Open(f.opts.Transformer, keyID, text, sealContext(bucket, key, revision))
	if err != nil {
		return nil, &transformError{err}
	}
	return opened, nil
}

func sealContext(bucket string, key storage.Key, revision watch.Revision) []byte {
	context := []byte(strings.Join([]string{bucket, key.Resource, key.Namespace, key.Name, ""}, "\x00"))
	return binary.BigEndian.AppendUint64(context, uint64(revision))
}

package seal_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage/seal"
)

// transformer is the Transformer of a host.
type transformer struct {
	id         string
	seal, open func([]byte) ([]byte, error)
}

func (t transformer) KeyID() string { return t.id }

func (t transformer) Seal(text, _ []byte) ([]byte, error) { return t.seal(text) }

func (t transformer) Open(_ string, sealed, _ []byte) ([]byte, error) { return t.open(sealed) }

// A fault of a transformer becomes an error, also if it is a panic.
func TestFaultyTransformers(t *testing.T) {
	upper := func(b []byte) ([]byte, error) { return bytes.ToUpper(b), nil }
	fails := func([]byte) ([]byte, error) { return nil, errors.New("the vault is away") }
	panics := func([]byte) ([]byte, error) { panic("broken") }
	nothing := func([]byte) ([]byte, error) { return nil, nil }
	long := strings.Repeat("k", 256)
	for name, c := range map[string]struct {
		of             transformer
		sealed, opened string // the errors
	}{
		"works": {transformer{"k", upper, upper}, "", ""},
		"fails": {transformer{"k", fails, fails}, "the vault is away",
			`it cannot be opened with key "k": the vault is away`},
		"panics": {transformer{"k", panics, panics}, "the transformer panicked: broken",
			`it cannot be opened with key "k": the transformer panicked: broken`},
		"no text":     {transformer{"k", nothing, upper}, "the transformer returned no text", ""},
		"no key ID":   {transformer{"", upper, upper}, `the id of the key must have 1 to 255 bytes: ""`, ""},
		"long key ID": {transformer{long, upper, upper}, `the id of the key must have 1 to 255 bytes: "` + long + `"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			sealed, id, err := seal.Seal(c.of, []byte("text"), nil)
			if c.sealed != "" {
				assert.EqualError(t, err, c.sealed)
			} else if assert.NoError(t, err) {
				assert.Equal(t, "TEXT k", string(sealed)+" "+id)
			}
			opened, err := seal.Open(c.of, "k", []byte("text"), nil)
			if c.opened != "" {
				assert.EqualError(t, err, c.opened)
			} else if assert.NoError(t, err) {
				assert.Equal(t, "TEXT", string(opened))
			}
		})
	}
	_, err := seal.Open(nil, "k", []byte("text"), nil)
	require.EqualError(t, err, `it is sealed with key "k", and the store has no transformer`)
}

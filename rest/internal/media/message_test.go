package media_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/schema"
	"github.com/decorum-go/decorum/rest/internal/media"
)

// picky is a Go type whose decoder has words of its own.
type picky struct{}

func (picky) Marshal() ([]byte, error) { return nil, nil }
func (picky) Unmarshal([]byte) error   { return errors.New("generated: illegal tag 0") }

func TestMalformedMessagesAreToldInOurWords(t *testing.T) {
	message, err := media.MessageOf(reflect.TypeFor[picky](), new(schema.Types))
	require.NoError(t, err)
	_, err = message.Decode([]byte("x"))
	assert.EqualError(t, err, "the Protobuf message of the object is malformed")
}

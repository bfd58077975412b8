package openapi

import (
	"crypto/sha512"
	"encoding/hex"
	"slices"
	"strings"
	"sync"

	"github.com/decorum-go/decorum/rest/internal/kind"
)

// The media types of the documents in Protobuf. Answers have the valid names. Clients ask by the old names, which are
// not valid media types. kubectl asks for Swagger 2.0 when it validates by itself what it sends.
const (
	MediaV2Protobuf    = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
	MediaV2ProtobufOld = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
	MediaV3Protobuf    = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf"
	MediaV3ProtobufOld = "application/com.github.proto-openapi.spec.v3@v1.0+protobuf"
)

// Documents are the documents that describe an API. Each is written when it is first asked for.
type Documents struct {
	// V2 returns the Swagger 2.0 document as JSON, and V2Protobuf returns it as Protobuf.
	V2, V2Protobuf func() ([]byte, error)
	// V3 returns the OpenAPI 3.0 document of each group and version, and of each path outside of all groups, by the path
	// without the first slash.
	V3 map[string]func() (Document, error)

	kinds map[string][]*kind.Kind // the kinds that each document of V3 describes
}

// Document is a document in JSON with the hash of its bytes, which names its version. Protobuf returns the same
// document as Protobuf.
type Document struct {
	Body     []byte
	Hash     string
	Protobuf func() ([]byte, error)
}

// NewDocuments prepares the documents of the kinds that are served, of their groups, and of the paths outside of all
// groups. It takes the documents of versions that have not changed from old, which may be nil.
func NewDocuments(kinds []*kind.Kind, groups []kind.Group, outside []Path, old *Documents) *Documents {
	d := &Documents{
		V2:         sync.OnceValues(func() ([]byte, error) { return V2(kinds, outside...) }),
		V2Protobuf: sync.OnceValues(func() ([]byte, error) { return V2Protobuf(kinds, outside...) }),
		V3:         map[string]func() (Document, error){},
		kinds:      map[string][]*kind.Kind{},
	}
	for _, g := range groups {
		for _, v := range g.Versions {
			name := strings.TrimPrefix(v.Path(), "/")
			d.kinds[name] = v.Kinds
			if old != nil && old.V3[name] != nil && slices.Equal(old.kinds[name], v.Kinds) {
				d.V3[name] = old.V3[name]
				continue
			}
			d.V3[name] = sync.OnceValues(func() (Document, error) {
				body, err := V3(v.GroupVersion, v.Kinds)
				return newDocument(body), err
			})
		}
	}
	for _, p := range outside {
		d.V3[p.Name()] = sync.OnceValues(func() (Document, error) { return newDocument(V3OfPath(p)), nil })
	}
	return d
}

func newDocument(body []byte) Document {
	sum := sha512.Sum512(body)
	return Document{Body: body, Hash: strings.ToUpper(hex.EncodeToString(sum[:])),
		Protobuf: sync.OnceValues(func() ([]byte, error) { return V3Protobuf(body) })}
}

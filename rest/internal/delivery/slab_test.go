package delivery_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
	"github.com/decorum-go/decorum/storage/storagetest"
)

// Slab is a kind whose objects are as large as a test likes, in every form that a watch can have.
type Slab struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               SlabSpec `json:"spec"`
}

type SlabSpec struct {
	Turn string `json:"turn"` // a text of a fixed length
	Text string `json:"text,omitempty"`
}

// SlabV2 is a Slab in a version that is not stored.
type SlabV2 Slab

// Marshal and Unmarshal make the message of a Slab in Protobuf, which happens to be JSON.
func (s *Slab) Marshal() ([]byte, error)    { return json.Marshal(s) }
func (s *Slab) Unmarshal(data []byte) error { return json.Unmarshal(data, s) }

// sameBytes is a Transcoder whose format is JSON.
type sameBytes struct{}

func (sameBytes) AppendFromJSON(dst, json []byte) ([]byte, error) { return append(dst, json...), nil }
func (sameBytes) ToJSON(data []byte) ([]byte, error)              { return data, nil }

const slabs = "/apis/slabs.example.com/v1/slabs"

// slabServer serves Slabs on a network without buffers: what a client has not read is still the server's.
type slabServer struct {
	api   *rest.API
	store *memory.Store
	net   *apitest.PipeServer
	turn  int
}

func newSlabServer(t testing.TB, logBytes int64) *slabServer {
	t.Helper()
	s := &slabServer{store: memory.New(storage.Options{Start: 1, MaxLogBytes: logBytes})}
	var err error
	s.api, err = rest.New(rest.Options{Store: s.store, CBOR: sameBytes{}}, rest.Resource[Slab]{
		Group: "slabs.example.com", Version: "v1", Plural: "slabs", Scope: rest.ScopeCluster,
		Wire:     rest.Wire{Untracked: true},
		Versions: []rest.VersionOf[Slab]{rest.Converted[Slab](rest.Resource[SlabV2]{Version: "v2"}, nil, nil)},
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, s.api.Close())
		require.NoError(t, s.store.Close())
	})
	s.serve(t, s.api)
	return s
}

// serve makes a handler the one that answers.
func (s *slabServer) serve(t testing.TB, h http.Handler) {
	s.net = apitest.ServeOnPipes(t, h)
}

// slabText does not compress well.
var slabText = sync.OnceValue(func() string {
	random := make([]byte, 3<<20)
	_, _ = rand.NewChaCha8([32]byte{}).Read(random)
	return base64.RawURLEncoding.EncodeToString(random)
})

// create stores a Slab with a text of so many bytes.
func (s *slabServer) create(t testing.TB, name string, size int) {
	t.Helper()
	_, err := apitest.ClientFor[Slab](t, s.api).Create(t.Context(),
		&Slab{ObjectMeta: apimeta.ObjectMeta{Name: name}, Spec: SlabSpec{Turn: "00000000", Text: slabText()[:size]}})
	require.NoError(t, err)
}

// write changes Slabs, straight in the store.
func (s *slabServer) write(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		s.turn++
		_, err := s.store.Update(t.Context(), storage.Key{Resource: "slabs.slabs.example.com", Name: name},
			func(r *storage.Record) ([]byte, error) {
				next := bytes.Clone(storagetest.Text(r))
				copy(next[bytes.Index(next, []byte(`"turn":"`))+len(`"turn":"`):], fmt.Sprintf("%08d", s.turn))
				return next, nil
			})
		require.NoError(t, err)
	}
}

// slabClient is a connection whose client reads on command.
type slabClient struct {
	conn net.Conn
	*bufio.Reader
}

// get sends a request and reads the header of the answer, and one byte of what follows: the rest is being written.
func (s *slabServer) get(t testing.TB, target string, headers ...string) *slabClient {
	t.Helper()
	conn := s.net.Dial(t)
	request := "GET " + target + " HTTP/1.1\r\nHost: x\r\n"
	for i := 0; i+1 < len(headers); i += 2 {
		request += headers[i] + ": " + headers[i+1] + "\r\n"
	}
	if len(headers) != len(socketHeaders) {
		request += "Connection: close\r\n"
	}
	_, err := io.WriteString(conn, request+"\r\n")
	require.NoError(t, err)
	head, err := apitest.ReadHead(conn)
	require.NoError(t, err)
	require.Regexp(t, "^HTTP/1.1 (101|200) ", head)
	return &slabClient{conn: conn, Reader: bufio.NewReaderSize(conn, 16)}
}

// begun waits until the body of the answer is being written.
func (c *slabClient) begun(t testing.TB) {
	t.Helper()
	_, err := io.ReadFull(c.conn, make([]byte, 1))
	require.NoError(t, err)
}

var socketHeaders = []string{"Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13",
	"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}

// slabForms are the forms of a watch.
var slabForms = []struct {
	name, target, query string
	headers             []string
}{
	{"JSON", slabs, "", nil},
	{"a WebSocket", slabs, "", socketHeaders},
	{"Protobuf", slabs, "", []string{"Accept", apitest.TypeProtobuf}},
	{"CBOR", slabs, "", []string{"Accept", "application/cbor-seq"}},
	{"tables", slabs, "", []string{"Accept", apitest.AcceptTable}},
	{"tables with objects", slabs, "&includeObject=Object", []string{"Accept", apitest.AcceptTable}},
	{"metadata", slabs, "", []string{"Accept", apitest.AcceptPartial}},
	{"another version", strings.Replace(slabs, "v1", "v2", 1), "", nil},
}

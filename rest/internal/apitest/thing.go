package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// Thing is a kind with one field of each sort that input can be wrong in.
type Thing struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec   ThingSpec   `json:"spec,omitzero"`
	Status ThingStatus `json:"status,omitzero"`
}

// ThingSpec is the desired state of a Thing.
type ThingSpec struct {
	Size    int32             `json:"size" api:"default=1,min=0,max=1000000"`
	Color   string            `json:"color,omitempty" api:"enum=red|green|blue"`
	Text    string            `json:"text,omitempty"`
	Ratio   float64           `json:"ratio,omitempty"`
	Enabled bool              `json:"enabled,omitempty"`
	Parts   []ThingPart       `json:"parts,omitempty" api:"list=map,key=name"`
	Data    map[string]string `json:"data,omitempty"`
}

// ThingPart is an element of a map list.
type ThingPart struct {
	Name  string `json:"name"`
	Count int64  `json:"count,omitempty"`
}

// ThingStatus is the observed state of a Thing.
type ThingStatus struct {
	Phase string `json:"phase,omitempty"`
	Seen  int64  `json:"seen,omitempty"`
}

// The group of the Things and its paths.
const (
	ThingGroup = "things.example.com"
	ThingsV1   = "/apis/" + ThingGroup + "/v1"
	Things     = ThingsV1 + "/namespaces/default/things"
)

// ThingResource declares Things.
func ThingResource() rest.Resource[Thing] {
	return rest.Resource[Thing]{
		Group: ThingGroup, Version: "v1", Plural: "things", Names: rest.Names{Short: []string{"th"}},
		Columns:          []rest.Column{{Name: "Size", Path: ".spec.size", Type: "integer"}},
		SelectableFields: []string{"spec.color"},
	}
}

// GlobalThing is a Thing outside of namespaces.
type GlobalThing Thing

// GlobalThingResource declares GlobalThings.
func GlobalThingResource() rest.Resource[GlobalThing] {
	return rest.Resource[GlobalThing]{Group: ThingGroup, Version: "v1", Plural: "globalthings", Scope: rest.ScopeCluster}
}

// ThingServer is an API of Things over a store that the test can look into.
type ThingServer struct {
	API   *rest.API
	Store *memory.Store
}

// NewThingServer serves these definitions, or Things and GlobalThings.
func NewThingServer(t testing.TB, options rest.Options, definitions ...rest.Definition) *ThingServer {
	t.Helper()
	s := &ThingServer{Store: NewStore(t)}
	options.Store = s.Store
	if len(definitions) == 0 {
		definitions = []rest.Definition{ThingResource(), GlobalThingResource()}
	}
	s.API = Start(t, options, definitions...)
	return s
}

// Do sends a request.
func (s *ThingServer) Do(method, target, body string, header ...string) Answer {
	return Ask(s.API, NewRequest(method, target, TextOf(body), header...))
}

// MustCreate stores a Thing called name in namespace default.
func (s *ThingServer) MustCreate(t testing.TB, name string) {
	t.Helper()
	w := s.Do("POST", Things, ThingBody(name, `{"size":1}`))
	require.Equal(t, http.StatusCreated, w.Code, w.Body)
}

// ThingBody is the body of a Thing.
func ThingBody(name, spec string) string {
	return fmt.Sprintf(`{"apiVersion":"%s/v1","kind":"Thing","metadata":{"name":%q},"spec":%s}`, ThingGroup, name, spec)
}

// ThingOf reads an answer as a Thing.
func ThingOf(t testing.TB, a Answer) Thing {
	t.Helper()
	var thing Thing
	a.Decode(t, &thing)
	return thing
}

// ThingWatch is a watch over real HTTP.
type ThingWatch struct {
	Response *http.Response
	Decoder  *json.Decoder
	Stop     context.CancelFunc
}

type thingEvent struct {
	Type   apimeta.EventType
	Object json.RawMessage
}

// OpenThingWatch opens a watch of Things and reads the header of the answer.
func OpenThingWatch(t testing.TB, client *http.Client, url string) *ThingWatch {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	response := Open(ctx, t, client, "GET", url)
	if response.StatusCode != http.StatusOK {
		require.Equal(t, http.StatusOK, response.StatusCode, ReadAnswer(t, response).Body)
	}
	return &ThingWatch{Response: response, Decoder: json.NewDecoder(response.Body), Stop: stop}
}

// Next waits for the next event; the test's own deadline bounds the wait.
func (w *ThingWatch) Next(t testing.TB) (apimeta.EventType, Thing) {
	t.Helper()
	var e thingEvent
	require.NoError(t, w.Decoder.Decode(&e))
	var thing Thing
	require.NoError(t, json.Unmarshal(e.Object, &thing), string(e.Object))
	return e.Type, thing
}

// Drained reads what is left and returns how the stream ended.
func (w *ThingWatch) Drained() error {
	_, err := io.Copy(io.Discard, io.MultiReader(w.Decoder.Buffered(), w.Response.Body))
	return err
}

// PaddedThing is the JSON of a Thing of about size bytes.
func PaddedThing(name string, size int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b,
		`{"apiVersion":"%s/v1","kind":"Thing","metadata":{"name":%q,"labels":{"app":"load","tier":"t1"}},"spec":{"size":3,"color":"red","parts":[{"name":"a","count":1},{"name":"b","count":2}],"data":{`, ThingGroup, name)
	for i := 0; b.Len() < size-64; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"key%03d":"a value of some length that is %03d"`, i, i)
	}
	b.WriteString(`}}}`)
	return b.Bytes()
}

// Fill stores n Things of about 2 KB each and returns the bytes of their JSON.
func (s *ThingServer) Fill(b testing.TB, n int) (bytes int) {
	for i := range n {
		w := s.Do("POST", Things, string(PaddedThing(fmt.Sprintf("n%06d", i), BenchObject)))
		require.Equal(b, http.StatusCreated, w.Code)
		bytes += len(w.Body)
	}
	return bytes
}

// Changed fills a server with objects and then changes them in turns, and returns the version before the changes.
func (s *ThingServer) Changed(b *testing.B, objects, changes int) (before string) {
	b.Helper()
	s.Fill(b, objects)
	before = strconv.FormatUint(uint64(s.Store.Revision()), 10)
	for i := range changes {
		w := NewThingWriter(s.API, "PATCH", fmt.Sprintf("%s/n%06d", Things, i%objects), "application/merge-patch+json")
		require.Equal(b, http.StatusOK, w.Send(fmt.Appendf(nil, `{"spec":{"size":%d}}`, 100_000+i)))
	}
	return before
}

// NewBlockingThings is a server whose writes of an object called slow wait in a hook.
func NewBlockingThings(t *testing.T, options rest.Options) (s *ThingServer, entered, release chan struct{}) {
	entered, release = make(chan struct{}, 100), make(chan struct{})
	resource := ThingResource()
	resource.Hooks.Validate = func(_ context.Context, obj, _ *Thing) (status.FieldErrors, error) {
		if strings.HasPrefix(obj.Name, "slow") {
			entered <- struct{}{}
			<-release
		}
		return nil, nil
	}
	return NewThingServer(t, options, resource), entered, release
}

// RegisteredStore is a store whose resources another API has registered before.
type RegisteredStore struct{ *memory.Store }

func (RegisteredStore) Register(context.Context, storage.Resource) error { return nil }

// ThingScale is a subresource of a Thing.
type ThingScale struct {
	Replicas int32 `json:"replicas,omitempty"`
}

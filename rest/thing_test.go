package rest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// Thing is a kind with one field of each sort that input can be wrong in.
type Thing struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec   ThingSpec   `json:"spec,omitzero"`
	Status ThingStatus `json:"status,omitzero"`
}

type ThingSpec struct {
	Size    int32             `json:"size" api:"default=1,min=0,max=1000000"`
	Color   string            `json:"color,omitempty" api:"enum=red|green|blue"`
	Text    string            `json:"text,omitempty"`
	Ratio   float64           `json:"ratio,omitempty"`
	Enabled bool              `json:"enabled,omitempty"`
	Parts   []ThingPart       `json:"parts,omitempty" api:"list=map,key=name"`
	Data    map[string]string `json:"data,omitempty"`
}

type ThingPart struct {
	Name  string `json:"name"`
	Count int64  `json:"count,omitempty"`
}

type ThingStatus struct {
	Phase string `json:"phase,omitempty"`
	Seen  int64  `json:"seen,omitempty"`
}

const (
	thingGroup = "things.example.com"
	thingRoot  = "/apis/" + thingGroup + "/v1"
	thingsIn   = thingRoot + "/namespaces/default/things"
	thingType  = "application/json"
)

func thingResource() rest.Resource[Thing] {
	return rest.Resource[Thing]{
		Group: thingGroup, Version: "v1", Plural: "things", Names: rest.Names{Short: []string{"th"}},
		Columns:          []rest.Column{{Name: "Size", Path: ".spec.size", Type: "integer"}},
		SelectableFields: []string{"spec.color"},
	}
}

// GlobalThing is a Thing outside of namespaces.
type GlobalThing Thing

func globalThingResource() rest.Resource[GlobalThing] {
	return rest.Resource[GlobalThing]{Group: thingGroup, Version: "v1", Plural: "globalthings", Scope: rest.ScopeCluster}
}

// thingServer is an API of Things over a store that the test can look into.
type thingServer struct {
	api   *rest.API
	store *storage.Engine
}

func newThingServer(t testing.TB, options rest.Options, definitions ...rest.Definition) *thingServer {
	t.Helper()
	s := &thingServer{store: newStore(t)}
	options.Store = s.store
	if len(definitions) == 0 {
		definitions = []rest.Definition{thingResource(), globalThingResource()}
	}
	s.api = start(t, options, definitions...)
	return s
}

func (s *thingServer) do(method, target, body string, header ...string) answer {
	return ask(s.api, newRequest(method, target, textOf(body), header...))
}

// mustCreate stores a Thing called name in namespace default.
func (s *thingServer) mustCreate(t testing.TB, name string) {
	t.Helper()
	w := s.do("POST", thingsIn, thingJSON(name, `{"size":1}`))
	require.Equal(t, http.StatusCreated, w.Code, w.Body)
}

// thingJSON is the body of a Thing.
func thingJSON(name, spec string) string {
	return fmt.Sprintf(`{"apiVersion":"%s/v1","kind":"Thing","metadata":{"name":%q},"spec":%s}`, thingGroup, name, spec)
}

// thingOf reads an answer as a Thing.
func thingOf(t testing.TB, a answer) Thing {
	t.Helper()
	var thing Thing
	a.decode(t, &thing)
	return thing
}

// thingWatch is a watch over real HTTP.
type thingWatch struct {
	response *http.Response
	decoder  *json.Decoder
	stop     context.CancelFunc
}

type thingEvent struct {
	Type   watch.EventType
	Object json.RawMessage
}

func openThingWatch(t testing.TB, client *http.Client, url string) *thingWatch {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	response := open(ctx, t, client, "GET", url)
	if response.StatusCode != http.StatusOK {
		require.Equal(t, http.StatusOK, response.StatusCode, received(t, response).Body)
	}
	return &thingWatch{response: response, decoder: json.NewDecoder(response.Body), stop: stop}
}

// next waits for the next event; the test's own deadline bounds the wait.
func (w *thingWatch) next(t testing.TB) (watch.EventType, Thing) {
	t.Helper()
	var e thingEvent
	require.NoError(t, w.decoder.Decode(&e))
	var thing Thing
	require.NoError(t, json.Unmarshal(e.Object, &thing), string(e.Object))
	return e.Type, thing
}

// drained reads what is left and returns how the stream ended.
func (w *thingWatch) drained() error {
	_, err := io.Copy(io.Discard, io.MultiReader(w.decoder.Buffered(), w.response.Body))
	return err
}

// paddedThing is the JSON of a Thing of about size bytes.
func paddedThing(name string, size int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"apiVersion":"%s/v1","kind":"Thing","metadata":{"name":%q,"labels":{"app":"load","tier":"t1"}},"spec":{"size":3,"color":"red","parts":[{"name":"a","count":1},{"name":"b","count":2}],"data":{`, thingGroup, name)
	for i := 0; b.Len() < size-64; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"key%03d":"a value of some length that is %03d"`, i, i)
	}
	b.WriteString(`}}}`)
	return b.Bytes()
}

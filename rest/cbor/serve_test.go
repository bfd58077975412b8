package cbor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	lib "github.com/fxamacker/cbor/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/cbor"
	"github.com/decorum-go/decorum/status"
)

type Lamp struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               LampSpec `json:"spec"`
}

type LampSpec struct {
	Watts  int     `json:"watts"`
	Warmth float64 `json:"warmth,omitempty"`
}

const (
	lamps    = "/apis/example.com/v1/namespaces/default/lamps"
	mediaOne = "application/cbor"
)

func newLamps(t testing.TB, options rest.Options) *rest.API {
	api, err := rest.New(options, rest.Resource[Lamp]{Group: "example.com", Version: "v1", Plural: "lamps"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, api.Close()) })
	return api
}

func do(t testing.TB, h http.Handler, method, target string, body []byte, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, bytes.NewReader(body))
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// said decodes the CBOR body of a response.
func said(t testing.TB, w *httptest.ResponseRecorder, into any) {
	t.Helper()
	require.Equal(t, mediaOne, w.Header().Get("Content-Type"), w.Body.String())
	require.True(t, bytes.HasPrefix(w.Body.Bytes(), []byte{0xd9, 0xd9, 0xf7}), "self-described")
	text, err := cbor.Format().ToJSON(w.Body.Bytes())
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, into), string(text))
}

func encoded(t testing.TB, text string) []byte {
	t.Helper()
	data, err := cbor.Format().AppendFromJSON(nil, []byte(text))
	require.NoError(t, err)
	return data
}

func lamp(name string) string {
	return fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":%q},"spec":{"watts":5,"warmth":0.5}}`, name)
}

func TestServedAndRead(t *testing.T) {
	api := newLamps(t, rest.Options{CBOR: cbor.Format()})
	var got Lamp
	w := do(t, api, "POST", lamps, encoded(t, lamp("a")), "Content-Type", mediaOne, "Accept", mediaOne)
	require.Equal(t, 201, w.Code, w.Body.String())
	said(t, w, &got)
	assert.Equal(t, LampSpec{Watts: 5, Warmth: 0.5}, got.Spec)
	assert.NotEmpty(t, got.UID)

	var list struct {
		Kind  string
		Items []Lamp
	}
	said(t, do(t, api, "GET", lamps, nil, "Accept", mediaOne+", application/json"), &list)
	assert.Equal(t, "LampList", list.Kind)
	require.Len(t, list.Items, 1)
	assert.Equal(t, got, list.Items[0])

	var partial apimeta.PartialObjectMetadata
	said(t, do(t, api, "GET", lamps+"/a", nil, "Accept", mediaOne+";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"),
		&partial)
	assert.Equal(t, "PartialObjectMetadata", partial.Kind)
	assert.Equal(t, got.UID, partial.UID)

	var failed status.Status
	w = do(t, api, "GET", lamps+"/none", nil, "Accept", mediaOne)
	said(t, w, &failed)
	assert.Equal(t, 404, w.Code)
	assert.Equal(t, status.ReasonNotFound, failed.Reason)

	w = do(t, api, "DELETE", lamps+"/a", encoded(t, `{"preconditions":{"uid":"other"}}`), "Content-Type", mediaOne,
		"Accept", mediaOne)
	said(t, w, &failed)
	assert.Equal(t, status.ReasonConflict, failed.Reason, "DeleteOptions too")
	w = do(t, api, "DELETE", lamps+"/a", nil, "Accept", mediaOne)
	said(t, w, &failed)
	assert.Equal(t, status.Success, failed.Status)

	w = do(t, api, "GET", lamps, nil, "Accept", mediaOne+";as=Table;g=meta.k8s.io;v=v1")
	assert.Equal(t, 406, w.Code, "a Table is never served as CBOR")
}

func TestApply(t *testing.T) {
	const media = "application/apply-patch+cbor"
	api := newLamps(t, rest.Options{CBOR: cbor.Format()})
	var got Lamp
	w := do(t, api, "PATCH", lamps+"/a?fieldManager=m", encoded(t, lamp("a")), "Content-Type", media, "Accept", mediaOne)
	require.Equal(t, 201, w.Code, w.Body.String())
	said(t, w, &got)
	assert.Equal(t, LampSpec{Watts: 5, Warmth: 0.5}, got.Spec)
	require.Len(t, got.ManagedFields, 1)
	assert.Equal(t, "m", got.ManagedFields[0].Manager)

	w = do(t, api, "PATCH", lamps+"/a?fieldManager=m", []byte(lamp("a")), "Content-Type", media)
	assert.Equal(t, 400, w.Code)
	assert.Contains(t, w.Body.String(), "error decoding patch: ")
	w = do(t, newLamps(t, rest.Options{}), "PATCH", lamps+"/a?fieldManager=m", encoded(t, lamp("a")), "Content-Type",
		media)
	assert.Equal(t, 415, w.Code)
}

func TestRefusals(t *testing.T) {
	api := newLamps(t, rest.Options{CBOR: cbor.Format()})
	for name, body := range map[string][]byte{
		"nothing": {}, "JSON": []byte(lamp("a")), "cut off": encoded(t, lamp("a"))[:20], "a list": encoded(t, `[1]`),
		"a number":     {0x01},
		"another kind": encoded(t, `{"apiVersion":"v1","kind":"ConfigMap"}`),
		"two items":    append(encoded(t, lamp("a")), encoded(t, lamp("b"))...),
	} {
		t.Run(name, func(t *testing.T) {
			w := do(t, api, "POST", lamps, body, "Content-Type", mediaOne)
			require.Contains(t, []int{400, 422}, w.Code, w.Body.String())
			var s status.Status
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &s))
			require.Equal(t, "Status", s.Kind)
		})
	}
	w := do(t, api, "POST", lamps, []byte("<a/>"), "Content-Type", "application/xml")
	assert.Contains(t, w.Body.String(),
		"accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/cbor")
	w = do(t, api, "GET", lamps+"?watch=1", nil, "Accept", "application/yaml, application/json;q=0.5")
	assert.Contains(t, strings.Join(strings.Fields(w.Body.String()), " "),
		"application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch, application/cbor-seq")
}

func TestOffByDefault(t *testing.T) {
	api := newLamps(t, rest.Options{})
	assert.Equal(t, 406, do(t, api, "GET", lamps, nil, "Accept", mediaOne).Code)
	assert.Equal(t, 406, do(t, api, "GET", lamps+"?watch=1", nil, "Accept", "application/cbor-seq").Code)
	assert.Equal(t, 415, do(t, api, "POST", lamps, encoded(t, lamp("a")), "Content-Type", mediaOne).Code)
}

// A watch is a sequence of items (RFC 8742). Each item has the tag of
// self-described CBOR.
func TestWatch(t *testing.T) {
	api := newLamps(t, rest.Options{CBOR: cbor.Format()})
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	require.Equal(t, 201, do(t, api, "POST", lamps, []byte(lamp("a")), "Content-Type", "application/json").Code)
	for _, accept := range []string{"application/cbor-seq", "application/cbor", "application/cbor-seq, application/json"} {
		t.Run(accept, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), "GET",
				server.URL+lamps+"?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1", nil)
			require.NoError(t, err)
			r.Header.Set("Accept", accept)
			response, err := server.Client().Do(r)
			require.NoError(t, err)
			defer func() { _ = response.Body.Close() }()
			require.Equal(t, "application/cbor-seq", response.Header.Get("Content-Type"))
			stream, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			assert.Equal(t, 4, bytes.Count(stream, []byte{0xd9, 0xd9, 0xf7}), "each event and each object begins with the tag")
			var types []string
			for items := lib.NewDecoder(bytes.NewReader(stream)); ; {
				var item lib.RawMessage
				if err := items.Decode(&item); err == io.EOF {
					break
				} else {
					require.NoError(t, err)
				}
				types = append(types, eventType(t, item))
			}
			assert.Equal(t, []string{"ADDED Lamp", "BOOKMARK Lamp"}, types)
		})
	}
	t.Run("over a WebSocket", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		conn, _, err := websocket.Dial(ctx, server.URL+lamps+"?watch=1",
			&websocket.DialOptions{HTTPHeader: http.Header{"Accept": {"application/cbor-seq"}}})
		require.NoError(t, err)
		defer func() { _ = conn.CloseNow() }()
		kind, item, err := conn.Read(ctx)
		require.NoError(t, err)
		assert.Equal(t, websocket.MessageBinary, kind)
		assert.Equal(t, "ADDED Lamp", eventType(t, item))
	})
	t.Run("an error", func(t *testing.T) {
		r, err := http.NewRequestWithContext(t.Context(), "GET",
			server.URL+lamps+"?watch=1&resourceVersion=1&timeoutSeconds=1", nil)
		require.NoError(t, err)
		r.Header.Set("Accept", "application/cbor-seq")
		response, err := server.Client().Do(r)
		require.NoError(t, err)
		defer response.Body.Close()
		item, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		assert.Equal(t, "ERROR Status", eventType(t, item))
	})
}

func eventType(t testing.TB, item []byte) string {
	t.Helper()
	text, err := cbor.Format().ToJSON(item)
	require.NoError(t, err)
	var e struct {
		Type   string
		Object apimeta.TypeMeta
	}
	require.NoError(t, json.Unmarshal(text, &e))
	return e.Type + " " + e.Object.Kind
}

func Example() {
	api, err := rest.New(rest.Options{CBOR: cbor.Format()},
		rest.Resource[Lamp]{Group: "example.com", Version: "v1", Plural: "lamps"})
	if err != nil {
		panic(err)
	}
	defer func() { _ = api.Close() }()
	r := httptest.NewRequest("GET", lamps, nil)
	r.Header.Set("Accept", "application/cbor, application/json")
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	fmt.Println(w.Header().Get("Content-Type"))
	// Output: application/cbor
}

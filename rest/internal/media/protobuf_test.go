package media_test

import (
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

const (
	asPartial  = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
	asPartials = ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
)

// opened reads an object in its envelope.
func opened(t testing.TB, data []byte, message *codec.Message) (kind string, v doc.Value) {
	t.Helper()
	e, err := codec.DecodeEnvelope(data)
	require.NoError(t, err)
	v, err = message.Decode(e.Raw)
	require.NoError(t, err)
	return e.APIVersion + " " + e.Kind, v
}

// watchEvent is the message of an event: a type, and an object of any kind in a message of its own.
func watchEvent() *codec.Message {
	return codec.NewMessage(
		codec.MessageField{Number: 1, Name: "type"},
		codec.MessageField{Number: 2, Name: "object", Type: codec.MessageType,
			Of: codec.NewMessage(codec.MessageField{Number: 1, Name: "raw"})},
	)
}

// eventIn reads a WatchEvent: its type and the envelope in it.
func eventIn(t testing.TB, frame []byte) (string, []byte) {
	t.Helper()
	v, err := watchEvent().Decode(frame)
	require.NoError(t, err)
	return v.Get("type").Text(), []byte(v.Lookup("object", "raw").Text())
}

// nextEvent reads the next event of a stream, behind its length.
func nextEvent(t testing.TB, stream io.Reader) (string, []byte) {
	t.Helper()
	return eventIn(t, apitest.ProtobufFrame(t)(stream))
}

func TestMetadataInProtobuf(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.Must(t, api, "POST", apitest.Widgets,
		apitest.WidgetBody(`"name":"a","labels":{"app":"x"},"annotations":{"n":"1"},"finalizers":["example.com/hold"],
		"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"n","uid":"u","controller":true}]`))

	a := apitest.Do(t, api, "GET", apitest.Widgets+"/a", "", "Accept", apitest.TypeProtobuf+asPartial)
	require.Equal(t, 200, a.Code, a.Body)
	assert.Equal(t, apitest.TypeProtobuf, a.Header.Get("Content-Type"))
	kind, v := opened(t, []byte(a.Body), codec.PartialObjectMetadataMessage())
	assert.Equal(t, "meta.k8s.io/v1 PartialObjectMetadata", kind)
	var metadata any
	require.NoError(t, json.Unmarshal(codec.AppendJSON(nil, v.Get("metadata")), &metadata))
	assert.Equal(t, apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Value(t, "metadata"), metadata)

	a = apitest.Do(t, api, "GET", apitest.Widgets, "", "Accept", apitest.TypeProtobuf+asPartials)
	require.Equal(t, 200, a.Code, a.Body)
	list := codec.NewMessage(
		codec.MessageField{Number: 1, Name: "metadata", Type: codec.MessageType, Of: codec.ListMetaMessage()},
		codec.MessageField{Number: 2, Name: "items", Type: codec.MessageType, Of: codec.PartialObjectMetadataMessage(),
			Repeated: true})
	kind, v = opened(t, []byte(a.Body), list)
	assert.Equal(t, "meta.k8s.io/v1 PartialObjectMetadataList", kind)
	assert.Equal(t, "2", v.Lookup("metadata", "resourceVersion").Text())
	require.Equal(t, 1, v.Get("items").Len())
	assert.Equal(t, "a", v.Get("items").At(0).Lookup("metadata", "name").Text())

	assert.Equal(t, 406, apitest.Do(t, api, "GET", apitest.Widgets, "", "Accept", apitest.TypeProtobuf+asPartial).Code,
		"a list is no object")
	assert.Equal(t, 406, apitest.Do(t, api, "GET", apitest.Widgets, "", "Accept",
		apitest.TypeProtobuf+";as=Table;g=meta.k8s.io;v=v1").Code, "a Table is JSON or YAML")
	assert.Equal(t, 406, apitest.Do(t, api, "GET", "/apis", "", "Accept", apitest.TypeProtobuf+asPartial).Code,
		"discovery has no metadata")
	assert.Equal(t, 200, apitest.Do(t, api, "GET", apitest.Widgets+"/a/scale", "", "Accept",
		apitest.TypeProtobuf+asPartial).Code)
}

func TestWatchInProtobuf(t *testing.T) {
	store := apitest.NewStore(t)
	api := apitest.New(t, rest.Options{Store: store}, apitest.WidgetResource())
	apitest.CreateWidget(t, api, "a")
	require.NoError(t, store.Compact(t.Context(), store.Revision()))
	server := apitest.Serve(t, api)
	get := func(query, accept string) *http.Response {
		return apitest.Open(t.Context(), t, server.Client(), "GET", server.URL+apitest.Widgets+"?watch=1&"+query, "Accept",
			accept)
	}
	for _, accept := range []string{apitest.TypeProtobuf + ";stream=watch" + asPartial,
		apitest.TypeProtobuf + asPartial + ",application/json"} {
		t.Run(accept, func(t *testing.T) {
			response := get("allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1",
				accept)
			require.Equal(t, apitest.TypeProtobuf+";stream=watch", response.Header.Get("Content-Type"))
			event, object := nextEvent(t, response.Body)
			assert.Equal(t, "ADDED", event)
			kind, v := opened(t, object, codec.PartialObjectMetadataMessage())
			assert.Equal(t, "meta.k8s.io/v1 PartialObjectMetadata", kind)
			assert.Equal(t, "a", v.Lookup("metadata", "name").Text())
			event, object = nextEvent(t, response.Body)
			assert.Equal(t, "BOOKMARK", event)
			_, v = opened(t, object, codec.PartialObjectMetadataMessage())
			assert.Equal(t, "true", v.Lookup("metadata", "annotations", "k8s.io/initial-events-end").Text())
			left, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			assert.Empty(t, left)
		})
	}
	t.Run("an error", func(t *testing.T) {
		event, object := nextEvent(t, get("resourceVersion=1", apitest.TypeProtobuf+asPartial).Body)
		assert.Equal(t, "ERROR", event)
		kind, v := opened(t, object, codec.StatusMessage())
		assert.Equal(t, "v1 Status", kind)
		assert.Equal(t, "Expired", v.Get("reason").Text())
	})
	t.Run("over a WebSocket", func(t *testing.T) {
		conn := apitest.DialWebSocket(t, server.URL+apitest.Widgets+"?watch=1",
			&websocket.DialOptions{HTTPHeader: http.Header{"Accept": {apitest.TypeProtobuf + asPartial}}})
		kind, data := apitest.ReadMessage(t, conn)
		assert.Equal(t, websocket.MessageBinary, kind)
		event, object := eventIn(t, data) // no length: a message knows where it ends
		assert.Equal(t, "ADDED", event)
		assert.True(t, strings.HasPrefix(string(object), "k8s\x00"))
	})
	t.Run("a kind without a message", func(t *testing.T) {
		assert.Equal(t, 406, get("", apitest.TypeProtobuf+";stream=watch").StatusCode)
		assert.Equal(t, "application/json",
			get("", apitest.TypeProtobuf+";stream=watch,application/json").Header.Get("Content-Type"))
	})
}

func TestErrorsAsTheClientReadsThem(t *testing.T) {
	api := apitest.NewWidgets(t)
	for _, c := range []struct {
		accept, media string
		indented      bool
	}{
		{"", "application/json", false},
		{"application/json", "application/json", false},
		{"*/*", "application/json", false},
		{apitest.TypeYAML, apitest.TypeYAML, false},
		{apitest.TypeProtobuf, apitest.TypeProtobuf, false},
		{apitest.TypeProtobuf + ";stream=watch, application/json", apitest.TypeProtobuf, false},
		{apitest.TypeProtobuf + asPartial + ", application/json", "application/json", false},
		{"text/html", "application/json", true},
		{"application/json;as=Table;g=meta.k8s.io;v=v1", "application/json", true},
		{"application/json;as=Table;g=meta.k8s.io;v=v1,application/json", "application/json", false},
	} {
		t.Run(c.accept, func(t *testing.T) {
			a := apitest.Do(t, api, "GET", apitest.Widgets+"/none", "", "Accept", c.accept)
			assert.Equal(t, c.media, a.Header.Get("Content-Type"))
			if c.media == "application/json" {
				assert.Equal(t, c.indented, strings.Contains(a.Body, "\n  "), a.Body)
			}
			if c.media == apitest.TypeProtobuf {
				kind, v := opened(t, []byte(a.Body), codec.StatusMessage())
				assert.Equal(t, "v1 Status", kind)
				code, _ := v.Get("code").Int()
				assert.Equal(t, int64(a.Code), code)
			}
		})
	}
}

// Watchers of one change share its translation, and only those that want the same.
func TestWatchersInProtobufOfOneChange(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"a","labels":{"on":"1"}`))
	client := &http.Client{Transport: rest.RoundTripper(api)}
	watch := func(query, accept string) func() (string, string, doc.Value) {
		response := apitest.Open(t.Context(), t, client, "GET",
			"http://x"+apitest.Widgets+"?watch=1&resourceVersion=2&"+query, "Accept", accept)
		return func() (string, string, doc.Value) {
			event, object := nextEvent(t, response.Body)
			kind, v := opened(t, object, codec.PartialObjectMetadataMessage())
			return event, kind, v
		}
	}
	beta := strings.Replace(asPartial, "v=v1", "v=v1beta1", 1)
	one, two, other, selected := watch("", apitest.TypeProtobuf+asPartial), watch("", apitest.TypeProtobuf+asPartial),
		watch("", apitest.TypeProtobuf+beta), watch("labelSelector=on%3D1", apitest.TypeProtobuf+asPartial)
	apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"metadata":{"labels":{"on":"2"}}}`)
	apitest.Must(t, api, "DELETE", apitest.Widgets+"/a", "")
	for _, want := range []struct{ event, rv string }{{"MODIFIED", "3"}, {"DELETED", "4"}} {
		for i, next := range []func() (string, string, doc.Value){one, two, other} {
			event, kind, v := next()
			assert.Equal(t, want.event, event)
			assert.Equal(t, []string{"meta.k8s.io/v1 ", "meta.k8s.io/v1 ", "meta.k8s.io/v1beta1 "}[i]+"PartialObjectMetadata",
				kind)
			assert.Equal(t, want.rv, v.Lookup("metadata", "resourceVersion").Text())
			assert.Equal(t, "2", v.Lookup("metadata", "labels", "on").Text())
		}
	}
	event, _, v := selected()
	assert.Equal(t, "DELETED", event, "it is selected no longer")
	assert.Equal(t, "3", v.Lookup("metadata", "resourceVersion").Text())
	assert.Equal(t, "1", v.Lookup("metadata", "labels", "on").Text(), "as it was")
}

// The protobuf tags of a host's kind suffice for requests and responses in Protobuf.
func TestProtobufByTags(t *testing.T) {
	type Order struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
		Spec               struct {
			Loaves int32        `json:"loaves,omitempty" protobuf:"varint,1,opt,name=loaves"`
			Due    apimeta.Time `json:"due" protobuf:"bytes,2,opt,name=due"`
			Notes  []string     `json:"notes,omitempty" protobuf:"bytes,3,rep,name=notes"`
		} `json:"spec" protobuf:"bytes,2,opt,name=spec"`
	}
	const orders = "/apis/example.com/v1/namespaces/default/orders"
	api := apitest.New(t, rest.Options{}, rest.Resource[Order]{Group: "example.com", Version: "v1", Plural: "orders"})
	message, err := codec.MessageOf(reflect.TypeFor[Order]())
	require.NoError(t, err)
	order, _, err := codec.DecodeJSON([]byte(`{"metadata":{"name":"a"},"spec":{"loaves":3,"due":"` + apitest.NowText +
		`","notes":["","crisp"]}}`))
	require.NoError(t, err)
	raw, err := message.Append(nil, order)
	require.NoError(t, err)
	newer := codec.AppendField(raw, 99, []byte("a field that this server does not know"))
	body := string(codec.AppendEnvelope(nil, codec.Envelope{APIVersion: "example.com/v1", Kind: "Order", Raw: newer}))

	a := apitest.Do(t, api, "POST", orders, body, "Content-Type", apitest.TypeProtobuf, "Accept", apitest.TypeProtobuf)
	require.Equal(t, 201, a.Code, a.Body)
	kind, v := opened(t, []byte(a.Body), message)
	assert.Equal(t, "example.com/v1 Order", kind)
	assert.Equal(t, string(codec.AppendJSON(nil, order.Get("spec"))), string(codec.AppendJSON(nil, v.Get("spec"))))
	assert.JSONEq(t, `{"loaves":3,"due":"`+apitest.NowText+`","notes":["","crisp"]}`,
		string(codec.AppendJSON(nil, v.Get("spec"))))

	malformed := string(codec.AppendEnvelope(nil,
		codec.Envelope{APIVersion: "example.com/v1", Kind: "Order", Raw: []byte{0x12, 0xff}}))
	assert.Equal(t, 400, apitest.Do(t, api, "POST", orders, malformed, "Content-Type", apitest.TypeProtobuf).Code)

	type untagged struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
		Spec               string `json:"spec"`
	}
	_, err = rest.New(rest.Options{},
		rest.Resource[untagged]{Group: "example.com", Version: "v1", Plural: "untaggeds",
			Names: rest.Names{Kind: "Untagged"}})
	assert.ErrorContains(t, err, `kind "Untagged": media_test.untagged.Spec: missing tag such as`)
}

package delivery_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// eventsOf are the objects of the events that a watch of Slabs sends from the beginning until it has deleted the last
// of them, as bytes of the form.
func eventsOf(t *testing.T, s *slabServer, target string, header http.Header, next func(io.Reader) []byte,
	count int) (events [][]byte) {
	t.Helper()
	server := httptest.NewServer(s.api)
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+target, nil)
	require.NoError(t, err)
	r.Header = header
	response, err := server.Client().Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, 200, response.StatusCode)
	for range count {
		events = append(events, next(response.Body))
	}
	return events
}

// line reads an event of JSON.
func line(t testing.TB) func(io.Reader) []byte {
	var decoder *json.Decoder
	return func(r io.Reader) []byte {
		if decoder == nil {
			decoder = json.NewDecoder(r)
		}
		var event json.RawMessage
		require.NoError(t, decoder.Decode(&event))
		return event
	}
}

// A large object comes through a watch as it comes through a get, in every form and beside small ones.
func TestLargeObjectsThroughWatches(t *testing.T) {
	const large = 300 << 10
	forms := []struct {
		name, target, accept, query string
		next                        func(testing.TB) func(io.Reader) []byte
	}{
		{"JSON", slabs, "application/json", "", line},
		{"a table with objects", slabs, apitest.AcceptTable, "&includeObject=Object", line},
		{"another version", strings.Replace(slabs, "v1", "v2", 1), "application/json", "", line},
		{"Protobuf", slabs, apitest.TypeProtobuf, "", apitest.ProtobufFrame},
	}
	for _, form := range forms {
		t.Run(form.name, func(t *testing.T) {
			s := newSlabServer(t, 64<<20)
			get := func(name string) []byte {
				return []byte(apitest.Do(t, s.api, "GET", form.target+"/"+name, "", "Accept",
					strings.Replace(form.accept, ";as=Table;v=v1;g=meta.k8s.io", "", 1)).Body)
			}
			var want [][]byte
			note := func(name string) { want = append(want, get(name)) }
			s.create(t, "a", large)
			note("a")
			s.create(t, "b", 10)
			note("b")
			after := s.store.Revision()
			s.write(t, "a")
			note("a")
			s.write(t, "b")
			note("b")
			gone := apitest.Do(t, s.api, "GET", slabs+"/a", "").Body
			require.NoError(t, apitest.ClientFor[Slab](t, s.api).Delete(t.Context(), "a", rest.DeleteOptions{}))

			header := http.Header{"Accept": {form.accept}}
			initial := eventsOf(t, s, form.target+"?watch=1"+form.query, header, form.next(t), 1)
			require.True(t, bytes.Contains(initial[0], want[3]), "what there is")

			events := eventsOf(t, s, form.target+"?watch=1&resourceVersion="+fmt.Sprint(after)+form.query, header, form.next(t),
				3)
			require.True(t, bytes.Contains(events[0], want[2]), "a large object")
			require.True(t, bytes.Contains(events[1], want[3]), "a small one")
			var was Slab
			require.NoError(t, json.Unmarshal([]byte(gone), &was))
			require.True(t, bytes.Contains(events[2], []byte(was.Spec.Text)), "a deleted one")
			require.True(t, bytes.Contains(events[2], []byte(`"resourceVersion":"`+fmt.Sprint(s.store.Revision())+`"`)))
		})
	}
}

func TestLargeObjectsThroughAWebSocket(t *testing.T) {
	s := newSlabServer(t, 64<<20)
	s.create(t, "a", 300<<10)
	s.create(t, "b", 10)
	server := apitest.Serve(t, s.api)
	conn := apitest.DialWebSocket(t, server.URL+slabs+"?watch=1", nil)
	conn.SetReadLimit(-1)
	for _, name := range []string{"a", "b"} {
		ctx, cancel := context.WithTimeout(t.Context(), apitest.Deadline)
		kind, message, err := conn.Read(ctx)
		cancel()
		require.NoError(t, err)
		require.Equal(t, websocket.MessageText, kind)
		object := apitest.Do(t, s.api, "GET", slabs+"/"+name, "").Body
		require.True(t, slices.Equal(message, []byte(`{"type":"ADDED","object":`+object+"}\n")), "an event is a message")
	}
}

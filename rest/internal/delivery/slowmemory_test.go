//go:build !race

package delivery_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/heaptest"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// Watches whose clients do not read keep a chunk each and what they have polled for it, and nothing of all that the log
// has forgotten since.
func TestStuckWatchesKeepLittle(t *testing.T) {
	const logBytes, objectSize, watches, perWatch = 4 << 20, 32 << 10, 16, 96
	for _, form := range slabForms {
		t.Run(form.name, func(t *testing.T) {
			s := newSlabServer(t, logBytes)
			s.create(t, "a", objectSize)
			before := heaptest.InUse()
			for range watches {
				after := s.store.Revision()
				for range perWatch {
					s.write(t, "a")
				}
				s.get(t, fmt.Sprintf("%s?watch=1&resourceVersion=%d%s", form.target, after, form.query), form.headers...).begun(t)
			}
			grown := heaptest.InUse() - before
			t.Logf("%d watches that are stuck, each %d KB further, keep %d KB", watches, perWatch*objectSize>>10, grown>>10)
			require.Less(t, grown, int64(logBytes+watches*(512<<10)))
		})
	}
}

// A large object is there once, in the store or in one encoding, however many watches are sending it.
func TestStuckWatchesShareALargeObject(t *testing.T) {
	const objectSize, watches = 2900 << 10, 20
	for _, form := range slabForms {
		if form.name == "tables" || form.name == "metadata" {
			continue // they show little of it
		}
		for event, query := range map[string]string{"ADDED": "watch=1", "MODIFIED": "watch=1&resourceVersion=2",
			"DELETED": "watch=1&resourceVersion=3"} {
			t.Run(event+" in "+form.name, func(t *testing.T) {
				s := newSlabServer(t, 64<<20)
				s.create(t, "a", objectSize)
				if event != "ADDED" {
					s.write(t, "a")
				}
				if event == "DELETED" {
					require.NoError(t, apitest.ClientFor[Slab](t, s.api).Delete(t.Context(), "a", rest.DeleteOptions{}))
				}
				var before int64
				for i := range watches {
					s.get(t, form.target+"?"+query+form.query, form.headers...).begun(t)
					if i == 0 {
						before = heaptest.InUse()
					}
				}
				grown := heaptest.InUse() - before
				t.Logf("%d more watches that are stuck in one object of %d KB keep %d KB", watches-1, objectSize>>10, grown>>10)
				require.Less(t, grown, int64(watches*(256<<10)))
			})
		}
	}
}

// leaving is a client that leaves when it gets the first bytes.
type leaving struct{ apitest.DiscardWriter }

func (w *leaving) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// The API stops encoding a list when its client leaves.
func TestListsEndWithTheirClient(t *testing.T) {
	s := newSlabServer(t, 64<<20)
	for i := range 300 {
		s.create(t, fmt.Sprintf("n%03d", i), 64<<10)
	}
	for _, accept := range []string{"application/json", "application/yaml", apitest.TypeProtobuf, "application/cbor"} {
		for name, leave := range map[string]func(*http.Request){
			"a write fails": func(r *http.Request) {
				s.api.ServeHTTP(&leaving{apitest.DiscardWriter{Headers: http.Header{}}}, r)
			},
			"the context ends": func(r *http.Request) {
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				defer func() { require.Contains(t, []any{nil, http.ErrAbortHandler}, recover()) }()
				s.api.ServeHTTP(&apitest.DiscardWriter{Headers: http.Header{}}, r.WithContext(ctx))
			},
		} {
			if accept == apitest.TypeProtobuf && name == "a write fails" {
				continue // such a list may be encoded before it is written
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			leave(apitest.NewRequest("GET", slabs+"?pretty=true", nil, "Accept", accept))
			runtime.ReadMemStats(&after)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<20), "%s, %s", accept, name)
		}
	}
}

// Lists that nobody reads cost a chunk and an element each, whatever their form, and at most some of those in Protobuf
// a copy. A list that is read after all is complete.
func TestUnreadListsTakeLittle(t *testing.T) {
	const objects, size, lists = 300, 64 << 10, 20 // 20 MB
	for name, accept := range map[string]string{
		"JSON": "application/json", "pretty JSON": "application/json;pretty=1", "YAML": "application/yaml",
		"Protobuf":         apitest.TypeProtobuf,
		"CBOR":             "application/cbor",
		"a Table in YAML":  "application/yaml;as=Table;g=meta.k8s.io;v=v1",
		"metadata in YAML": "application/yaml;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
	} {
		t.Run(name, func(t *testing.T) {
			s := newSlabServer(t, 64<<20)
			for i := range objects {
				s.create(t, fmt.Sprintf("n%03d", i), size)
			}
			target := slabs + "?includeObject=Object&pretty=" + fmt.Sprint(name == "pretty JSON")
			accept, _, _ = strings.Cut(accept, ";pretty")
			r := apitest.NewRequest("GET", target, nil, "Accept", accept)
			whole := httptest.NewRecorder()
			s.api.ServeHTTP(whole, r)
			require.Equal(t, http.StatusOK, whole.Code)
			before := heaptest.InUse()
			for range lists {
				s.get(t, target, "Accept", accept).begun(t)
			}
			grown := heaptest.InUse() - before
			t.Logf("%d lists of %d MB keep %d KB", lists, whole.Body.Len()>>20, grown>>10)
			require.Less(t, grown, int64(48<<20+lists*(512<<10)))
			conn := s.net.Dial(t)
			_, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nAccept: %s\r\n\r\n", target, accept)
			require.NoError(t, err)
			response, err := http.ReadResponse(bufio.NewReader(conn), r)
			require.NoError(t, err)
			late, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			if strings.Contains(accept, "Table") { // the ages in a Table have changed since, and their lengths with them
				require.InDelta(t, whole.Body.Len(), len(late), 10*objects)
				return
			}
			assert.True(t, bytes.Equal(whole.Body.Bytes(), late))
		})
	}
}

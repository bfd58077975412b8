package media_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// Tally is a kind that counts how often its objects are encoded in Protobuf. Its message happens to be JSON.
type Tally struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
}

var tallied atomic.Int64

func (s *Tally) Marshal() ([]byte, error) {
	tallied.Add(1)
	return json.Marshal(s)
}

func (s *Tally) Unmarshal(data []byte) error { return json.Unmarshal(data, s) }

// A list in Protobuf encodes the objects that have changed since the last one, in pages too.
func TestProtobufListsEncodeChangedObjects(t *testing.T) {
	const tallies, objects = "/apis/example.com/v1/namespaces/default/tallies", 10
	api := apitest.New(t, rest.Options{}, rest.Resource[Tally]{Group: "example.com", Version: "v1", Plural: "tallies"})
	for i := range objects {
		apitest.Must(t, api, "POST", tallies,
			fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Tally","metadata":{"name":"n%d"}}`, i))
	}
	encoded := func(query string) int64 {
		before := tallied.Load()
		a := apitest.Do(t, api, "GET", tallies+query, "", "Accept", apitest.TypeProtobuf)
		require.Equal(t, http.StatusOK, a.Code, a.Body)
		assert.Equal(t, strconv.Itoa(len(a.Body)), a.Header.Get("Content-Length"))
		return tallied.Load() - before
	}
	assert.EqualValues(t, objects, encoded(""))
	apitest.MergePatch(t, api, tallies+"/n3", `{"metadata":{"labels":{"a":"1"}}}`)
	assert.EqualValues(t, 1, encoded(""))
	assert.EqualValues(t, 0, encoded("?limit=5"))
	assert.EqualValues(t, 0, encoded("?labelSelector=a"))
}

// Note is a kind with a message, and NoteV2 its other version, with another message.
type Note struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Text               string `json:"text" protobuf:"bytes,2,opt,name=text"`
}

type NoteV2 struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Text               string `json:"text" protobuf:"bytes,3,opt,name=text"`
}

func noteResource() rest.Resource[Note] {
	return rest.Resource[Note]{Group: "example.com", Version: "v1", Plural: "notes",
		Versions: []rest.VersionOf[Note]{rest.Converted[Note](rest.Resource[NoteV2]{Version: "v2"}, nil, nil)}}
}

// FuzzMessages compares lists in Protobuf with those of an API without the cache of messages, while objects come,
// change and go. The cache of the first API has room for few messages.
func FuzzMessages(f *testing.F) {
	f.Add([]byte{0, 5, 10, 1, 6, 2, 11})
	f.Add([]byte{0, 15, 30, 45, 60, 75, 90, 105, 1, 16, 31, 46, 61, 2, 17, 32, 47})
	f.Fuzz(func(t *testing.T, steps []byte) {
		store := apitest.NewStore(t)
		cached := apitest.Start(t, rest.Options{Store: store, Limits: rest.Limits{CacheBytes: 36 << 10}}, noteResource())
		plain := apitest.Start(t, rest.Options{Store: store, Limits: rest.Limits{CacheBytes: -1}}, noteResource())
		const notes = "/apis/example.com/v1/namespaces/default/notes"
		for i, step := range steps[:min(len(steps), 64)] {
			name := fmt.Sprintf("n%d", step%16)
			switch step % 5 {
			case 0, 1:
				apitest.Do(t, cached, "POST", notes, fmt.Sprintf(
					`{"apiVersion":"example.com/v1","kind":"Note","metadata":{"name":"%s"},"text":"%s"}`, name,
					strings.Repeat("x", int(step))))
			case 2, 3:
				apitest.MergePatch(t, cached, notes+"/"+name, fmt.Sprintf(`{"text":"%d"}`, i))
			case 4:
				apitest.Do(t, cached, "DELETE", notes+"/"+name, "")
			}
			for _, target := range []string{notes, strings.Replace(notes, "/v1/", "/v2/", 1) + "?limit=3"} {
				for _, accept := range []string{apitest.TypeProtobuf, apitest.TypeProtobuf + asPartials} {
					got := apitest.Do(t, cached, "GET", target, "", "Accept", accept)
					want := apitest.Do(t, plain, "GET", target, "", "Accept", accept)
					require.Equal(t, http.StatusOK, got.Code, got.Body)
					require.Equal(t, want.Body, got.Body, "%s as %s", target, accept)
				}
			}
		}
	})
}

package stream_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// Whatever the query is, the host gets options that keep its rules or the client gets a 400.
func FuzzStreamOptions(f *testing.F) {
	things := apitest.ThingResource()
	things.Subresources = []rest.SubresourceOf[apitest.Thing]{apitest.ThingLog{Name: "log",
		Output: func(_ context.Context, _ *apitest.Thing, o *apitest.LogOptions, out io.Writer) error {
			return json.NewEncoder(out).Encode(o)
		}}}
	s := &apitest.ThingServer{API: apitest.Start(f, rest.Options{}, things)}
	require.Equal(f, 201, s.Do("POST", apitest.Things, apitest.ThingBody("a", `{"size":1}`)).Code)
	for _, seed := range []string{"tailLines=3&follow", "lines=1,2&lines=3&level=a&level=b", "ratio=1e400", "tailLines=-1",
		"lines=99999999999", "container=%zz", "ratio=0x1p-2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		r := httptest.NewRequest("GET", apitest.Things+"/a/log", nil)
		r.URL.RawQuery = query
		w := apitest.Ask(s.API, r)
		if w.Code != http.StatusOK {
			require.Equal(t, http.StatusBadRequest, w.Code, w.Body)
			return
		}
		var o apitest.LogOptions
		w.Decode(t, &o)
		require.True(t, o.TailLines == nil || *o.TailLines >= 0)
	})
}

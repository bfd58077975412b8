//go:build unix

package remote_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// An event of 2 KB, from the log to the caller's object. Limit: a Watch, which remembers nothing. Target: 1.1.
func BenchmarkFollow(b *testing.B) {
	const objects, changes = 1000, 5000
	s := apitest.NewThingServer(b, rest.Options{})
	from := rest.WatchOptions{ResourceVersion: s.Changed(b, objects, changes)}
	take := func(events iter.Seq2[rest.Event[apitest.Thing], error], n int) {
		for _, err := range events {
			if err != nil {
				b.Fatal(err)
			}
			if n--; n <= 0 {
				return
			}
		}
	}
	things := apitest.ClientFor[apitest.Thing](b, s.API)
	apitest.Compare(b, changes,
		func(n int) { take(things.Follow(b.Context(), from), n) },
		func(n int) { take(things.Watch(b.Context(), from), n) })
}

// What a program pays that reaches the API by rest.RoundTripper, in processor time. Limit: the same http.Client over a
// socket, the server's part included.
func BenchmarkRoundTripper(b *testing.B) {
	s := apitest.NewThingServer(b, rest.Options{})
	const objects, changes = 1000, 5000
	before := s.Changed(b, objects, changes)
	server := apitest.Serve(b, s.API)
	socket := func(target string) (*http.Client, string) { return server.Client(), server.URL + target }
	process := func(target string) (*http.Client, string) {
		return &http.Client{Transport: rest.RoundTripper(s.API)}, "http://in.process" + target
	}
	open := func(client *http.Client, url string) io.ReadCloser {
		ctx, cancel := context.WithCancel(b.Context())
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		require.NoError(b, err)
		answer, err := client.Do(request)
		require.NoError(b, err)
		require.Equal(b, http.StatusOK, answer.StatusCode)
		return endingBody{answer.Body, cancel}
	}

	b.Run("get", func(b *testing.B) {
		get := func(client *http.Client, url string) func(n int) {
			return func(n int) {
				for range n {
					body := open(client, url)
					if _, err := io.Copy(io.Discard, body); err != nil {
						b.Fatal(err)
					}
					_ = body.Close()
				}
			}
		}
		apitest.Compare(b, 1000, get(process(apitest.Things+"/n000001")), get(socket(apitest.Things+"/n000001")))
	})

	b.Run("watch", func(b *testing.B) {
		watch := func(client *http.Client, url string) func(n int) {
			return func(n int) {
				body := open(client, url)
				defer body.Close()
				lines := bufio.NewReaderSize(body, 64<<10)
				for range n {
					if line, err := lines.ReadSlice('\n'); err != nil || !bytes.HasPrefix(line, []byte(`{"type":"MODIFIED"`)) {
						b.Fatal(string(line), err)
					}
				}
			}
		}
		target := apitest.Things + "?watch=1&resourceVersion=" + before
		apitest.Compare(b, changes, watch(process(target)), watch(socket(target)))
	})

	b.Run("list", func(b *testing.B) {
		list := func(client *http.Client, url string) func(n int) {
			return func(n int) {
				for range n {
					body := open(client, url)
					var all struct{ Items []json.RawMessage }
					if err := json.NewDecoder(body).Decode(&all); err != nil || len(all.Items) != objects {
						b.Fatal(len(all.Items), err)
					}
					_ = body.Close()
				}
			}
		}
		apitest.Compare(b, 5, list(process(apitest.Things)), list(socket(apitest.Things)))
	})
}

// endingBody ends the request with its answer.
type endingBody struct {
	io.ReadCloser
	end context.CancelFunc
}

func (e endingBody) Close() error {
	defer e.end()
	return e.ReadCloser.Close()
}

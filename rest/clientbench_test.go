//go:build unix

package rest_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
)

// changed fills a server with objects and then changes them in turns, and returns the version before the changes.
func (s *thingServer) changed(b *testing.B, objects, changes int) (before string) {
	b.Helper()
	s.fill(b, objects)
	before = strconv.FormatUint(uint64(s.store.Revision()), 10)
	for i := range changes {
		w := newThingWriter(s.api, "PATCH", fmt.Sprintf("%s/n%06d", thingsIn, i%objects), "application/merge-patch+json")
		require.Equal(b, http.StatusOK, w.send(fmt.Appendf(nil, `{"spec":{"size":%d}}`, 100_000+i)))
	}
	return before
}

// An event of 2 KB, from the log to the caller's object. Limit: a Watch, which remembers nothing. Target: 1.1.
func BenchmarkFollow(b *testing.B) {
	const objects, changes = 1000, 5000
	s := newThingServer(b, rest.Options{})
	from := rest.WatchOptions{ResourceVersion: s.changed(b, objects, changes)}
	take := func(events iter.Seq2[rest.Event[Thing], error], n int) {
		for _, err := range events {
			if err != nil {
				b.Fatal(err)
			}
			if n--; n <= 0 {
				return
			}
		}
	}
	things := clientFor[Thing](b, s.api)
	compare(b, changes,
		func(n int) { take(things.Follow(b.Context(), from), n) },
		func(n int) { take(things.Watch(b.Context(), from), n) })
}

// What a program pays that reaches the API by rest.RoundTripper, in processor time. Limit: the same http.Client over a
// socket, the server's part included.
func BenchmarkRoundTripper(b *testing.B) {
	s := newThingServer(b, rest.Options{})
	const objects, changes = 1000, 5000
	before := s.changed(b, objects, changes)
	server := thingHTTP(b, s.api)
	socket := func(target string) (*http.Client, string) { return server.Client(), server.URL + target }
	process := func(target string) (*http.Client, string) {
		return &http.Client{Transport: rest.RoundTripper(s.api)}, "http://in.process" + target
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
		compare(b, 1000, get(process(thingsIn+"/n000001")), get(socket(thingsIn+"/n000001")))
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
		target := thingsIn + "?watch=1&resourceVersion=" + before
		compare(b, changes, watch(process(target)), watch(socket(target)))
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
		compare(b, 5, list(process(thingsIn)), list(socket(thingsIn)))
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

package media_test

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// A burst of 20 changes reaches 200 watchers in process, in Protobuf. Limit: the same watchers in JSON. Target: 1.5, as
// a change is translated once, not for each watcher.
func BenchmarkWatchInProtobuf(b *testing.B) {
	ours := watchBurst(b, apitest.TypeProtobuf+asPartial, func(r *bufio.Reader) error {
		var length [4]byte
		if _, err := io.ReadFull(r, length[:]); err != nil {
			return err
		}
		_, err := r.Discard(int(binary.BigEndian.Uint32(length[:])))
		return err
	})
	limit := watchBurst(b, "application/json"+asPartial, func(r *bufio.Reader) error {
		_, err := r.ReadSlice('\n')
		return err
	})
	apitest.Compare(b, 1, ours, limit)
}

// watchBurst opens watches and returns a function that sends changes and waits until every watcher has read them.
func watchBurst(b *testing.B, accept string, read func(*bufio.Reader) error) func(n int) {
	const watchers, changes = 200, 20
	s := apitest.NewThingServer(b, rest.Options{})
	s.Fill(b, 1)
	w := apitest.NewThingWriter(s.API, "PATCH", apitest.Things+"/n000000", "application/merge-patch+json")
	client := &http.Client{Transport: rest.RoundTripper(s.API)}
	var done sync.WaitGroup
	begin := make([]chan struct{}, watchers)
	for i := range begin {
		r, err := http.NewRequestWithContext(b.Context(), "GET",
			"http://x"+apitest.Things+"?watch=1&resourceVersion="+fmt.Sprint(s.Store.Revision()), nil)
		require.NoError(b, err)
		r.Header.Set("Accept", accept)
		response, err := client.Do(r)
		require.NoError(b, err)
		start := make(chan struct{}, 1)
		begin[i] = start
		b.Cleanup(func() {
			close(start)
			_ = response.Body.Close()
		})
		go func() {
			stream := bufio.NewReaderSize(response.Body, 64<<10)
			for range start {
				for range changes {
					if err := read(stream); err != nil {
						b.Error(err)
					}
				}
				done.Done()
			}
		}()
	}
	size := 100_000
	return func(n int) {
		for range n {
			done.Add(watchers)
			for _, start := range begin {
				start <- struct{}{}
			}
			for range changes {
				size++
				if code := w.Send(fmt.Appendf(nil, `{"spec":{"size":%d}}`, size)); code != http.StatusOK {
					b.Fatal(code)
				}
			}
			done.Wait()
		}
	}
}

package hostile_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/hangtest"
)

// patience is how long the tests wait before they fail.
const patience = hangtest.Deadline

// attack is one way of attacking a host.
type attack struct {
	name string
	run  func(t *testing.T, h *host)
}

// underAttack runs attacks against one host, one after the other.
func underAttack(t *testing.T, attacks ...attack) {
	h := newHost(t)
	h.behaveWhile(t, func() {}) // starts the goroutines that every host has
	before := h.settled(t, footprint{})
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			began := time.Now()
			h.behaveWhile(t, func() { a.run(t, h) })
			after := h.settled(t, before)
			t.Logf("%v; goroutines %d, then %d; memory %d KiB, then %d KiB", time.Since(began).Round(time.Millisecond),
				before.goroutines, after.goroutines, before.bytes>>10, after.bytes>>10)
		})
	}
}

// footprint is the memory and the goroutines that the process uses.
type footprint struct {
	goroutines int
	bytes      uint64 // the bytes of heap and stacks
}

// These are the tolerances after an attack. The runtime frees stacks late, and a test does not fill the pools and the
// history to their limits.
const (
	moreGoroutines = 8
	moreBytes      = 24 << 20
)

// bytesInUse returns how many bytes of heap and stacks the process uses.
func bytesInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

// settled waits until no request is in progress and the footprint is about the one before. It returns the new
// footprint.
func (h *host) settled(t *testing.T, before footprint) (now footprint) {
	t.Helper()
	await(t, "the process takes what it took before", func() string {
		h.calm.CloseIdleConnections()
		now = footprint{runtime.NumGoroutine(), bytesInUse()}
		switch running := h.running.Load(); {
		case running > 0:
			return fmt.Sprint("requests under way: ", running)
		case before.goroutines > 0 && now.goroutines > before.goroutines+moreGoroutines:
			return fmt.Sprint("goroutines: ", now.goroutines)
		case before.bytes > 0 && now.bytes > before.bytes+moreBytes:
			return fmt.Sprint("bytes: ", now.bytes)
		}
		return ""
	})
	return now
}

// await waits until missing returns nothing.
func await(t *testing.T, what string, missing func() string) {
	t.Helper()
	for end := time.Now().Add(patience); ; {
		text := missing()
		if text == "" {
			return
		}
		require.True(t, time.Now().Before(end), "%s: %s", what, text)
		<-time.After(10 * time.Millisecond)
	}
}

// behaveWhile runs an attack while a well-behaved client writes notes, reads them and watches them. Every response to
// this client must be correct. The client completes at least one round after the attack.
func (h *host) behaveWhile(t *testing.T, attack func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	watch := h.watchCalm(t, ctx)
	defer watch.Close()
	over, result := make(chan struct{}), make(chan error, 1)
	go func() { result <- h.behave(ctx, json.NewDecoder(watch), over) }()
	func() {
		defer close(over) // an attack may fail the test
		attack()
	}()
	require.NoError(t, <-result, "the well-behaved client")
}

// watchCalm opens the watch of the well-behaved client.
func (h *host) watchCalm(t *testing.T, ctx context.Context) io.ReadCloser {
	t.Helper()
	var list struct {
		Metadata struct{ ResourceVersion string }
	}
	require.NoError(t, json.Unmarshal([]byte(h.as("calm").ask(t, "GET", notesIn("calm"), "").body), &list))
	r, err := http.NewRequestWithContext(ctx, "GET",
		h.plain.URL+notesIn("calm")+"?watch=1&resourceVersion="+list.Metadata.ResourceVersion, nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer token-of-calm")
	watch, err := h.calm.Do(r)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, watch.StatusCode)
	return watch.Body
}

// behave runs the well-behaved client. When over is closed, it completes a last round and returns.
func (h *host) behave(ctx context.Context, events *json.Decoder, over <-chan struct{}) error {
	for last := false; !last; {
		select {
		case <-over:
			last = true
		default:
		}
		for _, step := range []struct{ method, path, body, event string }{
			{"POST", notesIn("calm"), note("good", "all is well", ""), "ADDED"},
			{"GET", notesIn("calm") + "/good", "", ""},
			{"DELETE", notesIn("calm") + "/good", "", "DELETED"},
		} {
			a, err := h.asCalm(ctx, step.method, step.path, step.body)
			if err != nil {
				return err
			}
			if step.event == "" && !strings.Contains(a.body, "all is well") {
				return fmt.Errorf("the note is %s", a.body)
			}
			if step.event == "" {
				continue
			}
			var e struct {
				Type   string
				Object Note
			}
			if err := events.Decode(&e); err != nil || e.Type != step.event || e.Object.Name != "good" {
				return fmt.Errorf("after a %s, the watch shows %q %v: %w", step.method, e.Type, e.Object, err)
			}
		}
	}
	return nil
}

// asCalm sends a request of the well-behaved client, and repeats it after each 429.
func (h *host) asCalm(ctx context.Context, method, path, body string) (answer, error) {
	for {
		a, err := h.as("calm").send(ctx, method, path, body)
		switch {
		case err != nil:
			return a, err
		case a.code < 300:
			return a, nil
		case a.code != http.StatusTooManyRequests || a.header.Get("Retry-After") == "":
			return a, fmt.Errorf("%s %s: %d %s", method, path, a.code, a.body)
		}
		select {
		case <-ctx.Done():
			return a, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

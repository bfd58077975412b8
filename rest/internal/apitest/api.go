package apitest

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// Now is the time in all tests, so that whole bodies can be compared.
func Now() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 678, time.UTC) }

// NowText is the time in all tests as objects show it.
const NowText = "2026-01-02T03:04:05Z"

// NewStore returns a store in memory that counts revisions from 1, so a test can predict them.
func NewStore(t testing.TB) *memory.Store {
	t.Helper()
	return CloseAtEnd(t, memory.New(storage.Options{Start: 1}))
}

// CloseAtEnd closes a store, or an API, at the end of the test.
func CloseAtEnd[C io.Closer](t testing.TB, c C) C {
	t.Cleanup(func() {
		if api, ok := any(c).(*rest.API); ok {
			Close(t, api)
		} else {
			require.NoError(t, c.Close())
		}
	})
	return c
}

// Close closes an API. A busy machine may need longer than the four seconds after which API.Close gives up.
func Close(t testing.TB, api *rest.API) {
	t.Helper()
	err := api.Close()
	if errors.Is(err, context.DeadlineExceeded) {
		ctx, cancel := context.WithTimeout(context.Background(), Deadline)
		defer cancel()
		err = api.Shutdown(ctx)
	}
	require.NoError(t, err)
}

// Start makes an API as a host does, with the host's defaults.
func Start(t testing.TB, options rest.Options, definitions ...rest.Definition) *rest.API {
	t.Helper()
	api, err := rest.New(options, definitions...)
	require.NoError(t, err)
	return CloseAtEnd(t, api)
}

// New starts an API with predictable answers: its clock stands still at now, it counts uids from uid-1, and the first
// commit is resourceVersion 2.
func New(t testing.TB, options rest.Options, definitions ...rest.Definition) *rest.API {
	t.Helper()
	if options.Now == nil {
		options.Now = Now
	}
	var uids atomic.Int64
	options.NewUID = func() string { return "uid-" + strconv.FormatInt(uids.Add(1), 10) }
	if options.Store == nil {
		options.Store = NewStore(t)
	}
	return Start(t, options, definitions...)
}

// LoggerTo returns a logger that writes lines of text.
func LoggerTo(into io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(into, nil)) }

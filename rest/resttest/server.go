package resttest

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// Options change the defaults of [New]. The zero value serves an empty API in memory.
type Options struct {
	// API are the options of the API. The defaults make answers repeatable: a store in memory whose revisions start at 1,
	// so that the first commit is resourceVersion 2; Server.Clock; counted uids; and the log of the test. If the test
	// passes a store, the test must close it.
	API rest.Options
	// Time is the initial time of Server.Clock. Default: the beginning of 2026, UTC.
	Time time.Time
	// Prefix is the path below which the API is mounted, such as "/platform". Default: the root.
	Prefix string
	// Middleware is the host's own, such as one that puts the user into the context. It receives the requests over HTTP
	// after they were recorded, unless a fault answers them first.
	Middleware func(http.Handler) http.Handler
}

// Server is the running API of a test. It ends with the test and leaves no goroutine behind.
type Server struct {
	// API is the API itself. Its in-process clients ([Client]) belong to the test: they meet no faults and are not
	// recorded, except under [Server.UnderTest].
	API *rest.API
	// Clock is the API's clock, which stands still until the test moves it. Watches, timeouts and faults do not use it,
	// and neither does the API if Options.API has a clock of its own.
	Clock *Clock

	t       testing.TB
	prefix  string
	store   storage.Store
	handler http.Handler // leads to the API, behind recorder and faults
	log     requestLog
	faults  faultList

	life context.Context // a context that ends with the server
	end  context.CancelFunc

	mu        sync.Mutex
	ended     bool
	underWay  sync.WaitGroup // requests over HTTP
	listening *httptest.Server
}

// forever is the maximum age of the history. A test can advance the clock without losing history.
const forever = 100 * 365 * 24 * time.Hour

// New starts an API with these resources, and its plug-ins, that runs until the test ends. It fails the test at once if
// a definition is invalid. It opens no socket and starts no goroutine before one is needed.
func New(t testing.TB, definitions ...rest.Definition) *Server {
	t.Helper()
	return NewWith(t, Options{}, definitions...)
}

// NewWith is [New] with options.
func NewWith(t testing.TB, options Options, definitions ...rest.Definition) *Server {
	t.Helper()
	if options.Time.IsZero() {
		options.Time = start()
	}
	s := &Server{t: t, prefix: strings.TrimSuffix(options.Prefix, "/"), Clock: &Clock{now: options.Time}}
	s.life, s.end = context.WithCancel(context.Background())

	o := options.API
	if o.Now == nil {
		o.Now = s.Clock.Now
	}
	closeStore := func() error { return nil }
	if o.Store == nil {
		memory := memory.New(storage.Options{Start: 1, Now: o.Now, MaxLogAge: forever})
		o.Store, closeStore = memory, memory.Close
	}
	s.store = o.Store
	o.Store = &calledStore{Store: s.store, server: s}
	if o.NewUID == nil {
		o.NewUID = countedUIDs()
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	api, err := rest.New(o, definitions...)
	if err != nil {
		_ = closeStore()
		t.Fatalf("resttest: %v", err)
	}
	if err := api.Start(s.life); err != nil {
		_ = errors.Join(api.Close(), closeStore())
		t.Fatalf("resttest: %v", err)
	}
	s.API, s.handler = api, api
	if options.Middleware != nil {
		s.handler = options.Middleware(s.handler)
	}
	if s.prefix != "" {
		s.handler = http.StripPrefix(s.prefix, s.handler)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.close(), closeStore()); err != nil {
			t.Errorf("resttest: closing the server: %v", err)
		}
		for _, f := range s.faults.neverMet() {
			t.Errorf("resttest: no request met the fault %s: does it match the right requests?", f)
		}
	})
	return s
}

// close ends the running requests and calls, and waits for them.
func (s *Server) close() error {
	s.mu.Lock()
	s.ended = true
	listening := s.listening
	s.mu.Unlock()
	s.end()
	if listening != nil {
		listening.CloseClientConnections()
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := s.API.Shutdown(ctx)
	if err != nil {
		return errors.New("a call of a client is still running: the test must end the calls that it starts")
	}
	if listening != nil {
		listening.Close()
	}
	s.underWay.Wait()
	return nil
}

// enter counts a request over HTTP, and returns false if the server has ended.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return false
	}
	s.underWay.Add(1)
	return true
}

// ResourceVersion returns the resourceVersion of the last change of any object. If it is the same before and after a
// reconcile, the controller has written nothing.
func (s *Server) ResourceVersion() string {
	return strconv.FormatUint(uint64(s.store.Revision()), 10)
}

// Expire makes the server drop all states except the present one, as happens over time in production. A client that
// continues a list or resumes a watch from an earlier resourceVersion gets 410 Expired and must start over. Watches
// that are up to date continue.
func (s *Server) Expire() {
	s.t.Helper()
	if err := s.store.Compact(s.life, s.store.Revision()); err != nil {
		s.t.Fatalf("resttest: %v", err)
	}
}

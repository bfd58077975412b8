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
)

// Options are what a test may want to be different from [New].
type Options struct {
	// API are the options of the API. What is not set is what makes answers repeatable: a store in memory whose revisions
	// start at 1, so that the first commit is resourceVersion 2; Server.Clock; counted uids; the log of the test. A store
	// that is given stays the test's to close.
	API rest.Options
	// Time is where Server.Clock begins. Default: the beginning of 2026, UTC.
	Time time.Time
	// Prefix is the path below which the API is mounted, like "/platform". Default: the root.
	Prefix string
	// Middleware is what the host has before its API, such as one that puts the user into the context. It sees requests
	// that come over HTTP after they were recorded, and only those that no fault has kept from it.
	Middleware func(http.Handler) http.Handler
}

// Server is a running API of a test. It ends with the test and leaves no goroutine behind.
type Server struct {
	// API is the API itself. The clients that [rest.ClientFor] makes of it are the test's own: see [Server.UnderTest].
	API *rest.API
	// Clock is the API's clock, which stands still until the test moves it. It is not that of watches, timeouts and faults,
	// nor is it used where Options.API has another one.
	Clock *Clock

	t       testing.TB
	prefix  string
	store   storage.Store
	handler http.Handler // the way to the API beyond recorder and faults
	log     requestLog
	faults  faultList

	life context.Context // over when the server ends
	end  context.CancelFunc

	mu        sync.Mutex
	ended     bool
	underWay  sync.WaitGroup // requests over HTTP
	listening *httptest.Server
}

// maxEnd bounds how long the end of a test waits for requests and calls under way.
const maxEnd = 10 * time.Second

// New starts an API of these resources for as long as the test runs. What cannot work is a fatal error of the test. It
// opens no socket and starts no goroutine before it is needed.
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
	closeStore := func() error { return nil }
	if o.Store == nil {
		memory := storage.NewMemory(storage.MemoryOptions{Start: 1})
		o.Store, closeStore = memory, memory.Close
	}
	s.store = o.Store
	o.Store = &calledStore{Store: s.store, server: s}
	if o.Now == nil {
		o.Now = s.Clock.Now
	}
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
	s.API, s.handler = api, api
	if options.Middleware != nil {
		s.handler = options.Middleware(s.handler)
	}
	if s.prefix != "" {
		s.handler = http.StripPrefix(s.prefix, s.handler)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.close(), closeStore()); err != nil {
			t.Errorf("resttest: the end of the server: %v", err)
		}
		for _, f := range s.faults.neverMet() {
			t.Errorf("resttest: no request ever met the fault %s: is it about the right one?", f)
		}
	})
	return s
}

// close ends what is under way, and waits for it.
func (s *Server) close() error {
	s.mu.Lock()
	s.ended = true
	listening := s.listening
	s.mu.Unlock()
	s.end()
	if listening != nil {
		listening.CloseClientConnections()
	}
	ctx, cancel := context.WithTimeout(context.Background(), maxEnd)
	defer cancel()
	err := s.API.Shutdown(ctx)
	if err != nil {
		return errors.New("a call of a client is still under way; end what the test has started before it ends")
	}
	if listening != nil {
		listening.Close()
	}
	s.underWay.Wait()
	return nil
}

// enter lets a request over HTTP in, unless the server has ended.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return false
	}
	s.underWay.Add(1)
	return true
}

// ResourceVersion is that of the last change of any object. As long as it stays the same nothing was written: to compare
// it before and after is how a test proves that a controller leaves alone what is as it should be.
func (s *Server) ResourceVersion() string {
	return strconv.FormatUint(uint64(s.store.Revision()), 10)
}

// Expire makes the server forget all states but the present one, as time does in production: whoever continues a list or
// resumes a watch from an earlier resourceVersion is answered 410 Expired and has to start anew. Watches that have kept up
// go on.
func (s *Server) Expire() {
	s.t.Helper()
	if err := s.store.Compact(s.life, s.store.Revision()); err != nil {
		s.t.Fatalf("resttest: %v", err)
	}
}

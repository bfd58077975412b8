package controller

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/decorum-go/decorum/internal/errorlog"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/backoff"
	"github.com/decorum-go/decorum/rest/internal/service"
	"github.com/decorum-go/decorum/status"
)

// IndexFunc returns the values under which ByIndex finds an object. The result must depend on the object only, and
// the function must not change the object. ByIndex calls it for each object that it returns, and several goroutines may
// call it at the same time.
type IndexFunc[T any] func(obj *T) []string

// InformerOptions configure an informer. The zero value selects all objects of the client's namespace, without an
// index.
type InformerOptions[T any] struct {
	// LabelSelector and FieldSelector select the objects, as in a list.
	LabelSelector, FieldSelector string
	// ShardSelector selects a shard of the objects. The method Selector of election.Shard returns one. Run returns an error
	// if the API does not serve shards ([rest.Options].Sharded).
	ShardSelector string
	// Transform, if set, changes each decoded object before handlers, index functions and readers see it, for example to
	// remove fields that the program does not need. Its result must depend on the object only. It must keep the metadata
	// that informers need: name, namespace, uid, resourceVersion and ownerReferences.
	Transform func(obj *T)
	// Indexes are the indexes for ByIndex, by name.
	Indexes map[string]IndexFunc[T]
	// DecodedBytes limits the decoded objects that an informer of an in-process client keeps, in bytes of their text. A
	// decoded object takes about as much memory as its text. Default: 32 MiB; negative: keep none.
	DecodedBytes int64
	// Name names the informer to the Observer, such as "widgets". Informers of one program need different names.
	Name string
	// Observer observes how far the informer lags behind the store. Default: none.
	Observer Observer
	// Logger logs failures after which the informer tries again. Default: the informer logs errors only, to the logger
	// that slog.Default returns when NewInformer is called.
	Logger *slog.Logger
}

// Informer keeps track of all objects of a resource while it runs, and reports every difference to handlers. Its
// content is always the state of the store at one revision, which may be between two writes of one commit. All methods
// are safe for concurrent use.
//
// An informer of an in-process client in the stored version of the kind keeps no copy of the objects. It holds the
// records of the store, decodes an object when a handler, an index function or a caller asks for it, and keeps the most
// recently used ones decoded ([InformerOptions].DecodedBytes). If it cannot decode an object, it logs the error and
// leaves out the object. Any other informer keeps all objects decoded. It needs less memory if T has only the fields
// that the program reads, or if T is [apimeta.PartialObjectMetadata] (see [rest.ClientForEndpoint]).
//
// All readers and handlers share the objects: never change one. Two reads of an unchanged object may return different
// copies.
type Informer[T any] struct {
	client    rest.Client[T]
	namespace string // the client's namespace, or empty
	options   InformerOptions[T]
	metadata  *metadata[T]
	invalid   error // returned by Run at once
	content   content[T]
	handled   func(lag time.Duration) // nil without an Observer
	unseen    unseen[T]

	delivering sync.Mutex    // held while the cache changes and handlers run
	synced     chan struct{} // closed after the first list

	mu       sync.Mutex
	handlers []*Handler[T] // the active handlers; the slice is replaced, never changed
	joining  []*Handler[T] // new handlers that are not up to date yet
	session  *session      // the latest, nil before the first
}

// session is one period in which an informer works. Overlapping calls of Run share it.
type session struct {
	calls  int
	cancel context.CancelFunc
	ended  chan struct{}
	err    error // set before ended is closed
}

// NewInformer returns an informer, which is empty until it runs. Run returns the error if an argument is invalid.
func NewInformer[T any](client rest.Client[T], options InformerOptions[T]) *Informer[T] {
	options.Logger = errorlog.Or(options.Logger)
	inside := service.InsideOf(client)
	i := &Informer[T]{options: options, synced: make(chan struct{}), namespace: inside.Namespace,
		client: client.Namespace(inside.Namespace)} // a copy whose writes the informer awaits
	service.NoteWrites(i.client, i.await)
	i.metadata, i.invalid = metadataOf[T]()
	if records := inside.Records; records != nil {
		i.content = newStored(i, records)
	} else {
		i.content = newDecoded(i, i.client)
	}
	if options.Observer != nil {
		i.handled = options.Observer.ObserveInformer(options.Name)
	}
	for name, of := range options.Indexes {
		if of == nil {
			i.invalid = fmt.Errorf("the index %q has no function", name)
		}
	}
	return i
}

// Get returns an object of the informer. All readers share it: the caller must not change it.
func (i *Informer[T]) Get(namespace, name string) (*T, bool) {
	return i.content.get(Key{Namespace: namespace, Name: name})
}

// List returns the objects of the informer in the order of namespace and name. The caller owns the slice but shares the
// objects, and must not change them.
func (i *Informer[T]) List() []*T { return i.content.list() }

// ByIndex returns the objects that have the value in an index, as List returns them. It returns an error if the
// informer has no such index.
func (i *Informer[T]) ByIndex(index, value string) ([]*T, error) {
	objects, ok := i.content.byIndex(index, value)
	if !ok {
		return nil, fmt.Errorf("the informer has no index %q", index)
	}
	return objects, nil
}

// HasSynced reports whether the informer holds the first list, and the handlers that were added before it have received
// OnAdd for its objects.
func (i *Informer[T]) HasSynced() bool {
	select {
	case <-i.synced:
		return true
	default:
		return false
	}
}

// WaitForSync waits until HasSynced is true. It returns the context's error if the context ends first. A call of Run
// must be active meanwhile.
func (i *Informer[T]) WaitForSync(ctx context.Context) error {
	select {
	case <-i.synced:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Run makes the informer work until ctx ends, and then returns nil. Every user of the informer may call it: the
// informer works while at least one call is active, and the last call to return leaves no goroutine. A later call keeps
// the objects that the informer holds, and reports the differences.
//
// If the store or the connection to the server fails, the informer tries again with the delays of client-go's
// reflectors: 800 ms, doubled after each further failure up to 30 s, plus a random time of up to the same length.
// Meanwhile its content is stale but consistent.
//
// Run returns an error if the informer cannot continue: the client's API in the same process was shut down, the client
// or a selector does not fit the resource, or a handler or index function panicked. After a panic, handlers may have
// missed a call.
func (i *Informer[T]) Run(ctx context.Context) error {
	if i.invalid != nil {
		return fmt.Errorf("informer: %w", i.invalid)
	}
	s := i.enter(ctx)
	select {
	case <-ctx.Done():
	case <-s.ended:
	}
	i.leave(s)
	if ctx.Err() != nil {
		return nil
	}
	return s.err
}

// enter joins the current session, or begins a new one if no call needs the last one any more.
func (i *Informer[T]) enter(ctx context.Context) *session {
	i.mu.Lock()
	defer i.mu.Unlock()
	if s := i.session; s != nil && s.calls > 0 {
		s.calls++
		return s
	}
	before := i.session
	s := &session{calls: 1, ended: make(chan struct{})}
	ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx)) // because other calls may need it longer
	go func() {
		defer close(s.ended)
		if before != nil {
			<-before.ended
		}
		s.err = i.follow(ctx)
	}()
	i.session = s
	return s
}

// leave ends the session if no other call needs it.
func (i *Informer[T]) leave(s *session) {
	i.mu.Lock()
	s.calls--
	last := s.calls == 0
	i.mu.Unlock()
	if last {
		s.cancel()
		<-s.ended
	}
}

// follow lists and watches from there. It lists again if it has missed changes, and tries again after failures.
func (i *Informer[T]) follow(ctx context.Context) (err error) {
	defer func() {
		// The host cannot recover a panic in this goroutine.
		if p := recover(); p != nil {
			err = fmt.Errorf("informer: panic in a handler or index function: %v\n%s", p, debug.Stack())
		}
	}()
	version := "" // the resourceVersion of the content; "" means that the informer must list first
	var retry backoff.Backoff
	fruitless := 0 // consecutive watches that expired before they delivered an event
	for {
		seen, err := i.content.advance(ctx, &version)
		if fruitless++; seen || !status.IsExpired(err) {
			fruitless = 0
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case status.IsExpired(err):
			if version = ""; fruitless < maxFruitless {
				continue
			}
		case status.IsTooLargeResourceVersion(err):
			version = "" // the server has lost revisions, for example because it was restored from a backup
		case isFinal(err):
			return err
		}
		delay := retry.Next(time.Now())
		i.options.Logger.LogAttrs(ctx, slog.LevelError, "informer failed", slog.Duration("again", delay),
			slog.Any("error", err))
		again := time.NewTimer(delay)
		select {
		case <-again.C:
		case <-ctx.Done():
			again.Stop()
			return ctx.Err()
		}
	}
}

// sync marks the end of the first list. The caller holds the delivering lock.
func (i *Informer[T]) sync() {
	if i.HasSynced() {
		return
	}
	close(i.synced)
	for _, h := range i.told() {
		h.synced()
	}
}

// noteHandled reports to the Observer that the handlers have handled a change.
func (i *Informer[T]) noteHandled(written time.Time) {
	if i.handled != nil && !written.IsZero() {
		i.handled(max(0, time.Since(written)))
	}
}

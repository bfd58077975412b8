package controller

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// InformerOptions narrow down an informer. The zero value is all objects of the client's namespace, without an index.
type InformerOptions[T any] struct {
	// LabelSelector and FieldSelector choose the objects, as in a list.
	LabelSelector, FieldSelector string
	// Indexes are the ways to find objects with ByIndex, by name.
	Indexes map[string]IndexFunc[T]
	// Logger is told of failures after which the informer tries again. Default: nothing is logged.
	Logger *slog.Logger
}

// Informer keeps all objects of a resource in memory while it runs, and tells handlers of every difference. What it
// shows is at all times the state of one revision of the store, or between two revisions of one commit. Any number of
// goroutines may use it.
//
// The objects are shared by all readers and handlers: they must not be changed.
type Informer[T any] struct {
	client   rest.Client[T]
	options  InformerOptions[T]
	metadata *metadata[T]
	invalid  error // what Run returns at once
	cache    *cache[T]

	delivering sync.Mutex    // held while the cache changes and handlers are called
	synced     chan struct{} // closed after the first list

	mu       sync.Mutex
	handlers []*Handler[T] // those who are up to date; the slice is replaced, never changed
	joining  []*Handler[T] // those who are not yet
	session  *session      // the latest, nil before the first
}

// session is the time in which an informer works, for as many calls of Run as overlap.
type session struct {
	calls  int
	cancel context.CancelFunc
	ended  chan struct{}
	err    error // set before ended is closed
}

// NewInformer returns an informer that is empty until it runs. What is wrong with its arguments, Run says.
func NewInformer[T any](client rest.Client[T], options InformerOptions[T]) *Informer[T] {
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	i := &Informer[T]{client: client, options: options, cache: newCache(options.Indexes), synced: make(chan struct{})}
	i.metadata, i.invalid = metadataOf[T]()
	for name, of := range options.Indexes {
		if of == nil {
			i.invalid = fmt.Errorf("the index %q has no function", name)
		}
	}
	return i
}

// Get returns an object of the cache. It is shared and must not be changed.
func (i *Informer[T]) Get(namespace, name string) (*T, bool) {
	return i.cache.get(Key{Namespace: namespace, Name: name})
}

// List returns the objects of the cache in the order of namespace and name. The slice is the caller's; the objects are
// shared and must not be changed.
func (i *Informer[T]) List() []*T { return i.cache.list() }

// ByIndex returns the objects for which an index has the value, like List does. It fails where the informer has no such
// index.
func (i *Informer[T]) ByIndex(index, value string) ([]*T, error) {
	objects, ok := i.cache.byIndex(index, value)
	if !ok {
		return nil, fmt.Errorf("the informer has no index %q", index)
	}
	return objects, nil
}

// HasSynced reports whether the cache has been filled and the handlers that were there first have been told of it.
func (i *Informer[T]) HasSynced() bool {
	select {
	case <-i.synced:
		return true
	default:
		return false
	}
}

// WaitForSync waits until HasSynced. It returns the context's error when that is over first; somebody must Run the
// informer meanwhile.
func (i *Informer[T]) WaitForSync(ctx context.Context) error {
	select {
	case <-i.synced:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Run makes the informer work until ctx ends, and then returns nil. It may be called by everybody who needs the informer:
// it works while at least one call is under way, and the last to return leaves no goroutine. A later call goes on with
// the difference to what the cache holds.
//
// After a failure of the store the informer tries again, as client-go's reflectors do: after 800 ms, twice as long after
// each further failure up to 30 s, and with up to as much again at random. What it shows is then behind for so long, but
// never wrong.
//
// Run returns an error where the informer cannot go on: the API is shut down, the client or a selector does not fit the
// resource, or a handler or index function has panicked. After a panic handlers may have missed a call.
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

// enter joins the session that is under way, or begins one where nobody needs the last any more.
func (i *Informer[T]) enter(ctx context.Context) *session {
	i.mu.Lock()
	defer i.mu.Unlock()
	if s := i.session; s != nil && s.calls > 0 {
		s.calls++
		return s
	}
	before := i.session
	s := &session{calls: 1, ended: make(chan struct{})}
	ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx)) // for others may need it longer
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

// leave ends the session when nobody needs it any more.
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

// follow lists, watches from there, lists again whenever it has missed something, and tries again after failures.
func (i *Informer[T]) follow(ctx context.Context) (err error) {
	defer func() {
		// In a goroutine of ours a panic of the host's code could be caught by nobody else.
		if p := recover(); p != nil {
			err = fmt.Errorf("informer: panic in a handler or index function: %v\n%s", p, debug.Stack())
		}
	}()
	version := "" // what the cache is at; "" where a list must tell
	var retry backoff
	for {
		err := i.advance(ctx, &version)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case status.IsExpired(err):
			version = ""
			continue
		case isFinal(err):
			return err
		}
		delay := retry.next(time.Now())
		i.options.Logger.LogAttrs(ctx, slog.LevelError, "informer failed", slog.Duration("again", delay), slog.Any("error", err))
		again := time.NewTimer(delay)
		select {
		case <-again.C:
		case <-ctx.Done():
			again.Stop()
			return ctx.Err()
		}
	}
}

// advance follows the changes after a version, or after a list where there is none, and keeps the version until an error
// ends it.
func (i *Informer[T]) advance(ctx context.Context, version *string) error {
	if *version == "" {
		page, err := i.client.List(ctx, rest.ListOptions{LabelSelector: i.options.LabelSelector, FieldSelector: i.options.FieldSelector})
		if err != nil {
			return fmt.Errorf("informer: list: %w", err)
		}
		i.replace(page.Items)
		*version = page.ResourceVersion
		i.settle()
	}
	options := rest.WatchOptions{LabelSelector: i.options.LabelSelector, FieldSelector: i.options.FieldSelector, ResourceVersion: *version}
	for event, err := range i.client.Watch(ctx, options) {
		if err != nil {
			return fmt.Errorf("informer: watch: %w", err)
		}
		i.apply(event)
		*version = event.ResourceVersion
		i.settle()
	}
	return ctx.Err()
}

// replace takes over a list and tells the difference.
func (i *Informer[T]) replace(objects []*T) {
	i.delivering.Lock()
	defer i.delivering.Unlock()
	entries := make([]entry[T], len(objects))
	for n, obj := range objects {
		key := i.metadata.key(obj)
		if old, ok := i.cache.get(key); ok && i.metadata.same(old, obj) {
			obj = old // which is what readers hold already
		}
		entries[n] = entry[T]{key, obj}
	}
	before, after := i.cache.replace(entries)
	for len(before) > 0 || len(after) > 0 {
		order := 0
		switch {
		case len(after) == 0:
			order = -1
		case len(before) == 0:
			order = 1
		default:
			order = before[0].key.compare(after[0].key)
		}
		var old, obj *T
		if order <= 0 {
			old, before = before[0].object, before[1:]
		}
		if order >= 0 {
			obj, after = after[0].object, after[1:]
		}
		i.tell(old, obj)
	}
	if i.HasSynced() {
		return
	}
	close(i.synced)
	for _, h := range i.told() {
		h.synced()
	}
}

func (i *Informer[T]) apply(event rest.Event[T]) {
	i.delivering.Lock()
	defer i.delivering.Unlock()
	key := i.metadata.key(event.Object)
	if event.Type == watch.Deleted {
		i.cache.set(entry[T]{key: key})
		i.tell(event.Object, nil)
		return
	}
	i.tell(i.cache.set(entry[T]{key, event.Object}), event.Object)
}

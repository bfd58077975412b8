package torture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
	"github.com/decorum-go/decorum/storage/storagetest"
	"github.com/decorum-go/decorum/watch"
)

// The environment of a child process. It opens the file and writes until it is killed.
const (
	childPath  = "DECORUM_TORTURE_CHILD" // the file
	childRun   = "DECORUM_TORTURE_RUN"   // the number of the process
	childAfter = "DECORUM_TORTURE_AFTER" // the revision from which its first watcher resumes; 0 for none
	childTight = "DECORUM_TORTURE_TIGHT" // not empty: the file holds little history
	childLife  = "DECORUM_TORTURE_LIFE"  // how long it lives after it has opened the file, if it is to kill itself
	childFault = "DECORUM_TORTURE_FAULT" // not empty: writes will fail; the process looks at what the store does then, and kills itself
)

const writers = 10

func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		err := child(path)
		report("e %v", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

var reporting sync.Mutex

// report writes a line to the parent. Written lines survive the death of the process. The lines are:
//
//	h                              the process runs
//	o REVISION                     it opened the file at this revision
//	i WRITE SIGN KEY SIGN KEY ...  a write begins: it puts (+) or deletes (-) these objects together
//	a WRITE REVISION ...           the write is acknowledged with these revisions, 0 where it changed nothing
//	n WRITE                        the store has refused the write because of the current objects
//	r KEY REVISION                 the store has shown the object at this revision to a write that it refused, or that changed nothing
//	s WATCHER REVISION             a watcher starts after this revision
//	w WATCHER REVISION KEY WRITE   it sees a change; the WRITE of a deletion is "-"
//	l RESOURCE REVISION KEY=REVISION ...  a list shows these objects
//	f TEXT                         writes have failed, and the store says why
//	e TEXT                         something went wrong
func report(format string, args ...any) {
	line := fmt.Appendf(nil, format+"\n", args...)
	reporting.Lock()
	defer reporting.Unlock()
	os.Stdout.Write(line)
}

// options returns the options of every process. A long run must not lose history because it takes longer than the
// history lives.
func options(path string) bolt.Options {
	return bolt.Options{Path: path, Engine: storage.Options{MaxLogAge: 24 * time.Hour}}
}

func childOptions(path string) bolt.Options {
	opts := options(path)
	if os.Getenv(childTight) != "" {
		opts.Engine.MaxLogBytes = 20 << 10
	}
	return opts
}

// child returns only an error.
func child(path string) error {
	ctx := context.Background()
	report("h")
	if os.Getenv(childFault) != "" {
		signal.Ignore(syscall.Signal(25)) // SIGXFSZ: a write beyond the limit then fails instead
	}
	store, err := bolt.Open(ctx, childOptions(path))
	if err != nil {
		return unopened(err)
	}
	report("o %d", store.Revision())
	if life, err := time.ParseDuration(os.Getenv(childLife)); err == nil {
		defer time.AfterFunc(life, die).Stop()
	}
	if err := register(ctx, store); err != nil {
		return unopened(err)
	}
	errs := make(chan error, writers+4)
	after, err := strconv.ParseUint(os.Getenv(childAfter), 10, 64)
	if err != nil {
		return err
	}
	go func() { errs <- follow(ctx, store, 0, watch.Revision(after)) }()
	go func() { errs <- follow(ctx, store, 1, store.Revision()) }()
	go func() { errs <- lists(ctx, store) }()
	open, err := store.Watch(ctx, watch.Key{}, store.Revision())
	if err != nil {
		return err
	}
	failed := make(chan error, writers)
	for i := range writers {
		w := &writer{store: store, id: i, keys: keys()}
		go func() { failed <- w.run(ctx) }()
	}
	for range writers {
		select {
		case err = <-errs:
			return err
		case err = <-failed:
		}
		if os.Getenv(childFault) == "" || !errors.Is(err, storage.ErrUnknown) && !errors.Is(err, storage.ErrReadOnly) {
			return err
		}
	}
	if err := afterFault(ctx, store, open); err != nil {
		return err
	}
	die()
	return nil
}

// unopened ends a process whose file could not be opened, which is right if writes fail.
func unopened(err error) error {
	if os.Getenv(childFault) != "" {
		report("f %v", err)
		die()
	}
	return err
}

// die kills the process.
func die() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {}
}

// writer performs one write after the other.
type writer struct {
	store storage.Store
	id    int
	n     int
	keys  []storage.Key
}

var errRefused = errors.New("refused")

func (w *writer) run(ctx context.Context) error {
	steps := []func(context.Context, string) error{w.put, w.put, w.put, w.create, w.remove, w.same, w.group, w.group}
	for ; ; w.n++ {
		rand.Shuffle(len(w.keys), func(i, j int) { w.keys[i], w.keys[j] = w.keys[j], w.keys[i] })
		err := steps[rand.N(len(steps))](ctx, fmt.Sprintf("%s.%d.%d", os.Getenv(childRun), w.id, w.n))
		if err != nil {
			return err
		}
	}
}

func size() int { return []int{10, 10, 100, 100, 700, 700, 3000, 20_000}[rand.N(8)] }

func (w *writer) put(ctx context.Context, write string) error {
	key := w.keys[0]
	report("i %s + %s", write, keyText(key))
	r, err := w.store.Update(ctx, key, func(*storage.Record) ([]byte, error) { return object(key, write, size()), nil })
	return ended(write, err, r)
}

func (w *writer) create(ctx context.Context, write string) error {
	key := w.keys[0]
	report("i %s + %s", write, keyText(key))
	var found *storage.Record
	r, err := w.store.Update(ctx, key, func(current *storage.Record) ([]byte, error) {
		if found = current; found != nil {
			return nil, errRefused
		}
		return object(key, write, size()), nil
	})
	if errors.Is(err, errRefused) {
		report("r %s %d", keyText(key), found.Revision)
	}
	return ended(write, err, r)
}

func (w *writer) remove(ctx context.Context, write string) error {
	key := w.keys[0]
	report("i %s - %s", write, keyText(key))
	r, err := w.store.Update(ctx, key, func(*storage.Record) ([]byte, error) { return nil, nil })
	return ended(write, err, r)
}

// same changes nothing.
func (w *writer) same(ctx context.Context, _ string) error {
	r, err := w.store.Update(ctx, w.keys[0], func(current *storage.Record) ([]byte, error) {
		if current == nil {
			return nil, nil
		}
		return storagetest.Text(current), nil
	})
	if err == nil {
		report("r %s %d", keyText(r.Key), r.Revision)
	} else if errors.Is(err, storage.ErrNotFound) || errors.Is(err, storage.ErrContended) {
		err = nil
	}
	return err
}

func (w *writer) group(ctx context.Context, write string) error {
	keys := w.keys[:2+rand.N(3)]
	puts := make([]bool, len(keys))
	text := ""
	for i, k := range keys {
		puts[i] = i == 0 || rand.N(3) > 0
		text += " " + map[bool]string{true: "+", false: "-"}[puts[i]] + " " + keyText(k)
	}
	report("i %s%s", write, text)
	records, err := w.store.UpdateAll(ctx, keys, func([]*storage.Record) ([][]byte, error) {
		next := make([][]byte, len(keys))
		for i, k := range keys {
			if puts[i] {
				next[i] = object(k, write, size())
			}
		}
		return next, nil
	})
	return ended(write, err, records...)
}

// ended reports the outcome of a write.
func ended(write string, err error, records ...*storage.Record) error {
	switch {
	case errors.Is(err, errRefused) || errors.Is(err, storage.ErrNotFound) || errors.Is(err, storage.ErrContended):
		report("n %s", write)
		return nil
	case errors.Is(err, storage.ErrReadOnly):
		report("n %s", write)
		return err
	case err != nil:
		return fmt.Errorf("%s: %w", write, err)
	}
	text := ""
	for _, r := range records {
		revision := watch.Revision(0)
		if r != nil {
			revision = r.Revision
		}
		text += fmt.Sprint(" ", revision)
	}
	report("a %s%s", write, text)
	return nil
}

// follow watches all objects. If the history has expired, it starts from the current revision.
func follow(ctx context.Context, store storage.Store, id int, after watch.Revision) error {
	for {
		if after == 0 {
			after = store.Revision()
		}
		cursor, err := store.Watch(ctx, watch.Key{}, after)
		if err == nil {
			report("s %d %d", id, after)
			err = show(ctx, cursor, id)
		}
		if !status.IsExpired(err) {
			return fmt.Errorf("watcher %d: %w", id, err)
		}
		if os.Getenv(childTight) == "" {
			return fmt.Errorf("watcher %d: after %d: %w", id, after, err)
		}
		after = 0
	}
}

func show(ctx context.Context, cursor watch.Cursor[storage.Record], id int) error {
	defer cursor.Close()
	for {
		if err := showSome(ctx, cursor, id); err != nil {
			return err
		}
	}
}

// showSome waits for changes, and reports them.
func showSome(ctx context.Context, cursor watch.Cursor[storage.Record], id int) error {
	changes, err := cursor.Next(ctx, nil)
	if err != nil {
		return err
	}
	var lines []string
	for _, c := range changes {
		e := eventOf(c)
		if e.write == "" {
			e.write = "-"
		}
		lines = append(lines, fmt.Sprintf("w %d %d %s %s", id, e.revision, e.key, e.write))
	}
	report("%s", strings.Join(lines, "\n"))
	return nil
}

// lists lists after each change.
func lists(ctx context.Context, store storage.Store) error {
	for {
		cursor, err := store.Watch(ctx, watch.Key{}, store.Revision())
		for err == nil {
			if _, err = cursor.Next(ctx, nil); err == nil {
				err = list(ctx, store)
			}
		}
		if cursor != nil {
			cursor.Close()
		}
		if !status.IsExpired(err) {
			return err
		}
	}
}

func list(ctx context.Context, store storage.Store) error {
	for _, resource := range resources() {
		page, err := store.List(ctx, storage.Query{Within: watch.Key{Resource: resource.Name}}, nil)
		if err != nil {
			return err
		}
		text := ""
		for _, r := range page.Records {
			text += fmt.Sprintf(" %s=%d", keyText(r.Key), r.Revision)
		}
		report("l %s %d%s", resource.Name, page.Revision, text)
	}
	return nil
}

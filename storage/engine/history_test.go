package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/heaptest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/engine"
	"github.com/decorum-go/decorum/storage/storagetest"
	"github.com/decorum-go/decorum/watch"
)

const services = "services"

// held is a context that blocks the building of an old state at the second check of the context.
type held struct {
	context.Context
	looks   int
	entered chan struct{} // closed when the state is being built
	release chan struct{}
}

func (h *held) Err() error {
	if h.looks++; h.looks == 2 {
		close(h.entered)
		<-h.release
	}
	return h.Context.Err()
}

// old is a store whose pods and services have a history, revision by revision.
type old struct {
	*engine.Engine
	t     *testing.T
	first watch.Revision
}

func newOld(t *testing.T) old {
	m := newMemory(t, storage.Options{})
	require.NoError(t, m.Register(t.Context(),
		storage.Resource{Name: services, Namespaced: true, Extract: storage.NewExtractor()}))
	_, err := m.Update(t.Context(), storage.Key{Resource: services, Namespace: "default", Name: "x"},
		func(*storage.Record) ([]byte, error) { return podJSON("x", 1), nil })
	require.NoError(t, err)
	o := old{m, t, put(t, m, "x", 1).Revision}
	_, err = m.Update(t.Context(), storage.Key{Resource: services, Namespace: "default", Name: "x"},
		func(*storage.Record) ([]byte, error) { return podJSON("x", 2), nil })
	require.NoError(t, err)
	for i := range 100 {
		put(t, m, "x", 2+i)
	}
	return o
}

func (o old) list(ctx context.Context, resource string, revision watch.Revision) error {
	_, err := o.List(ctx, storage.Query{Within: watch.Key{Resource: resource}, Revision: revision, Exact: true}, nil)
	return err
}

// build starts to build an old state of the pods and blocks in the middle until release is called.
func (o old) build() (release func() error) {
	h := &held{Context: o.t.Context(), entered: make(chan struct{}), release: make(chan struct{})}
	ended := make(chan error, 1)
	go func() { ended <- o.list(h, pods, o.first) }()
	<-h.entered
	return func() error {
		close(h.release)
		return <-ended
	}
}

func TestOldStatesOfOneResourceDoNotWaitForThoseOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOld(t)
		release := o.build()
		require.NoError(t, o.list(t.Context(), services, o.first))
		require.NoError(t, o.list(t.Context(), pods, o.Revision()), "a list of the latest state does not wait for a turn")
		require.NoError(t, release())
	})
}

func TestWhoWaitsForAnOldStateMayLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOld(t)
		release := o.build()
		ctx, leave := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- o.list(ctx, pods, o.first+10) }()
		synctest.Wait()
		require.Empty(t, ended, "it waits")
		leave()
		require.ErrorIs(t, <-ended, context.Canceled)
		require.NoError(t, release())
		require.NoError(t, o.list(t.Context(), pods, o.first+10), "the request that left gave its turn back")
	})
}

func TestHowManyMayWaitForOldStates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const clients = 80
		o := newOld(t)
		release := o.build()
		ended := make(chan error, clients)
		for i := range clients {
			go func() { ended <- o.list(t.Context(), pods, o.first+1+watch.Revision(i)) }()
		}
		synctest.Wait()
		refused := len(ended)
		assert.Equal(t, clients-32, refused)
		for range refused {
			err := <-ended
			require.True(t, status.IsTooManyRequests(err), "%v", err)
			require.EqualValues(t, 1, status.From(err).Status.Details.RetryAfterSeconds)
		}
		require.NoError(t, o.list(t.Context(), services, o.first), "the limit applies to each resource separately")
		require.NoError(t, release())
		for range clients - refused {
			require.NoError(t, <-ended)
		}
		require.NoError(t, o.list(t.Context(), pods, o.first+clients), "a request is accepted again")
	})
}

// Eight states of 20,000 records with eight indexes need 40 MB, though few of the records change.
func TestSnapshotsAreBoundedByBytes(t *testing.T) {
	const count, limit = 20_000, 16 << 20
	m := engine.New(storage.Options{Start: 1_000_000_000, MaxLogBytes: limit})
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	labels := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	form := storage.Resource{Name: pods, Namespaced: true, Extract: storage.NewExtractor()}
	for _, label := range labels {
		form.Indexed = append(form.Indexed, watch.Index{Label: label})
	}
	require.NoError(t, m.Register(t.Context(), form))
	write := func(n, round int) {
		_, err := m.Update(t.Context(), pod(fmt.Sprintf("%05d", n)), func(*storage.Record) ([]byte, error) {
			return fmt.Appendf(nil,
				`{"metadata":{"resourceVersion":"1000000000","labels":{"a":"x","b":"x","c":"x","d":"x","e":"x","f":"x","g":"x","h":"x"}},"round":%d}`, round), nil
		})
		require.NoError(t, err)
	}
	for n := range count {
		write(n, 0)
	}
	require.NoError(t, m.Compact(t.Context(), m.Revision()))
	before := heaptest.InUse()
	var pages []storage.Query
	for round := range 8 {
		for _, label := range labels {
			opts := storage.Query{Within: watch.Key{Resource: pods}, Limit: 1,
				Terms: []watch.Term{{Index: watch.Index{Label: label}, Value: "x"}}}
			page, err := m.List(t.Context(), opts, nil)
			require.NoError(t, err)
			require.True(t, page.More)
			opts.Revision, opts.Exact = page.Revision, true
			pages = append(pages, opts)
		}
		for n := 0; n < count; n += 20 { // one record of each node of the trees
			write(n, round+1)
		}
	}
	grown := heaptest.InUse() - before
	t.Logf("%d MiB", grown>>20)
	assert.Less(t, grown, int64(limit+limit/4), "the log, and a quarter of its bytes for snapshots")
	for i, opts := range pages {
		page, err := m.List(t.Context(), opts, nil)
		require.NoError(t, err)
		assert.True(t, bytes.HasSuffix(storagetest.Text(page.Records[0]), fmt.Appendf(nil, `"round":%d}`, i/len(labels))),
			"a snapshot that was dropped is built again")
	}
	runtime.KeepAlive(m)
}

// manyLabels returns JSON with many short labels, so that a record needs many times the bytes of its JSON.
func manyLabels(version, count int) []byte {
	var labels strings.Builder
	for i := range count {
		fmt.Fprintf(&labels, `"%x.%d":"",`, i, version)
	}
	return []byte(`{"metadata":{"resourceVersion":"1000000000","labels":{` + strings.TrimSuffix(labels.String(), ",") +
		`}}}`)
}

func TestHistoryCountsWhatBelongsToARecord(t *testing.T) {
	list := func(before, element, after string) func(version, count int) []byte {
		return func(version, count int) []byte {
			all := strings.TrimSuffix(strings.Repeat(element+",", count), ",")
			return fmt.Appendf(nil, `{"metadata":{"resourceVersion":"1000000000"%s%s%s},"version":%d}`, before,
				strings.ReplaceAll(all, "#", fmt.Sprint(version)), after, version)
		}
	}
	for name, object := range map[string]func(version, count int) []byte{
		"labels": manyLabels,
		"owners": list(`,"ownerReferences":[`, `{"uid":"#"}`, `]`),
	} {
		t.Run(name, func(t *testing.T) {
			const limit = 2 << 20
			m := newMemory(t, storage.Options{Start: 1_000_000_000, MaxLogBytes: limit})
			write := func(version int) {
				_, err := m.Update(t.Context(), pod("x"),
					func(*storage.Record) ([]byte, error) { return object(version, 2000), nil })
				require.NoError(t, err)
			}
			before := heaptest.InUse()
			for version := range 150 {
				write(version)
			}
			assert.Less(t, heaptest.InUse()-before, int64(limit*5/4))
			runtime.KeepAlive(m)
		})
	}
}

// Versions of an object with the same labels share them, so the history must count them once.
func TestHistoryCountsSharedPartsOnce(t *testing.T) {
	labels := manyLabels(0, 2000)
	m := newMemory(t, storage.Options{Start: 1_000_000_000, MaxLogBytes: 4 << 20})
	first := m.Revision()
	for version := range 100 {
		_, err := m.Update(t.Context(), pod("x"), func(*storage.Record) ([]byte, error) {
			return fmt.Appendf(nil, `%s,"version":%d}`, labels[:len(labels)-1], version), nil
		})
		require.NoError(t, err)
	}
	assert.True(t, readable(m, first))
}

package storagetest

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// These are the resources of the suite. One name is a prefix of another.
const (
	widgets = "widgets.example.com"
	longer  = "widgets.example.community" // namespaced, has the prefix widgets
	nodes   = "nodes"                     // cluster-scoped
)

// patience bounds every wait of a case. Only a store that breaks its contract reaches it. It is as long as
// hangtest.Deadline, which package storage does not import.
const patience = 5 * time.Minute

// farFuture is a distance that no store reaches without writes. A replica may move its revision forward when the
// authority that the replicas share has done so.
const farFuture watch.Revision = 1 << 40

// rule is one rule of the contract and the case that proves it.
type rule struct {
	name     string
	sentence string
	prove    func(*subject)
}

// Subject makes stores of one implementation. Run skips the chapters whose function is nil.
type Subject struct {
	// New returns an empty store without registered resources. Run closes it. New is required.
	New func(t *testing.T) storage.Store
	// Reopen closes a store that New or Reopen returned, and opens it again with the same objects. Run closes the result.
	Reopen func(t *testing.T, store storage.Store) storage.Store
	// Kill runs [Work] on an empty store in a process that dies at the n-th commit, counted from 0, without cleaning up.
	// It returns the output of Work, and the store, opened again. Run closes the store.
	Kill func(t *testing.T, n int) (written []byte, left storage.Store)
	// Fail makes the n-th commit from now on fail in a store that New returned, counted from 0, so that the outcome of the
	// commit is unknown.
	Fail func(t *testing.T, store storage.Store, n int)
	// Peer returns a second store with the same objects as a store that New returned, like another replica. Run closes it.
	Peer func(t *testing.T, store storage.Store) storage.Store
	// Except are the names of the rules that the stores do not promise, each with the reason. Run skips them.
	Except map[string]string
}

// Run proves every rule for one implementation of a store.
func Run(t *testing.T, make Subject) {
	all := slices.Concat(lifeRules, registerRules, updateRules, listRules, indexRules, sortedRules, visibleRules,
		groupRules, transactionRules, watchRules, compactionRules, historyRules)
	if make.Reopen != nil {
		all = append(all, reopenRules...)
	}
	if make.Kill != nil {
		all = append(all, killRules...)
	}
	if make.Fail != nil {
		all = append(all, failRules...)
	}
	if make.Peer != nil {
		all = append(all, peerRules...)
	}
	for name := range make.Except {
		assert.True(t, slices.ContainsFunc(all, func(r rule) bool { return r.name == name }), "there is no rule %s to except",
			name)
	}
	for _, r := range all {
		t.Run(r.name, func(t *testing.T) {
			if reason, excepted := make.Except[r.name]; excepted {
				t.Skip(reason) // Subject.Except has the reason why the store does not promise the rule
			}
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("the rule: %s", r.sentence)
				}
			})
			goroutines := runtime.NumGoroutine()
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			s := &subject{T: t, ctx: ctx, make: make, store: make.New(t)}
			if _, can := s.store.(storage.Transactor); !can && isTransactionRule(r) {
				require.NoError(t, s.store.Close())
				// Transactions are optional. All stores of this module have them.
				t.Skip("the store does not implement storage.Transactor")
			}
			s.register()
			r.prove(s)
			if !t.Failed() && !s.closed {
				s.checkInvariants()
			}
			err := s.store.Close()
			if !s.failed {
				assert.NoError(t, err)
			}
			cancel()
			s.checkGoroutines(goroutines)
		})
	}
}

// subject is a store under test.
type subject struct {
	*testing.T
	ctx   context.Context
	make  Subject
	store storage.Store

	closed bool // the case closed the store itself
	failed bool // the case made a commit fail, so Close may fail too
}

// register registers the resources of the suite.
func (s *subject) register() {
	s.Helper()
	for _, resource := range s.resources() {
		require.NoError(s, s.store.Register(s.ctx, resource))
	}
}

// reopen closes the store and opens it again.
func (s *subject) reopen() {
	s.Helper()
	s.store = s.make.Reopen(s.T, s.store)
	s.register()
}

func (s *subject) resources() []storage.Resource {
	extract := storage.NewExtractor([]string{"spec", "color"}, []string{"metadata", "name"}, []string{"spec", "n"})
	indexed := []watch.Index{odds, colors, sizes}
	return []storage.Resource{
		{Name: widgets, Namespaced: true, Extract: extract, Indexed: indexed, Fingerprint: "1"},
		{Name: longer, Namespaced: true, Extract: extract, Fingerprint: "1"},
		{Name: nodes, Extract: extract, Indexed: indexed, Fingerprint: "1"},
	}
}

// checkInvariants checks what must hold for every store that is not being written.
func (s *subject) checkInvariants() {
	for _, resource := range s.resources() {
		page := s.list(storage.Query{Within: watch.Key{Resource: resource.Name}})
		require.Equal(s, s.store.Revision(), page.Revision, "without writes, a list has the store's revision")
		require.False(s, page.More)
		require.Zero(s, page.Remaining)
		for i, r := range page.Records {
			s.checkRecord(r, resource.Extract)
			require.Equal(s, resource.Name, r.Key.Resource)
			if i > 0 {
				before := page.Records[i-1].Key
				require.True(s, before.Namespace < r.Key.Namespace ||
					before.Namespace == r.Key.Namespace && before.Name < r.Key.Name,
					"the list is not in order of namespace and name: %v, %v", before, r.Key)
			}
			got, err := s.store.Get(s.ctx, r.Key, page.Revision)
			require.NoError(s, err)
			s.requireSame(r, got, "get and list return the same record")
		}
	}
}

// checkRecord checks a single record.
func (s *subject) checkRecord(r *storage.Record, extract storage.Extractor) {
	version := string(Text(r)[r.Version.Start:r.Version.End])
	require.Equal(s, strconv.FormatUint(uint64(r.Revision), 10), version, "the JSON carries the record's revision: %s",
		Text(r))
	require.LessOrEqual(s, r.Revision, s.store.Revision())
	parts, err := extract(Text(r))
	require.NoError(s, err)
	require.Equal(s, r.With(Text(r), parts).Extracted, r.Extracted, "the parts match the JSON")
	require.Equal(s, string(Text(r)), string(TextAt(r, r.Revision)))
}

// checkGoroutines waits until no more goroutines run than before the case.
func (s *subject) checkGoroutines(before int) {
	for deadline := time.Now().Add(patience); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			s.Fatalf("%d goroutines are left after Close, there were %d before the case:\n%s", runtime.NumGoroutine(), before,
				stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// object returns canonical JSON with a spec and a label. The store writes the resourceVersion.
func object(key storage.Key, color string, n int) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":%q,"namespace":%q,"uid":"uid-%s-%s","resourceVersion":"",`+
		`"labels":{"color":%q,"odd":"%t"},"ownerReferences":[{"kind":"Owner","uid":"owner-%d"}]},"spec":{"color":%q,"n":%d}}`,
		key.Name, key.Namespace, key.Namespace, key.Name, color, n%2 == 1, n%3, color, n)
}

func widget(namespace, name string) storage.Key {
	return storage.Key{Resource: widgets, Namespace: namespace, Name: name}
}

// put creates or replaces an object.
func (s *subject) put(key storage.Key, color string, n int) *storage.Record {
	s.Helper()
	r, err := s.store.Update(s.ctx, key, func(*storage.Record) ([]byte, error) { return object(key, color, n), nil })
	require.NoError(s, err)
	return r
}

func (s *subject) remove(key storage.Key) *storage.Record {
	s.Helper()
	r, err := s.store.Update(s.ctx, key, func(*storage.Record) ([]byte, error) { return nil, nil })
	require.NoError(s, err)
	return r
}

func (s *subject) list(opts storage.Query) storage.Listing {
	s.Helper()
	page, err := s.store.List(s.ctx, opts, nil)
	require.NoError(s, err)
	return page
}

func (s *subject) watch(scope watch.Key, after watch.Revision) watch.Cursor[storage.Record] {
	s.Helper()
	cursor, err := s.store.Watch(s.ctx, scope, after)
	require.NoError(s, err)
	s.Cleanup(cursor.Close)
	return cursor
}

// position returns the index of the record that has a revision, or -1.
func position(records []*storage.Record, revision watch.Revision) int {
	return slices.IndexFunc(records, func(r *storage.Record) bool { return r.Revision == revision })
}

// names returns the namespaces and names of records.
func names(records []*storage.Record) []string {
	all := make([]string, 0, len(records))
	for _, r := range records {
		all = append(all, r.Key.Namespace+"/"+r.Key.Name)
	}
	return all
}

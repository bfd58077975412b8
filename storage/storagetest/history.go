package storagetest

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

var historyRules = []rule{
	{"Model", "The store behaves as a map with a list of events, at every revision that it retains.", func(s *subject) {
		m := newModel(s)
		for range 1500 {
			m.step()
		}
		m.checkEveryRevision()
	}},
	{"Linearizable", "A linearizability checker accepts every concurrent history of reads and writes.", linearizable},
	{"LinearizableGroups", "A linearizability checker accepts every concurrent history of reads, writes and groups.",
		linearizableGroups},
}

// model is a plain map for every revision that a reader may see.
type model struct {
	*subject
	random  *rand.Rand
	states  map[watch.Revision]map[storage.Key]string // JSON by key
	oldest  watch.Revision
	written int // how many texts were made
}

func newModel(s *subject) *model {
	seed := uint64(time.Now().UnixNano())
	s.Logf("seed %d", seed)
	m := &model{subject: s, random: rand.New(rand.NewPCG(seed, 0)), states: map[watch.Revision]map[storage.Key]string{}}
	m.oldest = s.store.Revision()
	m.states[m.oldest] = map[storage.Key]string{}
	return m
}

// reopened tells the model that the store was reopened after revision last. A reopened store continues at a higher
// revision.
func (m *model) reopened(last watch.Revision) {
	m.states[m.store.Revision()] = m.states[last]
}

func (m *model) key() storage.Key {
	name := fmt.Sprint(m.random.IntN(5))
	switch m.random.IntN(5) {
	case 0:
		return storage.Key{Resource: nodes, Name: name}
	case 1:
		return storage.Key{Resource: longer, Namespace: "a", Name: name}
	default:
		return widget([]string{"a", "aa"}[m.random.IntN(2)], name)
	}
}

func (m *model) step() {
	now := m.states[m.store.Revision()]
	switch n := m.random.IntN(100); {
	case n < 50:
		m.write(1)
	case n < 60:
		m.write(1 + m.random.IntN(4))
	case n < 80:
		key := m.key()
		r, err := m.store.Get(m.ctx, key, 0)
		if want, ok := now[key]; ok {
			require.NoError(m, err)
			require.Equal(m, want, string(Text(r)))
		} else {
			require.ErrorIs(m, err, storage.ErrNotFound)
		}
	case n < 98:
		revisions := slices.Sorted(maps.Keys(m.states))
		if m.random.IntN(2) == 0 { // makes the store create, keep and drop snapshots
			revisions = revisions[max(0, len(revisions)-4):]
		}
		m.checkList(revisions[m.random.IntN(len(revisions))])
	default:
		revisions := slices.Sorted(maps.Keys(m.states))
		through := revisions[m.random.IntN(len(revisions))]
		require.NoError(m, m.store.Compact(m.ctx, through))
		m.oldest = max(m.oldest, through)
		_, err := m.store.List(m.ctx,
			storage.Query{Within: watch.Key{Resource: widgets}, Revision: m.oldest - 1, Exact: true}, nil)
		require.True(m, status.IsExpired(err), "%v", err)
		maps.DeleteFunc(m.states, func(r watch.Revision, _ map[storage.Key]string) bool { return r < m.oldest })
	}
}

// write calls Update or UpdateAll for random objects: most calls change them, some delete them, some are no-ops and
// some fail.
func (m *model) write(count int) {
	var keys []storage.Key
	for len(keys) < count {
		if key := m.key(); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	before := m.store.Revision()
	after := maps.Clone(m.states[before])
	fail := m.random.IntN(10) == 0
	next := make([][]byte, count)
	for i, key := range keys {
		old, exists := after[key]
		switch {
		case m.random.IntN(4) == 0:
			delete(after, key)
		case exists && m.random.IntN(4) == 0:
			next[i] = []byte(old)
		default:
			m.written++
			next[i] = object(key, []string{"red", "green"}[m.random.IntN(2)], m.written) // differs from every other
			after[key] = string(next[i])
		}
	}
	records, err := m.store.UpdateAll(m.ctx, keys, func([]*storage.Record) ([][]byte, error) {
		if fail {
			return next, errRefused
		}
		return next, nil
	})
	if fail {
		require.ErrorIs(m, err, errRefused)
		require.Equal(m, before, m.store.Revision())
		return
	}
	require.NoError(m, err)
	last := before
	for i, key := range keys {
		switch _, existed := m.states[before][key]; {
		case next[i] == nil && !existed:
			require.Nil(m, records[i])
			continue
		case next[i] != nil && after[key] == m.states[before][key]:
			require.LessOrEqual(m, records[i].Revision, before, "a no-op")
			continue
		case next[i] != nil:
			after[key] = strings.Replace(after[key], `"resourceVersion":""`,
				fmt.Sprintf(`"resourceVersion":"%d"`, records[i].Revision), 1)
		}
		require.Greater(m, records[i].Revision, last, "the revisions of a group ascend")
		last = records[i].Revision
	}
	require.Equal(m, last, m.store.Revision())
	m.states[last] = after
}

// checkList reads one revision page by page.
func (m *model) checkList(revision watch.Revision) {
	scope := m.key()
	if m.random.IntN(3) > 0 {
		scope.Name = ""
	}
	if scope.Name == "" && m.random.IntN(2) == 0 {
		scope.Namespace = ""
	}
	var match func(*storage.Record) bool
	if m.random.IntN(2) == 0 {
		match = func(r *storage.Record) bool { return r.Fields[0] == "red" }
	}
	want := map[storage.Key]string{}
	for key, json := range m.states[revision] {
		if scope.Contains(key) && (match == nil || strings.Contains(json, `"color":"red"`)) {
			want[key] = json
		}
	}
	got := map[storage.Key]string{}
	opts := storage.Query{Within: scope, Match: match, Limit: m.random.IntN(4), Revision: revision, Exact: true}
	for more := true; more; {
		page := m.list(opts)
		require.Equal(m, revision, page.Revision)
		maps.Copy(got, shown(page))
		if match == nil {
			require.EqualValues(m, len(want)-len(got), page.Remaining)
		}
		if more = page.More; more {
			opts.After = page.Records[len(page.Records)-1].Key
		}
	}
	require.Equal(m, want, got, "%+v at %d", scope, revision)
}

// checkEveryRevision reads each retained revision with Exact, and replays the changes from it to the latest state.
func (m *model) checkEveryRevision() {
	latest := m.states[m.store.Revision()]
	for revision, state := range m.states { // the order of a map is random
		got := map[storage.Key]string{}
		for _, resource := range m.resources() {
			scope := watch.Key{Resource: resource.Name}
			page := m.list(storage.Query{Within: scope, Revision: revision, Exact: true})
			maps.Copy(got, shown(page))
		}
		require.Equal(m, state, got, "at %d", revision)
		for _, resource := range m.resources() {
			cursor, err := m.store.Watch(m.ctx, watch.Key{Resource: resource.Name}, revision)
			require.NoError(m, err)
			for cursor.Position() < m.store.Revision() {
				changes, err := cursor.Poll(nil)
				require.NoError(m, err)
				for _, c := range changes {
					if c.Current == nil {
						delete(got, c.Key)
					} else {
						got[c.Key] = string(Text(c.Current))
					}
				}
			}
			cursor.Close()
		}
		require.Equal(m, latest, got, "replayed from %d", revision)
	}
}

// These are the operations of a client on one object, and their results, for the checker.
type (
	call struct {
		key, verb, value string
	}
	answer struct {
		value    string // read, or replaced
		revision watch.Revision
	}
	known struct {
		value    string // empty if the object does not exist
		revision watch.Revision
	}
)

// register models one object for the checker: a value that operations replace one after the other, at ascending
// revisions.
var register = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		byKey := map[string][]porcupine.Operation{}
		for _, operation := range history {
			key := operation.Input.(call).key
			byKey[key] = append(byKey[key], operation)
		}
		return slices.Collect(maps.Values(byKey))
	},
	Init: func() any { return known{} },
	Step: func(state, input, output any) (bool, any) {
		s, in, out := state.(known), input.(call), output.(answer)
		switch {
		case out.value != s.value:
			return false, s
		case in.verb == "get" || in.verb == "list":
			return s.value == "" || out.revision == s.revision, s
		case in.verb == "create" && s.value != "", in.verb == "delete" && s.value == "":
			return true, s // the store was right to reject the write
		case in.verb == "delete":
			return out.revision > s.revision, known{"", out.revision}
		default:
			return out.revision > s.revision, known{in.value, out.revision}
		}
	},
}

func linearizable(s *subject) {
	const clients, calls, keys = 6, 300, 3
	seed := uint64(time.Now().UnixNano())
	s.Logf("seed %d", seed)
	start := time.Now()
	histories := make([][]porcupine.Operation, clients)
	var all sync.WaitGroup
	for id := range clients {
		random := rand.New(rand.NewPCG(seed, uint64(id)))
		all.Go(func() {
			for i := range calls {
				in := call{key: fmt.Sprint(random.IntN(keys)),
					verb: []string{"get", "list", "create", "put", "delete"}[random.IntN(5)], value: fmt.Sprintf("%d-%d", id, i)}
				began := time.Since(start).Nanoseconds()
				out := s.call(in)
				histories[id] = append(histories[id],
					porcupine.Operation{ClientId: id, Input: in, Call: began, Output: out, Return: time.Since(start).Nanoseconds()})
			}
		})
	}
	all.Wait()
	require.Equal(s, porcupine.Ok, porcupine.CheckOperationsTimeout(register, slices.Concat(histories...), patience))
}

// call performs one operation on the store.
func (s *subject) call(in call) answer {
	key := widget("a", in.key)
	switch in.verb {
	case "get":
		r, err := s.store.Get(s.ctx, key, 0)
		if errors.Is(err, storage.ErrNotFound) {
			return answer{}
		}
		assert.NoError(s, err)
		return answer{r.Fields[0], r.Revision}
	case "list":
		page, err := s.store.List(s.ctx, storage.Query{Within: key}, nil)
		if !assert.NoError(s, err) || len(page.Records) == 0 {
			return answer{}
		}
		return answer{page.Records[0].Fields[0], page.Records[0].Revision}
	}
	var seen string
	r, err := s.store.Update(s.ctx, key, func(current *storage.Record) ([]byte, error) {
		runtime.Gosched() // lets other goroutines write between read and commit
		seen = ""
		if current != nil {
			seen = current.Fields[0]
		}
		switch {
		case in.verb == "create" && current != nil, in.verb == "delete" && current == nil:
			return nil, errRefused
		case in.verb == "delete":
			return nil, nil
		}
		return object(key, in.value, 0), nil
	})
	if errors.Is(err, errRefused) {
		return answer{value: seen}
	}
	assert.NoError(s, err)
	return answer{seen, r.Revision}
}

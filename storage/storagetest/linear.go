package storagetest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

const groupKeys = 3

// The operations of a client on a group of objects, and their results. The checker tracks the state of all objects.
type (
	groupCall struct {
		list  bool
		write [groupKeys]string // the values to write; "" leaves the object unchanged, and "-" deletes it
		must  [groupKeys]string // what the function requires of the objects: "present", "absent" or nothing
	}
	groupAnswer struct {
		seen    [groupKeys]string // "" if the object does not exist
		applied bool
		unknown bool
	}
)

// groups models all objects. A write with an unknown outcome counts as never returned, so it may take effect at any
// later time.
var groups = porcupine.Model{
	Init: func() any { return [groupKeys]string{} },
	Step: func(state, input, output any) (bool, any) {
		s, in, out := state.([groupKeys]string), input.(groupCall), output.(groupAnswer)
		if !out.unknown && s != out.seen {
			return false, s
		}
		if out.applied || out.unknown {
			for i, value := range in.write {
				switch value {
				case "":
				case "-":
					s[i] = ""
				default:
					s[i] = value
				}
			}
		}
		return true, s
	},
}

func groupKey(i int) storage.Key { return widget("a", fmt.Sprint("group-", i)) }

func linearizableGroups(s *subject) {
	h := newGroupHistory(s)
	h.record(80)
	h.check()
}

// linearizableReopenings is linearizableGroups for a store that is closed and opened again between the operations.
func linearizableReopenings(s *subject) {
	h := newGroupHistory(s)
	for range 3 {
		h.record(30)
		s.reopen()
	}
	h.record(30)
	h.check()
}

// linearizablePeers is linearizableGroups for clients that use three replicas in turn.
func linearizablePeers(s *subject) {
	h := newGroupHistory(s)
	for range 2 {
		peer := &subject{T: s.T, ctx: s.ctx, make: s.make, store: s.make.Peer(s.T, s.store)}
		peer.register()
		h.replicas = append(h.replicas, peer)
	}
	h.record(60)
	h.check()
	for _, peer := range h.replicas[1:] {
		require.NoError(s, peer.store.Close())
	}
}

// groupHistory records the operations of clients.
type groupHistory struct {
	*subject
	replicas   []*subject
	seed       uint64
	start      time.Time
	clients    int
	operations []porcupine.Operation
}

func newGroupHistory(s *subject) *groupHistory {
	h := &groupHistory{subject: s, replicas: []*subject{s}, seed: uint64(time.Now().UnixNano()), start: time.Now()}
	s.Logf("seed %d", h.seed)
	return h
}

// record runs concurrent clients with a number of calls each.
func (h *groupHistory) record(calls int) {
	const clients = 6
	histories := make([][]porcupine.Operation, clients)
	var all sync.WaitGroup
	for i := range histories {
		id := h.clients + i
		random := rand.New(rand.NewPCG(h.seed, uint64(id)))
		all.Go(func() {
			for n := range calls {
				in := randomGroup(random, fmt.Sprintf("%d-%d", id, n))
				began := time.Since(h.start).Nanoseconds()
				out, ok := h.replicas[n%len(h.replicas)].groupCall(in)
				ended := time.Since(h.start).Nanoseconds()
				if out.unknown {
					ended = math.MaxInt64
				}
				if ok {
					histories[i] = append(histories[i],
						porcupine.Operation{ClientId: id, Input: in, Call: began, Output: out, Return: ended})
				}
				if out.unknown { // continue as a new client, because the operations of one client must not overlap
					return
				}
			}
		})
	}
	all.Wait()
	h.clients += clients
	h.operations = append(h.operations, slices.Concat(histories...)...)
}

// check requires that the operations have an order that explains their results.
func (h *groupHistory) check() {
	h.Helper()
	require.Equal(h, porcupine.Ok, porcupine.CheckOperationsTimeout(groups, h.operations, patience))
}

func randomGroup(random *rand.Rand, value string) (in groupCall) {
	if random.IntN(3) == 0 {
		in.list = true
		return in
	}
	for i := range in.write {
		in.write[i] = []string{"", "", value, value, "-"}[random.IntN(5)]
		in.must[i] = []string{"", "", "present", "absent"}[random.IntN(4)]
	}
	return in
}

// groupCall performs one operation. It returns false if the store refused the operation for a reason that does not
// depend on the objects, such as a read-only store.
func (s *subject) groupCall(in groupCall) (out groupAnswer, ok bool) {
	if in.list {
		page, err := s.store.List(s.ctx, storage.Query{Within: watch.Key{Resource: widgets, Namespace: "a"}}, nil)
		assert.NoError(s, err)
		byName := map[string]string{}
		for _, r := range page.Records {
			byName[r.Key.Name] = r.Fields[0]
		}
		for i := range out.seen {
			out.seen[i] = byName[groupKey(i).Name]
		}
		return out, true
	}
	var keys []storage.Key
	for i := range groupKeys {
		keys = append(keys, groupKey(i))
	}
	_, err := s.store.UpdateAll(s.ctx, keys, func(current []*storage.Record) ([][]byte, error) {
		next := make([][]byte, groupKeys)
		refused := false
		for i, r := range current {
			out.seen[i] = ""
			if r != nil {
				out.seen[i], next[i] = r.Fields[0], Text(r)
			}
			refused = refused || in.must[i] == "present" && r == nil || in.must[i] == "absent" && r != nil
			switch in.write[i] {
			case "":
			case "-":
				next[i] = nil
			default:
				next[i] = object(keys[i], in.write[i], 0)
			}
		}
		if refused {
			return nil, errRefused
		}
		return next, nil
	})
	switch {
	case err == nil:
		out.applied = true
	case errors.Is(err, errRefused):
	case errors.Is(err, storage.ErrUnknown):
		out.unknown = true
	case errors.Is(err, storage.ErrReadOnly) || errors.Is(err, storage.ErrContended):
		return out, false
	default:
		assert.NoError(s, err)
	}
	return out, true
}

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

const serialKeys = 4

// serialState is the value of each object, or "" if it does not exist.
type serialState [serialKeys]string

// serialStep is one call in a transaction. It reads or lists, or writes what it has read last and a value of its own.
type serialStep struct {
	do    string // get, list, put or delete
	on    int
	value string
}

// The operations of a client, and their results. The checker tracks the state of all objects.
type (
	serialCall struct {
		steps []serialStep
		fails bool
	}
	serialAnswer struct {
		seen     string // what all steps returned
		unknown  bool
		replaced bool // the store has refused a new object in the place of a deleted one
	}
)

// transactions models all objects. A transaction takes effect at one moment, and has seen the state of this moment.
var transactions = porcupine.Model{
	Init: func() any { return serialState{} },
	Step: func(state, input, output any) (bool, any) {
		before, in, out := state.(serialState), input.(serialCall), output.(serialAnswer)
		s, seen, replaced := in.run(before)
		if !out.unknown && (seen != out.seen || replaced != out.replaced) {
			return false, before
		}
		if in.fails || replaced {
			return true, before
		}
		return true, s
	},
}

// run takes the steps in the model.
func (in serialCall) run(before serialState) (s serialState, seen string, replaced bool) {
	s = before
	last := ""
	for _, step := range in.steps {
		switch step.do {
		case "get":
			last = s[step.on]
			seen += "|" + last
		case "list":
			seen += fmt.Sprint("|", s)
		case "put":
			if s[step.on] == "" && before[step.on] != "" {
				return s, seen, true
			}
			s[step.on] = step.text(last)
		case "delete":
			seen += fmt.Sprint("|", s[step.on] != "")
			s[step.on] = ""
		}
	}
	return s, seen, false
}

// text is what a step writes. It depends on what the transaction has read, and is bounded.
func (p serialStep) text(last string) string {
	return p.value + "<" + last[:min(len(last), 8)]
}

func randomSerial(random *rand.Rand, value string, lists bool) (in serialCall) {
	kinds := []string{"get", "get", "put", "put", "delete"}
	if lists {
		kinds = append(kinds, "list")
	}
	for n := range 1 + random.IntN(4) {
		step := serialStep{do: kinds[random.IntN(len(kinds))], on: random.IntN(serialKeys), value: fmt.Sprint(value, ".", n)}
		in.steps = append(in.steps, step)
	}
	in.fails = random.IntN(8) == 0
	return in
}

// serializable runs concurrent transactions, in turn at several replicas if the store has them.
func serializable(s *subject) {
	const clients, calls = 4, 40
	replicas := []*subject{s}
	if s.make.Peer != nil {
		peer := &subject{T: s.T, ctx: s.ctx, make: s.make, store: s.make.Peer(s.T, s.store)}
		peer.register()
		replicas = append(replicas, peer)
		defer func() { require.NoError(s, peer.store.Close()) }()
	}
	seed, start := uint64(time.Now().UnixNano()), time.Now()
	s.Logf("seed %d", seed)
	histories := make([][]porcupine.Operation, clients)
	var all sync.WaitGroup
	for i := range histories {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		all.Go(func() {
			for n := range calls {
				in := randomSerial(random, fmt.Sprintf("%d-%d", i, n), s.make.Peer == nil)
				began := time.Since(start).Nanoseconds()
				out, ok := replicas[n%len(replicas)].serial(in)
				ended := time.Since(start).Nanoseconds()
				if out.unknown {
					ended = math.MaxInt64
				}
				if ok {
					histories[i] = append(histories[i],
						porcupine.Operation{ClientId: i, Input: in, Call: began, Output: out, Return: ended})
				}
				if out.unknown {
					return
				}
			}
		})
	}
	all.Wait()
	require.Equal(s, porcupine.Ok, porcupine.CheckOperationsTimeout(transactions, slices.Concat(histories...), patience))
}

// serial performs one operation. It returns false if the store refused it for a reason that does not depend on the
// objects.
func (s *subject) serial(in serialCall) (out serialAnswer, ok bool) {
	_, err := s.transact(func(tx *subject) error {
		out = serialAnswer{}
		last := ""
		for _, step := range in.steps {
			key := groupKey(step.on)
			switch step.do {
			case "get":
				last = ""
				if r := tx.get(key); r != nil {
					last = r.Fields[0]
				}
				out.seen += "|" + last
			case "list":
				var state serialState
				page, err := tx.store.List(tx.ctx, storage.Query{Within: watch.Key{Resource: widgets, Namespace: "a"}}, nil)
				if err != nil {
					return err
				}
				for _, r := range page.Records {
					for i := range state {
						if groupKey(i) == r.Key {
							state[i] = r.Fields[0]
						}
					}
				}
				out.seen += fmt.Sprint("|", state)
			case "put":
				_, err := tx.store.Update(tx.ctx, key,
					func(*storage.Record) ([]byte, error) { return object(key, step.text(last), 0), nil })
				if out.replaced = errors.Is(err, storage.ErrTransaction); err != nil {
					return err
				}
			case "delete":
				_, err := tx.store.Update(tx.ctx, key, func(*storage.Record) ([]byte, error) { return nil, nil })
				if err != nil && !errors.Is(err, storage.ErrNotFound) {
					return err
				}
				out.seen += fmt.Sprint("|", err == nil)
			}
		}
		if in.fails {
			return errRefused
		}
		return nil
	})
	switch {
	case err == nil, errors.Is(err, errRefused), errors.Is(err, storage.ErrTransaction):
		return out, true
	case errors.Is(err, storage.ErrUnknown):
		out.unknown = true
		return out, true
	case errors.Is(err, storage.ErrReadOnly) || errors.Is(err, storage.ErrContended):
		return out, false
	}
	assert.NoError(s, err)
	return out, false
}

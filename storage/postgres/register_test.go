package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/postgres"
)

// entry is an operation of a client on a register: it appends a word, which is unique, or reads the register. A
// register thereby tells at the end which appends took effect, and in which order.
type entry struct {
	ID       string
	Register string
	Read     bool
	Began    int64 // the time in nanoseconds
	Ended    int64 // 0 if the operation has no answer
	Refused  bool  // nothing has happened
	Seen     string
}

// journal holds the entries of a round.
type journal struct {
	mu      sync.Mutex
	entries map[string]entry
}

// record adds an entry, or replaces it when the operation has ended.
func (l *journal) record(e entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.entries == nil {
		l.entries = map[string]entry{}
	}
	l.entries[e.ID] = e
}

// take returns the entries, and forgets them.
func (l *journal) take() map[string]entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.entries
	l.entries = nil
	return taken
}

// client sends operations to the registers of a round, one at a time.
type client struct {
	round  int
	name   string
	sent   int
	record func(entry)
}

// work performs one operation.
func (c *client) work(ctx context.Context, store storage.Store, pool *pgxpool.Pool) {
	c.sent++
	e := entry{ID: fmt.Sprintf("%s-%d", c.name, c.sent),
		Register: fmt.Sprintf("round-%d-%d", c.round, rand.IntN(registers)), Read: rand.IntN(3) == 0,
		Began: time.Now().UnixNano()}
	c.record(e)
	var r *storage.Record
	var err error
	answered := true
	switch {
	case e.Read:
		r, err = store.Get(ctx, note(e.Register), storage.MostRecent)
		if errors.Is(err, storage.ErrNotFound) {
			err = nil
		}
	case rand.IntN(3) == 0: // the write joins a transaction of the host
		committing := false
		err = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
			var err error
			r, err = appendWord(postgres.InTx(ctx, tx), store, e)
			committing = err == nil
			return err
		})
		answered = err == nil || !committing || postgres.IsConflict(err)
	default:
		r, err = appendWord(ctx, store, e)
		answered = !errors.Is(err, storage.ErrUnknown) && !errors.Is(err, storage.ErrClosed) &&
			status.CodeOf(err) != http.StatusGatewayTimeout
	}
	if r != nil {
		e.Seen = textOf(r)
	}
	if e.Refused = err != nil; answered {
		e.Ended = time.Now().UnixNano()
	}
	c.record(e)
}

func appendWord(ctx context.Context, store storage.Store, e entry) (*storage.Record, error) {
	return store.Update(ctx, note(e.Register), func(current *storage.Record) ([]byte, error) {
		text := e.ID
		if current != nil {
			text = textOf(current) + " " + e.ID
		}
		return noteJSON(e.Register, text), nil
	})
}

// registerModel models a register by the number of its words.
var registerModel = porcupine.Model{
	Partition: func(history []porcupine.Operation) (parts [][]porcupine.Operation) {
		byRegister := map[string][]porcupine.Operation{}
		for _, o := range history {
			register := o.Input.(entry).Register
			byRegister[register] = append(byRegister[register], o)
		}
		for _, part := range byRegister {
			parts = append(parts, part)
		}
		return parts
	},
	Init: func() any { return 0 },
	Step: func(state, input, output any) (bool, any) {
		if input.(entry).Read {
			return output == state, state
		}
		return output == state.(int)+1, output
	},
}

// settle checks that the registers hold all words that were acknowledged, each once, and none that was refused, and
// that clients saw only what the registers held at some time. It returns the operations for the checker, and how many
// have no answer.
func settle(t testing.TB, entries map[string]entry,
	state map[string]string) (settled []porcupine.Operation, unknown int) {
	t.Helper()
	place := map[string]int{} // the place of a word in its register
	for _, text := range state {
		for i, word := range strings.Fields(text) {
			_, twice := place[word]
			require.False(t, twice, "%s is written twice", word)
			place[word] = i + 1
		}
	}
	for _, e := range entries {
		number, ended := len(strings.Fields(e.Seen)), e.Ended
		if e.Ended > 0 && !e.Refused {
			require.True(t, e.Seen == state[e.Register] || e.Seen == "" || strings.HasPrefix(state[e.Register], e.Seen+" "),
				"a client saw %q, but the register holds %q", e.Seen, state[e.Register])
		}
		written, ok := place[e.ID]
		switch {
		case e.Ended == 0 && e.Read, e.Read && e.Refused:
			continue
		case e.Ended == 0:
			unknown++
			if !ok {
				continue
			}
			number, ended = written, math.MaxInt64 // it took effect, perhaps later
		case e.Refused:
			require.False(t, ok, "%s was refused, and took effect", e.ID)
			continue
		case !e.Read:
			require.Equal(t, written, number, "%s was acknowledged", e.ID)
		}
		settled = append(settled, porcupine.Operation{ClientId: len(settled), Input: e, Output: number, Call: e.Began,
			Return: ended})
	}
	return settled, unknown
}

package postgres_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/postgres"
	"github.com/decorum-go/decorum/storage/storagetest"
	"github.com/decorum-go/decorum/watch"
)

// follower counts, for each object, the changes that a watch shows, and checks their order.
type follower struct {
	last   watch.Revision
	counts map[string]int
}

// take checks that each change follows the one before, and shows the next value of its counter: nothing is lost,
// doubled or reordered.
func (f *follower) take(t testing.TB, changes []*watch.Change[storage.Record]) {
	for _, c := range changes {
		assert.Greater(t, c.Revision, f.last)
		f.last = c.Revision
		f.counts[c.Key.Name]++
		assert.Equal(t, fmt.Sprint(f.counts[c.Key.Name]), textOf(c.Current))
	}
}

// textOf returns the text of a note.
func textOf(r *storage.Record) string {
	var n struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(storagetest.Text(r), &n)
	return n.Text
}

// While 64 writers and open transactions of the host write, every watch shows each change once and in order.
func TestOrder(t *testing.T) {
	const writers, transactions, rounds = 64, 8, 10
	pool, schema := connect(t, server(t).URL("postgres")), newSchema()
	replicas := []*postgres.Store{}
	for range 3 {
		replicas = append(replicas, serving(t, postgres.Options{Pool: pool, Schema: schema}))
	}
	start := replicas[0].Revision()
	var writing, following sync.WaitGroup
	for i := range writers {
		writing.Go(func() {
			for n := range rounds {
				_, err := put(t.Context(), replicas[i%3], fmt.Sprint("writer-", i), fmt.Sprint(n+1))
				assert.NoError(t, err)
			}
		})
	}
	for i := range transactions {
		writing.Go(func() {
			for n := range rounds {
				err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
					ctx := postgres.InTx(t.Context(), tx)
					for _, side := range []string{"left", "right"} {
						if _, err := put(ctx, replicas[i%3], fmt.Sprint("host-", i, "-", side), fmt.Sprint(n+1)); err != nil {
							return err
						}
					}
					_, err := replicas[i%3].Get(ctx, note("writer-0"), storage.MostRecent) // stay open for a while
					if errors.Is(err, storage.ErrNotFound) {
						err = nil
					}
					return err
				})
				assert.NoError(t, err)
			}
		})
	}
	const total = writers*rounds + 2*transactions*rounds
	for _, replica := range replicas {
		following.Go(func() {
			cursor, err := replica.Watch(t.Context(), watch.Key{Resource: notes}, start)
			if !assert.NoError(t, err) {
				return
			}
			defer cursor.Close()
			f := follower{counts: map[string]int{}}
			for seen := 0; seen < total; {
				changes, err := cursor.Next(t.Context(), nil)
				if !assert.NoError(t, err) {
					return
				}
				seen += len(changes)
				f.take(t, changes)
			}
			assert.Equal(t, start+total, f.last, "revisions have no gaps")
		})
	}
	writing.Wait()
	following.Wait()
}

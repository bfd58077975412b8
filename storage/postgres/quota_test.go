package postgres_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/quota"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/postgres"
	"github.com/decorum-go/decorum/storage/storagetest"
)

// Writers on two replicas, with and without transactions of the host, get exactly the available places.
func TestQuotas(t *testing.T) {
	const each, places = 4, 10
	pool, schema := connect(t, server(t).URL("postgres")), newSchema()
	limits := quota.New(quota.Fixed(map[quota.Account][]quota.Limit{
		{Namespace: "default"}: {{Name: "places", Resource: notes, Objects: places}},
	}))
	opts := postgres.Options{Pool: pool, Schema: schema, Engine: storage.Options{MaxWait: time.Minute, Ledger: limits}}
	here, there := serving(t, opts), serving(t, opts)
	user := access.WithUser(t.Context(), access.User{Name: "bob"})
	inTx := func(store storage.Store, names ...string) error {
		for {
			err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
				for _, name := range names {
					if _, err := put(postgres.InTx(user, tx), store, name, "text"); err != nil {
						return err
					}
				}
				return nil
			})
			if !postgres.IsConflict(err) {
				return err
			}
		}
	}
	var many []string
	for n := range places + 1 {
		many = append(many, fmt.Sprint("many-", n))
	}
	require.True(t, storagetest.Exceeded(t, inTx(here, many...)), "a transaction counts what it has written")

	var created atomic.Int64
	var all sync.WaitGroup
	for w, write := range []func(name string) error{
		func(name string) error { _, err := put(user, here, name, "text"); return err },
		func(name string) error { _, err := put(user, there, name, "text"); return err },
		func(name string) error { return inTx(here, name) },
		func(name string) error { return inTx(there, name) },
	} {
		all.Go(func() {
			for n := range each {
				if !storagetest.Exceeded(t, write(fmt.Sprint(w, n))) {
					created.Add(1)
				}
			}
		})
	}
	all.Wait()
	assert.EqualValues(t, places, created.Load())
	count := 0
	query := fmt.Sprintf(`SELECT count(*) FROM "%s".objects WHERE creator <> ''`, schema)
	require.NoError(t, pool.QueryRow(context.Background(), query).Scan(&count))
	assert.Equal(t, places, count, "every object has its creator")
}

// A transaction of the host that begins a deletion and then makes the object larger needs room for what it adds.
func TestGrowthBesideADeletionInTx(t *testing.T) {
	pool, schema := connect(t, server(t).URL("postgres")), newSchema()
	limits := quota.New(quota.Fixed(map[quota.Account][]quota.Limit{
		{Namespace: "default"}: {{Name: "bytes", Resource: notes, Bytes: 10_000}},
	}))
	store := serving(t, postgres.Options{Pool: pool, Schema: schema, Engine: storage.Options{Ledger: limits}})
	_, err := put(t.Context(), store, "x", "text")
	require.NoError(t, err)
	deleteAndGrow := func(by int) error {
		return pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
			for _, text := range []string{"text", strings.Repeat("x", by)} {
				_, err := store.Update(postgres.InTx(t.Context(), tx), note("x"), func(*storage.Record) ([]byte, error) {
					return bytes.Replace(noteJSON("x", text), []byte(`"metadata":{`),
						[]byte(`"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z",`), 1), nil
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	for range 3 {
		require.True(t, storagetest.Exceeded(t, deleteAndGrow(20_000)))
	}
	require.NoError(t, deleteAndGrow(5_000))
}

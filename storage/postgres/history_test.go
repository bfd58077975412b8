package postgres_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/historytest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/postgres"
	"github.com/decorum-go/decorum/storage/seal"
)

// Whichever of two replicas clients ask, and however the replicas end, the history of each object is the list of its
// versions. It is sealed as the objects are.
func TestHistoryOfObjects(t *testing.T) {
	pool, schema := connect(t, server(t).URL("postgres")), newSchema()
	transformer, err := seal.NewAEAD(seal.Key{ID: "1", Secret: bytes.Repeat([]byte("k"), 16)})
	require.NoError(t, err)
	historytest.Run(t, historytest.Stores{
		Open: func() storage.Store {
			return open(t, postgres.Options{Pool: pool, Schema: schema, Transformer: transformer})
		},
		Replicas: 2,
	}, 200)
	for _, table := range []string{"objects", "changes"} {
		all, plain := 0, 0
		count := fmt.Sprintf(`SELECT count(*), count(*) FILTER (WHERE position($1 IN body) > 0) FROM "%s".%s`, schema, table)
		require.NoError(t, pool.QueryRow(t.Context(), count, []byte(historytest.Planted)).Scan(&all, &plain))
		require.NotZero(t, all, table)
		require.Zero(t, plain, table)
	}
}

func TestRacingWritersOfAHistory(t *testing.T) {
	opts := postgres.Options{Pool: connect(t, server(t).URL("postgres")), Schema: newSchema()}
	historytest.Race(t, func() storage.Store { return open(t, opts) })
}

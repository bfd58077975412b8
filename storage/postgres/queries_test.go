package postgres_test

import (
	"testing"

	"github.com/decorum-go/decorum/internal/test/querytest"
	"github.com/decorum-go/decorum/storage/postgres"
)

// Whichever of two replicas clients ask, queries equal a filter and a sort of all objects.
func TestQueries(t *testing.T) {
	opts := postgres.Options{Pool: connect(t, server(t).URL("postgres")), Schema: newSchema()}
	here, there := open(t, opts), open(t, opts)
	querytest.Run(t, querytest.Subject{Serve: querytest.Over(here, there), Queries: 60})
}

// Transactions over HTTP on two replicas, with lists meanwhile, are all or nothing.
func TestTransactions(t *testing.T) {
	opts := postgres.Options{Pool: connect(t, server(t).URL("postgres")), Schema: newSchema()}
	querytest.Transfer(t, open(t, opts), open(t, opts))
}

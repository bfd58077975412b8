package controller

import (
	"errors"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// maxFruitless is how many consecutive watches may expire without an event before the informer delays the next
// list.
const maxFruitless = 3

// errNoShards means that the API has answered with all objects instead of a shard. With all objects, several replicas
// would work on the same object.
var errNoShards = errors.New("the API does not serve shards of this resource: set Options.Sharded of package rest")

// checkShard returns an error unless a list contains the wanted shard.
func checkShard(wanted, listed string) error {
	if wanted != "" && listed == "" {
		return errNoShards
	}
	return nil
}

// isFinal reports whether a retry cannot succeed: the API or its store is closed, or the request does not fit the
// resource. NotFound is not final, because proxies also answer 404 while the server behind them starts.
func isFinal(err error) bool {
	return status.IsBadRequest(err) || status.IsMethodNotAllowed(err) || errors.Is(err, watch.ErrClosed) ||
		errors.Is(err, errNoShards)
}

package foreign_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/foreign"
	"github.com/decorum-go/decorum/storage/storagetest"
)

// texts is a source that keeps objects as it receives them.
type texts struct {
	mu  sync.Mutex
	all map[foreign.Name]json.RawMessage
}

func nameOf(text json.RawMessage) foreign.Name {
	var object struct{ Metadata foreign.Name }
	if err := json.Unmarshal(text, &object); err != nil {
		panic(err)
	}
	return object.Metadata
}

func (s *texts) source(resource string) foreign.Source[json.RawMessage] {
	put := func(_ context.Context, text *json.RawMessage) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all[nameOf(*text)] = *text
		return nil
	}
	return foreign.Source[json.RawMessage]{
		Resource: apimeta.ParseGroupResource(resource),
		List: func(context.Context) ([]json.RawMessage, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			return slices.Collect(maps.Values(s.all)), nil
		},
		Create: put,
		Update: func(ctx context.Context, _, text *json.RawMessage) error { return put(ctx, text) },
		Delete: func(_ context.Context, text *json.RawMessage) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.all, nameOf(*text))
			return nil
		},
		Every: 50 * time.Millisecond,
	}
}

// except are the rules that a store of objects that live elsewhere does not promise.
func except() map[string]string {
	all := map[string]string{"UnregisterEmpty": "the scope of a kind is that of its first registration, because the source has one"}
	for reason, rules := range map[string][]string{
		"a revision that this process has not given out is Expired at once, without a wait and with a message of its own": {
			"FutureRevision", "Close", "Upgrade", "UpgradeOfNothing", "UpgradeOfOne", "WatchFromTheFuture"},
		"the uid of a new object is that of the source, or made from its names, so these rules find another one than they wrote": {
			"CreateReadReplaceDelete", "NoOp", "EmptyTransaction"},
		"one write changes one object, so a group and a transaction of several are refused": {
			"Written", "Group", "GroupIsAtomic", "Transaction", "TransactionRunsAgain", "TransactionJoined",
			"TransactionRefuses",
			"TransactionLists", "TransactionOfManyGoroutines", "SerializableTransactions", "ListThenWatch",
			"ListThenWatchAcrossCompaction", "WatchEverything", "Model", "LinearizableGroups"},
	} {
		for _, rule := range rules {
			all[rule] = reason
		}
	}
	return all
}

// The store keeps the rules of a store, with these exceptions. TestModel proves what the excepted models would.
func TestContract(t *testing.T) {
	storagetest.Run(t, storagetest.Subject{Except: except(), New: func(t *testing.T) storage.Store {
		var sources []foreign.Definition
		for _, resource := range []string{"widgets.example.com", "widgets.example.community", "nodes"} {
			s := &texts{all: map[foreign.Name]json.RawMessage{}}
			sources = append(sources, s.source(resource))
		}
		store, err := foreign.Open(foreign.Options{}, sources...)
		require.NoError(t, err)
		return store
	}})
}

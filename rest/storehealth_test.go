package rest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
)

// readOnlyStore is a store that has become read-only after a failed commit.
type readOnlyStore struct {
	storage.Store
	err error
}

func (s *readOnlyStore) Ready() error { return s.err }

func (s *readOnlyStore) Update(ctx context.Context, key storage.Key, fn storage.UpdateFunc) (*storage.Record, error) {
	if s.err != nil {
		return nil, s.err
	}
	return s.Store.Update(ctx, key, fn)
}

func (s *readOnlyStore) UpdateAll(ctx context.Context, keys []storage.Key,
	fn storage.UpdateAllFunc) ([]*storage.Record, error) {
	if s.err != nil {
		return nil, s.err
	}
	return s.Store.UpdateAll(ctx, keys, fn)
}

// If the store is read-only, the API refuses writes with the reason, shows it at /readyz, and still
// serves reads.
func TestReadOnlyStore(t *testing.T) {
	store := &readOnlyStore{Store: apitest.NewStore(t)}
	api := apitest.New(t, rest.Options{Store: store}, apitest.WidgetResource())
	apitest.CreateWidget(t, api, "a")
	assert.Equal(t, "ok", apitest.Do(t, api, "GET", "/readyz/store", "").Body)

	store.err = storage.ReadOnly(errors.New("the disk is full"))
	a := apitest.Do(t, api, "PATCH", apitest.Widgets+"/a", `{"spec":{"size":2}}`, "Content-Type",
		"application/merge-patch+json")
	apitest.WantFailure(t, a, 503, "ServiceUnavailable", "the store is read-only: the disk is full",
		`{"causes":[{"message":"the disk is full","reason":"StoreReadOnly"}],"retryAfterSeconds":10}`)
	assert.Equal(t, "10", a.Header.Get("Retry-After"))
	assert.Equal(t, 503, apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"b"`)).Code)
	assert.Equal(t, 200, apitest.Do(t, api, "GET", apitest.Widgets+"/a", "").Code)
	assert.Equal(t, 200, apitest.Do(t, api, "GET", "/livez", "").Code)
	a = apitest.Do(t, api, "GET", "/readyz", "")
	assert.Equal(t, 500, a.Code)
	assert.Equal(t, "[+]ping ok\n[-]store failed: storage: the store is read-only: the disk is full\n[+]shutdown ok\nreadyz check failed\n", a.Body)
	assert.Equal(t, "internal server error: storage: the store is read-only: the disk is full\n",
		apitest.Do(t, api, "GET", "/readyz/store", "").Body)
	assert.Equal(t, "[+]ping ok\n[+]store excluded: ok\n[+]shutdown ok\nreadyz check passed\n",
		apitest.Do(t, api, "GET", "/readyz?verbose&exclude=store", "").Body)

	store.err = storage.Unknown(context.DeadlineExceeded)
	a = apitest.Do(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"b"`))
	assert.Equal(t, 504, a.Code)
	assert.Empty(t, a.Header.Get("Retry-After"), "the outcome is unknown, so the client must not simply retry")
}

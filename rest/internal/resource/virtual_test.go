package resource_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

func TestVirtualKind(t *testing.T) {
	api := apitest.New(t, rest.Options{}, apitest.SumResource(func(_ context.Context, s *apitest.Sum) error {
		if len(s.Spec.Numbers) == 0 {
			return status.BadRequest("nothing to add")
		}
		for _, n := range s.Spec.Numbers {
			s.Status.Total += n
		}
		return nil
	}))
	apitest.WantJSON(t, apitest.Do(t, api, "POST", apitest.Sums,
		`{"apiVersion":"example.com/v1","kind":"Sum","metadata":{"uid":"x"},"spec":{"numbers":[1,2,3]},"status":{"total":77}}`), 201,
		`{"apiVersion":"example.com/v1","kind":"Sum","metadata":{"creationTimestamp":"`+apitest.NowText+
			`"},"spec":{"numbers":[1,2,3]},"status":{"total":6}}`)
	apitest.WantFailure(t, apitest.Do(t, api, "POST", apitest.Sums, apitest.SumBody(`{"numbers":[]}`)), 400, "BadRequest",
		"nothing to add", "")
	apitest.WantInvalid(t, apitest.Do(t, api, "POST", apitest.Sums, apitest.SumBody(`{"numbers":[1,2,3,4]}`)),
		"Sum.example.com", "", apitest.TooMany("spec.numbers", "Too many: 4: must have at most 3 items"))
	for _, c := range []struct{ method, target string }{
		{"GET", apitest.Sums}, {"GET", apitest.Sums + "?watch=1"}, {"DELETE", apitest.Sums}, {"GET", apitest.Sums + "/a"},
		{"PUT", apitest.Sums + "/a"}, {"PATCH", apitest.Sums + "/a"}, {"DELETE", apitest.Sums + "/a"},
	} {
		assert.Equal(t, 405, apitest.Do(t, api, c.method, c.target, "").Code, "%s %s", c.method, c.target)
	}
	t.Run("it has no status of its own to write", func(t *testing.T) {
		assert.Equal(t, 404, apitest.Do(t, api, "GET", apitest.Sums+"/a/status", "").Code)
	})
	t.Run("by the client", func(t *testing.T) {
		client := apitest.ClientFor[apitest.Sum](t, api)
		sum, err := client.Create(context.Background(), &apitest.Sum{Spec: apitest.SumSpec{Numbers: []int64{4, 5}}})
		require.NoError(t, err)
		assert.Equal(t, int64(9), sum.Status.Total)
		_, err = client.Get(context.Background(), "a")
		assert.True(t, status.IsMethodNotAllowed(err), "%v", err)
		_, err = client.List(context.Background(), rest.ListOptions{})
		assert.True(t, status.IsMethodNotAllowed(err), "%v", err)
		_, err = client.Update(context.Background(), sum)
		assert.True(t, status.IsMethodNotAllowed(err), "%v", err)
		err = client.Delete(context.Background(), "a", rest.DeleteOptions{})
		assert.True(t, status.IsMethodNotAllowed(err), "%v", err)
		for _, err := range client.Watch(context.Background(), rest.WatchOptions{}) {
			assert.True(t, status.IsMethodNotAllowed(err), "%v", err)
		}
	})
}

func TestPanickingVirtualKind(t *testing.T) {
	api := apitest.New(t, rest.Options{}, apitest.SumResource(func(context.Context, *apitest.Sum) error { panic("boom") }))
	apitest.WantFailure(t, apitest.Do(t, api, "POST", apitest.Sums, apitest.SumBody(`{"numbers":[1]}`)), 500,
		"InternalError", "Internal error occurred: the request could not be completed", "")
}

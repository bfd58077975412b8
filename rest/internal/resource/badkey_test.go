package resource_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// Programs pass the errors of [raw.Objects] on to clients, so the errors have words for clients.
func TestKeysThatNoObjectHas(t *testing.T) {
	api := apitest.NewWidgets(t)
	for _, c := range []struct {
		key  storage.Key
		want string
	}{
		{storage.Key{Namespace: "default"}, "Name parameter required."},
		{storage.Key{Name: "a"},
			`Name parameter invalid: "a": the store holds no object of widgets.example.com with this name and namespace`},
	} {
		c.key.Resource = "widgets.example.com"
		_, err := api.Objects().Get(t.Context(), c.key)
		require.ErrorIs(t, err, storage.ErrKey)
		assert.True(t, status.IsBadRequest(err))
		assert.EqualError(t, err, c.want)
	}
}

package lifecycle_test

import (
	"context"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/lifecycle"
)

// The API keeps records of its own in the store, such as which users were ever restricted. No owner waits for these to
// be dependents.
func TestForegroundDeletionBesideRecordsOfTheAPI(t *testing.T) {
	only := access.AuthorizerFunc(func(context.Context, access.Access) (access.Decision, error) {
		return access.AllowOnly(""), nil
	})
	inWorld(t, lifecycle.CollectGarbage, rest.Options{Authorizer: only}, []rest.Definition{parts(), sites()},
		func(w *world) {
			answer := httptest.NewRecorder()
			w.api.ServeHTTP(answer, httptest.NewRequest("GET", "/apis/example.com/v1/sites", nil))
			require.Equal(w, 200, answer.Code)
			w.site("owner")
			w.part("a/x", w.refTo("", "owner"))
			w.settle()
			w.delete("owner", apimeta.DeletePropagationForeground)
			w.settle()
			assert.Empty(w, w.left())
		})
}

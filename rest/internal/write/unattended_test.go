package write_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/lifecycle"
)

// If deletions wait for the controllers of package lifecycle and nobody runs them, the API says so, once.
func TestUnattendedDeletionsAreReported(t *testing.T) {
	for _, c := range []struct {
		name     string
		attended bool
		remove   func(t *testing.T, api *rest.API)
		want     int
	}{
		{"namespace", false, removeNamespaces, 1},
		{"foreground", false, removeThings(apimeta.DeletePropagationForeground), 1},
		{"orphan", false, removeThings(apimeta.DeletePropagationOrphan), 1},
		{"background", false, removeThings(apimeta.DeletePropagationBackground), 0},
		{"namespace with controllers", true, removeNamespaces, 0},
		{"foreground with controllers", true, removeThings(apimeta.DeletePropagationForeground), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				api, err := rest.New(rest.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}, apitest.ThingResource(),
					builtin.Namespaces())
				require.NoError(t, err)
				ctx, stop := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() {
					if c.attended {
						ended <- lifecycle.Run(ctx, api, lifecycle.Options{})
					}
					close(ended)
				}()
				synctest.Wait()
				c.remove(t, api)
				<-time.After(time.Minute)
				synctest.Wait()
				assert.Equal(t, c.want, strings.Count(log.String(), "nobody seems to work on it"), log.String())
				stop()
				require.NoError(t, <-ended)
				require.NoError(t, api.Close())
			})
		})
	}
}

func removeNamespaces(t *testing.T, api *rest.API) {
	namespaces := apitest.ClientFor[builtin.Namespace](t, api)
	for _, name := range []string{"a", "b"} {
		_, err := namespaces.Create(t.Context(), &builtin.Namespace{ObjectMeta: apimeta.ObjectMeta{Name: name}})
		require.NoError(t, err)
		require.NoError(t, namespaces.Delete(t.Context(), name, rest.DeleteOptions{}))
	}
}

func removeThings(policy apimeta.DeletionPropagation) func(*testing.T, *rest.API) {
	return func(t *testing.T, api *rest.API) {
		things := apitest.ClientFor[apitest.Thing](t, api).Namespace("default")
		for _, name := range []string{"a", "b"} {
			_, err := things.Create(t.Context(), &apitest.Thing{ObjectMeta: apimeta.ObjectMeta{Name: name}})
			require.NoError(t, err)
			require.NoError(t, things.Delete(t.Context(), name, rest.DeleteOptions{PropagationPolicy: policy}))
		}
	}
}

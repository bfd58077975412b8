package rest_test

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
	"github.com/decorum-go/decorum/rest/lifecycle"
)

// If deletions wait for the controllers of package lifecycle and nobody runs them, the API says so, once.
func TestDeletionsThatNobodyWorksOn(t *testing.T) {
	for _, c := range []struct {
		name     string
		attended bool
		remove   func(ctx context.Context, api *rest.API) error
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
				api, err := rest.New(rest.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}, thingResource(), builtin.Namespaces())
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
				require.NoError(t, c.remove(ctx, api))
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

func removeNamespaces(ctx context.Context, api *rest.API) error {
	namespaces := rest.ClientFor[builtin.Namespace](api)
	for _, name := range []string{"a", "b"} {
		if _, err := namespaces.Create(ctx, &builtin.Namespace{ObjectMeta: apimeta.ObjectMeta{Name: name}}); err != nil {
			return err
		}
		if err := namespaces.Delete(ctx, name, rest.DeleteOptions{}); err != nil {
			return err
		}
	}
	return nil
}

func removeThings(policy apimeta.DeletionPropagation) func(context.Context, *rest.API) error {
	return func(ctx context.Context, api *rest.API) error {
		things := rest.ClientFor[Thing](api).Namespace("default")
		for _, name := range []string{"a", "b"} {
			if _, err := things.Create(ctx, &Thing{ObjectMeta: apimeta.ObjectMeta{Name: name}}); err != nil {
				return err
			}
			if err := things.Delete(ctx, name, rest.DeleteOptions{PropagationPolicy: policy}); err != nil {
				return err
			}
		}
		return nil
	}
}

package server_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/server"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/resttest"
)

func TestAServerRenewsTheLeaseOfItsIdentity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, func(c *server.Config) { c.Host = "worker-1" })
		leases := resttest.Client[coordinationv1.Lease](t, s.API()).Namespace("kube-system")
		var versions []string
		for range 3 {
			synctest.Wait()
			list, err := leases.List(t.Context(),
				rest.ListOptions{LabelSelector: "apiserver.kubernetes.io/identity=kube-apiserver"})
			require.NoError(t, err)
			require.Len(t, list.Items, 1)
			assert.NotContains(t, versions, list.Items[0].ResourceVersion)
			versions = append(versions, list.Items[0].ResourceVersion)
			<-time.After(10 * time.Second) // the clock of the bubble moves at once
		}
	})
}

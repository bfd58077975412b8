package migration

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/decorum-go/decorum/rest/resttest"
)

// client-go reads the kubeconfig, which leads to the server.
func TestKubeconfigLeadsToTheServer(t *testing.T) {
	s := resttest.NewWith(t, resttest.Options{Prefix: "/platform"}, ships())
	config, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfig())
	require.NoError(t, err)
	c, err := client.New(config, client.Options{Scheme: scheme()})
	require.NoError(t, err)
	require.NoError(t, c.Create(t.Context(), ship("victory")))
	var list ShipList
	require.NoError(t, c.List(t.Context(), &list))
	require.Len(t, list.Items, 1)
}

package migration

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/resttest"
)

func TestManagerWithEnvtest(t *testing.T) {
	// No module contains the programs, and a test does not download them. If they are installed, this test shows that the
	// same manager behaves the same with envtest.
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		t.Skip("envtest needs the programs kube-apiserver and etcd in the directory KUBEBUILDER_ASSETS")
	}
	env := &envtest.Environment{CRDDirectoryPaths: []string{"testdata/crds"}, ErrorIfCRDPathMissing: true}
	config, err := env.Start()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, env.Stop()) })
	startManager(t, config)

	c, err := client.New(config, client.Options{Scheme: scheme()})
	require.NoError(t, err)
	require.NoError(t, c.Create(t.Context(), ship("victory")))
	require.Eventually(t, func() bool {
		var s Ship
		err := c.Get(t.Context(), client.ObjectKeyFromObject(ship("victory")), &s)
		return err == nil && isReady(&s)
	}, time.Minute, 100*time.Millisecond)
}

func TestManagerWithResttest(t *testing.T) {
	s := resttest.New(t, ships())
	config := &rest.Config{Host: "http://resttest", Transport: s.RoundTripper()}
	startManager(t, config)

	c, err := client.New(config, client.Options{Scheme: scheme()})
	require.NoError(t, err)
	require.NoError(t, c.Create(t.Context(), ship("victory")))
	resttest.WaitFor(t, resttest.Client[Ship](t, s.API).Namespace("default"), "victory", isReady)
}

// startManager runs the controller until the test ends.
func startManager(t *testing.T, config *rest.Config) {
	t.Helper()
	m, err := ctrl.NewManager(config,
		ctrl.Options{Scheme: scheme(), Metrics: server.Options{BindAddress: "0"}, Logger: logr.Discard()})
	require.NoError(t, err)
	require.NoError(t, (&Reconciler{m.GetClient()}).setUp(m))
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- m.Start(ctx) }()
	t.Cleanup(func() {
		stop()
		assert.NoError(t, <-ended)
	})
}

func controllerOptions(skipNameValidation bool) controller.Options {
	return controller.Options{SkipNameValidation: &skipNameValidation}
}

// A manager recovers from faults that occur in production.
func TestManagerThroughFaults(t *testing.T) {
	s := resttest.New(t, ships())
	own := resttest.Client[Ship](t, s.API).Namespace("default")
	s.Inject(resttest.Fault{Verb: access.VerbUpdate, Resource: "ships/status", Code: 429, RetryAfter: time.Second})
	s.Inject(resttest.Fault{Verb: access.VerbUpdate, Resource: "ships/status", Late: true, Drop: true})
	s.Inject(resttest.Fault{Verb: access.VerbWatch, Resource: "ships", Code: 410})
	s.Inject(resttest.Fault{Verb: access.VerbWatch, Resource: "ships", Events: 1, Drop: true})
	startManager(t, &rest.Config{Host: "http://resttest", Transport: s.RoundTripper()})
	for _, name := range []string{"victory", "vanguard"} {
		_, err := own.Create(t.Context(), ship(name))
		require.NoError(t, err)
		resttest.WaitFor(t, own, name, isReady)
	}
}

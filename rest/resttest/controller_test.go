package resttest_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
)

// reconciler is that of a controller that marks a ship ready once it has seen its spec.
type reconciler struct{ ships rest.Client[Ship] }

func (r reconciler) reconcile(ctx context.Context, key controller.Key) (controller.Result, error) {
	ships := r.ships.Namespace(key.Namespace)
	ship, err := ships.Get(ctx, key.Name)
	if status.IsNotFound(err) {
		return controller.Result{}, nil
	} else if err != nil {
		return controller.Result{}, err
	}
	ready := apimeta.Condition{Type: "Ready", Status: apimeta.ConditionTrue, Reason: "Armed",
		ObservedGeneration: ship.Generation}
	if !apimeta.SetCondition(&ship.Status.Conditions, ready) {
		return controller.Result{}, nil
	}
	ship.Status.ObservedGeneration = ship.Generation
	_, err = ships.UpdateStatus(ctx, ship)
	return controller.Result{}, err
}

func isReady(s *Ship) bool { return apimeta.IsConditionTrue(s.Status.Conditions, "Ready") }

// Calling the reconciler directly gives the fastest and most precise tests.
func TestReconcile(t *testing.T) {
	s := resttest.New(t, ships())
	fleet := resttest.Client[Ship](t, s.API).Namespace("default")
	r := reconciler{resttest.Client[Ship](t, s.API)}
	key := controller.Key{Namespace: "default", Name: "victory"}
	_, err := fleet.Create(t.Context(), frigate("victory"))
	require.NoError(t, err)

	s.Inject(resttest.Fault{Resource: "ships/status", Code: http.StatusConflict})
	_, err = r.reconcile(s.UnderTest(t.Context()), key)
	assert.True(t, status.IsConflict(err), "another writer was faster")
	_, err = r.reconcile(s.UnderTest(t.Context()), key)
	require.NoError(t, err)
	ship, err := fleet.Get(t.Context(), "victory")
	require.NoError(t, err)
	assert.True(t, isReady(ship))

	before := s.ResourceVersion()
	_, err = r.reconcile(t.Context(), key)
	require.NoError(t, err)
	assert.Equal(t, before, s.ResourceVersion(), "a reconcile that has nothing to do writes nothing")
}

// The test runs the whole controller, with its informer and its queue, through faults.
func TestController(t *testing.T) {
	s := resttest.New(t, ships())
	fleet := resttest.Client[Ship](t, s.API).Namespace("default")
	s.Inject(resttest.Fault{Resource: "ships/status", Code: http.StatusInternalServerError, Times: 3})

	ctx, stop := context.WithCancel(s.UnderTest(context.Background()))
	ended := make(chan error, 1)
	go func() {
		all := resttest.Client[Ship](t, s.API)
		informer := controller.NewInformer(all, controller.InformerOptions[Ship]{})
		ended <- controller.New(reconciler{all}.reconcile, controller.Options{}, controller.For(informer)).Run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		assert.NoError(t, <-ended)
	})

	_, err := fleet.Create(t.Context(), frigate("victory"))
	require.NoError(t, err)
	resttest.WaitFor(t, fleet, "victory", isReady)
	assert.Len(t, s.Requests(access.VerbUpdate), 4, "three failures, then a success")
}

// The test uses a plain HTTP client.
func TestOverHTTP(t *testing.T) {
	s := resttest.New(t, ships())
	c := &http.Client{Transport: s.RoundTripper()}
	answer, err := c.Get("http://resttest/apis/fleet.example.com/v1/namespaces/default/ships/victory")
	require.NoError(t, err)
	defer answer.Body.Close()
	assert.Equal(t, http.StatusNotFound, answer.StatusCode)
	assert.Equal(t, []string{"victory"}, namesOf(s.Requests(access.VerbGet)))
}

func namesOf(requests []resttest.Request) (names []string) {
	for _, r := range requests {
		names = append(names, r.Name)
	}
	return names
}

package metrics_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/metrics"
	"github.com/decorum-go/decorum/status"
)

// newQueues returns Controllers in the registry of a world without an API.
func newQueues(t *testing.T) (*metrics.Controllers, *world) {
	t.Helper()
	c := metrics.NewControllers()
	w := &world{t: t, registry: prometheus.NewPedanticRegistry()}
	w.registry.MustRegister(c)
	return c, w
}

func TestMetricsOfAQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		observer, w := newQueues(t)
		q := controller.NewQueue[string](controller.QueueOptions{Name: "q", Observer: observer})
		other := controller.NewQueue[string](controller.QueueOptions{Name: "q", Observer: observer})
		want := func(name string, value float64) {
			t.Helper()
			assert.Equal(t, map[string]float64{"name=q": value}, w.values(name), name)
		}
		q.Add("a")
		q.Add("b")
		other.Add("c")
		want("workqueue_depth", 3)
		<-time.After(2 * time.Second) // the clock of the bubble moves at once
		for range 2 {
			_, err := q.Get(t.Context())
			require.NoError(t, err)
		}
		_, err := other.Get(t.Context())
		require.NoError(t, err)
		<-time.After(3 * time.Second)
		want("workqueue_depth", 0)
		want("workqueue_adds_total", 3)
		want("workqueue_queue_duration_seconds", 3)
		want("workqueue_unfinished_work_seconds", 9)
		want("workqueue_longest_running_processor_seconds", 3)
		q.AddAfter("d", time.Hour)
		want("workqueue_retries_total", 1)
		want("decorum_workqueue_delayed", 1)
		want("decorum_workqueue_failing", 0)
		q.AddRateLimited("e") // e has failed
		want("decorum_workqueue_failing", 1)
		want("decorum_workqueue_most_failures", 1)
		q.Done("a")
		want("workqueue_work_duration_seconds", 1)
		assert.Equal(t, 3.0, w.scrape()["workqueue_work_duration_seconds"].GetMetric()[0].GetHistogram().GetSampleSum())
		assert.Equal(t, 6.0, w.scrape()["workqueue_queue_duration_seconds"].GetMetric()[0].GetHistogram().GetSampleSum())
		q.ShutDown()
		other.ShutDown()
		assert.Empty(t, w.values("workqueue_depth"), "no queue is left")
		want("workqueue_adds_total", 3)
	})
}

func TestMetricsCountReconciles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		observer, w := newQueues(t)
		ctx, stop := context.WithCancel(t.Context())
		calls := 0
		reconcile := func(context.Context, controller.Key) (controller.Result, error) {
			switch calls++; calls {
			case 1:
				return controller.Result{}, errors.New("not yet")
			case 2:
				return controller.Result{}, status.Conflict(apimeta.GroupResource{Resource: "memos"}, "a", "changed")
			case 3:
				return controller.Result{RequeueAfter: time.Minute}, nil
			}
			stop()
			return controller.Result{}, nil
		}
		source := func(_ context.Context, enqueue func(controller.Key), synced func()) error {
			enqueue(controller.Key{Name: "a"})
			synced()
			return nil
		}
		options := controller.Options{Name: "memos", Observer: observer}
		require.NoError(t, controller.New(reconcile, options, source).Run(ctx))
		assert.Equal(t, map[string]float64{
			"name=memos result=error": 1, "name=memos result=conflict": 1, "name=memos result=requeue_after": 1,
			"name=memos result=success": 1,
		}, w.values("decorum_controller_reconcile_total"))
		assert.Equal(t, map[string]float64{"name=memos": 3}, w.values("workqueue_retries_total"))
	})
}

func TestMetricsShowTheLagOfAnInformer(t *testing.T) {
	observer, w := newQueues(t)
	observer.ObserveInformer("memos")(20 * time.Millisecond)
	assert.Equal(t, map[string]float64{"name=memos": 1}, w.values("decorum_informer_lag_seconds"))
	assert.Equal(t, 0.02, w.scrape()["decorum_informer_lag_seconds"].GetMetric()[0].GetHistogram().GetSampleSum())
}

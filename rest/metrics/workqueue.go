package metrics

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/status"
)

// Controllers observes controllers and informers, and is a [prometheus.Collector]. The host sets it as the Observer of
// each of them, beside its name, and registers it once. The metrics workqueue_* match client-go's metrics. Their label
// name is the name of the controller.
type Controllers struct {
	adds, retries, reconciles *prometheus.CounterVec
	waits, works, lags        *prometheus.HistogramVec

	mu     sync.Mutex
	number int
	queues map[int]queue // those that run, by the order of their beginning
}

// queue is a queue that is not shut down.
type queue struct {
	name  string
	stats func() controller.QueueStats
}

var _ controller.Observer = (*Controllers)(nil)

// The metrics of what queues hold.
var (
	depth      = prometheus.NewDesc("workqueue_depth", "Keys that wait for a worker.", []string{"name"}, nil)
	unfinished = prometheus.NewDesc("workqueue_unfinished_work_seconds",
		"Time for which workers have held their present keys, all together.", []string{"name"}, nil)
	longest = prometheus.NewDesc("workqueue_longest_running_processor_seconds",
		"Time for which the slowest worker has held its present key.", []string{"name"}, nil)
	delayed = prometheus.NewDesc("decorum_workqueue_delayed", "Keys that wait for their time.", []string{"name"}, nil)
	failing = prometheus.NewDesc("decorum_workqueue_failing", "Keys that have failed since their last success.",
		[]string{"name"}, nil)
	mostFailures = prometheus.NewDesc("decorum_workqueue_most_failures",
		"Failures in a row of the key that has failed most often.", []string{"name"}, nil)
)

// NewControllers returns Controllers, for any number of controllers.
func NewControllers() *Controllers {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, buckets []float64) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets},
			[]string{"name"})
	}
	ofQueues := []float64{1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10}
	return &Controllers{
		adds:    counter("workqueue_adds_total", "Keys that were added, except for those that waited already.", "name"),
		retries: counter("workqueue_retries_total", "Keys that were added after a time, or because of a failure.", "name"),
		reconciles: counter("decorum_controller_reconcile_total",
			"Calls of the reconciler, by their result: success, requeue_after, conflict or error.", "name", "result"),
		waits: histogram("workqueue_queue_duration_seconds", "Time from the addition of a key until a worker got it.",
			ofQueues),
		works: histogram("workqueue_work_duration_seconds", "Time for which workers held keys.", ofQueues),
		lags: histogram("decorum_informer_lag_seconds",
			"Time from the commit of a change until the handlers of an informer in the same process had handled it.", ofWork),
		queues: map[int]queue{},
	}
}

// ObserveQueue implements [controller.Observer].
func (c *Controllers) ObserveQueue(name string, stats func() controller.QueueStats) controller.QueueObservation {
	end := c.add(queue{name, stats})
	adds, retries := c.adds.WithLabelValues(name), c.retries.WithLabelValues(name)
	waits, works := c.waits.WithLabelValues(name), c.works.WithLabelValues(name)
	return controller.QueueObservation{
		Added:      adds.Inc,
		Delayed:    retries.Inc,
		Taken:      func(waited time.Duration) { waits.Observe(waited.Seconds()) },
		Done:       func(worked time.Duration) { works.Observe(worked.Seconds()) },
		Reconciled: func(r controller.Result, err error) { c.reconciles.WithLabelValues(name, resultOf(r, err)).Inc() },
		ShutDown:   end,
	}
}

// ObserveInformer implements [controller.Observer].
func (c *Controllers) ObserveInformer(name string) func(time.Duration) {
	lags := c.lags.WithLabelValues(name)
	return func(lag time.Duration) { lags.Observe(lag.Seconds()) }
}

// resultOf returns the label result.
func resultOf(r controller.Result, err error) string {
	switch {
	case status.IsConflict(err):
		return "conflict"
	case err != nil:
		return "error"
	case r.RequeueAfter > 0:
		return "requeue_after"
	}
	return "success"
}

// add adds a queue whose figures are collected until end is called.
func (c *Controllers) add(q queue) (end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.number++
	number := c.number
	c.queues[number] = q
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.queues, number)
	}
}

// running returns the queues that run.
func (c *Controllers) running() []queue {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Values(c.queues))
}

func (c *Controllers) all() []prometheus.Collector {
	return []prometheus.Collector{c.adds, c.retries, c.reconciles, c.waits, c.works, c.lags}
}

// Describe implements [prometheus.Collector].
func (c *Controllers) Describe(to chan<- *prometheus.Desc) {
	for _, of := range c.all() {
		of.Describe(to)
	}
	for _, desc := range []*prometheus.Desc{depth, unfinished, longest, delayed, failing, mostFailures} {
		to <- desc
	}
}

// Collect implements [prometheus.Collector]. Queues of the same name count as one. Collect does not lock the queues
// while it holds the lock of the Controllers, because a queue holds its own lock when it is shut down.
func (c *Controllers) Collect(to chan<- prometheus.Metric) {
	for _, of := range c.all() {
		of.Collect(to)
	}
	byName := map[string]controller.QueueStats{}
	for _, q := range c.running() {
		sum, s := byName[q.name], q.stats()
		sum.Ready += s.Ready
		sum.Delayed += s.Delayed
		sum.Failing += s.Failing
		sum.MostFailures = max(sum.MostFailures, s.MostFailures)
		sum.Unfinished += s.Unfinished
		sum.Longest = max(sum.Longest, s.Longest)
		byName[q.name] = sum
	}
	for name, s := range byName {
		gauge := func(desc *prometheus.Desc, v float64) {
			to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, v, name)
		}
		gauge(depth, float64(s.Ready))
		gauge(delayed, float64(s.Delayed))
		gauge(failing, float64(s.Failing))
		gauge(mostFailures, float64(s.MostFailures))
		gauge(unfinished, s.Unfinished.Seconds())
		gauge(longest, s.Longest.Seconds())
	}
}

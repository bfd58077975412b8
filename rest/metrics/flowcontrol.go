package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/decorum-go/decorum/rest/fairness"
)

// FlowControl returns a collector of the state of a limiter, for the host to register beside the [Metrics] of the same
// API.
//
// kube-apiserver counts one wait for each request. Here a request with a body waits twice, because it leaves its seats
// to others while its body is read.
func FlowControl(limiter *fairness.Limiter) prometheus.Collector {
	describe := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("apiserver_flowcontrol_"+name, help, append(labels, "priority_level"), nil)
	}
	const flow = "flow_schema"
	return &flowControl{
		limiter:   limiter,
		nominal:   describe("nominal_limit_seats", "Seats of each level, without those that it borrows."),
		executing: describe("current_executing_requests", "Requests that have seats.", flow),
		seats:     describe("current_executing_seats", "Seats in use.", flow),
		waiting:   describe("current_inqueue_requests", "Requests that wait in queues.", flow),
		served:    describe("dispatched_requests_total", "Requests that have got their seats.", flow),
		refused:   describe("rejected_requests_total", "Requests that have been refused.", flow, "reason"),
		waits:     describe("request_wait_duration_seconds", "Time that requests waited for their seats.", "execute", flow),
	}
}

type flowControl struct {
	limiter *fairness.Limiter

	nominal, executing, seats, waiting, served, refused, waits *prometheus.Desc
}

// Describe implements [prometheus.Collector].
func (c *flowControl) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.nominal, c.executing, c.seats, c.waiting, c.served, c.refused, c.waits} {
		to <- d
	}
}

// Collect implements [prometheus.Collector].
func (c *flowControl) Collect(to chan<- prometheus.Metric) {
	state := c.limiter.State()
	for _, l := range state.Levels {
		to <- prometheus.MustNewConstMetric(c.nominal, prometheus.GaugeValue, float64(l.NominalSeats), l.Name)
	}
	for i := range state.Flows {
		c.collect(&state.Flows[i], to)
	}
}

// collect collects the state of one flow. As in kube-apiserver, what has never happened is not among the metrics.
func (c *flowControl) collect(f *fairness.FlowState, to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, n int) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(n), f.Name, f.Level)
	}
	counter := func(d *prometheus.Desc, n uint64, labels ...string) {
		if n > 0 {
			to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
		}
	}
	gauge(c.executing, f.Requests)
	gauge(c.seats, f.Seats)
	gauge(c.waiting, f.Waiting)
	counter(c.served, f.Dispatched, f.Name, f.Level)
	counter(c.refused, f.QueueFull, f.Name, "queue-full", f.Level)
	counter(c.refused, f.TimeOut, f.Name, "time-out", f.Level)
	counter(c.refused, f.Cancelled, f.Name, "cancelled", f.Level)
	counter(c.refused, f.ConcurrencyLimit, f.Name, "concurrency-limit", f.Level)
	c.histogram(&f.Served, to, "true", f.Name, f.Level)
	c.histogram(&f.Refused, to, "false", f.Name, f.Level)
}

func (c *flowControl) histogram(w *fairness.Waits, to chan<- prometheus.Metric, labels ...string) {
	var count uint64
	buckets := map[float64]uint64{}
	for i, bound := range fairness.WaitBounds() {
		count += w.Counts[i]
		buckets[bound.Seconds()] = count
	}
	if count += w.Counts[len(w.Counts)-1]; count > 0 {
		to <- prometheus.MustNewConstHistogram(c.waits, count, w.Sum.Seconds(), buckets, labels...)
	}
}

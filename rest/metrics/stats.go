package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/storage"
)

// reading describes a metric whose value is read from [rest.API.Stats] at each scrape.
type reading struct {
	desc *prometheus.Desc
	is   prometheus.ValueType
	// of appends the values, each with its labels. It is not called without figures of the store, unless the metric needs
	// none.
	of func(s *rest.Stats, value func(v float64, labels ...string))
}

// read returns a reading whose metric has one value.
func read(is prometheus.ValueType, name, help string, value func(s *rest.Stats) float64) reading {
	return reading{prometheus.NewDesc(name, help, nil, nil), is,
		func(s *rest.Stats, add func(float64, ...string)) { add(value(s)) }}
}

// textsOf returns the figures of texts. They are zero if all texts are in memory.
func textsOf(s *rest.Stats) storage.TextStats {
	if s.Store.Texts == nil {
		return storage.TextStats{}
	}
	return *s.Store.Texts
}

// readMany returns a reading whose metric has labels.
func readMany(
	is prometheus.ValueType, name, help string, labels []string, of func(s *rest.Stats, value func(float64, ...string)),
) reading {
	return reading{prometheus.NewDesc(name, help, labels, nil), is, of}
}

const (
	gauge   = prometheus.GaugeValue
	counter = prometheus.CounterValue
)

// ofAPI are the metrics of the API itself.
var ofAPI = []reading{
	readMany(gauge, "decorum_places_in_use", "Places that are in use, by what they are for.", []string{"kind"},
		func(s *rest.Stats, value func(float64, ...string)) {
			eachUse(s, func(u observe.Usage, kind string) { value(float64(u.Used), kind) })
		}),
	readMany(gauge, "decorum_places_limit", "Limit of places by purpose. Absent without a limit.", []string{"kind"},
		func(s *rest.Stats, value func(float64, ...string)) {
			eachUse(s, func(u observe.Usage, kind string) {
				if u.Limit > 0 {
					value(float64(u.Limit), kind)
				}
			})
		}),
	read(gauge, "decorum_stuck_hooks", "Hooks that still run although their request has been answered.",
		func(s *rest.Stats) float64 { return float64(s.StuckHooks) }),
	read(gauge, "decorum_in_process_calls", "Calls of in-process clients under way, with their watches.",
		func(s *rest.Stats) float64 { return float64(s.Calls) }),
	read(gauge, "decorum_watches_open", "Watches that are open over HTTP.",
		func(s *rest.Stats) float64 { return float64(s.Watches) }),
	read(gauge, "decorum_watches_behind", "Watches that have changes to look at.",
		func(s *rest.Stats) float64 { return float64(s.WatchesBehind) }),
	read(gauge, "decorum_watch_lag_changes", "Changes that the watch with the most has yet to look at.",
		func(s *rest.Stats) float64 { return float64(s.MostBehind) }),
}

// eachUse calls f for each limited number of the API.
func eachUse(s *rest.Stats, f func(u observe.Usage, kind string)) {
	f(s.Places, "requests")
	f(s.Bodies, "bodies")
	f(s.Answers, "answers")
	f(s.Webhooks, "webhooks")
}

// ofStore are the metrics of a store that reports its figures.
var ofStore = []reading{
	readMany(gauge, "apiserver_resource_objects", "Objects in the store.", []string{"group", "resource"},
		func(s *rest.Stats, value func(float64, ...string)) {
			for gr, n := range s.Objects {
				value(float64(n), gr.Group, gr.Resource)
			}
		}),
	readMany(gauge, "apiserver_storage_objects", "Objects in the store. Deprecated: use apiserver_resource_objects.",
		[]string{"resource"},
		func(s *rest.Stats, value func(float64, ...string)) {
			for gr, n := range s.Objects {
				value(float64(n), gr.String())
			}
		}),
	readMany(counter, "apiserver_storage_events_received_total", "Changes of objects that the store has shown.",
		[]string{"group", "resource"},
		func(s *rest.Stats, value func(float64, ...string)) {
			for gr := range s.Objects {
				value(float64(s.Of(gr).Resources[gr.String()].Changes), gr.Group, gr.Resource)
			}
		}),
	readMany(gauge, "apiserver_storage_size_bytes", "Size of the stored data on disk.", []string{"storage_cluster_id"},
		func(s *rest.Stats, value func(float64, ...string)) {
			if s.Store.FileBytes > 0 {
				value(float64(s.Store.FileBytes), s.Store.ID)
			}
		}),
	readMany(gauge, "decorum_store_unreadable_objects",
		"Objects that a replica does not serve, because it cannot read them.", []string{"group", "resource"},
		func(s *rest.Stats, value func(float64, ...string)) {
			for gr := range s.Objects {
				value(float64(s.Of(gr).Resources[gr.String()].Unreadable), gr.Group, gr.Resource)
			}
		}),
	read(gauge, "decorum_store_free_bytes", "Part of the stored data on disk that later writes can reuse.",
		func(s *rest.Stats) float64 { return float64(s.Store.FreeBytes) }),
	read(gauge, "decorum_store_object_bytes", "Memory of the latest states of all objects with all their texts.",
		func(s *rest.Stats) float64 { return float64(s.Store.ObjectBytes) }),
	read(gauge, "decorum_store_text_bytes", "Memory of the texts of objects for readers, if the store limits it.",
		func(s *rest.Stats) float64 { return float64(textsOf(s).Bytes) }),
	read(gauge, "decorum_store_text_limit_bytes", "Limit of the memory of texts. 0 means that all texts are in memory.",
		func(s *rest.Stats) float64 { return float64(textsOf(s).MaxBytes) }),
	read(counter, "decorum_store_text_reads_total", "Texts that were read from durable storage because they were not in memory.",
		func(s *rest.Stats) float64 { return float64(textsOf(s).Reads) }),
	read(gauge, "decorum_store_revision", "Revision of the latest commit.",
		func(s *rest.Stats) float64 { return float64(s.Store.Revision) }),
	read(gauge, "decorum_store_oldest_revision", "Revision from which the history is complete.",
		func(s *rest.Stats) float64 { return float64(s.Store.History.Oldest) }),
	read(gauge, "decorum_store_history_changes", "Changes in the history.",
		func(s *rest.Stats) float64 { return float64(s.Store.History.Changes) }),
	read(gauge, "decorum_store_history_bytes", "Memory of the history.",
		func(s *rest.Stats) float64 { return float64(s.Store.History.Bytes) }),
	read(gauge, "decorum_store_history_limit_bytes", "Present bound of the memory of the history.",
		func(s *rest.Stats) float64 { return float64(s.Store.History.MaxBytes) }),
	read(gauge, "decorum_store_history_age_seconds", "Age of the oldest change in the history.",
		func(s *rest.Stats) float64 {
			if s.Store.History.Since.IsZero() {
				return 0
			}
			return time.Since(s.Store.History.Since).Seconds()
		}),
	read(counter, "decorum_store_commits_total", "Groups of changes that the store has made visible.",
		func(s *rest.Stats) float64 { return float64(s.Store.Commits) }),
	read(counter, "decorum_store_conflicts_total", "Commits that were tried again because another write came first.",
		func(s *rest.Stats) float64 { return float64(s.Store.Conflicts) }),
	read(gauge, "decorum_store_waiting_commits", "Commits that wait to be made durable.",
		func(s *rest.Stats) float64 { return float64(s.Store.Waiting) }),
}

// ofReplica are the metrics of a store that other processes write to.
var ofReplica = []reading{
	read(gauge, "decorum_replica_lag_seconds",
		"Time since the replica was last known to show everything that was committed.",
		func(s *rest.Stats) float64 { return max(0, time.Since(s.Store.Replica.UpToDate).Seconds()) }),
	read(gauge, "decorum_replica_delay_seconds",
		"Time from the beginning of the latest commit until the replica showed it.",
		func(s *rest.Stats) float64 { return s.Store.Replica.Delay.Seconds() }),
	read(gauge, "decorum_replica_connected", "Whether the replica reaches the store that it shares.",
		func(s *rest.Stats) float64 {
			if s.Store.Replica.Err != nil {
				return 0
			}
			return 1
		}),
}

// syncs is the metric of the time in which the store makes changes durable.
var syncs = prometheus.NewDesc("decorum_store_sync_duration_seconds", "Time in which the store makes changes durable.",
	nil, nil)

// describeStats describes the metrics that are read at each scrape.
func describeStats(to chan<- *prometheus.Desc) {
	for _, readings := range [][]reading{ofAPI, ofStore, ofReplica} {
		for _, r := range readings {
			to <- r.desc
		}
	}
	to <- syncs
}

// collectStats reads the figures of the API.
func collectStats(api *rest.API, to chan<- prometheus.Metric) {
	s := api.Stats()
	collect := func(readings []reading) {
		for _, r := range readings {
			r.of(&s, func(v float64, labels ...string) { to <- prometheus.MustNewConstMetric(r.desc, r.is, v, labels...) })
		}
	}
	collect(ofAPI)
	if s.Store == nil {
		return
	}
	collect(ofStore)
	to <- prometheus.MustNewConstSummary(syncs, s.Store.Syncs, s.Store.SyncTime.Seconds(), nil)
	if s.Store.Replica != nil {
		collect(ofReplica)
	}
}

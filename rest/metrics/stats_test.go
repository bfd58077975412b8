package metrics_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/metrics"
	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

func TestMetricsCountTheObjects(t *testing.T) {
	w := newWorld(t)
	assert.Equal(t, map[string]float64{"resource=memos": 0}, w.values("apiserver_resource_objects"))
	w.do("POST", memos, memoBody("a"))
	w.do("POST", memos, memoBody("b"))
	w.do("POST", memos, memoBody("c"))
	w.do("POST", memos, memoBody("d"), "Content-Type", "text/plain")
	w.do("DELETE", memos+"/a", "")
	assert.Equal(t, map[string]float64{"resource=memos": 2}, w.values("apiserver_resource_objects"))
	assert.Equal(t, map[string]float64{"resource=memos.example.com": 2}, w.values("apiserver_storage_objects"))
	assert.Equal(t, map[string]float64{"resource=memos": 4}, w.values("apiserver_storage_events_received_total"))
	assert.Equal(t, map[string]float64{"": 4}, w.values("decorum_store_commits_total"))
	assert.Equal(t, map[string]float64{"": 4}, w.values("decorum_store_history_changes"))
	assert.Positive(t, w.values("decorum_store_history_age_seconds")[""])
	assert.Equal(t, w.values("decorum_store_revision")[""]-4, w.values("decorum_store_oldest_revision")[""])
	assert.Equal(t, map[string]float64{"": 4}, w.values("decorum_store_commit_duration_seconds"))
	assert.Empty(t, w.values("apiserver_storage_size_bytes"), "the store is in memory")
	assert.Empty(t, w.values("decorum_replica_lag_seconds"), "the store has no replicas")
}

func TestMetricsShowThePlaces(t *testing.T) {
	w := newWorld(t)
	assert.Equal(t, map[string]float64{"kind=requests": 1000, "kind=bodies": 1000, "kind=answers": 1000,
		"kind=webhooks": 500}, w.values("decorum_places_limit"))
	assert.Equal(t, map[string]float64{"kind=requests": 0, "kind=bodies": 0, "kind=answers": 0, "kind=webhooks": 0},
		w.values("decorum_places_in_use"))
}

// reporting is a store that reports further figures.
type reporting struct {
	*memory.Store
	add func(*storage.StoreStats)
}

func (r reporting) StoreStats() storage.StoreStats {
	s := r.Store.StoreStats()
	r.add(&s)
	return s
}

// newWorldOver returns a world over a store that reports further figures.
func newWorldOver(t *testing.T, add func(*storage.StoreStats)) *world {
	t.Helper()
	store := memory.New(storage.Options{})
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return newWorldWith(t, rest.Options{Store: reporting{store, add}})
}

func TestMetricsShowWhatIsOnDisk(t *testing.T) {
	w := newWorldOver(t, func(s *storage.StoreStats) {
		s.ID, s.FileBytes, s.FreeBytes, s.Syncs, s.SyncTime, s.Waiting = "f00d", 1000, 10, 3, 1500*time.Millisecond, 2
		s.Resources["memos.example.com"] = storage.ResourceStats{Objects: 7, Unreadable: 1}
	})
	for name, want := range map[string]map[string]float64{
		"apiserver_storage_size_bytes":        {"storage_cluster_id=f00d": 1000},
		"decorum_store_free_bytes":            {"": 10},
		"decorum_store_sync_duration_seconds": {"": 3},
		"decorum_store_waiting_commits":       {"": 2},
		"decorum_store_unreadable_objects":    {"resource=memos": 1},
		"apiserver_resource_objects":          {"resource=memos": 7},
	} {
		assert.Equal(t, want, w.values(name), name)
	}
	assert.Equal(t, 1.5, w.scrape()["decorum_store_sync_duration_seconds"].GetMetric()[0].GetSummary().GetSampleSum())
}

func TestMetricsShowTheLagOfAReplica(t *testing.T) {
	replica := storage.ReplicaStats{UpToDate: time.Now().Add(-time.Minute), Delay: 20 * time.Millisecond}
	w := newWorldOver(t, func(s *storage.StoreStats) { s.Replica = &replica })
	assert.GreaterOrEqual(t, w.values("decorum_replica_lag_seconds")[""], 60.0)
	assert.Equal(t, map[string]float64{"": 0.02}, w.values("decorum_replica_delay_seconds"))
	assert.Equal(t, map[string]float64{"": 1}, w.values("decorum_replica_connected"))
	replica.Err = assert.AnError
	assert.Equal(t, map[string]float64{"": 0}, w.values("decorum_replica_connected"))
}

// silent is a store that reports no figures.
type silent struct{ storage.Store }

func TestMetricsOfAStoreWithoutFigures(t *testing.T) {
	store := memory.New(storage.Options{})
	defer store.Close()
	w := newWorldWith(t, rest.Options{Store: silent{store}})
	assert.Empty(t, w.values("apiserver_resource_objects"))
	assert.Len(t, w.values("decorum_places_in_use"), 4)
}

// A hook calls a webhook in these tests, as package rest/webhook does.
func TestMetricsCountTheCallsOfWebhooks(t *testing.T) {
	for name, c := range map[string]struct {
		ended     observe.StepResult
		code      string
		rejection string // error_type and rejection_code
		opened    bool
	}{
		"allowed": {observe.StepResult{Code: 200}, "200", "", false},
		"refused": {observe.StepResult{Code: 200, Refused: true, Err: refusal(403)}, "403",
			"error_type=no_error rejection_code=403", false},
		"with its own code": {observe.StepResult{Code: 200, Refused: true, Err: refusal(422)}, "422",
			"error_type=no_error rejection_code=422", false},
		"with any number": {observe.StepResult{Code: 200, Refused: true, Err: refusal(12345)}, "500",
			"error_type=no_error rejection_code=500", false},
		"failed": {observe.StepResult{Code: 500, Err: assert.AnError}, "500",
			"error_type=calling_webhook_error rejection_code=500", false},
		"unreachable": {observe.StepResult{Err: assert.AnError}, "503",
			"error_type=calling_webhook_error rejection_code=503", false},
		"without sense": {observe.StepResult{Code: 200, Err: assert.AnError}, "503",
			"error_type=calling_webhook_error rejection_code=503", false},
		"failed open": {observe.StepResult{Err: assert.AnError, FailedOpen: true}, "503", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorldWith(t, rest.Options{Admission: []admission.Hook{{Name: "hooks", SideEffects: admission.SideEffectsNone,
				Validate: func(ctx context.Context, r *admission.Request) error {
					_, ended := observe.BeginStep(ctx, observe.Step{Kind: observe.StepWebhook, Name: "w.example.com", Operation: r.Operation})
					ended(c.ended)
					return nil
				}}}})
			w.do("POST", memos, memoBody("a"))
			rejected := "false"
			if c.rejection != "" {
				rejected = "true"
				assert.Equal(t, map[string]float64{c.rejection: 1},
					w.values("apiserver_admission_webhook_rejection_count", "name", "operation", "type"))
			} else {
				assert.Empty(t, w.values("apiserver_admission_webhook_rejection_count"))
			}
			assert.Equal(t, map[string]float64{"code=" + c.code + " rejected=" + rejected: 1},
				w.values("apiserver_admission_webhook_request_total", "name", "operation", "type"))
			assert.Equal(t, map[string]float64{"name=w.example.com operation=CREATE rejected=" + rejected +
				" type=validating": 1}, w.values("apiserver_admission_webhook_admission_duration_seconds"))
			assert.Equal(t, c.opened, len(w.values("apiserver_admission_webhook_fail_open_count")) == 1)
		})
	}
}

// A hook evaluates a policy in this test, as package rest/policy does.
func TestMetricsCountTheChecksOfPolicies(t *testing.T) {
	w := newWorldWith(t, rest.Options{Admission: []admission.Hook{{Name: "policies", SideEffects: admission.SideEffectsNone,
		Validate: func(ctx context.Context, r *admission.Request) error {
			_, ended := observe.BeginStep(ctx, observe.Step{Kind: observe.StepPolicy, Name: "p", Binding: "b", Operation: r.Operation})
			ended(observe.StepResult{Checks: []observe.PolicyCheck{
				{Action: "deny"}, {Action: "audit"}, {Action: "deny"}, {Action: "allow", Err: errors.New("no such key: x")},
				{Action: "deny", Err: errors.New("compilation error: x")},
				{Action: "warn", Err: errors.New("validation failed due to running out of cost budget, no further validation rules will be run")},
			}})
			return nil
		}}}})
	w.do("POST", memos, memoBody("a"))
	want := map[string]float64{
		"enforcement_action=deny error_type=no_error": 2, "enforcement_action=audit error_type=no_error": 1,
		"enforcement_action=allow error_type=invalid_error": 1, "enforcement_action=deny error_type=compile_error": 1,
		"enforcement_action=warn error_type=out_of_budget": 1,
	}
	assert.Equal(t, want, w.values("apiserver_validating_admission_policy_check_total", "policy", "policy_binding"))
	assert.Equal(t, want, w.values("apiserver_validating_admission_policy_check_duration_seconds", "policy",
		"policy_binding"))
}

// A hook evaluates rules in this test, as a write of a kind with rules of module cel does.
func TestMetricsTimeRules(t *testing.T) {
	w := newWorldWith(t, rest.Options{Admission: []admission.Hook{{Name: "rules", SideEffects: admission.SideEffectsNone,
		Validate: func(ctx context.Context, _ *admission.Request) error {
			_, ended := observe.BeginStep(ctx, observe.Step{Kind: observe.StepRules})
			ended(observe.StepResult{})
			return nil
		}}}})
	w.do("POST", memos, memoBody("a"))
	assert.Equal(t, map[string]float64{"": 1}, w.values("apiserver_cel_evaluation_duration_seconds"))
}

func TestMetricsBelongToOneAPI(t *testing.T) {
	m := metrics.New(metrics.Options{})
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(m)
	n, err := testutil.GatherAndCount(registry)
	require.NoError(t, err, "the Metrics have no API yet")
	assert.Equal(t, 2, n, "only the histograms without labels")
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{m}})
	require.NoError(t, err)
	defer api.Close()
	_, err = rest.New(rest.Options{Plugins: []rest.Plugin{m}})
	assert.ErrorContains(t, err, "another API")
}

func TestMetricsTellOfDeprecatedVersions(t *testing.T) {
	w := newWorld(t)
	w.do("GET", memos, "")
	assert.Empty(t, w.values("apiserver_requested_deprecated_apis"))
	w = newWorldWith(t, rest.Options{}, func(r *rest.Resource[memo]) { r.Stage.Deprecated = true })
	w.do("GET", memos, "")
	w.do("GET", memos+"/a", "")
	assert.Equal(t, map[string]float64{"resource=memos": 1}, w.values("apiserver_requested_deprecated_apis"))
}

func TestMetricsTimeTheBeginningOfAWatch(t *testing.T) {
	w := newWorld(t)
	for _, query := range []string{
		"?watch=true&timeoutSeconds=1&resourceVersion=0",
		"?watch=true&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
	} {
		assert.Equal(t, http.StatusOK, w.do("GET", memos+query, ""))
	}
	w.server.Close() // waits for the watches
	assert.Equal(t, map[string]float64{"resource=memos scope=namespace": 1},
		w.values("apiserver_watch_list_duration_seconds"))
}

package metrics_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/fairness"
	"github.com/decorum-go/decorum/rest/metrics"
	"github.com/decorum-go/decorum/status"
)

type memo struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Text               string `json:"text,omitempty"`
}

// world is an API whose metrics a registry has.
type world struct {
	t        *testing.T
	server   *httptest.Server
	registry *prometheus.Registry
}

// newWorld returns a world whose API refuses bad words, and everything in the namespace "closed".
func newWorld(t *testing.T) *world {
	t.Helper()
	noSecrets := admission.Hook{Name: "words.example.com", SideEffects: admission.SideEffectsNone,
		Validate: func(_ context.Context, r *admission.Request) error {
			if strings.HasPrefix(r.Name, "bad") {
				return errors.New("bad words")
			}
			return nil
		}}
	return newWorldWith(t, rest.Options{
		Admission: []admission.Hook{noSecrets},
		Authorizer: access.AuthorizerFunc(func(_ context.Context, a access.Access) (access.Decision, error) {
			if a.Namespace == "closed" {
				return access.Deny("closed"), nil
			}
			return access.Allow(""), nil
		}),
	})
}

func newWorldWith(t *testing.T, options rest.Options, more ...func(*rest.Resource[memo])) *world {
	t.Helper()
	m := metrics.New(metrics.Options{})
	options.Plugins = append(options.Plugins, m)
	memos := rest.Resource[memo]{Group: "example.com", Version: "v1", Plural: "memos", Names: rest.Names{Kind: "Memo"}}
	for _, change := range more {
		change(&memos)
	}
	api, err := rest.New(options, memos)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, api.Close()) })
	w := &world{t: t, server: httptest.NewServer(api), registry: prometheus.NewPedanticRegistry()}
	t.Cleanup(w.server.Close)
	w.registry.MustRegister(m)
	return w
}

const memos = "/apis/example.com/v1/namespaces/default/memos"

// memoBody is the body of a new memo.
func memoBody(name string) string {
	return `{"apiVersion":"example.com/v1","kind":"Memo","metadata":{"name":"` + name + `"}}`
}

// do sends a request and returns the code of the answer.
func (w *world) do(method, path, body string, header ...string) int {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), method, w.server.URL+path, strings.NewReader(body))
	require.NoError(w.t, err)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := w.server.Client().Do(r)
	require.NoError(w.t, err)
	require.NoError(w.t, response.Body.Close())
	return response.StatusCode
}

// scrape returns what Prometheus reads, by the names of the metrics.
func (w *world) scrape() map[string]*dto.MetricFamily {
	w.t.Helper()
	answer := httptest.NewRecorder()
	promhttp.HandlerFor(w.registry, promhttp.HandlerOpts{}).ServeHTTP(answer,
		httptest.NewRequest(http.MethodGet, "/metrics", nil))
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(answer.Body)
	require.NoError(w.t, err)
	return families
}

// values returns the values of a metric, or the counts of a histogram, by the labels that are not empty and not left
// out.
func (w *world) values(name string, without ...string) map[string]float64 {
	without = append(without, "component", "group", "version")
	values := map[string]float64{}
	for _, m := range w.scrape()[name].GetMetric() {
		var labels []string
		for _, l := range m.GetLabel() {
			if l.GetValue() != "" && !slices.Contains(without, l.GetName()) {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
		}
		value := m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount()+m.GetSummary().GetSampleCount())
		values[strings.Join(labels, " ")] = value
	}
	return values
}

func (w *world) sendAll() {
	w.do("POST", memos, memoBody("a"))
	w.do("POST", memos+"?dryRun=All", memoBody("b"))
	w.do("POST", memos, memoBody("bad"))
	w.do("GET", memos+"/a", "")
	w.do("GET", memos+"/a", "")
	w.do("GET", memos+"/gone", "")
	w.do("GET", memos, "")
	w.do("GET", "/apis/example.com/v1/memos", "")
	w.do("PATCH", memos+"/a", `{"text":"b"}`, "Content-Type", "application/merge-patch+json")
	w.do("PATCH", memos+"/a?fieldManager=m", `{"apiVersion":"example.com/v1","kind":"Memo","metadata":{"name":"a"}}`,
		"Content-Type", "application/apply-patch+yaml")
	w.do("DELETE", memos+"/a", "")
	w.do("GET", "/apis/example.com/v1/namespaces/closed/memos/a", "")
	w.do("GET", "/version", "")
	w.do("GET", "/apis/example.com/v1/namespaces/x/anything/a", "")
	w.do("BREW", memos+"/a/pot", "")
}

func TestMetricsCountTheRequestsThatWereSent(t *testing.T) {
	w := newWorld(t)
	w.sendAll()
	requests := map[string]float64{
		"code=201 resource=memos scope=resource verb=POST":             1,
		"code=201 dry_run=All resource=memos scope=resource verb=POST": 1,
		"code=403 resource=memos scope=resource verb=POST":             1,
		"code=200 resource=memos scope=resource verb=GET":              2,
		"code=404 resource=memos scope=resource verb=GET":              1,
		"code=200 resource=memos scope=namespace verb=LIST":            1,
		"code=200 resource=memos scope=cluster verb=LIST":              1,
		"code=200 resource=memos scope=resource verb=PATCH":            1,
		"code=200 resource=memos scope=resource verb=APPLY":            1,
		"code=200 resource=memos scope=resource verb=DELETE":           1,
		"code=403 resource=memos scope=resource verb=GET":              1,
		"code=200 subresource=/version verb=GET":                       1,
		"code=404 verb=GET":                                            1,
		"code=404 verb=other":                                          1,
	}
	assert.Equal(t, requests, w.values("apiserver_request_total"))
	durations := map[string]float64{}
	for labels, n := range requests {
		durations[regexp.MustCompile(`code=\d+ `).ReplaceAllString(labels, "")] += n
	}
	assert.Equal(t, durations, w.values("apiserver_request_duration_seconds"))
	assert.Equal(t, map[string]float64{
		"resource=memos scope=resource verb=GET": 4, "resource=memos scope=namespace verb=LIST": 1,
		"resource=memos scope=cluster verb=LIST": 1,
	}, w.values("apiserver_response_sizes"))
	assert.Equal(t, map[string]float64{"request_kind=mutating": 0, "request_kind=readOnly": 0},
		w.values("apiserver_current_inflight_requests"))
	assert.Equal(t, map[string]float64{
		"decision=allowed name=authorizer type=Authorizer": 14, "decision=denied name=authorizer type=Authorizer": 1,
	}, w.values("apiserver_authorization_decisions_total"))
	controllers := w.values("apiserver_admission_controller_admission_duration_seconds")
	assert.EqualValues(t, 2, controllers["name=words.example.com operation=CREATE rejected=false type=validate"])
	assert.EqualValues(t, 1, controllers["name=words.example.com operation=CREATE rejected=true type=validate"])
	assert.EqualValues(t, 1, w.values("apiserver_admission_step_admission_duration_seconds")["operation=CREATE rejected=true type=validate"])
}

func TestMetricsCountAWatchAndItsEvents(t *testing.T) {
	w := newWorld(t)
	w.do("POST", memos, memoBody("a"))
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, w.server.URL+memos+"?watch=true", nil)
	require.NoError(t, err)
	response, err := w.server.Client().Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	_, err = bufio.NewReader(response.Body).ReadBytes('\n')
	require.NoError(t, err)
	assert.Equal(t, map[string]float64{"resource=memos scope=namespace verb=WATCH": 1},
		w.values("apiserver_longrunning_requests"))
	assert.Equal(t, map[string]float64{"resource=memos": 1}, w.values("apiserver_watch_events_total"))
	leave()
	w.server.Close() // waits for the watch
	assert.Equal(t, map[string]float64{"resource=memos scope=namespace verb=WATCH": 0},
		w.values("apiserver_longrunning_requests"))
	assert.EqualValues(t, 1, w.values("apiserver_request_total")["code=200 resource=memos scope=namespace verb=WATCH"])
}

// upstreamNames are the names of kube-apiserver to which promlint objects.
var upstreamNames = []string{"apiserver_admission_webhook_fail_open_count",
	"apiserver_admission_webhook_rejection_count"}

func TestOnlyNamesOfUpstreamAreBad(t *testing.T) {
	w := newWorld(t)
	w.sendAll()
	problems, err := testutil.GatherAndLint(w.registry)
	require.NoError(t, err)
	for _, p := range problems {
		assert.Contains(t, upstreamNames, p.Metric, p.Text)
	}
}

var metricName = regexp.MustCompile(`\b(?:apiserver|decorum|workqueue)_[a-z_]+`)

// unknownNames returns the names of metrics in a query that are not known.
func unknownNames(query string, known []string) (unknown []string) {
	for _, name := range metricName.FindAllString(query, -1) {
		series := regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
		if !slices.Contains(known, name) && !slices.Contains(known, series) {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// A panel of the dashboard shows metrics that exist.
func TestTheDashboardAsksForMetricsThatExist(t *testing.T) {
	text, err := os.ReadFile("dashboard.json")
	require.NoError(t, err)
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	require.NoError(t, json.Unmarshal(text, &dashboard))
	require.NotEmpty(t, dashboard.Panels)
	known := names(t)
	for _, panel := range dashboard.Panels {
		require.NotEmpty(t, panel.Targets, panel.Title)
		for _, target := range panel.Targets {
			assert.Empty(t, unknownNames(target.Expr, known), panel.Title)
		}
	}
}

var promQL = regexp.MustCompile("(?s)```promql\n(.*?)```")

// The alerts of the documentation, too.
func TestTheAlertsOfTheDocumentationAskForMetricsThatExist(t *testing.T) {
	text, err := os.ReadFile("../../docs/operations.md")
	require.NoError(t, err)
	blocks := promQL.FindAllStringSubmatch(string(text), -1)
	require.NotEmpty(t, blocks)
	known := names(t)
	for _, block := range blocks {
		assert.Empty(t, unknownNames(block[1], known))
	}
}

var described = regexp.MustCompile(`fqName: "([^"]+)".*variableLabels: \{([^}]*)\}`)

// descriptions returns the sorted labels of all metrics of the module.
func descriptions(t *testing.T) map[string]string {
	t.Helper()
	to := make(chan *prometheus.Desc, 1000)
	metrics.New(metrics.Options{}).Describe(to)
	limiter, err := fairness.New(fairness.Options{})
	require.NoError(t, err)
	metrics.FlowControl(limiter).Describe(to)
	metrics.NewControllers().Describe(to)
	close(to)
	all := map[string]string{}
	for d := range to {
		found := described.FindStringSubmatch(d.String())
		require.Len(t, found, 3, d)
		labels := strings.Split(found[2], ",")
		slices.Sort(labels)
		all[found[1]] = strings.Join(labels, " ")
	}
	return all
}

// names returns the names of all metrics of the module.
func names(t *testing.T) []string {
	t.Helper()
	return slices.Collect(maps.Keys(descriptions(t)))
}

// Each metric of kube-apiserver that concerns an API is either here, or omitted for a reason. Other names are those of
// this module.
func TestEachMetricOfUpstreamIsHereOrOmittedForAReason(t *testing.T) {
	here := names(t)
	for name := range upstream {
		reason, out := omitted[name]
		assert.NotEqual(t, out, slices.Contains(here, name), name)
		assert.Equal(t, out, reason != "", name)
	}
	for name := range omitted {
		assert.Contains(t, upstream, name)
	}
	for _, name := range here {
		if _, ok := upstream[name]; !ok {
			assert.True(t, strings.HasPrefix(name, "decorum_"), name)
		}
	}
}

// Metrics have the type, the labels and the buckets of upstream.
func TestMetricsLookAsUpstream(t *testing.T) {
	for name, labels := range descriptions(t) {
		if row, ok := upstream[name]; ok {
			assert.Equal(t, row.labels, labels, name)
		}
	}
	w := newWorld(t)
	w.sendAll()
	compared := 0
	for name, family := range w.scrape() {
		row, ok := upstream[name]
		if !ok {
			continue
		}
		assert.Equal(t, row.is, family.GetType().String(), name)
		var buckets []string
		for _, b := range family.GetMetric()[0].GetHistogram().GetBucket() {
			if bound := b.GetUpperBound(); !math.IsInf(bound, 0) {
				buckets = append(buckets, strconv.FormatFloat(bound, 'g', -1, 64))
			}
		}
		assert.Equal(t, row.buckets, strings.Join(buckets, " "), name)
		compared++
	}
	assert.GreaterOrEqual(t, compared, 10)
}

// refusal is an error with an HTTP code.
func refusal(code int) error {
	return &status.Error{Status: status.Status{Status: "Failure", Code: int32(code)}}
}

// paths is a plug-in that answers each path below /debug/notes/.
type paths struct{}

func (paths) Plug(rest.PluginAPI) (rest.PluginParts, error) {
	return rest.PluginParts{Name: "paths",
		Paths: map[string]http.Handler{"/debug/notes/": http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}}, nil
}

// Clients choose paths, and must not be able to fill the memory with labels.
func TestMetricsHaveNoLabelsThatClientsChoose(t *testing.T) {
	w := newWorldWith(t, rest.Options{Plugins: []rest.Plugin{paths{}}})
	for _, chosen := range []string{"a", "b"} {
		for path, code := range map[string]int{
			"/debug/notes/": 200, "/nothing/": 404, "/readyz/": 404, "/apis/": 404, "/apis/example.com/": 404,
			"/openapi/v3/apis/": 404,
		} {
			assert.Equal(t, code, w.do("GET", path+chosen, ""), path)
		}
	}
	assert.Equal(t, 200, w.do("GET", "/readyz/ping", ""))
	assert.Equal(t, map[string]float64{
		"code=200 subresource=/debug/notes/ verb=GET": 2, "code=200 subresource=/readyz/ping verb=GET": 1,
		"code=404 verb=GET": 10,
	}, w.values("apiserver_request_total"))
}

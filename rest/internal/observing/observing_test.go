//go:build unix

package observing_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	sdk "go.opentelemetry.io/otel/sdk/trace"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/audit"
	"github.com/decorum-go/decorum/rest/fairness"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/rest/metrics"
	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/rest/requestlog"
	"github.com/decorum-go/decorum/rest/tracing"
)

// logged writes a line of JSON for each request to a file, and times the steps of writes.
func logged(b *testing.B) rest.Plugin { return loggedTo(create(b)) }

// buffered is logged through a buffer: the file receives many lines at once.
func buffered(b *testing.B) rest.Plugin { return loggedTo(bufio.NewWriterSize(create(b), 64<<10)) }

func create(b *testing.B) *os.File {
	file, err := os.Create(filepath.Join(b.TempDir(), "requests.log"))
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, file.Close()) })
	return file
}

// loggedTo writes to w, one line at a time as slog's handlers do.
func loggedTo(w io.Writer) rest.Plugin {
	return requestlog.New(requestlog.Options{Logger: slog.New(slog.NewJSONHandler(w, nil)), Slow: time.Second})
}

// silent observes, and wants to know nothing.
func silent(*testing.B) rest.Plugin { return rest.PluginParts{Name: "silent", Observer: nothing{}} }

type nothing struct{}

// Observe implements [observe.Observer].
func (nothing) Observe(context.Context, *observe.Request) (context.Context, observe.Observation, error) {
	return nil, observe.Observation{}, nil
}

// audited records each request at Metadata in a file.
func audited(b *testing.B) rest.Plugin {
	file, err := audit.OpenFile(filepath.Join(b.TempDir(), "audit.log"), audit.FileOptions{})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, file.Close()) })
	policy := &audit.Policy{OmitStages: []audit.Stage{audit.StageRequestReceived},
		Rules: []audit.PolicyRule{{Level: audit.LevelMetadata}}}
	records, err := audit.New(audit.Options{Policy: policy, Outputs: []audit.Output{{Sink: file}}})
	require.NoError(b, err)
	return records
}

// measured counts and times requests.
func measured(b *testing.B) rest.Plugin {
	plugin := metrics.New(metrics.Options{})
	require.NoError(b, prometheus.NewRegistry().Register(plugin))
	return plugin
}

// traced records one request in a hundred, in batches for an exporter that drops them.
func traced(b *testing.B) rest.Plugin {
	provider := sdk.NewTracerProvider(sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(0.01))),
		sdk.WithBatcher(dropping{}))
	b.Cleanup(func() { require.NoError(b, provider.Shutdown(context.Background())) })
	spans, err := tracing.New(tracing.Options{TracerProvider: provider})
	require.NoError(b, err)
	return spans
}

// shared shares the seats of the API among the users.
func shared(b *testing.B) rest.Plugin {
	limiter, err := fairness.New(fairness.Options{})
	require.NoError(b, err)
	return limiter
}

// dropping is an exporter that drops spans.
type dropping struct{}

func (dropping) ExportSpans(context.Context, []sdk.ReadOnlySpan) error { return nil }
func (dropping) Shutdown(context.Context) error                        { return nil }

func TestMain(m *testing.M) { apitest.RunWithClients(m) }

type plugged = func(*testing.B) rest.Plugin

const (
	connections = 8
	rounds      = 12
	gets        = 2000 // the number of GETs of each API in each round
	creates     = 600
)

// BenchmarkObservers prints the least processor time of a GET and of a CREATE of 2 KB over HTTP for each set of
// observers, and its ratio to an API without observers. The aims are ratios of 1.3 and 1.15 for all of them together.
// b.N does not count, so run it with -benchtime 1x.
func BenchmarkObservers(b *testing.B) {
	sets := []struct {
		name    string
		plugins []plugged
	}{
		{"off", nil},
		{"silent", []plugged{silent}},
		{"log", []plugged{logged}},
		{"buffered log", []plugged{buffered}},
		{"audit", []plugged{audited}},
		{"metrics", []plugged{measured}},
		{"traces", []plugged{traced}},
		{"fairness", []plugged{shared}},
		{"all", []plugged{traced, logged, audited, measured, shared}},
		{"all, buffered", []plugged{traced, buffered, audited, measured, shared}},
	}
	addresses := make([]string, len(sets))
	for i, set := range sets {
		var options rest.Options
		for _, plugin := range set.plugins {
			options.Plugins = append(options.Plugins, plugin(b))
		}
		s := apitest.NewThingServer(b, options)
		require.NoError(b, s.API.Start(b.Context()))
		s.Fill(b, 1000)
		addresses[i] = apitest.Serve(b, s.API).Listener.Addr().String()
	}
	c := apitest.StartClients(b)
	body := apitest.PaddedThing("m"+apitest.Counted, apitest.BenchObject)
	requests := []struct {
		name    string
		count   int
		callers []*apitest.Caller // the callers of each set
		times   [][]time.Duration
	}{{name: "GET", count: gets}, {name: "CREATE", count: creates}}
	for _, address := range addresses {
		requests[0].callers = append(requests[0].callers,
			c.Caller(address, apitest.Things+"/n000500", "application/json", connections))
		requests[1].callers = append(requests[1].callers,
			c.Writer(address, "POST", apitest.Things, "application/json", string(body), connections))
	}
	for i := range requests {
		requests[i].times = make([][]time.Duration, len(sets))
	}
	for round := range rounds + 1 {
		for i := range requests {
			r := &requests[i]
			for k, caller := range r.callers {
				runtime.GC()
				took := apitest.ProcessorTime(func() { caller.Send(r.count) })
				if round > 0 { // the first one opens connections
					r.times[k] = append(r.times[k], took/time.Duration(r.count))
				}
			}
		}
	}
	for _, r := range requests {
		off := slices.Min(r.times[0])
		for k, set := range sets {
			took := slices.Min(r.times[k])
			ratio := float64(took) / float64(off)
			b.Logf("%-6s %-13s least %8v  added %8v  ratio %.3f  median %8v", r.name, set.name, took, took-off, ratio,
				median(r.times[k]))
			b.ReportMetric(ratio, r.name+"-"+strings.ReplaceAll(set.name, " ", "-"))
		}
	}
	b.ReportMetric(0, "ns/op") // leaves the time of b.N out
}

func median(times []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[len(sorted)/2]
}

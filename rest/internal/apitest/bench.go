package apitest

import (
	"bytes"
	"io"
	"math"
	"net"
	"net/http"
	"runtime"
	"slices"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
)

// BenchObject is the size of an object in benchmarks.
const BenchObject = 2 << 10

func cpuOf(f func()) float64 {
	before := cpuTime()
	f()
	return cpuTime() - before
}

// ProcessorTime returns how much processor time this process uses while f runs. Unlike the time that passes, it hardly
// depends on what else the machine does. Other tests must not run at the same time.
func ProcessorTime(f func()) time.Duration { return time.Duration(cpuOf(f)) }

// Cost is [ProcessorTime] of something whose cost must be in proportion to its input. It fails the test after as much
// time as a hang, so how fast the machine is hardly matters.
func Cost(t testing.TB, f func()) time.Duration {
	t.Helper()
	took := ProcessorTime(f)
	if took > Deadline {
		t.Errorf("the cost is out of proportion: %v of processor time", took)
	}
	return took
}

// UsedProcessorTime returns how much processor time this process has used.
func UsedProcessorTime() time.Duration { return time.Duration(cpuTime()) }

// rounds is how often Compare measures each side.
const rounds = 10

// Process is another process that serves a part of the operations that Compare measures.
type Process interface {
	// CollectGarbage returns when the process has collected its garbage.
	CollectGarbage()
	// UsedProcessorTime returns how much processor time the process has used.
	UsedProcessorTime() time.Duration
}

// Compare measures n operations and as many of the limit in turns, ten times. It reports the ratio of the least
// processor time of each, and as the spread the middle half of the ratios of the rounds, and returns both. b.N does not
// count, so run benchmarks with -benchtime 1x.
//
// The processor time is that of this process and of the others.
func Compare(b *testing.B, n int, ours, limit func(n int), others ...Process) (ratio, spread float64) {
	b.Helper()
	collect := func() {
		runtime.GC()
		for _, other := range others {
			other.CollectGarbage()
		}
	}
	used := func() (sum float64) {
		for _, other := range others {
			sum += float64(other.UsedProcessorTime())
		}
		return sum + cpuTime()
	}
	cost := func(side func(n int)) float64 {
		before := used()
		side(n)
		return (used() - before) / float64(n)
	}
	var before, after runtime.MemStats
	oursBest, limitBest := math.Inf(1), math.Inf(1)
	var ratios []float64
	var mallocs, bytes uint64
	ours(1) // the first call opens connections, which does not count
	limit(1)
	for range rounds {
		collect()
		runtime.ReadMemStats(&before)
		our := cost(ours)
		runtime.ReadMemStats(&after)
		mallocs, bytes = mallocs+after.Mallocs-before.Mallocs, bytes+after.TotalAlloc-before.TotalAlloc
		collect()
		its := cost(limit)
		oursBest, limitBest = min(oursBest, our), min(limitBest, its)
		ratios = append(ratios, our/its)
	}
	slices.Sort(ratios)
	ratio, spread = oursBest/limitBest, ratios[rounds*3/4]-ratios[rounds/4]
	b.ReportAllocs()
	b.ReportMetric(ratio, "ratio")
	b.ReportMetric(spread, "spread")
	b.ReportMetric(oursBest, "cpu-ns/op")
	b.ReportMetric(float64(mallocs)/float64(rounds*n), "allocs/op")
	b.ReportMetric(float64(bytes)/float64(rounds*n), "B/op")
	b.ReportMetric(0, "ns/op") // leaves the time of b.N out
	return ratio, spread
}

// DiscardWriter is a ResponseWriter that costs nothing and is used again and again.
type DiscardWriter struct {
	Headers http.Header
	Code    int
	Bytes   int
}

// Header is that of the last answer.
func (w *DiscardWriter) Header() http.Header { return w.Headers }

// WriteHeader keeps the code.
func (w *DiscardWriter) WriteHeader(code int) { w.Code = code }

// Write counts the bytes.
func (w *DiscardWriter) Write(p []byte) (int, error) { w.Bytes += len(p); return len(p), nil }

// Reset forgets the last answer.
func (w *DiscardWriter) Reset() {
	clear(w.Headers)
	w.Code, w.Bytes = 0, 0
}

// ThingWriter sends writes straight to the handler, with a request and a ResponseWriter that it uses again.
type ThingWriter struct {
	api     http.Handler
	request *http.Request
	body    bytes.Reader
	Answer  DiscardWriter
}

// NewThingWriter returns a writer whose requests differ only in their bodies.
func NewThingWriter(api http.Handler, method, target, media string) *ThingWriter {
	w := &ThingWriter{api: api, request: NewRequest(method, target, nil, "Content-Type", media),
		Answer: DiscardWriter{Headers: http.Header{}}}
	w.request.Body = io.NopCloser(&w.body)
	return w
}

// Send sends a body and returns the code of the answer.
func (w *ThingWriter) Send(body []byte) int {
	w.body.Reset(body)
	w.request.ContentLength = int64(len(body))
	w.Answer.Reset()
	w.api.ServeHTTP(&w.Answer, w.request)
	return w.Answer.Code
}

// DecodeAndEncode is the limit of a write: the body decoded once into the struct, strictly, and the struct encoded
// once.
func DecodeAndEncode(b *testing.B, body []byte) func(n int) {
	return func(n int) {
		for range n {
			var thing Thing
			if err := jsonv2.Unmarshal(body, &thing, jsonv2.RejectUnknownMembers(true)); err != nil {
				b.Fatal(err)
			}
			if _, err := jsonv2.Marshal(&thing); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// ReadHead reads a header byte by byte, so as not to read on.
func ReadHead(conn net.Conn) (string, error) {
	var head []byte
	one := make([]byte, 1)
	for !bytes.HasSuffix(head, []byte("\r\n\r\n")) {
		if _, err := conn.Read(one); err != nil {
			return string(head), err
		}
		head = append(head, one[0])
	}
	return string(head), nil
}

// Get sends n requests straight to the handler.
func (w *ThingWriter) Get(b *testing.B, n int) {
	for range n {
		if w.Send(nil); w.Answer.Bytes < BenchObject { // a list does not say that it is 200
			b.Fatal(w.Answer)
		}
	}
}

package querytest

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/hangtest"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/queries"
	"github.com/decorum-go/decorum/storage"
)

// patience bounds each wait for a watch.
const patience = hangtest.Deadline

// Serve starts APIs over the same objects, with the options, that serve the kind as it is declared. Run closes them.
type Serve func(t *testing.T, options rest.Options, declared rest.Resource[Crate]) []*rest.API

// Over serves the kind from stores that have the same objects.
func Over(stores ...storage.Store) Serve {
	return func(t *testing.T, options rest.Options, declared rest.Resource[Crate]) (all []*rest.API) {
		for _, store := range stores {
			options.Store = store
			api, err := rest.New(options, declared)
			require.NoError(t, err)
			require.NoError(t, api.Start(t.Context()))
			all = append(all, api)
		}
		return all
	}
}

// Subject is what Run checks.
type Subject struct {
	Serve Serve
	// Queries is how many random lists Run compares.
	Queries int
}

// Run compares random queries with a filter and a sort of all objects, and watches by queries with the lists at the
// end. Halfway, the declaration of the kind changes.
func Run(t *testing.T, subject Subject) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	m := &model{T: t, Subject: subject, random: rand.New(rand.NewPCG(seed, 0))}
	var calls atomic.Int64
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	options := rest.Options{Queries: &rest.Queries{},
		Now: func() time.Time { return began.Add(time.Duration(calls.Add(1)) * 200 * time.Millisecond) }}
	for m.declared = range declarations {
		apis := m.Serve(t, options, declared(m.declared))
		m.clients = nil
		for _, api := range apis {
			m.clients = append(m.clients, &http.Client{Transport: rest.RoundTripper(api)})
		}
		for range 25 {
			m.create()
		}
		for range m.Queries / len(declarations) {
			m.checkList()
		}
		m.checkWatches()
		for _, api := range apis {
			require.NoError(t, api.Close())
		}
	}
}

type model struct {
	*testing.T
	Subject
	random   *rand.Rand
	clients  []*http.Client // a client for each API
	declared int
	made     int
}

func oneOf[T any](m *model, all ...T) T { return all[m.random.IntN(len(all))] }

func (m *model) send(ctx context.Context, method, target, body string) *http.Response {
	r, err := http.NewRequestWithContext(ctx, method, "http://host"+target, strings.NewReader(body))
	require.NoError(m, err)
	r.Header.Set("Content-Type", map[bool]string{true: "application/merge-patch+json", false: "application/json"}[method == "PATCH"])
	answer, err := oneOf(m, m.clients...).Do(r)
	require.NoError(m, err)
	return answer
}

// must sends a request that succeeds, and decodes its answer.
func (m *model) must(method, target, body string, into any) {
	answer := m.send(m.Context(), method, target, body)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(m, err)
	require.Less(m, answer.StatusCode, 300, "%s %s: %s", method, target, text)
	require.NoError(m, json.Unmarshal(text, into))
}

// spec returns the JSON of a random spec.
func (m *model) spec() string {
	spec := map[string]any{"color": nil, "size": nil, "full": nil}
	if color := oneOf(m, "", "red", "blue", "dark red", "é"); color != "" {
		spec["color"] = color
	}
	if size := oneOf(m, -1, m.random.Int64N(5), m.random.Int64N(200), m.random.Int64()); size >= 0 {
		spec["size"] = size
	}
	if m.random.IntN(2) == 0 {
		spec["full"] = true
	}
	maps.DeleteFunc(spec, func(_ string, v any) bool { return v == nil && m.random.IntN(2) == 0 })
	text, err := json.Marshal(spec)
	require.NoError(m, err)
	return string(text)
}

func (m *model) create() {
	m.made++
	spec := map[string]any{}
	require.NoError(m, json.Unmarshal([]byte(m.spec()), &spec))
	maps.DeleteFunc(spec, func(_ string, v any) bool { return v == nil })
	text, err := json.Marshal(spec)
	require.NoError(m, err)
	labels := oneOf(m, "", `"tier":""`, `"tier":"gold"`, `"tier":"iron"`)
	m.must("POST", oneOf(m, inA, inB), fmt.Sprintf(
		`{"apiVersion":"example.com/v1","kind":"Crate","metadata":{"name":"%s%d","labels":{%s}},"spec":%s}`,
		oneOf(m, "web-", "db-", "x"), m.made, labels, text), &Crate{})
}

// change changes, removes or creates a crate.
func (m *model) change() {
	all := m.list(everywhere)
	c := all[m.random.IntN(len(all))]
	target := "/apis/example.com/v1/namespaces/" + c.Namespace + "/crates/" + c.Name
	switch m.random.IntN(6) {
	case 0:
		m.must("DELETE", target, "", &struct{}{})
	case 1:
		m.create()
	default:
		m.must("PATCH", target, `{"spec":`+m.spec()+`}`, &Crate{})
	}
}

func (m *model) list(target string) []*Crate {
	var list struct{ Items []*Crate }
	m.must("GET", target, "", &list)
	return list.Items
}

// compare compares two values of a field that are not empty.
func compare(field, a, b string) int {
	if field != "spec.size" {
		return strings.Compare(a, b)
	}
	x, _ := strconv.ParseInt(a, 10, 64)
	y, _ := strconv.ParseInt(b, 10, 64)
	return cmp.Compare(x, y)
}

// condition returns a random condition, and a function that checks it.
func (m *model) condition(all []*Crate) (string, func(*Crate) bool) {
	field := oneOf(m, fields(m.declared)...)
	wanted := value(oneOf(m, all...), field)
	operator := oneOf(m, "=", "!=", "in", "notin", "<", "<=", ">", ">=", "^=")
	if field == "spec.size" && (operator == "^=" || wanted == "") {
		operator, wanted = "=", ""
	}
	holds := func(c *Crate) bool {
		got := value(c, field)
		switch operator {
		case "=":
			return got == wanted
		case "!=":
			return got != wanted
		case "in":
			return got == wanted || got == "7"
		case "notin":
			return got != wanted && got != "7"
		case "^=":
			return got != "" && strings.HasPrefix(got, wanted)
		}
		if got == "" {
			return false
		}
		if wanted == "" {
			return operator[0] == '>'
		}
		order := compare(field, got, wanted)
		return order < 0 && operator[0] == '<' || order > 0 && operator[0] == '>' || order == 0 && len(operator) == 2
	}
	if operator == "in" || operator == "notin" {
		return field + " " + operator + " (7," + quoted(wanted) + ")", holds
	}
	return field + operator + quoted(wanted), holds
}

// quoted returns a value as a JSON string.
func quoted(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(quoted)
}

// conditions returns up to two conditions, and the crates that meet them.
func (m *model) conditions(all []*Crate) (string, func(*Crate) bool) {
	var texts []string
	var holds []func(*Crate) bool
	for range m.random.IntN(3) {
		text, f := m.condition(all)
		texts, holds = append(texts, text), append(holds, f)
	}
	return strings.Join(texts, ","), func(c *Crate) bool {
		return !slices.ContainsFunc(holds, func(f func(*Crate) bool) bool { return !f(c) })
	}
}

// order returns a random order, and a comparison that does the same.
func (m *model) order() (string, func(a, b *Crate) int) {
	all := fields(m.declared)
	var order []string
	for _, i := range m.random.Perm(len(all))[:m.random.IntN(4)] {
		order = append(order, oneOf(m, "", "-")+all[i])
	}
	return strings.Join(order, ","), func(a, b *Crate) int {
		for _, o := range order {
			field, descending := strings.CutPrefix(o, "-")
			x, y := value(a, field), value(b, field)
			switch {
			case x == y:
				continue
			case x == "":
				return 1
			case y == "":
				return -1
			case descending:
				x, y = y, x
			}
			if c := compare(field, x, y); c != 0 {
				return c
			}
		}
		return 0
	}
}

// checkList compares a random query, in pages, and its counts, with the whole list.
func (m *model) checkList() {
	target := oneOf(m, everywhere, inA)
	all := m.list(target)
	query, holds := m.conditions(all)
	sortBy, compare := m.order()
	want := slices.DeleteFunc(slices.Clone(all), func(c *Crate) bool { return !holds(c) })
	slices.SortStableFunc(want, compare)

	facet := oneOf(m, fields(m.declared)...)
	var counts queries.Counts
	m.must("GET", with(target, "fieldQuery", query, "facets", facet), "", &counts)
	m.checkCounts(&counts, want, facet, query)

	var names, got []string
	for _, c := range want {
		names = append(names, keyOf(c))
	}
	limit := oneOf(m, "0", "1", "7", "50")
	for token := ""; ; {
		var page struct {
			Metadata struct{ Continue string }
			Items    []*Crate
		}
		m.must("GET", with(target, "fieldQuery", query, "sortBy", sortBy, "limit", limit, "continue", token), "", &page)
		for _, c := range page.Items {
			got = append(got, keyOf(c))
		}
		if token = page.Metadata.Continue; token == "" {
			break
		}
		if m.random.IntN(10) == 0 {
			m.change() // the pages stay at their revision
		}
	}
	require.Equal(m, names, got, "%s: fieldQuery=%s sortBy=%s limit=%s", target, query, sortBy, limit)
}

func (m *model) checkCounts(counts *queries.Counts, of []*Crate, field, query string) {
	want, got := map[string]int64{}, map[string]int64{}
	for _, c := range of {
		want[value(c, field)]++
	}
	require.EqualValues(m, len(of), counts.Total, query)
	require.Len(m, counts.Facets, 1)
	for _, v := range counts.Facets[0].Values {
		got[v.Value] = v.Count
	}
	if counts.Facets[0].Absent > 0 {
		got[""] = counts.Facets[0].Absent
	}
	require.Equal(m, want, got, "%s: fieldQuery=%s", field, query)
}

// checkWatches compares what watches by random queries have shown with the lists at the end.
func (m *model) checkWatches() {
	type watched struct {
		query  string
		holds  func(*Crate) bool
		events <-chan event
		known  map[string]bool
	}
	ctx, cancel := context.WithCancel(m.Context())
	defer cancel()
	var all []watched
	crates := m.list(everywhere)
	for range 4 {
		query, holds := m.conditions(crates)
		all = append(all, watched{query, holds, m.watch(ctx, query), map[string]bool{}})
	}
	for range 30 {
		m.change()
	}
	crates = m.list(everywhere)
	for _, w := range all {
		want := map[string]bool{}
		for _, c := range crates {
			if w.holds(c) {
				want[keyOf(c)] = true
			}
		}
		deadline := time.After(patience)
		for !maps.Equal(want, w.known) {
			select {
			case e, ok := <-w.events:
				require.True(m, ok, "the watch has ended")
				key := keyOf(&e.Object)
				require.Equal(m, e.Type != "ADDED", w.known[key], "%s %s: fieldQuery=%s", e.Type, key, w.query)
				if w.known[key] = true; e.Type == "DELETED" {
					delete(w.known, key)
				}
			case <-deadline:
				require.FailNow(m, "the watch differs from the list", "fieldQuery=%s: %v, not %v", w.query, w.known, want)
			}
		}
	}
}

type event struct {
	Type   string
	Object Crate
}

// watch reads a watch by a query until the context ends.
func (m *model) watch(ctx context.Context, query string) <-chan event {
	answer := m.send(ctx, "GET", with(everywhere, "watch", "true", "fieldQuery", query), "")
	require.Equal(m, http.StatusOK, answer.StatusCode)
	events := make(chan event, 10_000)
	go func() {
		defer close(events)
		defer answer.Body.Close()
		for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
			var e event
			if json.Unmarshal(lines.Bytes(), &e) != nil {
				return
			}
			events <- e
		}
	}()
	return events
}

// with adds the parameters that are not empty to a path.
func with(path string, parameters ...string) string {
	query := url.Values{}
	for i := 0; i < len(parameters); i += 2 {
		if parameters[i+1] != "" {
			query.Set(parameters[i], parameters[i+1])
		}
	}
	return path + "?" + query.Encode()
}

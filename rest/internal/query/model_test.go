package query_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
)

// Queries of random objects equal a filter and a sort of the whole list. Stores in other modules answer lists with the
// same engine, so memory and a file stand for all of them.
func TestQueriesEqualAFilterAndASort(t *testing.T) {
	for name, open := range map[string]func(*testing.T) storage.Store{
		"memory": func(t *testing.T) storage.Store { return apitest.NewStore(t) },
		"bolt": func(t *testing.T) storage.Store {
			store, err := bolt.Open(t.Context(),
				bolt.Options{Path: filepath.Join(t.TempDir(), "objects"), Engine: storage.Options{Start: 1}})
			require.NoError(t, err)
			return apitest.CloseAtEnd(t, store)
		},
	} {
		t.Run(name, func(t *testing.T) {
			seed := uint64(time.Now().UnixNano())
			t.Logf("seed %d", seed)
			m := &model{T: t, random: rand.New(rand.NewPCG(seed, 0))}
			clock := apitest.Now()
			m.api = newCrates(t, rest.Options{Store: open(t), Now: func() time.Time { return clock }})
			for range 40 {
				clock = clock.Add(time.Second)
				m.create()
			}
			for range 80 {
				m.check()
			}
		})
	}
}

type model struct {
	*testing.T
	random *rand.Rand
	api    *rest.API
	made   int
}

func oneOf[T any](m *model, all ...T) T { return all[m.random.IntN(len(all))] }

func (m *model) create() {
	m.made++
	labels := oneOf(m, "", `"tier":""`, `"tier":"gold"`, `"tier":"iron"`)
	size := oneOf(m, int64(-1), m.random.Int64N(5), m.random.Int64N(200), m.random.Int64())
	apitest.Must(m, m.api, "POST", "/apis/example.com/v1/namespaces/"+oneOf(m, "a", "b")+"/crates",
		crate(oneOf(m, "web-", "db-", "x")+fmt.Sprint(m.made), oneOf(m, "", "red", "blue", "dark red", "é"), size, labels))
}

// fields returns the value of each field of a crate, and "" for one that it does not have.
func fields(c *Crate) map[string]string {
	size := ""
	if c.Spec.Size != nil {
		size = fmt.Sprint(*c.Spec.Size)
	}
	return map[string]string{"metadata.name": c.Name, "metadata.namespace": c.Namespace, "spec.color": c.Spec.Color,
		"spec.size": size, "metadata.labels.tier": c.Labels["tier"],
		"metadata.creationTimestamp": c.CreationTimestamp.Format(time.RFC3339)}
}

// compareValues compares two values of a field that are not empty.
func compareValues(field, a, b string) int {
	if field != "spec.size" {
		return strings.Compare(a, b)
	}
	var x, y int64
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		panic("no numbers: " + a + ", " + b)
	}
	return cmp.Compare(x, y)
}

// condition returns a random condition, and a function that checks it.
func (m *model) condition(all []*Crate) (string, func(*Crate) bool) {
	example := fields(oneOf(m, all...))
	field := oneOf(m, "metadata.name", "metadata.namespace", "spec.color", "spec.size", "metadata.labels.tier",
		"metadata.creationTimestamp")
	value := example[field]
	number := field == "spec.size"
	operator := oneOf(m, "=", "!=", "in", "notin", "<", "<=", ">", ">=", "^=")
	if number && (operator == "^=" || value == "") {
		operator, value = "=", ""
	}
	holds := func(c *Crate) bool {
		got := fields(c)[field]
		switch operator {
		case "=":
			return got == value
		case "!=":
			return got != value
		case "in":
			return got == value || got == "7"
		case "notin":
			return got != value && got != "7"
		case "^=":
			return got != "" && strings.HasPrefix(got, value)
		}
		if got == "" {
			return false
		}
		if value == "" {
			return operator[0] == '>'
		}
		order := compareValues(field, got, value)
		return order < 0 && operator[0] == '<' || order > 0 && operator[0] == '>' || order == 0 && len(operator) == 2
	}
	if operator == "in" || operator == "notin" {
		return field + " " + operator + " (7," + quoted(value) + ")", holds
	}
	return field + operator + quoted(value), holds
}

// check compares a random query, in pages, with the whole list.
func (m *model) check() {
	path := oneOf(m, allCrates, crates)
	whole := apitest.Do(m, m.api, "GET", path, "")
	var list struct{ Items []*Crate }
	whole.Decode(m, &list)
	want := list.Items
	var conditions []string
	for range m.random.IntN(3) {
		text, holds := m.condition(list.Items)
		conditions = append(conditions, text)
		want = slices.DeleteFunc(slices.Clone(want), func(c *Crate) bool { return !holds(c) })
	}
	var order []string
	for _, i := range m.random.Perm(6)[:m.random.IntN(3)] {
		field := []string{"metadata.name", "metadata.namespace", "spec.color", "spec.size", "metadata.labels.tier",
			"metadata.creationTimestamp"}[i]
		order = append(order, oneOf(m, "", "-")+field)
	}
	want = slices.Clone(want)
	slices.SortStableFunc(want, func(a, b *Crate) int {
		for _, o := range order {
			field, descending := strings.CutPrefix(o, "-")
			x, y := fields(a)[field], fields(b)[field]
			switch {
			case x == y:
				continue
			case x == "":
				return 1
			case y == "":
				return -1
			}
			if c := compareValues(field, x, y); descending {
				return -c
			} else {
				return c
			}
		}
		return 0
	})
	var names []string
	for _, c := range want {
		names = append(names, c.Namespace+"/"+c.Name)
	}
	var got []string
	limit := oneOf(m, "0", "1", "7", "50")
	for token := ""; ; {
		page := apitest.Do(m, m.api, "GET",
			with(path, "fieldQuery", strings.Join(conditions, ","), "sortBy", strings.Join(order, ","), "limit", limit,
				"continue", token), "")
		got = append(got, found(m, page)...)
		if token = page.Text(m, "metadata.continue"); token == "" {
			break
		}
		if m.random.IntN(10) == 0 {
			m.create() // the pages stay at their revision
		}
	}
	require.Equal(m, names, got, "%s: fieldQuery=%s sortBy=%s limit=%s", path, conditions, order, limit)
}

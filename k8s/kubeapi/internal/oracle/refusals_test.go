package oracle

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fault is what a side finds wrong with one field.
type fault struct{ field, kind, detail string }

// at returns the fault without its detail.
func (f fault) at() fault { return fault{f.field, f.kind, ""} }

// faults returns what each side finds wrong with an object, except with its metadata. It returns false for an object
// that cannot be decoded.
func (e example) faults(t *testing.T, o operation, doc map[string]any) (theirs, ours []fault, ok bool) {
	t.Helper()
	obj, internal, ok := e.both(t, doc)
	if !ok {
		return nil, nil, false
	}
	add := func(to *[]fault, field, kind, detail string) {
		detail, _, _ = strings.Cut(detail, "\n") // a difference of objects follows
		if e.gvk.Kind == "StatefulSet" {
			field = volumes.ReplaceAllString(field, "volumes[]")
		}
		if !strings.HasPrefix(field, "metadata") || strings.HasPrefix(field, "metadata.taints") {
			*to = append(*to, fault{field, kind, detail})
		}
	}
	for _, f := range e.theirs(o, internal) {
		add(&theirs, f.Field, string(f.Type), f.Detail)
	}
	for _, f := range o.ours(obj, e.old) {
		add(&ours, f.Field, string(f.Type), f.Detail)
	}
	return theirs, ours, true
}

// tally counts the faults that Kubernetes finds with the objects of a kind, and those that we find too.
type tally struct{ faults, fields, details int }

func (c *tally) add(theirs, ours []fault) {
	fields := map[fault]bool{}
	for _, f := range ours {
		fields[f.at()] = true
	}
	for _, f := range theirs {
		c.faults++
		if fields[f.at()] {
			c.fields++
		}
		if slices.Contains(ours, f) {
			c.details++
		}
	}
}

func (c tally) String() string {
	share := func(n int) string { return fmt.Sprintf("%.1f %%", float64(1000*n/max(c.faults, 1))/10) }
	return fmt.Sprintf("| %d | %s | %s |", c.faults, share(c.fields), share(c.details))
}

// indices matches the parts of a path in which the paths of similar faults differ.
var indices = regexp.MustCompile(`\[[^]]*]`)

// misses counts the faults that only one side finds, by kind. A test that runs with -v prints them.
type misses map[string]int

func (m misses) add(what string, faults, others []fault) {
	for _, f := range faults {
		if !slices.Contains(others, f) {
			m[fmt.Sprintf("%s: %s: %s: %s", what, indices.ReplaceAllString(f.field, "[]"), f.kind, f.detail)]++
		}
	}
}

// TestRefusals changes examples at random. We must refuse nothing that Kubernetes accepts. The test writes the share of
// Kubernetes' faults that we find into the README of the module.
func TestRefusals(t *testing.T) {
	byKind := map[string][]example{}
	for _, e := range examples(t) {
		byKind[e.gvk.Kind] = append(byKind[e.gvk.Kind], e)
	}
	found, missed := map[string]*tally{}, misses{}
	for kind, examples := range byKind {
		found[kind] = &tally{}
		m := newMutator(t, examples[0].subject)
		for range 150 {
			for _, o := range operations() {
				e := pick(m.filler, examples...)
				doc, ok := m.changed(t, e, o)
				if !ok {
					continue
				}
				theirs, ours, ok := e.faults(t, o, doc)
				if !ok {
					continue
				}
				if len(theirs) == 0 {
					assert.Empty(t, ours, "only we refuse the %s of %s", o.name, encode(t, doc))
				}
				found[kind].add(theirs, ours)
				missed.add("only Kubernetes: "+o.name+" of "+kind, theirs, ours)
				missed.add("only we: "+o.name+" of "+kind, ours, theirs)
			}
		}
	}
	checkShares(t, "validation", "-run TestRefusals", found, missed)
}

// checkShares compares the shares of faults that we find with a table in the README, and logs what one side misses.
func checkShares(t *testing.T, table, run string, found map[string]*tally, missed misses) {
	t.Helper()
	if testing.Verbose() {
		for _, what := range slices.Sorted(maps.Keys(missed)) {
			t.Logf("%d times %s", missed[what], what)
		}
	}
	var rows strings.Builder
	rows.WriteString("| kind | faults | field and type | and detail |\n| --- | --- | --- | --- |\n")
	for _, kind := range slices.Sorted(maps.Keys(found)) {
		fmt.Fprintf(&rows, "| %s %s\n", kind, found[kind])
	}
	checkTable(t, table, run, rows.String())
}

// changed returns the document of an example after some changes, if the operation is one of this example.
func (m *mutator) changed(t *testing.T, e example, o operation) (doc map[string]any, ok bool) {
	t.Helper()
	if o.status && e.doc["status"] == nil {
		return nil, false
	}
	obj := e.decode(t, encode(t, o.of(e.doc)))
	m.mutate(obj, o.status)
	require.NoError(t, json.Unmarshal(encode(t, obj), &doc))
	return o.of(doc), true
}

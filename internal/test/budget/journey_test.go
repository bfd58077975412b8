package budget_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "github.com/decorum-go/decorum/rest" // the import keeps go test from reusing a result of an older library
)

var update = flag.Bool("update", false, "write the report into the docs")

// Every kind of request can be followed. With -v the test prints the functions that each request enters, and with
// -update it writes their number into the docs. It asserts no number: a human compares the report with the one of the
// commit before.
func TestJourney(t *testing.T) {
	const head = "| request | functions entered | where |\n"
	var table strings.Builder
	table.WriteString(head + "| --- | --- | --- |\n")
	for _, j := range journeys(t) {
		assert.NotEmpty(t, j.functions, j.Request)
		fmt.Fprintf(&table, "| %s | %d | %s |\n", j.Request, len(j.functions), byPackage(j.functions))
		t.Logf("%s:\n\t%s", j.Request, strings.Join(j.functions, "\n\t"))
	}
	t.Log("\n" + table.String())
	if *update {
		replaceTable(t, "../../../docs/design-of-rest.md", head, table.String())
	}
}

// journey is one request, as program journey prints it.
type journey struct {
	Request, Cover string

	functions []string // "rest/get.go: get", sorted
}

func journeys(t *testing.T) []journey {
	t.Helper()
	dir := t.TempDir()
	run := exec.Command("go", "run", "-cover", "-covermode=atomic", "-coverpkg="+core+"/rest/...,./journey", "./journey",
		dir)
	run.Env = append(os.Environ(), "GOCOVERDIR="+t.TempDir()) // nobody reads the coverage of the whole program
	var stderr strings.Builder
	run.Stderr = &stderr
	out, err := run.Output()
	require.NoError(t, err, stderr.String())
	var all []journey
	require.NoError(t, json.Unmarshal(out, &all))
	require.NotEmpty(t, all)

	var reading sync.WaitGroup
	for i := range all {
		reading.Go(func() { all[i].functions = functions(t, all[i].Cover) })
	}
	reading.Wait()
	return all
}

// functions lists the functions of package rest, and of the packages below it, that the coverage in a directory counts.
func functions(t *testing.T, dir string) (entered []string) {
	out, err := exec.Command("go", "tool", "covdata", "func", "-i="+dir).CombinedOutput()
	assert.NoError(t, err, string(out))
	for line := range strings.Lines(string(out)) { // decorum/rest/get.go:12: (*request).get 83.3%
		words := strings.Fields(line)
		file, ours := strings.CutPrefix(words[0], core+"/rest/")
		if !ours || len(words) < 3 || words[len(words)-1] == "0.0%" {
			continue
		}
		file, _, _ = strings.Cut(file, ":")
		entered = append(entered, "rest/"+file+": "+words[1])
	}
	slices.Sort(entered)
	return entered
}

// byPackage counts functions by the last element of their packages' paths, the most frequent package first.
func byPackage(functions []string) string {
	counts := map[string]int{}
	for _, function := range functions {
		file, _, _ := strings.Cut(function, ":")
		counts[path.Base(path.Dir(file))]++
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, counts[name])
	}
	return strings.Join(names, ", ")
}

// replaceTable writes a table into a page, in the place of the one with the same head.
func replaceTable(t *testing.T, page, head, table string) {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	before, shown, found := strings.Cut(string(text), head)
	require.True(t, found, "%s has no table that begins with %s", page, head)
	_, after, _ := strings.Cut(shown, "\n\n")
	require.NoError(t, os.WriteFile(page, []byte(before+table+"\n"+after), 0o644))
}

package budget_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "github.com/decorum-go/decorum/rest" // so that go test keeps no result of an older library
)

var update = flag.Bool("update", false, "write the measured tables into the docs")

// effort is what a reader has to follow in one request: the functions of the library on the stack at the host's Default
// hook and at the store, and the files of package rest and of its rooms that the request enters.
type effort struct{ hook, store, files int }

// limits are what package rest needs today, and are raised only for something that every request needs: resources that come and go took one
// file, and the rules about paths and about impersonation, which stand in rooms of their own, took two. The aim is 4 functions at the store
// for a read and 8 for a write, and 10 files for a GET and 16 for a PUT.
var limits = map[string]effort{
	"GET":              {store: 4, files: 12},
	"LIST":             {store: 4, files: 14},
	"WATCH":            {store: 5, files: 25},
	"POST":             {hook: 14, store: 7, files: 35},
	"PUT":              {hook: 17, store: 6, files: 32},
	"PUT that creates": {hook: 14, store: 7, files: 35},
	"JSON patch":       {hook: 17, store: 6, files: 33},
	"merge patch":      {hook: 17, store: 6, files: 33},
	"strategic merge patch (built-in dialect)": {hook: 17, store: 6, files: 32},
	"apply that updates":                       {hook: 17, store: 6, files: 35},
	"apply that creates":                       {hook: 14, store: 7, files: 38},
	"PUT of `/status`":                         {hook: 18, store: 7, files: 34},
	"PUT of `/scale`":                          {hook: 18, store: 7, files: 35},
	"apply of `/scale`":                        {hook: 18, store: 7, files: 38},
	"DELETE":                                   {store: 5, files: 29},
	"`Client.Get`":                             {store: 3, files: 6},
	"`Client.Update`":                          {hook: 16, store: 5, files: 27},
}

// A reader can follow a request from the handler to the store.
func TestRequestsAreEasyToFollow(t *testing.T) {
	var table strings.Builder
	table.WriteString("| request | functions at the host's hook | functions at the store | files of `rest` |\n| --- | --- | --- | --- |\n")
	for _, j := range journeys(t) {
		limit, known := limits[j.Request]
		require.True(t, known, "%s has no limit", j.Request)
		hook := "-"
		if j.Hook > 0 {
			hook = strconv.Itoa(j.Hook)
		}
		fmt.Fprintf(&table, "| %s | %s | %d | %d |\n", j.Request, hook, j.Store, len(j.files))
		t.Logf("%s: %d functions at the hook, %d at the store, %d files:\n\t%s", j.Request, j.Hook, j.Store, len(j.files), strings.Join(j.files, "\n\t"))
		assert.LessOrEqual(t, j.Hook, limit.hook, "%s: functions at the host's hook", j.Request)
		assert.LessOrEqual(t, j.Store, limit.store, "%s: functions at the store", j.Request)
		assert.LessOrEqual(t, len(j.files), limit.files, "%s: files of package rest", j.Request)
	}
	t.Log("\n" + table.String())
	showsTable(t, "../../docs/design-of-rest.md", table.String())
}

// journey is what the program of that name has measured of one request.
type journey struct {
	Request, Cover string
	Hook, Store    int

	files []string
}

func journeys(t *testing.T) []journey {
	t.Helper()
	dir := t.TempDir()
	run := exec.Command("go", "run", "-cover", "-covermode=atomic", "-coverpkg="+core+"/rest/...,./journey", "./journey", dir)
	run.Env = append(os.Environ(), "GOCOVERDIR="+t.TempDir()) // of the program as a whole, which nobody reads
	var stderr strings.Builder
	run.Stderr = &stderr
	out, err := run.Output()
	require.NoError(t, err, stderr.String())
	var all []journey
	require.NoError(t, json.Unmarshal(out, &all))
	require.Len(t, all, len(limits))

	var reading sync.WaitGroup
	for i := range all {
		reading.Go(func() { all[i].files = coveredFiles(t, all[i].Cover) })
	}
	reading.Wait()
	return all
}

// coveredFiles are the files of package rest, and of those below it, that the coverage in a directory has counted something in.
func coveredFiles(t *testing.T, dir string) []string {
	profile := dir + ".txt"
	out, err := exec.Command("go", "tool", "covdata", "textfmt", "-i="+dir, "-o="+profile).CombinedOutput()
	if !assert.NoError(t, err, string(out)) {
		return nil
	}
	text, err := os.ReadFile(profile)
	assert.NoError(t, err)
	files := map[string]bool{}
	for line := range strings.Lines(string(text)) { // decorum/rest/get.go:12.3,14.5 STATEMENTS COUNT
		file, block, found := strings.Cut(line, ":")
		if file, ours := strings.CutPrefix(file, core+"/rest/"); found && ours && !strings.HasSuffix(block, " 0\n") {
			files["rest/"+file] = true
		}
	}
	return slices.Sorted(maps.Keys(files))
}

// showsTable asserts that a page has this table, or with -update writes it there in the place of the one with the same head.
func showsTable(t *testing.T, page, table string) {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	head, _, _ := strings.Cut(table, "\n")
	before, shown, found := strings.Cut(string(text), head+"\n")
	require.True(t, found, "%s has no table that begins with %s", page, head)
	shown, after, _ := strings.Cut(head+"\n"+shown, "\n\n")
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(before+table+"\n"+after), 0o644))
		return
	}
	assert.Equal(t, table, shown+"\n", "%s is out of date: go test -run %s ./internal/budget -update", page, t.Name())
}

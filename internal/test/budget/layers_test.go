package budget_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type layer struct {
	dir     string   // a top directory of the module
	may     []string // what it may import of the others, beside itself
	foreign bool     // may import modules other than ours
}

// layers is the order of the module, ground floor first.
var layers = []layer{
	{dir: "apimeta"},
	{dir: "status", may: []string{"apimeta"}},
	{dir: "internal", may: []string{"apimeta", "status"}, foreign: true},
	{dir: "patch", may: []string{"apimeta", "status", "internal"}, foreign: true},
	{dir: "watch", may: []string{"apimeta", "status"}, foreign: true},
	{dir: "storage", may: []string{"apimeta", "status", "watch"}, foreign: true},
	{dir: "rest", may: []string{"apimeta", "status", "internal", "watch", "storage"}, foreign: true},
	// Programs that a reader copies: they prove that the public API is enough.
	{dir: "examples", may: []string{"apimeta", "status", "patch", "watch", "storage", "rest"}},
	// The root is the tour; it has no code.
	{dir: ""},
}

// users lists the packages for tests that use the library as its hosts do. They may import every layer, and no layer
// imports them.
var users = []string{
	core + "/examples/program/programtest",
	core + "/internal/test/budget",
	core + "/internal/test/corekinds",
	core + "/internal/test/historytest",
	core + "/internal/test/querytest",
	core + "/internal/test/realapitest",
	core + "/internal/test/sealtest",
	core + "/internal/test/widget",
	core + "/rest/internal/apitest",
}

// Nothing imports upward.
func TestImportsPointDownward(t *testing.T) {
	seen := map[string]bool{}
	for _, edge := range imports(t) {
		from, ours := topDir(edge.from)
		if !ours || slices.ContainsFunc(users, func(user string) bool { return inside(edge.from, user) }) {
			continue
		}
		for _, user := range users {
			assert.False(t, inside(edge.to, user), "%s may not import %s, which uses the library", edge.from, edge.to)
		}
		seen[from] = true
		i := slices.IndexFunc(layers, func(l layer) bool { return l.dir == from })
		if !assert.GreaterOrEqual(t, i, 0, "%s: a directory without a layer; add it to the table", edge.from) {
			continue
		}
		to, ours := topDir(edge.to)
		switch {
		case ours:
			assert.True(t, to == from || slices.Contains(layers[i].may, to), "%s may not import %s", edge.from, edge.to)
		case strings.Contains(edge.to, "."):
			assert.True(t, layers[i].foreign, "%s may import the standard library and Decorum only, not %s", edge.from, edge.to)
		}
	}
	for _, l := range layers {
		if l.dir != "" {
			assert.True(t, seen[l.dir], "no import of %q was looked at: the table does not match the tree", l.dir)
		}
	}
}

// Only stores import the engine. An API knows the contract of package storage.
func TestOnlyStoresImportTheEngine(t *testing.T) {
	stores := 0
	for _, edge := range imports(t) {
		if edge.to == core+"/storage/engine" {
			stores++
			assert.True(t, inside(edge.from, core+"/storage"), "%s may not import %s", edge.from, edge.to)
		}
	}
	assert.Positive(t, stores, "no store imports the engine: the test looks at a wrong path")
}

// The core module knows neither Kubernetes' modules nor an etcd client, not
// even in its tests: those live in nested modules.
func TestCoreKnowsNoKubernetesModule(t *testing.T) {
	for _, pkg := range goLines(t, "list", "-deps", "-test", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}",
		core+"/...") {
		for _, banned := range []string{"k8s.io/", "go.etcd.io/etcd/"} {
			assert.False(t, strings.HasPrefix(pkg, banned), "the core module depends on %s", pkg)
		}
	}
}

// Hosts pay for an embedded etcd only if they import its module. Neither the core nor the module of a store over a
// separate etcd requires the server.
func TestOnlyEmbeddedMembersRequireTheServerOfEtcd(t *testing.T) {
	const server = "go.etcd.io/etcd/server/v3 "
	for _, module := range []string{"go.mod", "storage/etcd/go.mod"} {
		text, err := os.ReadFile(filepath.Join("../../..", module))
		require.NoError(t, err)
		assert.NotContains(t, string(text), server, module)
	}
	text, err := os.ReadFile("../../../storage/etcd/embedded/go.mod")
	require.NoError(t, err)
	assert.Contains(t, string(text), server)
}

// A host links an optional package, and the libraries that only this package needs, if it imports the package, and not
// otherwise.
func TestOnlyItsUsersLink(t *testing.T) {
	deps := func(pkg string) []string { return goLines(t, "list", "-deps", pkg) }
	linked := map[string][]string{
		"a host": deps(host), "rest": deps(core + "/rest"), "storage": deps(core + "/storage"),
		"rest/controller": deps(core + "/rest/controller"), "rest/lifecycle": deps(core + "/rest/lifecycle"),
	}
	for _, c := range []struct{ pkg, library string }{
		{"/rest/admissionregistration", ""},
		{"/rest/aggregated", ""},
		{"/rest/apiservice", ""},
		{"/rest/audit", ""},
		{"/rest/auth", ""},
		{"/rest/builtin", ""},
		{"/rest/callout", ""},
		{"/rest/cbor", "github.com/fxamacker/cbor/v2"},
		{"/rest/console", ""},
		{"/rest/conventions", ""},
		{"/rest/crd", ""},
		{"/rest/credentials", ""},
		{"/rest/crd/apiextensions", ""},
		{"/rest/debug", ""},
		{"/rest/election", ""},
		{"/rest/events", ""},
		{"/rest/fairness", ""},
		{"/rest/fairness/flowcontrol", ""},
		{"/rest/host", ""},
		{"/rest/kubeconfig", "os/exec"},
		{"/rest/policy", ""},
		{"/rest/quota", ""},
		{"/rest/rbac", ""},
		{"/rest/requestlog", ""},
		{"/rest/transaction", ""},
		{"/rest/seed", ""},
		{"/rest/serviceaccount", ""},
		{"/rest/validate", "go.yaml.in/yaml/v3"},
		{"/rest/webhook", ""},
		{"/storage/bolt", "go.etcd.io/bbolt"},
		{"/storage/foreign", ""},
	} {
		own := deps(core + c.pkg)
		assert.NotEmpty(t, own, c.pkg)
		for by, links := range linked {
			assert.NotContains(t, links, core+c.pkg, by)
			if c.library != "" {
				assert.NotContains(t, links, c.library, by)
			}
		}
		if c.library != "" {
			assert.Contains(t, own, c.library, c.pkg)
		}
	}
}

// What only tests need is linked into no program. A suite that others run
// against their own code is a test too, so it may use it.
func TestTestDependenciesAreNotLinked(t *testing.T) {
	for _, edge := range imports(t) {
		if strings.HasSuffix(edge.from, "test") || strings.Contains(edge.from, "/internal/test/") {
			continue
		}
		for _, testOnly := range []string{
			"testing", "github.com/stretchr/testify", "github.com/anishathalye/porcupine",
		} {
			assert.False(t, edge.to == testOnly || strings.HasPrefix(edge.to, testOnly+"/"),
				"%s imports %s outside its tests", edge.from, edge.to)
		}
	}
}

type edge struct{ from, to string }

// imports lists who imports whom in the core module; what its tests import does not count.
func imports(t *testing.T) []edge {
	t.Helper()
	var edges []edge
	for _, line := range goLines(t, "list", "-f", "{{$p := .ImportPath}}{{range .Imports}}{{$p}} {{.}}\n{{end}}",
		core+"/...") {
		from, to, _ := strings.Cut(line, " ")
		edges = append(edges, edge{from: from, to: to})
	}
	return edges
}

// inside reports whether a package is dir or lies below it.
func inside(pkg, dir string) bool { return pkg == dir || strings.HasPrefix(pkg, dir+"/") }

// topDir is the first directory of a package of this module, "" for its root.
func topDir(pkg string) (string, bool) {
	if pkg == core {
		return "", true
	}
	rest, ours := strings.CutPrefix(pkg, core+"/")
	dir, _, _ := strings.Cut(rest, "/")
	return dir, ours
}

package e2e_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every command of daily work, against each example. A case has a namespace of
// its own, so cases do not meet.
func TestKubectl(t *testing.T) {
	cases := []struct {
		name string
		run  func(t *testing.T, s *server, g target, ns string)
	}{
		{"discovery", discovery},
		{"explain", explain},
		{"create", create},
		{"apply", apply},
		{"get", get},
		{"select", selects},
		{"watch", watches},
		{"describe", describe},
		{"edit-metadata", editMetadata},
		{"patch", patch},
		{"replace", replace},
		{"wait", waits},
		{"delete", deletes},
	}
	for _, g := range targets() {
		t.Run(g.example, func(t *testing.T) {
			s := startServer(t, g.example)
			for _, c := range cases {
				t.Run(c.name, func(t *testing.T) { c.run(t, s, g, "e2e-"+c.name) })
			}
		})
	}
}

func discovery(t *testing.T, s *server, g target, _ string) {
	assertLine(t, s.kubectl(t, "api-resources"), g.plural, g.short, g.group+"/v1", "true", g.kind)
	assertLine(t, s.kubectl(t, "api-resources", "--categories=all", "-o", "wide"), g.plural, g.group+"/v1", g.kind)
	assertLine(t, s.kubectl(t, "api-versions"), g.group+"/v1")
	assert.Contains(t, s.kubectl(t, "version"), "Server Version: v")
	assert.Equal(t, "ok", s.kubectl(t, "get", "--raw", "/readyz"))
}

func explain(t *testing.T, s *server, g target, _ string) {
	top := s.kubectl(t, "explain", g.plural)
	assertLine(t, top, "KIND:", g.kind)
	assertLine(t, top, "GROUP:", g.group)
	assertLine(t, top, "spec", "-required-")
	assert.Contains(t, top, g.kind+" is a ", "the description of the kind")

	nested := s.kubectl(t, "explain", g.plural+"."+g.nested)
	assert.Contains(t, nested, g.nestedDoc)
	assert.Contains(t, nested, g.nestedDetail, "the allowed values")

	all := s.kubectl(t, "explain", g.short, "--recursive")
	assertLine(t, all, g.listPath)
	assertLine(t, all, "lastTransitionTime")
}

func create(t *testing.T, s *server, g target, ns string) {
	one := g.manifest("one", "a", g.full)
	assert.Equal(t, g.resource("one")+" created\n", s.feed(t, one, "-n", ns, "create", "-f", "-"))
	assert.Contains(t, s.refused(t, one, "-n", ns, "create", "-f", "-"), `"one" already exists`)
	assert.Contains(t, s.refused(t, g.manifest("two", "a", g.wrong), "-n", ns, "create", "-f", "-"), g.complaint)
	assert.Contains(t, s.refused(t, g.manifest("Two", "a", g.bare), "-n", ns, "create", "-f", "-"), "metadata.name: Invalid value")
	misspelt := strings.Replace(g.manifest("two", "a", g.bare), "spec: {", "spec: {sise: 1, ", 1)
	assert.Contains(t, s.refused(t, misspelt, "-n", ns, "create", "-f", "-"), `unknown field "spec.sise"`)

	dry := s.feed(t, g.manifest("two", "a", g.bare), "-n", ns, "create", "-f", "-", "--dry-run=server", "-o", "jsonpath={.spec."+g.defaultPath+"}")
	assert.Equal(t, g.unset, dry, "a dry run shows the defaults")
	assert.Equal(t, g.resource("one")+"\n", s.kubectl(t, "-n", ns, "get", g.plural, "-o", "name"), "nothing but the one was stored")
}

func apply(t *testing.T, s *server, g target, ns string) {
	field := func(path string) string {
		return s.kubectl(t, "-n", ns, "get", g.plural, "one", "-o", "jsonpath={"+path+"}")
	}
	full := g.manifest("one", "a", g.full)
	assert.Equal(t, g.resource("one")+" created\n", s.feed(t, full, "-n", ns, "apply", "-f", "-"))
	assert.Equal(t, g.resource("one")+" unchanged\n", s.feed(t, full, "-n", ns, "apply", "-f", "-"))
	assert.NotEmpty(t, field(".spec."+g.listPath))
	assert.Equal(t, g.set, field(".spec."+g.defaultPath))

	less := strings.Replace(g.manifest("one", "a", g.bare), "  labels: {team: a}\n", "", 1)
	assert.Equal(t, g.resource("one")+" configured\n", s.feed(t, less, "-n", ns, "apply", "-f", "-"))
	assert.Empty(t, field(".spec."+g.listPath), "what the second file no longer says is gone")
	assert.Empty(t, field(".metadata.labels"))
	assert.Equal(t, g.unset, field(".spec."+g.defaultPath), "and a field with a default is back at it")
}

// three makes a, b and c: c has another team and does not match g.selector.
func three(t *testing.T, s *server, g target, ns string) {
	t.Helper()
	files := g.manifest("b", "red", g.full) + g.manifest("a", "red", g.bare) + g.manifest("c", "blue", g.other)
	s.feed(t, files, "-n", ns, "create", "-f", "-")
}

func get(t *testing.T, s *server, g target, ns string) {
	assert.Equal(t, "No resources found in "+ns+" namespace.\n", stderrOf(t, s, "-n", ns, "get", g.plural))
	three(t, s, g, ns)

	table := s.kubectl(t, "-n", ns, "get", g.short)
	heading, _, _ := strings.Cut(table, "\n")
	assert.Equal(t, g.heading, strings.Fields(heading))
	assert.Equal(t, []string{"a", "b", "c"}, firstColumn(table))
	assert.Contains(t, s.kubectl(t, "-n", ns, "get", g.plural, "a", "-o", "wide"), g.wide)
	assert.Equal(t, []string{"a", "b", "c"}, firstColumn(s.kubectl(t, "-n", ns, "get", "all")), "by category")
	assertLine(t, s.kubectl(t, "-n", ns, "get", g.plural, "--show-labels"), "c", "team=blue")

	assert.Contains(t, s.kubectl(t, "-n", ns, "get", g.plural, "a", "-o", "yaml"), "kind: "+g.kind+"\n")
	var list struct {
		Kind  string
		Items []struct{ Kind string }
	}
	require.NoError(t, json.Unmarshal([]byte(s.kubectl(t, "-n", ns, "get", g.plural, "-o", "json")), &list))
	assert.Equal(t, "List", list.Kind)
	require.Len(t, list.Items, 3)
	assert.Equal(t, g.kind, list.Items[0].Kind)
	assert.Equal(t, g.resource("a")+"\n", s.kubectl(t, "-n", ns, "get", g.plural, "a", "-o", "name"))
	assert.Equal(t, "a b c", s.kubectl(t, "-n", ns, "get", g.plural, "-o", "jsonpath={.items[*].metadata.name}"))

	assert.Equal(t, []string{"a", "b", "c"}, firstColumn(s.kubectl(t, "-n", ns, "get", g.plural, "--chunk-size=1")), "in pages of one")
	assert.Equal(t, []string{"c", "a", "b"}, firstColumn(s.kubectl(t, "-n", ns, "get", g.plural, "--sort-by=.metadata.labels.team")))
	everywhere := s.kubectl(t, "get", g.plural, "-A")
	assertLine(t, everywhere, "NAMESPACE", "NAME")
	assertLine(t, everywhere, ns, "a")
	// Elsewhere than in default kubectl asks for the namespace next, and reports that it is not there.
	assert.Contains(t, s.refused(t, "", "-n", "default", "get", g.plural, "d"), g.plural+"."+g.group+` "d" not found`)
}

func selects(t *testing.T, s *server, g target, ns string) {
	three(t, s, g, ns)
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"label", []string{"-l", "team=red"}, "a b"},
		{"label not", []string{"-l", "team!=red"}, "c"},
		{"label set", []string{"-l", "team in (blue,green)"}, "c"},
		{"label absent", []string{"-l", "!team"}, ""},
		{"name", []string{"--field-selector", "metadata.name=b"}, "b"},
		{"declared field", []string{"--field-selector", g.selector}, "a b"},
		{"declared field not", []string{"--field-selector", strings.Replace(g.selector, "=", "!=", 1)}, "c"},
		{"both", []string{"-l", "team=red", "--field-selector", "metadata.name!=a"}, "b"},
	}
	for _, tt := range tests {
		args := append([]string{"-n", ns, "get", g.plural, "-o", "jsonpath={.items[*].metadata.name}"}, tt.args...)
		assert.Equal(t, tt.want, s.kubectl(t, args...), tt.name)
	}
	assert.Contains(t, s.refused(t, "", "-n", ns, "get", g.plural, "--field-selector", "spec.none=1"), "field label not supported: spec.none")
}

func watches(t *testing.T, s *server, g target, ns string) {
	lines, _ := s.background(t, "-n", ns, "get", g.plural, "-w", "-l", "team=red", "-o", `jsonpath={.metadata.name} {.metadata.labels.team}{"\n"}`, "--output-watch-events=false")
	table, _ := s.background(t, "-n", ns, "get", g.plural, "-w", "--output-watch-events")
	s.feed(t, g.manifest("a", "blue", g.bare), "-n", ns, "create", "-f", "-")
	await(t, table, "ADDED", "a")
	s.kubectl(t, "-n", ns, "label", g.plural, "a", "team=red", "--overwrite")
	await(t, lines, "a", "red")
	await(t, table, "MODIFIED", "a")
	s.kubectl(t, "-n", ns, "delete", g.plural, "a")
	await(t, table, "DELETED", "a")
}

func describe(t *testing.T, s *server, g target, ns string) {
	s.feed(t, g.manifest("one", "a", g.full), "-n", ns, "create", "-f", "-")
	out := s.kubectl(t, "-n", ns, "describe", g.plural, "one")
	assertLine(t, out, "Name:", "one")
	assertLine(t, out, "Namespace:", ns)
	assertLine(t, out, "Labels:", "team=a")
	assertLine(t, out, "API", "Version:", g.group+"/v1")
	assertLine(t, out, "Kind:", g.kind)
	assert.Contains(t, out, "Spec:")
}

func editMetadata(t *testing.T, s *server, g target, ns string) {
	s.feed(t, g.manifest("one", "a", g.bare), "-n", ns, "create", "-f", "-")
	metadata := func(path string) string {
		return s.kubectl(t, "-n", ns, "get", g.plural, "one", "-o", "jsonpath={.metadata."+path+"}")
	}
	assert.Equal(t, g.resource("one")+" labeled\n", s.kubectl(t, "-n", ns, "label", g.plural, "one", "tier=gold"))
	assert.Contains(t, s.refused(t, "", "-n", ns, "label", g.plural, "one", "tier=tin"), "already has a value")
	assert.Equal(t, "gold", metadata("labels.tier"))
	assert.Equal(t, g.resource("one")+" unlabeled\n", s.kubectl(t, "-n", ns, "label", g.plural, "one", "tier-"))
	assert.Empty(t, metadata("labels.tier"))
	assert.Equal(t, g.resource("one")+" annotated\n", s.kubectl(t, "-n", ns, "annotate", g.plural, "one", "example.com/note=a, b"))
	assert.Equal(t, "a, b", metadata(`annotations.example\.com/note`))
	assert.Equal(t, "1", metadata("generation"), "metadata is no part of the generation")
}

func patch(t *testing.T, s *server, g target, ns string) {
	s.feed(t, g.manifest("one", "a", g.full), "-n", ns, "create", "-f", "-")
	field := func(path string) string {
		return s.kubectl(t, "-n", ns, "get", g.plural, "one", "-o", "jsonpath={"+path+"}")
	}
	merge := `{"spec":{"` + g.defaultPath + `":` + g.changed + `}}`
	assert.Equal(t, g.resource("one")+" patched\n", s.kubectl(t, "-n", ns, "patch", g.plural, "one", "--type=merge", "-p", merge))
	assert.Equal(t, strings.Trim(g.changed, `"`), field(".spec."+g.defaultPath))
	assert.Equal(t, "2", field(".metadata.generation"))
	assert.Equal(t, g.resource("one")+" patched (no change)\n", s.kubectl(t, "-n", ns, "patch", g.plural, "one", "--type=merge", "-p", merge))

	ops := `[{"op":"test","path":"/metadata/labels/team","value":"a"},{"op":"remove","path":"/spec/` + g.listPath + `/0"}]`
	assert.Equal(t, g.resource("one")+" patched\n", s.kubectl(t, "-n", ns, "patch", g.plural, "one", "--type=json", "-p", ops))
	assert.Contains(t, []string{"", "[]"}, field(".spec."+g.listPath))

	stale := `[{"op":"test","path":"/metadata/labels/team","value":"b"}]`
	assert.Contains(t, s.refused(t, "", "-n", ns, "patch", g.plural, "one", "--type=json", "-p", stale), "the server rejected our request")
}

func replace(t *testing.T, s *server, g target, ns string) {
	s.feed(t, g.manifest("one", "a", g.full), "-n", ns, "create", "-f", "-")
	g.ready(t, s, ns, "one")
	s.kubectl(t, "-n", ns, "wait", "--for=condition=Ready", g.plural+"/one") // nobody else writes it any more
	assert.Equal(t, g.resource("one")+" replaced\n", s.feed(t, g.manifest("one", "b", g.bare), "-n", ns, "replace", "-f", "-"))
	assert.Equal(t, "b", s.kubectl(t, "-n", ns, "get", g.plural, "one", "-o", "jsonpath={.metadata.labels.team}{.spec."+g.listPath+"}"))
	assert.Contains(t, s.refused(t, g.manifest("two", "b", g.bare), "-n", ns, "replace", "-f", "-"), `"two" not found`)
}

func waits(t *testing.T, s *server, g target, ns string) {
	_, done := s.background(t, "-n", ns, "wait", "--for=create", g.plural+"/one")
	s.feed(t, g.manifest("one", "a", g.full), "-n", ns, "create", "-f", "-")
	require.NoError(t, done())

	lines, done := s.background(t, "-n", ns, "wait", "--for=condition=Ready", g.plural+"/one")
	g.ready(t, s, ns, "one")
	await(t, lines, g.resource("one"), "condition", "met")
	require.NoError(t, done())

	_, done = s.background(t, "-n", ns, "wait", "--for=jsonpath={.metadata.labels.team}=b", g.plural+"/one")
	s.kubectl(t, "-n", ns, "label", g.plural, "one", "team=b", "--overwrite")
	require.NoError(t, done())

	_, done = s.background(t, "-n", ns, "wait", "--for=delete", g.plural+"/one")
	s.kubectl(t, "-n", ns, "delete", g.plural, "one")
	require.NoError(t, done())

	assert.Contains(t, s.refused(t, "", "-n", "default", "wait", "--for=condition=Ready", g.plural+"/none", "--timeout=1s"), `"none" not found`)
}

func deletes(t *testing.T, s *server, g target, ns string) {
	three(t, s, g, ns)
	names := func() string {
		return s.kubectl(t, "-n", ns, "get", g.plural, "-o", "jsonpath={.items[*].metadata.name}")
	}
	assert.Contains(t, s.kubectl(t, "-n", ns, "delete", g.plural, "a"), `"a" deleted`)
	assert.Equal(t, "b c", names())
	assert.Contains(t, s.refused(t, "", "-n", ns, "delete", g.plural, "a"), `"a" not found`)
	assert.Contains(t, s.kubectl(t, "-n", ns, "delete", g.plural, "-l", "team=red"), `"b" deleted`)
	assert.Equal(t, "c", names())
	s.feed(t, g.manifest("d", "red", g.bare), "-n", ns, "create", "-f", "-")
	out := s.kubectl(t, "-n", ns, "delete", g.plural, "--all")
	assert.Contains(t, out, `"c" deleted`)
	assert.Contains(t, out, `"d" deleted`)
	assert.Empty(t, names())
}

// stderrOf runs a command that must succeed and returns what it said aside.
func stderrOf(t *testing.T, s *server, args ...string) string {
	t.Helper()
	_, stderr, err := s.try(t, "", args...)
	require.NoError(t, err, stderr)
	return stderr
}

// firstColumn is the names in a table, without the heading and without the
// kind that kubectl puts before them when it prints several kinds.
func firstColumn(table string) []string {
	var names []string
	for line := range strings.Lines(table) {
		if columns := strings.Fields(line); len(columns) > 0 && columns[0] != "NAME" {
			names = append(names, columns[0][strings.LastIndex(columns[0], "/")+1:])
		}
	}
	return names
}

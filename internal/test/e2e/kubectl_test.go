package e2e_test

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// The test runs the everyday commands against each kind of each host. Each case has its own server, so cases do not
// affect each other. The older releases of kubectl run only the cases that differ between releases.
func TestKubectl(t *testing.T) {
	commands := []struct {
		name      string
		sensitive bool // differs between releases of kubectl
		run       func(t *testing.T, s *server, g target)
	}{
		{"discovery", true, discovery},
		{"explain", true, explain},
		{"create", true, create},
		{"apply", true, apply},
		{"last-applied", false, lastApplied},
		{"apply-server-side", true, applyServerSide},
		{"apply-server-side-after-client-side", true, applyServerSideAfterClientSide},
		{"diff", true, diff},
		{"diff-server-side", true, diffServerSide},
		{"get", true, get},
		{"select", false, selects},
		{"watch", false, watches},
		{"describe", false, describe},
		{"edit-metadata", false, editMetadata},
		{"edit", true, edit},
		{"patch", true, patch},
		{"replace", false, replace},
		{"lists", true, lists},
		{"missing", true, missing},
		{"wait", true, waits},
		{"delete", true, deletes},
		{"cascade", true, cascades},
		{"raw", false, raw},
	}
	tested := kubectls
	if withOlder {
		tested = append(slices.Clip(tested), newest())
	}
	for _, k := range tested {
		for _, g := range targets() {
			if !runs(k, g) {
				continue
			}
			t.Run(k.version+"/"+g.name(), func(t *testing.T) {
				for _, c := range commands {
					if k != newest() && !c.sensitive {
						continue
					}
					t.Run(c.name, func(t *testing.T) {
						t.Parallel()
						c.run(t, startServer(t, g.host, k), g)
					})
				}
			})
		}
	}
}

// runs reports whether a kubectl is tested with a kind. The kinds at the root of a server are those below a prefix
// again, so the newest release is tested with them beside the older releases.
func runs(k *kubectl, g target) bool {
	if k == newest() {
		return (g.host.name() == rootHost.name()) == withOlder
	}
	return g.older && g.host.name() != prefixHost.name()
}

func discovery(t *testing.T, s *server, g target) {
	columns := []string{g.plural, g.short, g.apiVersion(), strconv.FormatBool(!g.cluster), g.kind}
	assertLine(t, s.run(t, "api-resources"), slices.DeleteFunc(columns, func(c string) bool { return c == "" })...)
	assertLine(t, s.run(t, "api-resources", "--namespaced="+strconv.FormatBool(!g.cluster),
		"--verbs=list,create,deletecollection", "-o", "wide"), g.plural, g.apiVersion(), g.kind)
	if g.all {
		assertLine(t, s.run(t, "api-resources", "--categories=all", "-o", "name"), g.groupResource())
	}
	assertLine(t, s.run(t, "api-versions"), g.apiVersion())
	assertLine(t, s.run(t, "version"), "Client", "Version:", s.kubectl.version)
	assert.Contains(t, s.run(t, "version"), "Server Version: v")
	assert.Equal(t, "ok", s.run(t, "get", "--raw", s.rawPath(t, "/readyz")))
}

func explain(t *testing.T, s *server, g target) {
	top := s.run(t, "explain", g.plural)
	assertLine(t, top, "KIND:", g.kind)
	assertLine(t, top, "VERSION:", "v1")
	if g.group != "" {
		assertLine(t, top, "GROUP:", g.group)
	}
	assertLine(t, top, "metadata", "<ObjectMeta>")
	assert.Contains(t, top, g.doc, "the description of the kind")

	assert.Contains(t, s.run(t, "explain", g.plural+"."+g.nested), g.nestedDoc)

	all := s.run(t, "explain", g.alias(), "--recursive")
	for _, field := range g.explainsAll {
		assertLine(t, all, field)
	}
	assert.Contains(t, s.refused(t, "", "explain", g.plural+".nothing"), `field "nothing" does not exist`)
}

func create(t *testing.T, s *server, g target) {
	one := g.manifest("one", "a", g.full)
	assert.Equal(t, g.resource("one")+" created\n", s.feed(t, one, "create", "-f", "-"))
	assert.Contains(t, s.refused(t, one, "create", "-f", "-"), `"one" already exists`)
	assert.Contains(t, s.refused(t, g.manifest("two", "a", g.wrong), "create", "-f", "-"), g.complaint)
	assert.Contains(t, s.refused(t, g.manifest("Two", "a", g.bare), "create", "-f", "-"), "metadata.name: Invalid value")
	assert.Contains(t, s.refused(t, g.manifest("two", "a", g.typo), "create", "-f", "-"), `unknown field "`+g.unknown+`"`)

	dry := s.feed(t, g.manifest("two", "a", g.bare), "create", "-f", "-", "--dry-run=server", "-o",
		"jsonpath={.metadata.uid}:{"+g.field+"}")
	uid, field, _ := strings.Cut(dry, ":")
	assert.NotEmpty(t, uid, "a dry run shows what would be stored")
	assert.Equal(t, g.unset, field, "and so the defaults")
	assert.Equal(t, g.resource("one")+"\n", s.run(t, "get", g.plural, "-o", "name"), "only one object was stored")

	generated := strings.Replace(g.manifest("", "a", g.bare), "name: ", "generateName: made-", 1)
	assert.Regexp(t, "^"+g.resource("made-")+"[a-z0-9]{5}\n$", s.feed(t, generated, "create", "-f", "-", "-o", "name"))
}

func apply(t *testing.T, s *server, g target) {
	full := g.manifest("one", "a", g.full)
	assert.Equal(t, g.resource("one")+" created\n", s.feed(t, full, "apply", "-f", "-"))
	assert.Equal(t, g.resource("one")+" unchanged\n", s.feed(t, full, "apply", "-f", "-"))
	assert.NotEmpty(t, s.field(t, g, "one", g.list))
	assert.Equal(t, g.set, s.field(t, g, "one", g.field))

	s.run(t, "annotate", g.plural, "one", "by=another")
	less := strings.Replace(g.manifest("one", "a", g.bare), "  labels: {team: a}\n", "", 1)
	assert.Equal(t, g.resource("one")+" configured (server dry run)\n",
		s.feed(t, less, "apply", "-f", "-", "--dry-run=server"))
	assert.Equal(t, g.set, s.field(t, g, "one", g.field), "a dry run changes nothing")
	assert.Equal(t, g.resource("one")+" configured\n", s.feed(t, less, "apply", "-f", "-"))
	assert.Empty(t, s.field(t, g, "one", g.list), "fields that the second file omits are removed")
	assert.Empty(t, s.field(t, g, "one", ".metadata.labels.team"))
	assert.Equal(t, g.unset, s.field(t, g, "one", g.field), "a removed field gets its default again")
	assert.Equal(t, "another", s.field(t, g, "one", ".metadata.annotations.by"), "fields of another manager stay")

	assert.Contains(t, s.refused(t, g.manifest("one", "a", g.wrong), "apply", "-f", "-"), g.patchComplaint())
	assert.Contains(t, s.refused(t, g.manifest("one", "a", g.typo), "apply", "-f", "-"), `unknown field "`+g.unknown+`"`)

	s.feed(t, g.manifest("two", "a", g.bare), "apply", "-f", "-")
	pruned := s.feed(t, g.manifest("three", "a", g.bare), "apply", "-f", "-", "--prune", "-l", "team=a",
		"--prune-allowlist="+cmp.Or(g.group, "core")+"/v1/"+g.kind)
	assert.Contains(t, pruned, g.resource("three")+" created\n")
	assert.Contains(t, pruned, g.resource("two")+" pruned\n")
	assert.NotContains(t, pruned, "/one", "another label")
}

func lastApplied(t *testing.T, s *server, g target) {
	s.file(t, "one.yaml", g.manifest("one", "a", g.full))
	s.run(t, "create", "-f", "one.yaml")
	assert.Empty(t, s.run(t, "apply", "view-last-applied", g.plural, "one"))
	assert.Equal(t, g.resource("one")+" configured\n",
		s.run(t, "apply", "set-last-applied", "-f", "one.yaml", "--create-annotation"))
	assert.Contains(t, s.run(t, "apply", "view-last-applied", g.plural, "one"), "    team: a\n")
	s.edits(t, "s/team: a/team: b/")
	assert.Equal(t, g.resource("one")+" edited\n", s.run(t, "apply", "edit-last-applied", g.plural, "one"))
	assert.Contains(t, s.run(t, "apply", "view-last-applied", g.plural, "one"), "    team: b\n")
	assert.Equal(t, "a", s.field(t, g, "one", ".metadata.labels.team"), "only the annotation was edited")
}

func diff(t *testing.T, s *server, g target) {
	full := g.manifest("one", "a", g.full)
	added := s.exits(t, 1, full, "diff", "-f", "-")
	assert.Contains(t, added, "\n+kind: "+g.kind+"\n")
	assert.Empty(t, stderrOf(t, s, "get", g.plural, "--ignore-not-found", "one"), "no object was stored")

	s.feed(t, full, "apply", "-f", "-")
	assert.Empty(t, s.exits(t, 0, full, "diff", "-f", "-"))
	changed := s.exits(t, 1, g.manifest("one", "b", g.full), "diff", "-f", "-")
	assert.Contains(t, changed, "\n-    team: a\n")
	assert.Contains(t, changed, "\n+    team: b\n")
	assert.Equal(t, "a", s.field(t, g, "one", ".metadata.labels.team"))
	assert.Contains(t, s.refused(t, g.manifest("one", "a", g.wrong), "diff", "-f", "-"), g.patchComplaint())
}

// three creates a, b and c. c belongs to another team and does not match g.selector.
func three(t *testing.T, s *server, g target) {
	t.Helper()
	s.feed(t, g.manifest("b", "red", g.full)+g.manifest("a", "red", g.bare)+g.manifest("c", "blue", g.other), "create",
		"-f", "-")
}

func get(t *testing.T, s *server, g target) {
	none := "No resources found in " + namespace + " namespace.\n"
	if g.cluster {
		none = "No resources found\n"
	}
	assert.Equal(t, none, stderrOf(t, s, "get", g.plural))
	three(t, s, g)

	table := s.run(t, "get", g.alias())
	heading, _, _ := strings.Cut(table, "\n")
	assert.Equal(t, g.heading, strings.Fields(heading))
	assert.Equal(t, []string{"a", "b", "c"}, firstColumn(table))
	assert.Contains(t, s.run(t, "get", g.plural, "a", "-o", "wide"), g.wide)
	if g.all {
		assert.Equal(t, []string{"a", "b", "c"}, firstColumn(s.run(t, "get", "all")), "by category")
	}
	assertLine(t, s.run(t, "get", g.plural, "--show-labels"), "c", "team=blue")
	assertLine(t, s.run(t, "get", g.plural, "-L", "team"), "c", "blue")

	assert.Contains(t, s.run(t, "get", g.plural, "a", "-o", "yaml"), "kind: "+g.kind+"\n")
	var list struct {
		Kind  string
		Items []struct{ Kind string }
	}
	require.NoError(t, json.Unmarshal([]byte(s.run(t, "get", g.plural, "-o", "json")), &list))
	assert.Equal(t, "List", list.Kind)
	require.Len(t, list.Items, 3)
	assert.Equal(t, g.kind, list.Items[0].Kind)
	assert.Equal(t, g.resource("a")+"\n", s.run(t, "get", g.plural, "a", "-o", "name"))
	assert.Equal(t, "a b c", s.run(t, "get", g.plural, "-o", "jsonpath={.items[*].metadata.name}"))
	assertLine(t, s.run(t, "get", g.plural, "-o", "custom-columns=T:.metadata.labels.team"), "blue")
	assert.Equal(t, "c", s.run(t, "get", g.resource("c"), "-o", "go-template={{.metadata.name}}"),
		"by the name that kubectl prints")

	assert.Equal(t, []string{"a", "b", "c"}, firstColumn(s.run(t, "get", g.plural, "--chunk-size=1")), "in pages of one")
	assert.Equal(t, []string{"c", "a", "b"}, firstColumn(s.run(t, "get", g.plural, "--sort-by=.metadata.labels.team")))
	if !g.cluster {
		everywhere := s.run(t, "get", g.plural, "-A")
		assertLine(t, everywhere, "NAMESPACE", "NAME")
		assertLine(t, everywhere, namespace, "a")
	}
	assert.Equal(t, []string{"a", "c"}, firstColumn(s.run(t, "get", g.plural, "a", "d", "c", "--ignore-not-found")))
}

func selects(t *testing.T, s *server, g target) {
	three(t, s, g)
	type selection struct {
		name string
		args []string
		want string
	}
	tests := []selection{
		{"label", []string{"-l", "team=red"}, "a b"},
		{"label not", []string{"-l", "team!=red"}, "c"},
		{"label set", []string{"-l", "team in (blue,green)"}, "c"},
		{"label absent", []string{"-l", "!team"}, ""},
		{"name", []string{"--field-selector", "metadata.name=b"}, "b"},
		{"both", []string{"-l", "team=red", "--field-selector", "metadata.name!=a"}, "b"},
	}
	if g.selector != "" {
		tests = append(tests,
			selection{"declared field", []string{"--field-selector", g.selector}, "a b"},
			selection{"declared field not", []string{"--field-selector", strings.Replace(g.selector, "=", "!=", 1)}, "c"})
	}
	for _, tt := range tests {
		args := append([]string{"get", g.plural, "-o", "jsonpath={.items[*].metadata.name}"}, tt.args...)
		assert.Equal(t, tt.want, s.run(t, args...), tt.name)
	}
	assert.Contains(t, s.refused(t, "", "get", g.plural, "--field-selector", "spec.none=1"), "spec.none")
}

func watches(t *testing.T, s *server, g target) {
	lines, _ := s.background(t, "get", g.plural, "-w", "-l", "team=red", "-o",
		`jsonpath={.metadata.name} {.metadata.labels.team}{"\n"}`, "--output-watch-events=false")
	table, _ := s.background(t, "get", g.plural, "-w", "--output-watch-events")
	s.feed(t, g.manifest("a", "blue", g.bare), "create", "-f", "-")
	await(t, table, "ADDED", "a")
	s.run(t, "label", g.plural, "a", "team=red", "--overwrite")
	await(t, lines, "a", "red")
	await(t, table, "MODIFIED", "a")
	s.run(t, "delete", g.plural, "a")
	await(t, table, "DELETED", "a")
}

func describe(t *testing.T, s *server, g target) {
	if g.described == nil {
		assert.Equal(t, "nodes", g.plural, "kubectl requests the pods of a Node, which these hosts do not serve")
		return
	}
	s.feed(t, g.manifest("one", "a", g.full), "create", "-f", "-")
	out := s.run(t, "describe", g.plural, "one")
	assertLine(t, out, "Name:", "one")
	assertLine(t, out, "Labels:", "team=a")
	if !g.cluster {
		assertLine(t, out, "Namespace:", namespace)
	}
	for _, word := range g.described {
		assert.Contains(t, out, word)
	}
}

func editMetadata(t *testing.T, s *server, g target) {
	s.feed(t, g.manifest("one", "a", g.bare), "create", "-f", "-")
	assert.Equal(t, g.resource("one")+" labeled\n", s.run(t, "label", g.plural, "one", "tier=gold"))
	assert.Contains(t, s.refused(t, "", "label", g.plural, "one", "tier=tin"), "already has a value")
	assert.Equal(t, "gold", s.field(t, g, "one", ".metadata.labels.tier"))
	assert.Equal(t, g.resource("one")+" unlabeled\n", s.run(t, "label", g.plural, "one", "tier-"))
	assert.Empty(t, s.field(t, g, "one", ".metadata.labels.tier"))
	assert.Equal(t, g.resource("one")+" annotated\n", s.run(t, "annotate", g.plural, "one", "example.com/note=a, b"))
	assert.Equal(t, "a, b", s.field(t, g, "one", `.metadata.annotations.example\.com/note`))
	assert.Equal(t, g.generation("1"), s.field(t, g, "one", ".metadata.generation"),
		"a change of metadata does not change the generation")
}

func edit(t *testing.T, s *server, g target) {
	s.feed(t, g.manifest("one", "a", g.full), "create", "-f", "-")
	s.edits(t, "s/team: a/team: b/")
	assert.Equal(t, g.resource("one")+" edited\n", s.run(t, "edit", g.plural, "one"))
	assert.Equal(t, "b", s.field(t, g, "one", ".metadata.labels.team"))
	assert.Equal(t, g.set, s.field(t, g, "one", g.field), "the other fields are unchanged")

	assert.Equal(t, "Edit cancelled, no changes made.\n", stderrOf(t, s, "edit", g.plural, "one"))
	s.edits(t, `s/"team": "b"/"team": "c"/`)
	s.run(t, "edit", g.plural, "one", "-o", "json")
	assert.Equal(t, "c", s.field(t, g, "one", ".metadata.labels.team"))

	// kubectl reopens the editor with the error, and gives up if the editor changes nothing.
	s.edits(t, "s/team: c/team: -c/")
	assert.Contains(t, s.refused(t, "", "edit", g.plural, "one"), "is invalid")
	assert.Equal(t, "c", s.field(t, g, "one", ".metadata.labels.team"))
}

func patch(t *testing.T, s *server, g target) {
	s.feed(t, g.manifest("one", "a", g.full), "create", "-f", "-")
	patchOne := func(args ...string) []string { return append([]string{"patch", g.plural, "one"}, args...) }
	assert.Equal(t, g.resource("one")+" patched\n", s.run(t, patchOne("--type=merge", "-p", g.change)...))
	assert.Equal(t, g.changed, s.field(t, g, "one", g.field))
	assert.Equal(t, g.generation("2"), s.field(t, g, "one", ".metadata.generation"))
	assert.Equal(t, g.resource("one")+" patched (no change)\n", s.run(t, patchOne("--type=merge", "-p", g.change)...))

	ops := `[{"op":"test","path":"/metadata/labels/team","value":"a"},{"op":"remove","path":"` + g.element + `"}]`
	assert.Equal(t, g.resource("one")+" patched\n", s.run(t, patchOne("--type=json", "-p", ops)...))
	assert.Contains(t, []string{"", "[]"}, s.field(t, g, "one", g.list))

	stale := `[{"op":"test","path":"/metadata/labels/team","value":"b"}]`
	assert.Contains(t, s.refused(t, "", patchOne("--type=json", "-p", stale)...), "the server rejected our request")

	strategic := patchOne("-p", `{"metadata":{"labels":{"team":"b"},"finalizers":["example.com/a"]}}`)
	if !g.builtin {
		assert.Contains(t, s.refused(t, "", strategic...),
			"the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json")
		return
	}
	s.run(t, strategic...)
	s.run(t, patchOne("-p", `{"metadata":{"finalizers":["example.com/b"]}}`)...)
	assert.Equal(t, "b", s.field(t, g, "one", ".metadata.labels.team"))
	assert.ElementsMatch(t, []string{"example.com/a", "example.com/b"},
		strings.Fields(s.field(t, g, "one", ".metadata.finalizers[*]")), "finalizers are merged as a set")
}

func replace(t *testing.T, s *server, g target) {
	s.feed(t, g.manifest("one", "a", g.full), "create", "-f", "-")
	if g.ready != nil {
		g.ready(t, s, "one")
		s.run(t, "wait", "--for=condition=Ready", g.plural+"/one") // the controller no longer writes the object
	}
	assert.Equal(t, g.resource("one")+" replaced\n", s.feed(t, g.manifest("one", "b", g.bare), "replace", "-f", "-"))
	assert.Equal(t, "b", s.field(t, g, "one", ".metadata.labels.team"))
	assert.Empty(t, s.field(t, g, "one", g.list))
	before := s.field(t, g, "one", ".metadata.uid")
	s.feed(t, g.manifest("one", "c", g.full), "replace", "-f", "-", "--force")
	assert.NotEqual(t, before, s.field(t, g, "one", ".metadata.uid"), "--force creates a new object with the same name")
	if g.createOnUpdate {
		s.feed(t, g.manifest("two", "b", g.bare), "replace", "-f", "-")
		assert.Equal(t, "b", s.field(t, g, "two", ".metadata.labels.team"))
		return
	}
	assert.Contains(t, s.refused(t, g.manifest("two", "b", g.bare), "replace", "-f", "-"), `"two" not found`)
}

func waits(t *testing.T, s *server, g target) {
	made := func() error { return nil }
	if s.kubectl.minor >= 31 {
		_, made = s.background(t, "wait", "--for=create", g.plural+"/one")
	}
	s.feed(t, g.manifest("one", "a", g.full), "create", "-f", "-")
	require.NoError(t, made())

	if g.ready != nil {
		lines, done := s.background(t, "wait", "--for=condition=Ready", g.plural+"/one")
		g.ready(t, s, "one")
		await(t, lines, g.resource("one"), "condition", "met")
		require.NoError(t, done())
	}

	_, done := s.background(t, "wait", "--for=jsonpath={.metadata.labels.team}=b", g.plural+"/one")
	s.run(t, "label", g.plural, "one", "team=b", "--overwrite")
	require.NoError(t, done())

	_, done = s.background(t, "wait", "--for=delete", g.plural+"/one")
	s.run(t, "delete", g.plural, "one")
	require.NoError(t, done())

	assert.Contains(t, s.refused(t, "", "wait", "--for=condition=Ready", g.plural+"/none", "--timeout=1s"),
		`"none" not found`)
}

func deletes(t *testing.T, s *server, g target) {
	three(t, s, g)
	names := func() string { return s.run(t, "get", g.plural, "-o", "jsonpath={.items[*].metadata.name}") }
	dry := s.run(t, "delete", g.plural, "a", "--dry-run=server")
	assert.Contains(t, dry, `"a" deleted`)
	assert.Equal(t, "a b c", names(), "after a dry run")
	assert.Contains(t, s.run(t, "delete", g.plural, "a"), `"a" deleted`)
	assert.Equal(t, "b c", names())
	assert.Contains(t, s.refused(t, "", "delete", g.plural, "a"), `"a" not found`)
	assert.Empty(t, s.run(t, "delete", g.plural, "a", "--ignore-not-found"))
	assert.Contains(t, s.run(t, "delete", g.plural, "-l", "team=red"), `"b" deleted`)
	assert.Equal(t, "c", names())
	s.feed(t, g.manifest("d", "red", g.bare)+g.manifest("e", "red", g.bare), "create", "-f", "-")
	s.feed(t, g.manifest("e", "red", g.bare), "delete", "-f", "-", "--force", "--grace-period=0")
	out := s.run(t, "delete", g.plural, "--all")
	assert.Contains(t, out, `"c" deleted`)
	assert.Contains(t, out, `"d" deleted`)
	assert.Empty(t, names())
}

// The object of a host without the garbage collector stays until the test removes the finalizer. That of another host
// goes at once.
func cascades(t *testing.T, s *server, g target) {
	for propagation, finalizer := range map[string]string{"orphan": "orphan", "foreground": "foregroundDeletion"} {
		s.feed(t, g.manifest(propagation, "a", g.full), "create", "-f", "-")
		if g.collects {
			assert.Contains(t, s.run(t, "delete", g.plural, propagation, "--cascade="+propagation), `"`+propagation+`" deleted`)
			assert.Contains(t, s.refused(t, "", "get", g.plural, propagation), "(NotFound)")
			continue
		}
		s.run(t, "delete", g.plural, propagation, "--cascade="+propagation, "--wait=false")
		assert.Equal(t, finalizer, s.field(t, g, propagation, ".metadata.finalizers[*]"))
		assert.NotEmpty(t, s.field(t, g, propagation, ".metadata.deletionTimestamp"))
		s.run(t, "patch", g.plural, propagation, "--type=merge", "-p", `{"metadata":{"finalizers":null}}`)
		assert.Contains(t, s.refused(t, "", "get", g.plural, propagation), "(NotFound)")
	}
}

func raw(t *testing.T, s *server, g target) {
	collection := "/apis/" + g.group + "/v1"
	if g.group == "" {
		collection = "/api/v1"
	}
	if !g.cluster {
		collection += "/namespaces/" + namespace
	}
	collection += "/" + g.plural
	object := map[string]any{}
	require.NoError(t, yaml.Unmarshal([]byte(g.manifest("one", "a", g.full)), &object))
	body, err := json.Marshal(object)
	require.NoError(t, err)

	collection = s.rawPath(t, collection)
	assert.Contains(t, s.feed(t, string(body), "create", "--raw", collection, "-f", "-"), `"uid":`)
	assert.Contains(t, s.run(t, "get", "--raw", collection), `"kind":"`+g.kind+`List"`)
	stored := s.run(t, "get", "--raw", collection+"/one")
	replaced := s.feed(t, strings.Replace(stored, `"team":"a"`, `"team":"b"`, 1), "replace", "--raw", collection+"/one",
		"-f", "-")
	assert.Contains(t, replaced, `"team":"b"`)
	assert.Contains(t, s.run(t, "delete", "--raw", collection+"/one"), `"name":"one"`) // a Status, or the deleted object
	assert.Contains(t, s.refused(t, "", "get", "--raw", collection+"/one"), `"one" not found`)
}

// rawPath returns the argument of --raw for a path of the API. For 1.33 and older it starts at the root of the server,
// whatever the path of the server's URL.
func (s *server) rawPath(t *testing.T, path string) string {
	t.Helper()
	if s.kubectl.minor > 33 {
		return path
	}
	base, err := url.Parse(s.url)
	require.NoError(t, err)
	return base.Path + path
}

// field returns the value that kubectl finds in the object at a JSON path.
func (s *server) field(t *testing.T, g target, name, path string) string {
	t.Helper()
	return s.run(t, "get", g.plural, name, "-o", "jsonpath={"+path+"}")
}

// stderrOf runs a command that must succeed and returns its standard error.
func stderrOf(t *testing.T, s *server, args ...string) string {
	t.Helper()
	_, stderr, err := s.try(t, "", args...)
	require.NoError(t, err, stderr)
	return stderr
}

// firstColumn returns the names in a table, without the heading and without the kind prefix that kubectl adds if it
// prints several kinds.
func firstColumn(table string) []string {
	var names []string
	for line := range strings.Lines(table) {
		if columns := strings.Fields(line); len(columns) > 0 && columns[0] != "NAME" {
			names = append(names, columns[0][strings.LastIndex(columns[0], "/")+1:])
		}
	}
	return names
}

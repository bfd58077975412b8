package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The test runs the kubectl commands for certain Kubernetes kinds, at the root of a server and below a prefix.
func TestKubernetesCommands(t *testing.T) {
	commands := []struct {
		name      string
		sensitive bool // differs between releases of kubectl
		run       func(t *testing.T, s *server)
	}{
		{"create-configmap", true, createConfigMap},
		{"create-namespace", true, createNamespace},
		{"create-serviceaccount", true, createServiceAccount},
		{"strategic-merge", true, strategicMerge},
		{"keyed-lists", true, keyedLists},
		{"scale", true, scale},
		{"nodes", true, nodes},
		{"events", true, events},
		{"whoami", true, whoami},
		{"can-i", true, canI},
		{"impersonate", true, impersonate},
		{"kustomize", true, kustomize},
		{"status", true, status},
		{"several-kinds", false, severalKinds},
		{"proxy", false, proxy},
	}
	for _, k := range kubectls {
		for _, h := range []host{rootHost, prefixHost} {
			if k != newest() && h.name() == prefixHost.name() {
				continue
			}
			t.Run(k.version+"/"+h.name(), func(t *testing.T) {
				for _, c := range commands {
					if k != newest() && !c.sensitive {
						continue
					}
					t.Run(c.name, func(t *testing.T) {
						t.Parallel()
						c.run(t, startServer(t, h, k))
					})
				}
			})
		}
	}
}

func createConfigMap(t *testing.T, s *server) {
	s.file(t, "app.conf", "level = 3\n")
	s.file(t, "logo", "\xff\xfe\x00")
	s.file(t, "app.env", "SIZE=large\n")
	args := []string{"create", "configmap", "app", "--from-literal=colour=red", "--from-file=app.conf", "--from-file=logo"}
	assert.Equal(t, "configmap/app created (server dry run)\n", s.run(t, append(args, "--dry-run=server")...))
	assert.Equal(t, "configmap/app created\n", s.run(t, args...))
	assert.Equal(t, "red|level = 3\n|//4A",
		s.get(t, "configmap", "app", `{.data.colour}|{.data.app\.conf}|{.binaryData.logo}`))
	assert.Contains(t, s.refused(t, "", args...), `configmaps "app" already exists`)

	s.run(t, "create", "configmap", "env", "--from-env-file=app.env")
	assert.Equal(t, "large", s.get(t, "configmap", "env", "{.data.SIZE}"))
	assert.Contains(t, s.refused(t, "", "-n", "none", "create", "configmap", "app"), `namespaces "none" not found`)
	assert.Contains(t, s.refused(t, "", "create", "configmap", "App"), "metadata.name: Invalid value")
	assert.Contains(t, s.run(t, "describe", "configmap", "app"), "level = 3\n")
}

// A namespace is removed once it has no finalizers. The test removes them, as the namespace controller would.
func createNamespace(t *testing.T, s *server) {
	assert.Equal(t, "namespace/team-a created\n", s.run(t, "create", "namespace", "team-a"))
	assert.Equal(t, "Active kubernetes", s.get(t, "namespace", "team-a", "{.status.phase} {.spec.finalizers[0]}"))
	assertLine(t, s.run(t, "get", "namespaces"), "team-a", "Active")
	assert.Equal(t, "namespace/team-a\n", s.run(t, "get", "ns", "-l", "kubernetes.io/metadata.name=team-a", "-o", "name"))
	assertLine(t, s.run(t, "describe", "namespace", "team-a"), "Status:", "Active")
	assert.Contains(t, s.refused(t, "", "create", "namespace", "Team"), "metadata.name: Invalid value")
	assert.Contains(t, s.refused(t, "", "delete", "namespace", "default"), "this namespace may not be deleted")

	s.run(t, "-n", "team-a", "create", "configmap", "inside")
	assert.Contains(t, s.run(t, "delete", "namespace", "team-a", "--wait=false"), `namespace "team-a" deleted`)
	assertLine(t, s.run(t, "get", "namespaces"), "team-a", "Terminating")
	assert.Contains(t, s.refused(t, "", "-n", "team-a", "create", "configmap", "late"), "because it is being terminated")

	_, gone := s.background(t, "wait", "--for=delete", "namespace/team-a")
	ending := map[string]any{}
	require.NoError(t, json.Unmarshal([]byte(s.run(t, "get", "namespace", "team-a", "-o", "json")), &ending))
	ending["spec"] = map[string]any{"finalizers": []string{}}
	body, err := json.Marshal(ending)
	require.NoError(t, err)
	s.feed(t, string(body), "replace", "--raw", s.rawPath(t, "/api/v1/namespaces/team-a/finalize"), "-f", "-")
	require.NoError(t, gone())
	assert.Contains(t, s.refused(t, "", "get", "namespace", "team-a"), `namespaces "team-a" not found`)
}

func createServiceAccount(t *testing.T, s *server) {
	assert.Equal(t, "serviceaccount/robot created (server dry run)\n",
		s.run(t, "create", "serviceaccount", "robot", "--dry-run=server"))
	assert.Equal(t, "serviceaccount/robot created\n", s.run(t, "create", "serviceaccount", "robot"))
	assert.Contains(t, s.refused(t, "", "create", "sa", "robot"), `serviceaccounts "robot" already exists`)
	assert.Contains(t, s.run(t, "describe", "sa", "robot"), "Image pull secrets:")
	s.run(t, "delete", "sa/robot")
	assert.Empty(t, s.run(t, "get", "sa", "-o", "name"))
}

// kubectl merges the secrets of a ServiceAccount by name.
func strategicMerge(t *testing.T, s *server) {
	account := func(members string) string {
		return "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: robot}\n" + members + "\n"
	}
	secrets := func() string { return s.get(t, "serviceaccount", "robot", "{.secrets[*].name}") }

	s.feed(t, account("secrets: [{name: a}, {name: b}]"), "apply", "-f", "-")
	out := s.run(t, "patch", "serviceaccount", "robot", "-p", `{"secrets":[{"name":"other"}]}`)
	assert.Equal(t, "serviceaccount/robot patched\n", out)
	assert.ElementsMatch(t, []string{"other", "a", "b"}, strings.Fields(secrets()), "another client adds a secret")

	out = s.feed(t, account("secrets: [{name: c}, {name: a, kind: Secret}]"), "apply", "-f", "-")
	assert.Equal(t, "serviceaccount/robot configured\n", out)
	assert.ElementsMatch(t, []string{"other", "c", "a"}, strings.Fields(secrets()),
		"secrets that the file omits are removed, secrets of another client stay")
	assert.Less(t, strings.Index(secrets(), "c"), strings.Index(secrets(), "a"), "in the order of the file")
	assert.Empty(t, s.get(t, "serviceaccount", "robot", `{.secrets[?(@.name=="a")].kind}`),
		"an API server keeps only the name")

	s.feed(t, account("automountServiceAccountToken: false"), "apply", "-f", "-")
	assert.Empty(t, secrets(), "a list that the file omits is removed")
	assert.Equal(t, "false", s.get(t, "serviceaccount", "robot", "{.automountServiceAccountToken}"))
	s.feed(t, account(""), "apply", "-f", "-")
	assert.Empty(t, s.get(t, "serviceaccount", "robot", "{.automountServiceAccountToken}"), "a field is removed")

	s.run(t, "patch", "serviceaccount", "robot", "-p", `{"secrets":[{"name":"a"},{"name":"b"}]}`)
	s.run(t, "patch", "serviceaccount", "robot", "-p", `{"secrets":[{"$patch":"replace"},{"name":"only"}]}`)
	assert.Equal(t, "only", secrets())
	refused := s.refused(t, "", "patch", "serviceaccount", "robot", "-p", `{"secrets":[{"kind":"Secret"}]}`)
	assert.Contains(t, refused, "does not contain declared merge key: name")
	s.run(t, "patch", "serviceaccount", "robot", "-p", `{"secrets":[{"$patch":"delete","name":"only"}]}`)
	assert.Empty(t, secrets())
}

// The test covers keyed lists below the root, in an object with several writers: owner references by uid, conditions by
// type, and taints, which change as a whole.
func keyedLists(t *testing.T, s *server) {
	node := "apiVersion: v1\nkind: Node\nmetadata: {name: worker}\nspec: {taints: [{key: %, effect: NoSchedule}]}\n"
	s.feed(t, strings.Replace(node, "%", "a", 1), "apply", "-f", "-")
	s.feed(t, strings.Replace(node, "%", "b", 1), "apply", "-f", "-")
	assert.Equal(t, "b", s.get(t, "node", "worker", "{.spec.taints[*].key}"), "taints are replaced")

	owner := `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"o","uid":"%"}]}}`
	s.run(t, "patch", "node", "worker", "-p", strings.Replace(owner, "%", "1", 1))
	s.run(t, "patch", "node", "worker", "-p", strings.Replace(owner, "%", "2", 1))
	assert.ElementsMatch(t, []string{"1", "2"},
		strings.Fields(s.get(t, "node", "worker", "{.metadata.ownerReferences[*].uid}")))

	for _, condition := range []string{`{"type":"Ready","status":"False","reason":"Starting"}`,
		`{"type":"DiskPressure","status":"False"}`,
		`{"type":"Ready","status":"True"}`} {
		s.run(t, "patch", "node", "worker", "--subresource=status", "-p", `{"status":{"conditions":[`+condition+`]}}`)
	}
	assert.Equal(t, "True Starting",
		s.get(t, "node", "worker", `{.status.conditions[?(@.type=="Ready")]['status','reason']}`))
	assert.Len(t, strings.Fields(s.get(t, "node", "worker", "{.status.conditions[*].type}")), 2)
}

func scale(t *testing.T, s *server) {
	s.feed(t, "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: one}\nspec: {size: 5}\n", "create", "-f", "-")
	assert.Equal(t, "1", s.get(t, "widget", "one", "{.spec.replicas}"))
	assert.Equal(t, "widget.example.com/one scaled\n", s.run(t, "scale", "widget", "one", "--replicas=3"))
	assert.Equal(t, "3 5 2", s.get(t, "widget", "one", "{.spec.replicas} {.spec.size} {.metadata.generation}"))
	assert.Equal(t, "widget.example.com/one scaled\n",
		s.run(t, "scale", "--replicas=4", "--current-replicas=3", "widget/one"))
	assert.Contains(t, s.refused(t, "", "scale", "--replicas=5", "--current-replicas=3", "widget/one"),
		"Expected replicas to be 3, was 4")
	assert.Contains(t, s.refused(t, "", "scale", "--replicas=5", "--resource-version=1", "widget/one"),
		"Expected resource version to be 1")
	assert.Equal(t, "widget.example.com/one scaled (server dry run)\n",
		s.run(t, "scale", "widget", "one", "--replicas=9", "--dry-run=server"))
	s.refused(t, "", "scale", "widget", "none", "--replicas=1")
	assert.Contains(t, s.refused(t, "", "scale", "namespace", namespace, "--replicas=1"),
		"could not find the requested resource")
	assert.Equal(t, "Scale 4", s.run(t, "get", "widget", "one", "--subresource=scale", "-o",
		"jsonpath={.kind} {.spec.replicas}"))
}

func nodes(t *testing.T, s *server) {
	s.feed(t, "apiVersion: v1\nkind: Node\nmetadata: {name: worker}\n", "create", "-f", "-")
	taints := func() string {
		return s.get(t, "node", "worker", `{range .spec.taints[*]}{.key}={.value}:{.effect} {end}`)
	}
	assert.Equal(t, "node/worker tainted\n",
		s.run(t, "taint", "node", "worker", "for=tests:NoSchedule", "slow:PreferNoSchedule"))
	assert.ElementsMatch(t, []string{"for=tests:NoSchedule", "slow=:PreferNoSchedule"}, strings.Fields(taints()))
	assert.Equal(t, "node/worker untainted\n", s.run(t, "taint", "node", "worker", "slow-"))
	assert.Equal(t, "for=tests:NoSchedule ", taints())

	assert.Equal(t, "node/worker cordoned\n", s.run(t, "cordon", "worker"))
	assert.Equal(t, "true", s.get(t, "node", "worker", "{.spec.unschedulable}"))
	assert.Equal(t, "node/worker\n", s.run(t, "get", "nodes", "--field-selector=spec.unschedulable=true", "-o", "name"))
	assert.Equal(t, "node/worker uncordoned\n", s.run(t, "uncordon", "worker"))
	assert.Empty(t, s.get(t, "node", "worker", "{.spec.unschedulable}"))
	assert.Empty(t, s.run(t, "get", "nodes", "--field-selector=spec.unschedulable=true", "-o", "name"))
}

func events(t *testing.T, s *server) {
	s.run(t, "create", "configmap", "app")
	uid := s.get(t, "configmap", "app", "{.metadata.uid}")
	event := func(name, kind, reason, class string) string {
		return fmt.Sprintf(`---
apiVersion: v1
kind: Event
metadata: {name: %s}
involvedObject: {apiVersion: v1, kind: %s, namespace: %s, name: app, uid: %s}
reason: %s
message: it was %[5]s
type: %[6]s
firstTimestamp: "2024-01-02T03:04:05Z"
lastTimestamp: "2024-01-02T03:04:06Z"
count: 2
source: {component: tests}
`, name, kind, namespace, uid, reason, class)
	}
	assert.Contains(t, stderrOf(t, s, "events"), "No events found in "+namespace+" namespace.")
	watched, _ := s.background(t, "events", "--watch")
	s.feed(t, event("one", "ConfigMap", "Made", "Normal")+event("two", "ServiceAccount", "Lost", "Warning"), "create",
		"-f", "-")
	await(t, watched, "Normal", "Made", "ConfigMap/app")

	all := s.run(t, "events")
	assertLine(t, all, "Normal", "Made", "ConfigMap/app", "it", "was", "Made")
	assertLine(t, all, "Warning", "Lost", "ServiceAccount/app")
	assert.NotContains(t, s.run(t, "events", "--for", "configmap/app"), "Lost")
	assert.NotContains(t, s.run(t, "events", "--types=Warning"), "Made")
	assert.Contains(t, s.run(t, "events", "-A", "-o", "yaml"), "reason: Lost")
	described := s.run(t, "describe", "configmap", "app")
	assertLine(t, described, "Normal", "Made", "tests", "it", "was", "Made")
	assert.NotContains(t, described, "Lost")
	assertLine(t, s.run(t, "get", "events", "--field-selector", "involvedObject.kind=ServiceAccount,type=Warning"),
		"Warning", "Lost")
}

func whoami(t *testing.T, s *server) {
	assertLine(t, s.run(t, "auth", "whoami"), "Username", "system:anonymous")
	assert.Equal(t, "SelfSubjectReview system:unauthenticated",
		s.run(t, "auth", "whoami", "-o", "jsonpath={.kind} {.status.userInfo.groups[*]}"))
}

// The host decides and gives the reason.
func canI(t *testing.T, s *server) {
	for _, question := range [][]string{{"create", "configmaps"}, {"get", "widgets/status"}, {"delete", "node/worker"},
		{"*", "*", "-A"}, {"get", "/healthz"}} {
		args := append([]string{"auth", "can-i"}, question...)
		assert.Equal(t, "yes\n", s.exits(t, 0, "", args...), question)
	}
	assert.Equal(t, "no - impersonation is not allowed\n",
		s.exits(t, 1, "", "auth", "can-i", "impersonate", "serviceaccounts"))
	assertLine(t, s.run(t, "auth", "can-i", "--list"), "Resources", "Verbs")
	assert.Contains(t, stderrOf(t, s, "auth", "can-i", "--list"),
		"the list may be incomplete: the server decides about each access by itself")
}

// A user who may not act as another user is refused. kubectl prints the reason, except for a command that begins with
// discovery: it does not decode the answer to that.
func impersonate(t *testing.T, s *server) {
	s.run(t, "create", "configmap", "a")
	list := "/api/v1/namespaces/" + namespace + "/configmaps"
	for _, who := range [][]string{{"--as=bob"}, {"--as=bob", "--as-group=dev"}, {"--as=bob", "--as-uid=7"}} {
		for _, what := range [][]string{{"get", "configmaps"}, {"get", "configmap", "a", "-w"},
			{"delete", "configmap", "a"}} {
			assert.Contains(t, s.refused(t, "", append(what, who...)...), "Error from server (Forbidden)", what)
		}
		for _, what := range [][]string{{"get", "--raw", list}, {"create", "configmap", "b"},
			{"auth", "can-i", "get", "configmaps"}} {
			assert.Contains(t, s.refused(t, "", append(what, who...)...),
				`users "bob" is forbidden: User "system:anonymous" cannot impersonate resource "users"`, what)
		}
	}
	assert.Equal(t, "configmap/a\n", s.run(t, "get", "configmaps", "-o", "name"))
}

func kustomize(t *testing.T, s *server) {
	s.file(t, "base/kustomization.yaml",
		"resources: [account.yaml, widget.yaml]\nconfigMapGenerator: [{name: settings, literals: [colour=red]}]\n")
	s.file(t, "base/account.yaml", "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: robot}\nsecrets: [{name: a}]\n")
	s.file(t, "base/widget.yaml", "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: one}\nspec: {size: 5}\n")
	s.file(t, "over/kustomization.yaml",
		"resources: [../base]\nnamePrefix: my-\nnamespace: "+namespace+"\nlabels: [{pairs: {app: k}}]\n"+
			"patches: [{patch: \"- {op: replace, path: /spec/size, value: 7}\", target: {kind: Widget}}]\n")
	out := s.run(t, "apply", "-k", "over")
	assert.Contains(t, out, "serviceaccount/my-robot created\n")
	assert.Contains(t, out, "widget.example.com/my-one created\n")
	assert.Regexp(t, `configmap/my-settings-[a-z0-9]+ created\n`, out)
	assert.Equal(t, "7 k", s.get(t, "widget", "my-one", "{.spec.size} {.metadata.labels.app}"))
	assert.Empty(t, s.exits(t, 0, "", "diff", "-k", "over"))
	again := s.run(t, "apply", "-k", "over")
	assert.Equal(t, 3, strings.Count(again, " unchanged\n"), again)
	s.run(t, "delete", "-k", "over")
	assert.Empty(t, s.run(t, "get", "sa,cm,wd", "-l", "app=k", "-o", "name"))
}

func status(t *testing.T, s *server) {
	s.feed(t, "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: one}\nspec: {size: 5}\nstatus: {phase: Ready}\n",
		"create", "-f", "-")
	assert.Empty(t, s.get(t, "widget", "one", "{.status.phase}"), "create ignores the status")
	setStatus(t, s, "widgets", "one", `{"spec":{"size":9},"status":{"phase":"Pending"}}`)
	assert.Equal(t, "5 Pending 1", s.get(t, "widget", "one", "{.spec.size} {.status.phase} {.metadata.generation}"))
	assertLine(t, s.run(t, "get", "widget", "one", "--subresource=status"), "one", "5", "red", "Pending")
	s.edits(t, "s/phase: Pending/phase: Ready/")
	assert.Equal(t, "widget.example.com/one edited\n", s.run(t, "edit", "widget", "one", "--subresource=status"))
	assert.Equal(t, "Ready", s.get(t, "widget", "one", "{.status.phase}"))
	replaced := strings.Replace(s.run(t, "get", "widget", "one", "-o", "yaml"), "phase: Ready", "phase: Failed", 1)
	s.feed(t, replaced, "replace", "--subresource=status", "-f", "-")
	assert.Equal(t, "Failed", s.get(t, "widget", "one", "{.status.phase}"))
	refused := s.refused(t, "", "patch", "widget", "one", "--subresource=status", "--type=merge", "-p",
		`{"status":{"phase":"Odd"}}`)
	assert.Contains(t, refused, `status.phase: Unsupported value: "Odd"`)
}

// One command handles objects of several kinds, built-in and custom.
func severalKinds(t *testing.T, s *server) {
	s.file(t, "all/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one, labels: {app: k}}\n---\n"+
		"apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: one, labels: {app: k}}\n")
	s.file(t, "all/b.json",
		`{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"one","labels":{"app":"k"}},"spec":{"size":5}},`+
			`{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"one","labels":{"app":"k"}},"spec":{"holderIdentity":"me"}}]}`)
	assert.Equal(t, 4, strings.Count(s.run(t, "apply", "-f", "all"), " created\n"))
	names := s.run(t, "get", "cm,sa,widgets.example.com,leases.v1.coordination.k8s.io", "-l", "app=k", "-o", "name")
	assert.Equal(t, "configmap/one\nserviceaccount/one\nwidget.example.com/one\nlease.coordination.k8s.io/one\n", names)
	assert.Equal(t, 4, strings.Count(s.run(t, "get", "-f", "all", "-o", "name"), "/one\n"))
	assert.Equal(t, 4, strings.Count(s.run(t, "label", "-f", "all", "tier=gold"), " labeled\n"))
	assert.Equal(t, 4, strings.Count(s.run(t, "delete", "cm,sa,wd,leases", "-l", "tier=gold"), " deleted"))
}

func proxy(t *testing.T, s *server) {
	lines, _ := s.background(t, "proxy", "--port=0", "--append-server-path")
	first, ok := <-lines
	require.True(t, ok)
	address, ok := strings.CutPrefix(first, "Starting to serve on ")
	require.True(t, ok, first)
	answer, err := http.Get("http://" + address + "/api/v1/namespaces/" + namespace)
	require.NoError(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, answer.StatusCode)
	assert.Contains(t, string(body), `"kind":"Namespace"`)
}

// get returns what kubectl finds in the object at the JSON paths.
func (s *server) get(t *testing.T, resource, name, paths string) string {
	t.Helper()
	return s.run(t, "get", resource, name, "-o", "jsonpath="+paths)
}

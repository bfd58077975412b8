package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lifecycleHost runs the garbage collector and the namespace controller.
var lifecycleHost = host{program: "conformhost", namespaces: true, args: []string{"--lifecycle"}}

// The test covers the effects of deletions, with every release of kubectl.
func TestLifecycle(t *testing.T) {
	for _, k := range kubectls {
		t.Run(k.version, func(t *testing.T) {
			for name, run := range map[string]func(*testing.T, *server){
				"background": deleteInBackground, "foreground": deleteInForeground, "orphan": deleteWithOrphans,
				"namespace": deleteNamespace, "namespace held": deleteHeldNamespace, "grace": deleteGracefully,
			} {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					run(t, startServer(t, lifecycleHost, k))
				})
			}
		})
	}
}

// family creates a ConfigMap that owns another one and a Widget.
func family(t *testing.T, s *server) {
	t.Helper()
	s.run(t, "create", "configmap", "parent")
	uid := s.run(t, "get", "configmap", "parent", "-o", "jsonpath={.metadata.uid}")
	child := `---
apiVersion: %s
kind: %s
metadata:
  name: child
  ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: parent, uid: %s, blockOwnerDeletion: true}]
%s
`
	s.feed(t, fmt.Sprintf(child, "v1", "ConfigMap", uid, "")+fmt.Sprintf(child, "example.com/v1", "Widget", uid,
		"spec: {size: 1}"), "create", "-f", "-")
}

func deleteInBackground(t *testing.T, s *server) {
	family(t, s)
	_, done := s.background(t, "wait", "--for=delete", "configmap/child", "widget/child")
	s.run(t, "delete", "configmap", "parent")
	require.NoError(t, done())
	assert.Contains(t, s.refused(t, "", "get", "widget", "child"), "(NotFound)")
}

func deleteInForeground(t *testing.T, s *server) {
	family(t, s)
	s.run(t, "patch", "widget", "child", "--type=merge", "-p", `{"metadata":{"finalizers":["example.com/busy"]}}`)
	s.run(t, "delete", "configmap", "parent", "--cascade=foreground", "--wait=false")
	s.run(t, "wait", "--for=delete", "configmap/child")
	assert.Equal(t, "foregroundDeletion",
		s.run(t, "get", "configmap", "parent", "-o", "jsonpath={.metadata.finalizers[*]}"), "the owner waits for the Widget")
	_, done := s.background(t, "wait", "--for=delete", "configmap/parent")
	s.run(t, "patch", "widget", "child", "--type=merge", "-p", `{"metadata":{"finalizers":null}}`)
	require.NoError(t, done())
	assert.Contains(t, s.refused(t, "", "get", "widget", "child"), "(NotFound)")

	// If nothing holds the objects, kubectl itself waits until all of them are gone.
	family(t, s)
	s.run(t, "delete", "configmap", "parent", "--cascade=foreground")
	assert.Empty(t, s.run(t, "get", "configmap,widget", "-o", "name"))
}

func deleteWithOrphans(t *testing.T, s *server) {
	family(t, s)
	s.run(t, "delete", "configmap", "parent", "--cascade=orphan")
	assert.Equal(t, []string{"child", "child"},
		strings.Fields(s.run(t, "get", "configmap,widget", "-o", "jsonpath={.items[*].metadata.name}")))
	assert.Empty(t, s.run(t, "get", "configmap,widget", "-o", "jsonpath={.items[*].metadata.ownerReferences}"))
}

func deleteNamespace(t *testing.T, s *server) {
	family(t, s)
	s.run(t, "create", "namespace", "other")
	s.run(t, "-n", "other", "create", "configmap", "stays")
	assert.Contains(t, s.run(t, "delete", "namespace", namespace), `namespace "`+namespace+`" deleted`)
	assert.Contains(t, s.refused(t, "", "get", "namespace", namespace), `namespaces "`+namespace+`" not found`)
	assert.Equal(t, []string{"stays"}, firstColumn(s.run(t, "-n", "other", "get", "configmap,widget")))
	assert.Contains(t, s.refused(t, "", "create", "configmap", "late"), `namespaces "`+namespace+`" not found`)
	assert.Contains(t, s.refused(t, "", "delete", "namespace", "default"),
		`namespaces "default" is forbidden: this namespace may not be deleted`)
	s.run(t, "create", "namespace", namespace)
	assert.Empty(t, s.run(t, "get", "configmap,widget", "-o", "name"))
}

func deleteHeldNamespace(t *testing.T, s *server) {
	s.feed(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: held, finalizers: [example.com/busy]}\n", "create", "-f",
		"-")
	s.run(t, "create", "configmap", "free")
	s.run(t, "delete", "namespace", namespace, "--wait=false")
	s.run(t, "wait", "--for=condition=NamespaceFinalizersRemaining", "namespace/"+namespace)
	assertLine(t, s.run(t, "get", "namespace"), namespace, "Terminating")
	described := s.run(t, "describe", "namespace", namespace)
	assert.Contains(t, described, "Some resources are remaining: configmaps. has 1 resource instances")
	assert.Contains(t, described,
		"Some content in the namespace has finalizers remaining: example.com/busy in 1 resource instances")
	assert.Equal(t, []string{"held"}, firstColumn(s.run(t, "get", "configmap")))
	assert.Contains(t, s.refused(t, "", "create", "configmap", "late"), "because it is being terminated")

	_, done := s.background(t, "wait", "--for=delete", "namespace/"+namespace)
	s.run(t, "patch", "configmap", "held", "-p", `{"metadata":{"finalizers":null}}`)
	require.NoError(t, done())
}

func deleteGracefully(t *testing.T, s *server) {
	widget := func(name string) {
		s.feed(t, "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: "+name+"}\nspec: {size: 1}\n", "create", "-f",
			"-")
	}
	grace := func(name string) string {
		return s.run(t, "get", "widget", name, "-o", "jsonpath={.metadata.deletionGracePeriodSeconds}")
	}
	widget("slow")
	s.run(t, "delete", "widget", "slow", "--grace-period=3600", "--wait=false")
	assert.Equal(t, "3600", grace("slow"))
	s.run(t, "delete", "widget", "slow", "--grace-period=7200", "--wait=false")
	assert.Equal(t, "3600", grace("slow"), "the grace period cannot be extended")
	s.run(t, "delete", "widget", "slow", "--now") // the host ends the grace period of one second
	assert.Contains(t, s.refused(t, "", "get", "widget", "slow"), "(NotFound)")

	widget("forced")
	s.run(t, "delete", "widget", "forced", "--grace-period=3600", "--wait=false")
	s.run(t, "delete", "widget", "forced", "--grace-period=0", "--force")
	assert.Contains(t, s.refused(t, "", "get", "widget", "forced"), "(NotFound)")
}

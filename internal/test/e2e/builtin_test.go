package e2e_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// smallHost is a host that uses no Kubernetes module.
var smallHost = host{program: "smallhost", namespaces: true}

// A host without users answers what kubectl asks about rights: nothing is refused but impersonation.
func TestKubectlAsksAPlainHostAboutRights(t *testing.T) {
	s := startServer(t, smallHost, newest())
	assertLine(t, s.run(t, "auth", "whoami"), "Username", "system:anonymous")
	assert.Equal(t, "yes\n", s.exits(t, 0, "", "auth", "can-i", "create", "plants"))
	assert.Equal(t, "yes\n", s.exits(t, 0, "", "auth", "can-i", "get", "/version"))
	assert.Contains(t, s.exits(t, 1, "", "auth", "can-i", "impersonate", "users"),
		"no - the server has no authorizer and does not support impersonation\n")
	list := s.run(t, "auth", "can-i", "--list")
	assertLine(t, list, "*.*", "[create", "delete", "deletecollection", "get", "list", "patch", "update", "watch]")
	assert.NotContains(t, list, "impersonate")
}

// kubectl shows the kinds of package builtin. It finds the events of a custom object, whichever group they were written
// in and whoever wrote them.
func TestKubectlShowsBuiltinKinds(t *testing.T) {
	s := startServer(t, smallHost, newest())
	s.feed(t, `{apiVersion: garden.example.com/v1, kind: Plant, metadata: {name: rose}}`, "create", "-f", "-")
	seen, _ := s.background(t, "get", "events", "-w", "--field-selector=reason=Seen", "-o",
		`jsonpath={.involvedObject.name} {.series.count}{"\n"}`)
	s.run(t, "label", "plant", "rose", "colour=red")
	await(t, seen, "rose", "2")
	uid := s.run(t, "get", "plant", "rose", "-o", "jsonpath={.metadata.uid}")
	about := `{apiVersion: garden.example.com/v1, kind: Plant, name: rose, namespace: ` + namespace + `, uid: ` + uid + `}`
	s.feed(t, `{apiVersion: v1, kind: Event, metadata: {name: rose.1}, involvedObject: `+about+
		`, type: Normal, reason: Watered, message: with 3 litres, count: 2,
  source: {component: gardener}, firstTimestamp: "2026-01-02T03:04:05Z", lastTimestamp: "2026-01-02T03:04:06Z"}`, "create", "-f", "-")
	s.feed(t,
		`{apiVersion: events.k8s.io/v1, kind: Event, metadata: {name: rose.2}, regarding: `+about+
			`, type: Warning, reason: Withered, action: Watering, note: too late,
  reportingController: example.com/gardener, reportingInstance: gardener-1, eventTime: "2026-01-02T03:05:05.000006Z"}`, "create", "-f", "-")
	s.feed(t, `{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: seat}, spec: {holderIdentity: me}}`,
		"apply", "-f", "-")

	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"describe", "plant", "rose"},
			[]string{"Events:", "Watered", "(x2 over", "gardener", "with 3 litres", "Withered", "too late"}},
		{[]string{"describe", "plant", "rose"}, []string{"Seen", "(x2 over", "garden.example.com/host", "It wants 0 litres"}},
		{[]string{"events", "--for", "plant/rose"}, []string{"Seen", "It wants 0 litres"}},
		{[]string{"events"}, []string{"LAST SEEN", "Plant/rose", "Watered", "Warning", "Withered"}},
		{[]string{"events", "--for", "plant/rose", "--types=Warning"}, []string{"Withered"}},
		{[]string{"get", "events"}, []string{"LAST SEEN", "plant/rose", "with 3 litres", "too late"}},
		{[]string{"get", "events.events.k8s.io", "-o", "wide"}, []string{"COUNT", "gardener-1", "with 3 litres", "too late"}},
		{[]string{"get", "events", "--field-selector", "involvedObject.name=rose,reason=Withered", "-o", "name"},
			[]string{"event/rose.2\n"}},
		{[]string{"get", "ns,leases"},
			[]string{"namespace/" + namespace, "Active", "lease.coordination.k8s.io/seat", "HOLDER", "me"}},
		{[]string{"describe", "namespace", namespace}, []string{"Status:       Active"}},
		{[]string{"explain", "events.regarding", "--api-version=events.k8s.io/v1"},
			[]string{"The object to which it happened."}},
		{[]string{"api-resources", "--api-group=events.k8s.io"}, []string{"ev ", "events.k8s.io/v1"}},
	} {
		out := s.run(t, c.args...)
		for _, want := range c.want {
			assert.Contains(t, out, want, strings.Join(c.args, " "))
		}
	}
	s.run(t, "delete", "events", "--all")
	assert.Equal(t, "", s.run(t, "get", "events.events.k8s.io", "-o", "name"))
	s.run(t, "delete", "namespace", namespace)
}

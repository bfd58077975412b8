package e2e_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func applyServerSide(t *testing.T, s *server, g target) {
	full := g.manifest("one", "a", g.full)
	applied := g.resource("one") + " serverside-applied\n"
	assert.Equal(t, applied, s.feed(t, full, "apply", "--server-side", "-f", "-"))
	version := s.field(t, g, "one", ".metadata.resourceVersion")
	assert.Equal(t, applied, s.feed(t, full, "apply", "--server-side", "-f", "-"))
	assert.Equal(t, version, s.field(t, g, "one", ".metadata.resourceVersion"), "applying the same again changes nothing")

	other := g.manifest("one", "b", g.bare)
	complaint := s.refused(t, other, "apply", "--server-side", "--field-manager=other", "-f", "-")
	assert.Contains(t, complaint, `conflict with "kubectl": .metadata.labels.team`)
	assert.Equal(t, "a", s.field(t, g, "one", ".metadata.labels.team"))
	dry := s.feed(t, other, "apply", "--server-side", "--field-manager=other", "--force-conflicts", "--dry-run=server",
		"-f", "-", "-o", "jsonpath={.metadata.labels.team}")
	assert.Equal(t, "b", dry)
	assert.Equal(t, "a", s.field(t, g, "one", ".metadata.labels.team"), "a dry run changes nothing")
	assert.Equal(t, applied, s.feed(t, other, "apply", "--server-side", "--field-manager=other", "--force-conflicts", "-f",
		"-"))
	assert.Equal(t, "b", s.field(t, g, "one", ".metadata.labels.team"))
	assert.Equal(t, g.set, s.field(t, g, "one", g.field), "fields of another manager stay")

	shown := s.run(t, "get", g.plural, "one", "-o", "yaml", "--show-managed-fields")
	assert.Contains(t, shown, "manager: kubectl\n")
	assert.Contains(t, shown, "manager: other\n")
	assert.Contains(t, shown, "f:team: {}\n")
	assert.NotContains(t, s.run(t, "get", g.plural, "one", "-o", "yaml"), "managedFields")

	s.feed(t, strings.Replace(g.manifest("one", "a", g.bare), "  labels: {team: a}\n", "", 1), "apply", "--server-side",
		"-f", "-")
	assert.Empty(t, s.field(t, g, "one", g.list), "fields that no manager applies any more are removed")
	assert.Equal(t, g.unset, s.field(t, g, "one", g.field))
	assert.Equal(t, "b", s.field(t, g, "one", ".metadata.labels.team"), "fields of another manager stay")
}

// The test moves from client-side to server-side apply: kubectl owns the fields that it applied on the client, so it
// needs no force.
func applyServerSideAfterClientSide(t *testing.T, s *server, g target) {
	s.feed(t, g.manifest("one", "a", g.full), "apply", "-f", "-")
	assert.Equal(t, g.resource("one")+" serverside-applied\n",
		s.feed(t, g.manifest("one", "b", g.bare), "apply", "--server-side", "-f", "-"))
	assert.Equal(t, "b", s.field(t, g, "one", ".metadata.labels.team"))
	assert.Empty(t, s.field(t, g, "one", g.list), "kubectl may remove the fields that it applied on the client")
	assert.Contains(t, s.run(t, "apply", "view-last-applied", g.plural, "one"), "    team: b\n",
		"client-side apply still works")
	assert.Equal(t, g.resource("one")+" configured\n", s.feed(t, g.manifest("one", "c", g.bare), "apply", "-f", "-"))
	assert.Equal(t, "c", s.field(t, g, "one", ".metadata.labels.team"))
}

func diffServerSide(t *testing.T, s *server, g target) {
	full := g.manifest("one", "a", g.full)
	assert.Contains(t, s.exits(t, 1, full, "diff", "--server-side", "-f", "-"), "\n+kind: "+g.kind+"\n")
	assert.Empty(t, stderrOf(t, s, "get", g.plural, "--ignore-not-found", "one"), "no object was stored")
	s.feed(t, full, "apply", "--server-side", "-f", "-")
	assert.Empty(t, s.exits(t, 0, full, "diff", "--server-side", "-f", "-"))
	changed := s.exits(t, 1, g.manifest("one", "b", g.full), "diff", "--server-side", "-f", "-")
	assert.Contains(t, changed, "\n-    team: a\n")
	assert.Contains(t, changed, "\n+    team: b\n")
	assert.Contains(t, s.refused(t, g.manifest("one", "b", g.full), "diff", "--server-side", "--field-manager=other", "-f",
		"-"), "conflict")
}

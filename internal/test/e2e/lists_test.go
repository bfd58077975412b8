package e2e_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// kubectl prints several objects as one object of the kind List in v1. Every command that reads a file must accept
// that, whether or not the host serves kinds of the core group.
func lists(t *testing.T, s *server, g target) {
	s.feed(t, g.manifest("a", "red", g.full)+g.manifest("b", "red", g.bare), "apply", "-f", "-")
	if g.ready != nil {
		for _, name := range []string{"a", "b"} {
			g.ready(t, s, name)
			s.run(t, "wait", "--for=condition=Ready", g.plural+"/"+name) // the controller no longer writes them
		}
	}
	printed := func() string {
		list := s.run(t, "get", g.plural, "-l", "team=red", "-o", "yaml")
		assert.Contains(t, list, "\nkind: List\n")
		return list
	}
	recoloured := func() string { return strings.ReplaceAll(printed(), "team: red", "team: blue") }

	assert.Empty(t, s.exits(t, 0, printed(), "diff", "-f", "-"))
	changed := s.exits(t, 1, recoloured(), "diff", "-f", "-")
	assert.Equal(t, 2, strings.Count(changed, "\n+    team: blue\n"), changed)

	assert.Equal(t, g.resource("a")+" replaced\n"+g.resource("b")+" replaced\n",
		s.feed(t, printed(), "replace", "-f", "-"))
	assert.Equal(t, g.resource("a")+" configured\n"+g.resource("b")+" configured\n",
		s.feed(t, printed(), "apply", "-f", "-"))
	assert.Equal(t, g.resource("a")+" serverside-applied\n"+g.resource("b")+" serverside-applied\n",
		s.feed(t, printed(), "apply", "-f", "-", "--server-side", "--force-conflicts"))

	s.edits(t, "s/team: red/team: green/")
	assert.Equal(t, g.resource("a")+" edited\n"+g.resource("b")+" edited\n", s.run(t, "edit", g.plural, "a", "b"))
	assert.Equal(t, "green", s.field(t, g, "a", ".metadata.labels.team"))
	assert.Equal(t, "green", s.field(t, g, "b", ".metadata.labels.team"))

	s.feed(t, strings.ReplaceAll(s.run(t, "get", g.plural, "-o", "json"), `"green"`, `"red"`), "delete", "-f", "-")
	assert.Empty(t, s.run(t, "get", g.plural, "-o", "name"))
}

// A missing object in a namespace is reported by its own name, even if the host does not serve namespaces, which
// kubectl requests next.
func missing(t *testing.T, s *server, g target) {
	for _, command := range []string{"get", "describe", "delete"} {
		complaint := s.refused(t, "", command, g.plural, "none")
		assert.Contains(t, complaint, g.groupResource()+` "none" not found`, command)
	}
}

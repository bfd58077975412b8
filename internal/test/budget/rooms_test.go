package budget_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// room is a package under rest/internal.
type room struct {
	name    string
	may     []string // packages of this module that it may import
	foreign []string // packages of other modules that it may import
	http    bool     // may import net/http
}

// rooms lists all packages under rest/internal, including those that are planned. A room imports no more than it needs
// for its one idea: none imports package rest, and only resource, write, follow, rights, past and notes call the
// store. The rooms media, service, remote and mirror read the records and the changes of packages storage and watch, and
// the room front the revisions that the store still holds.
var rooms = []room{
	{name: "upstream"},
	{name: "shard"},
	{name: "sealed"},
	{name: "generations", may: []string{"storage"}},
	{name: "kind", may: []string{"apimeta", "internal/schema"}},
	{name: "openapi", may: []string{"apimeta", "status", "internal/codec", "internal/doc", "internal/schema",
		"rest/internal/kind"}},
	{name: "objectmeta", may: []string{"apimeta", "status", "internal/codec", "internal/doc"}},
	{name: "rights", may: []string{"status", "storage", "watch", "rest/access", "rest/internal/notes"}},
	{name: "resource", may: []string{
		"apimeta", "status", "internal/codec", "internal/doc", "internal/gotype", "internal/managed", "internal/rules",
		"internal/schema",
		"internal/words", "internal/errorlog", "storage", "watch", "rest/access", "rest/internal/rights", "rest/internal/kind",
		"rest/internal/objectmeta", "rest/internal/upstream", "rest/internal/notes",
		"rest/internal/generations", "rest/internal/query", "rest/internal/shard", "rest/history", "rest/observe",
		"rest/queries",
	}},
	{name: "past", may: []string{
		"apimeta", "status", "internal/codec", "internal/doc", "storage", "watch", "rest/history", "rest/internal/objectmeta",
		"rest/internal/resource",
	}},
	{name: "steps", may: []string{"rest/internal/keys", "rest/observe"}},
	{name: "query", may: []string{"watch"}},
	{name: "write", may: []string{
		"apimeta", "status", "internal/codec", "internal/doc", "internal/docpatch", "internal/gotype", "internal/managed",
		"internal/schema", "internal/words",
		"storage", "watch", "rest/access", "rest/admission", "rest/internal/rights", "rest/internal/kind",
		"rest/internal/objectmeta", "rest/internal/resource",
		"rest/internal/steps", "rest/internal/past", "rest/history", "rest/internal/keys", "rest/observe",
	}},
	{name: "exchange", may: []string{"internal/doc", "rest/internal/objectmeta", "rest/internal/resource",
		"rest/internal/write"}},
	{name: "follow", may: []string{"apimeta", "status", "storage", "watch", "rest/access", "rest/internal/rights",
		"rest/internal/resource"}},
	{name: "route", may: []string{"apimeta", "rest/access", "rest/internal/kind"}},
	{name: "keys"},
	{name: "clientconfig", may: []string{"apimeta", "status"}},
	{name: "matching", may: []string{"apimeta", "status", "internal/codec", "internal/doc", "rest/access", "rest/admission",
		"rest/internal/objectmeta"}},
	{name: "jwt"},
	{name: "identity"},
	{name: "impersonation", may: []string{"apimeta", "status", "rest/access", "rest/internal/identity"}},
	{name: "review", may: []string{"apimeta", "status", "rest/access", "rest/internal/route"}},
	{name: "service", may: []string{
		"apimeta", "status", "internal/codec", "internal/doc", "storage", "watch",
		"rest/access", "rest/history", "rest/internal/body", "rest/internal/rights", "rest/internal/follow",
		"rest/internal/past", "rest/internal/kind", "rest/internal/media", "rest/internal/objectmeta",
		"rest/internal/resource",
		"rest/internal/route", "rest/internal/write", "rest/queries",
	}},
	{name: "backoff"},
	{name: "deadline"},
	{name: "turns"},
	{name: "notes", may: []string{"storage", "watch"}},
	{name: "peers", may: []string{"watch", "rest/internal/notes"}},
	{name: "mirror", may: []string{"storage", "watch"}},
	{name: "remote", http: true, may: []string{
		"apimeta", "status", "internal/codec", "internal/doc", "storage", "watch",
		"rest/internal/backoff", "rest/internal/service", "rest/internal/follow", "rest/internal/past",
		"rest/internal/kind",
		"rest/internal/objectmeta", "rest/internal/resource", "rest/internal/write", "rest/history", "rest/queries",
	}},
	{name: "media", may: []string{
		"apimeta", "status", "internal/codec", "internal/doc", "internal/schema", "internal/table", "storage", "watch",
		"rest/internal/generations", "rest/internal/kind", "rest/internal/upstream",
	}},
	{name: "body", http: true, may: []string{"apimeta", "status", "internal/codec", "internal/doc", "rest/internal/media",
		"rest/internal/write"}},
	{name: "delivery", may: []string{
		"status", "internal/codec", "watch", "rest/access", "rest/observe", "rest/internal/follow", "rest/internal/media",
		"rest/internal/resource",
	}},
	{name: "inprocess", http: true},
	{name: "front", http: true, may: []string{
		"apimeta", "status", "internal/codec", "internal/doc", "internal/errorlog", "internal/schema", "internal/words",
		"storage", "watch", "rest/access", "rest/history", "rest/observe", "rest/queries",
		"rest/internal/body", "rest/internal/deadline", "rest/internal/delivery", "rest/internal/past",
		"rest/internal/identity", "rest/internal/impersonation", "rest/internal/inprocess", "rest/internal/keys",
		"rest/internal/kind", "rest/internal/media", "rest/internal/objectmeta", "rest/internal/openapi",
		"rest/internal/resource", "rest/internal/rights", "rest/internal/route", "rest/internal/service",
		"rest/internal/steps", "rest/internal/stream", "rest/internal/write",
	}, foreign: []string{"github.com/julienschmidt/httprouter"}},
	{name: "stream", http: true, may: []string{"status", "internal/channels", "internal/codec", "internal/words",
		"rest/internal/delivery"}, foreign: []string{"github.com/coder/websocket"}},
}

// leaves are the public packages below rest whose words the rooms share. A plug-in that needs the words imports the leaf,
// and not the API.
var leaves = []room{
	{name: "rest/access", may: []string{"apimeta", "status", "rest/internal/identity", "rest/internal/keys"}},
	{name: "rest/admission", may: []string{"apimeta", "rest/access"}},
	{name: "rest/observe", may: []string{"status", "rest/access", "rest/admission", "rest/internal/keys"}},
	{name: "rest/history", may: []string{"apimeta"}},
	{name: "rest/queries", may: []string{"apimeta"}},
}

// A leaf imports next to nothing.
func TestLeavesImportLittle(t *testing.T) {
	for _, edge := range imports(t) {
		from, _ := strings.CutPrefix(edge.from, core+"/")
		i := slices.IndexFunc(leaves, func(leaf room) bool { return leaf.name == from })
		pkg, ours := strings.CutPrefix(edge.to, core+"/")
		switch {
		case i < 0:
		case ours:
			assert.Contains(t, leaves[i].may, pkg, "%s may not import %s", edge.from, edge.to)
		default:
			assert.NotContains(t, edge.to, ".", "%s may not import %s", edge.from, edge.to)
		}
	}
}

// testsOfRest is no room: the tests of rest and of its rooms share it, and it uses package rest as a host does.
const testsOfRest = core + "/rest/internal/apitest"

// The rooms of package rest depend on little.
func TestRoomsImportLittle(t *testing.T) {
	const inside = core + "/rest/internal/"
	seen := map[string]bool{}
	for _, edge := range imports(t) {
		name, ok := strings.CutPrefix(edge.from, inside)
		if !ok || edge.from == testsOfRest {
			continue
		}
		seen[name] = true
		i := slices.IndexFunc(rooms, func(r room) bool { return r.name == name })
		if !assert.GreaterOrEqual(t, i, 0, "%s: a room without a line; add it to the table", edge.from) {
			continue
		}
		pkg, ours := strings.CutPrefix(edge.to, core+"/")
		switch {
		case ours:
			assert.Contains(t, rooms[i].may, pkg, "%s may not import %s", edge.from, edge.to)
		case strings.Contains(edge.to, "."):
			assert.Contains(t, rooms[i].foreign, edge.to, "%s may not import %s", edge.from, edge.to)
		case edge.to == "net/http" || strings.HasPrefix(edge.to, "net/http/"):
			assert.True(t, rooms[i].http, "%s may not import %s", edge.from, edge.to)
		}
	}
	assert.NotEmpty(t, seen, "no import of a room was looked at: the table does not match the tree")
}

package e2e_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
)

// target is a kind of a host, with what the commands need to know about it. The same commands must work on every kind,
// at the root of a server and below a prefix.
type target struct {
	host                       host
	group, kind, plural, short string
	cluster                    bool // cluster-scoped
	all                        bool // whether it is in the category all
	builtin                    bool // a built-in kind
	createOnUpdate             bool // PUT creates a missing object
	older                      bool // whether older releases of kubectl are tested with it, too
	collects                   bool // the host runs the garbage collector

	// These are members of a manifest in addition to apiVersion, kind and metadata.
	full  string // an object with every field
	bare  string // an object with only the required fields
	other string // an object that the selector does not match
	wrong string // an invalid object
	typo  string // an object with an unknown field

	complaint string // part of the error when wrong is created
	unknown   string // the path of the unknown field in typo

	selector string // a field selector that matches full and bare, or ""
	list     string // the JSON path of a list, map or field that only full has
	element  string // the JSON pointer of the element whose removal empties list

	field       string                                     // the JSON path of a field that full sets and bare omits
	set, unset  string                                     // the field's value in full, and its default
	change      string                                     // a merge patch that changes the field
	changed     string                                     // the new value
	heading     []string                                   // the heading of the table
	doc         string                                     // the beginning of the kind's description in explain
	wide        string                                     // a column that only -o wide shows, or ""
	nested      string                                     // a path for explain, below the plural
	nestedDoc   string                                     // its description in explain
	described   []string                                   // parts of the output of describe
	ready       func(t *testing.T, s *server, name string) // sets the condition Ready; nil if the kind has none
	explainsAll []string                                   // fields that explain --recursive lists
}

// targets returns all kinds: those of the examples, and those of conformhost at the root of the server and below a
// prefix.
func targets() []target {
	all := exampleTargets()
	for _, h := range []host{rootHost, prefixHost} {
		for _, g := range conformTargets() {
			g.host = h
			all = append(all, g)
		}
	}
	return all
}

// name distinguishes the target from others in the names of tests.
func (g target) name() string { return g.host.name() + "-" + g.plural }

// manifest returns an object of the target's kind as a file would contain it.
func (g target) manifest(name, team, members string) string {
	return fmt.Sprintf(`---
apiVersion: %s
kind: %s
metadata:
  name: %s
  labels: {team: %s}
%s
`, g.apiVersion(), g.kind, name, team, members)
}

func (g target) apiVersion() string {
	if g.group == "" {
		return "v1"
	}
	return g.group + "/v1"
}

// resource returns the name that kubectl prints for an object of the kind.
func (g target) resource(name string) string {
	return strings.TrimSuffix(strings.ToLower(g.kind)+"."+g.group, ".") + "/" + name
}

// groupResource returns the name of the resource in the server's messages.
func (g target) groupResource() string {
	return strings.TrimSuffix(g.plural+"."+g.group, ".")
}

// alias returns the shortest name that a user can type for the resource.
func (g target) alias() string { return cmp.Or(g.short, g.plural) }

// patchComplaint returns the error that wrong causes in a patch. For built-in kinds the error occurs when the server
// decodes the patched object.
func (g target) patchComplaint() string {
	if g.builtin {
		return "patch: Invalid value: "
	}
	return g.complaint
}

// generation returns what kubectl shows as the object's generation. The built-in kinds here have none.
func (g target) generation(number string) string {
	if g.builtin {
		return ""
	}
	return number
}

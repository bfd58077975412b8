package e2e_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
)

// target is a kind of some host, with what the commands need to know of it:
// the same commands must work on every kind, at the root of a server and
// under a path prefix.
type target struct {
	host                       host
	group, kind, plural, short string
	cluster                    bool // cluster-scoped
	all                        bool // in the category all
	builtin                    bool // speaks the dialect of the built-in kinds
	createOnUpdate             bool // PUT makes what is not there
	older                      bool // the older releases of kubectl try it, too

	// Members of a manifest beside apiVersion, kind and metadata.
	full  string // with every field
	bare  string // with the required fields only
	other string // one that the selector does not match
	wrong string // one that is refused
	typo  string // one with a field that the kind does not have

	complaint string // what the refusal says when it is created
	unknown   string // the path of the field in typo

	selector string // a field selector that matches full and bare; "" for none
	list     string // the JSON path of a list, map or field that full has and bare has not
	element  string // the JSON pointer of what is to be removed from it so that it is empty

	field       string                                     // the JSON path of a field that full sets and bare leaves out
	set, unset  string                                     // its value in full, its default
	change      string                                     // a merge patch that changes it
	changed     string                                     // to this value
	heading     []string                                   // of the table
	doc         string                                     // how explain begins what it says of the kind
	wide        string                                     // a column that only -o wide shows; "" for none
	nested      string                                     // a path for explain, below the plural
	nestedDoc   string                                     // what explain says of it
	described   []string                                   // what describe says
	ready       func(t *testing.T, s *server, name string) // makes the condition Ready true; nil where there is none
	explainsAll []string                                   // fields that explain --recursive lists
}

// targets are all kinds: those of the examples, and those of conformhost at the
// root of the server and below a prefix.
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

// name tells the target from the others in the names of tests.
func (g target) name() string { return g.host.name() + "-" + g.plural }

// manifest is an object of the target's kind as a file would hold it.
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

// resource is how kubectl names an object of the kind in what it prints.
func (g target) resource(name string) string {
	return strings.TrimSuffix(strings.ToLower(g.kind)+"."+g.group, ".") + "/" + name
}

// groupResource is how a server names the resource in what it says.
func (g target) groupResource() string {
	return strings.TrimSuffix(g.plural+"."+g.group, ".")
}

// alias is the shortest that a person can type for the resource.
func (g target) alias() string { return cmp.Or(g.short, g.plural) }

// patchComplaint is what the refusal of wrong says to a patch: for the built-in
// kinds that is where the patched object is read.
func (g target) patchComplaint() string {
	if g.builtin {
		return "patch: Invalid value: "
	}
	return g.complaint
}

// generation is what kubectl shows of a generation of the object: the built-in
// kinds here keep none.
func (g target) generation(number string) string {
	if g.builtin {
		return ""
	}
	return number
}

package conformance

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// learn collects the resourceVersions, uids and generated names of objects, in a
// deterministic order. bookmark says that v is the object of a bookmark, whose
// resourceVersion is not that of an object.
func (n *normaliser) learn(resource string, v any, bookmark bool) {
	switch x := v.(type) {
	case map[string]any:
		if metadata, ok := x["metadata"].(map[string]any); ok {
			n.learnName(metadata)
			n.learnUID(resource, metadata)
			if !bookmark && !isCollection(x) && n.owns(metadata) {
				n.learnRevision(resource, metadata)
			}
		}
		for _, k := range slices.Sorted(maps.Keys(x)) {
			if k != "metadata" {
				n.learn(resource, x[k], false)
			}
		}
	case []any:
		for _, e := range x {
			n.learn(resource, e, false)
		}
	}
}

// owns reports whether the case created an object.
func (n *normaliser) owns(metadata map[string]any) bool {
	namespace, _ := metadata["namespace"].(string)
	name, _ := metadata["name"].(string)
	return namespace == n.vars["ns"] || namespace == n.vars["ns2"] ||
		strings.Contains(name, n.vars["u"]) || strings.Contains(name, n.vars["ns"]) || strings.Contains(name, n.vars["ns2"])
}

// learnName assigns a symbol to a generated name. A server that must shorten a
// prefix keeps its beginning, and appends five characters of its own.
func (n *normaliser) learnName(metadata map[string]any) {
	const suffix = 5
	name, _ := metadata["name"].(string)
	generate, _ := metadata["generateName"].(string)
	if name == "" || generate == "" || n.names[name] != "" {
		return
	}
	prefix := ""
	switch {
	case strings.HasPrefix(name, generate):
		prefix = generate
	case len(name) > suffix && strings.HasPrefix(generate, name[:len(name)-suffix]):
		prefix = name[:len(name)-suffix]
	}
	if prefix != "" && name != prefix {
		n.generated[prefix]++
		n.names[name] = fmt.Sprintf("%s<generated%d>", prefix, n.generated[prefix])
	}
}

func (n *normaliser) learnUID(resource string, metadata map[string]any) {
	uid, _ := metadata["uid"].(string)
	if uid == "" || strings.Contains(n.said, uid) || n.uids[uid] != "" {
		return
	}
	name, _ := metadata["name"].(string)
	object := resource + "/" + text(metadata["namespace"]) + "/" + name
	if symbol, ok := n.names[name]; ok {
		name = symbol
	}
	n.uidsOf[object]++
	n.uids[uid] = "<uid of " + name + ">"
	if count := n.uidsOf[object]; count > 1 {
		n.uids[uid] = fmt.Sprintf("<uid %d of %s>", count, name)
	}
}

func (n *normaliser) learnRevision(resource string, metadata map[string]any) {
	rv, _ := metadata["resourceVersion"].(string)
	if rv == "" {
		return
	}
	number, ok := new(big.Int).SetString(rv, 10)
	if !ok {
		if !slices.Contains(n.opaque[resource], rv) {
			n.opaque[resource] = append(n.opaque[resource], rv)
		}
		return
	}
	if !slices.ContainsFunc(n.revisions[resource], func(o *big.Int) bool { return o.Cmp(number) == 0 }) {
		n.revisions[resource] = append(n.revisions[resource], number)
	}
}

// revision returns the symbol of a resourceVersion: rvN for an object, and rvN+
// for a position that is not older than rvN and older than rvN+1. An exact
// position must be that of an object.
func (n *normaliser) revision(resource, rv string, position, exact bool) string {
	if i := slices.Index(n.opaque[resource], rv); i >= 0 {
		return fmt.Sprintf("opaque-rv%d", i+1)
	}
	number, ok := new(big.Int).SetString(rv, 10)
	if !ok {
		return "<opaque rv>"
	}
	i, found := slices.BinarySearchFunc(n.revisions[resource], number, (*big.Int).Cmp)
	switch {
	case found && (!position || exact):
		return fmt.Sprintf("rv%d", i+1)
	case !position:
		return "<rv>"
	case found:
		i++
	}
	return fmt.Sprintf("rv%d+", i)
}

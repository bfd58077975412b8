package validate

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// LineOf returns the line of a field of the object in the file, counted from 1. The path is written as in a Status,
// such as spec.containers[0].image. For a field that the object does not have, it is the line of the innermost field
// around the place that exists.
func (m *Manifest) LineOf(path string) int {
	switch {
	case path == "":
		return m.Line
	case m.at == "":
		return m.in.lineOf(path)
	}
	return m.in.lineOf(m.at + "." + path)
}

// lineOf returns the line of a field in the file, or of the innermost field around it that exists. path is written as
// in a Status, such as spec.containers[0].image or data[a.b].
func (d *document) lineOf(path string) int {
	node := d.nodes()
	if node == nil {
		return d.lines + 1
	}
	line := node.Line
	for path != "" && node != nil {
		var key *yaml.Node
		if key, node, path = descend(resolve(node), strings.TrimPrefix(path, ".")); key != nil {
			line = key.Line
		}
	}
	return d.lines + line
}

func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// descend follows the beginning of a path. It returns where the field is named, its value and the rest of the path, or
// nothing if the field does not exist.
func descend(in *yaml.Node, path string) (key, value *yaml.Node, rest string) {
	switch in.Kind {
	case yaml.SequenceNode:
		return element(in, path)
	case yaml.MappingNode:
		return member(in, path)
	default:
		return nil, nil, ""
	}
}

// element follows an index. A path without one, as errors of types have, leads through the only element.
func element(in *yaml.Node, path string) (key, value *yaml.Node, rest string) {
	i := 0
	inside, indexed := strings.CutPrefix(path, "[")
	if indexed {
		index, after, _ := strings.Cut(inside, "]")
		n, err := strconv.Atoi(index)
		if err != nil || n < 0 || n >= len(in.Content) {
			return nil, nil, ""
		}
		i, path = n, after
	} else if len(in.Content) != 1 {
		return nil, nil, ""
	}
	return in.Content[i], in.Content[i], path
}

// member follows the longest key with which the path begins, because keys may contain dots.
func member(in *yaml.Node, path string) (key, value *yaml.Node, rest string) {
	longest := -1
	for i := 0; i+1 < len(in.Content); i += 2 {
		name := in.Content[i].Value
		after, found := cutKey(path, name)
		if found && len(name) > longest {
			longest = len(name)
			key, value, rest = in.Content[i], in.Content[i+1], after
		}
	}
	return key, value, rest
}

// cutKey cuts a key off a path, written as key or as [key].
func cutKey(path, key string) (rest string, found bool) {
	if rest, found = strings.CutPrefix(path, "["+key+"]"); found {
		return rest, true
	}
	rest, found = strings.CutPrefix(path, key)
	return rest, found && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// All documents of the suite are values as encoding/json decodes them with
// UseNumber: a number keeps its text, because 1 and 1.0 are different answers.

func decodeJSON(b []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one document")
	}
	return v, nil
}

// jsonText encodes a value on one line, members sorted.
func jsonText(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Sprint(v) // the value did not come from JSON or YAML
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// text returns a scalar as a string, and "" for null.
func text(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

func decodeYAML(b []byte) (any, error) {
	var n yaml.Node
	if err := yaml.Unmarshal(b, &n); err != nil {
		return nil, err
	}
	return exactValue(&n)
}

// exactValue converts YAML, and resolves aliases and merge keys.
func exactValue(n *yaml.Node) (any, error) {
	c := converter{left: 1 << 20}
	return c.value(n, 0)
}

// maxYAMLDepth stops an alias that contains itself.
const maxYAMLDepth = 1000

var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

type converter struct {
	left int // how many nodes it may still visit; aliases can repeat a few nodes without end
}

func (c *converter) value(n *yaml.Node, depth int) (any, error) {
	c.left--
	if c.left < 0 || depth > maxYAMLDepth {
		return nil, fmt.Errorf("line %d: the document is too large or too deep", n.Line)
	}
	switch n.Kind {
	case yaml.DocumentNode:
		if len(n.Content) == 0 {
			return nil, nil
		}
		return c.value(n.Content[0], depth+1)
	case yaml.AliasNode:
		return c.value(n.Alias, depth+1)
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for _, e := range n.Content {
			v, err := c.value(e, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case yaml.MappingNode:
		return c.mapping(n, depth)
	case yaml.ScalarNode:
		return scalar(n)
	case 0: // an empty document
		return nil, nil
	}
	return nil, fmt.Errorf("line %d: unexpected YAML node", n.Line)
}

func (c *converter) mapping(n *yaml.Node, depth int) (map[string]any, error) {
	m := make(map[string]any, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		v, err := c.value(n.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		if key.Tag != "!!merge" {
			m[key.Value] = v
			continue
		}
		merged, ok := v.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("line %d: only a mapping can be merged in", key.Line)
		}
		for k, e := range merged {
			if _, own := m[k]; !own {
				m[k] = e
			}
		}
	}
	return m, nil
}

func scalar(n *yaml.Node) (any, error) {
	switch n.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool":
		var b bool
		err := n.Decode(&b)
		return b, err
	case "!!int", "!!float":
		if jsonNumber.MatchString(n.Value) {
			return json.Number(n.Value), nil
		}
		var x any // hexadecimal numbers and the like
		if err := n.Decode(&x); err != nil {
			return nil, err
		}
		b, err := json.Marshal(x)
		return json.Number(b), err
	}
	return n.Value, nil
}

package codec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/decorum-go/decorum/internal/doc"
	"go.yaml.in/yaml/v2"
)

// ErrExpanded means that the aliases of a YAML document make it many times larger than its text.
var ErrExpanded = errors.New("the document is too large once its aliases are resolved")

// A document may have up to expansionBase + expansionFactor*len(text) bytes. No text without aliases comes near that.
const (
	expansionBase   = 64 << 10
	expansionFactor = 16
)

// DecodeYAML reads the first document of a YAML text by upstream's rules: the version is YAML 1.1, member names that
// are numbers or booleans become strings, and an empty text is null. It reads a JSON text, which is YAML too, as JSON,
// which is much faster and keeps large integers.
//
// If strict is set, it also returns one line for each duplicate member, such as line 6: key "a" already set in map, at
// most 100. [DuplicateLines] joins them to upstream's text. The last of the duplicate members counts.
//
// It returns the errors of the YAML parser, [ErrTooDeep] and [ErrExpanded]. Clients know the parser's texts: upstream
// answers with them too. They change only with the version of the parser that go.mod pins, and a test lists them.
func DecodeYAML(data []byte, strict bool) (v doc.Value, duplicates []string, err error) {
	if text := bytes.TrimLeft(data, " \t\r\n"); len(text) > 0 && (text[0] == '{' || text[0] == '[') {
		v, repeated, err := DecodeJSON(text)
		if err == nil && (!strict || len(repeated) == 0) {
			return v, nil, nil
		}
	}
	if v, ok := decodeBlockYAML(data); ok {
		return v, nil, nil
	}
	return parseYAML(data, strict)
}

// parseYAML reads a document with the parser.
func parseYAML(data []byte, strict bool) (v doc.Value, duplicates []string, err error) {
	var tree any
	unmarshal := yaml.Unmarshal
	if strict {
		unmarshal = yaml.UnmarshalStrict
	}
	err = unmarshal(data, &tree)
	if found := (*yaml.TypeError)(nil); strict && errors.As(err, &found) {
		duplicates = found.Errors[:min(len(found.Errors), maxDuplicates)]
		tree = nil
		err = yaml.Unmarshal(data, &tree) // in strict mode, the parser keeps the first of the duplicate members
	}
	if err != nil {
		return doc.Value{}, nil, err
	}
	c := yamlConversion{budget: expansionBase + expansionFactor*len(data)}
	if v, err = c.value(tree, 1); err != nil {
		return doc.Value{}, nil, err
	}
	return v, duplicates, nil
}

// DuplicateLines returns upstream's text for the lines that [DecodeYAML] returns.
func DuplicateLines(lines []string) string {
	return "yaml: unmarshal errors:\n  " + strings.Join(lines, "\n  ")
}

// AppendYAML appends the YAML form of a JSON text, as upstream writes it: members sorted, lists not indented. Upstream
// reads the JSON text as YAML, which refuses some characters, such as U+007F, and changes others, such as U+2028.
func AppendYAML(dst, json []byte) ([]byte, error) {
	v, _, err := DecodeJSON(json)
	if err != nil {
		return dst, err
	}
	y, err := yaml.Marshal(yamlTree(v))
	return append(dst, y...), err
}

// AppendYAMLElement appends a JSON text as an element of a list that is a member of the outermost map, as AppendYAML
// writes it there.
func AppendYAMLElement(dst, json []byte) ([]byte, error) {
	v, _, err := DecodeJSON(json)
	if err != nil {
		return dst, err
	}
	y, err := yaml.Marshal(map[string]any{"list": []any{yamlTree(v)}})
	return append(dst, bytes.TrimPrefix(y, []byte("list:\n"))...), err
}

// yamlTree returns a document as the YAML parser would. The encoder sorts the members.
func yamlTree(v doc.Value) any {
	switch v.Kind() {
	case doc.Map:
		members := make(map[string]any, v.Len())
		for key, member := range v.Members() {
			members[key] = yamlTree(member)
		}
		return members
	case doc.List:
		elements := make([]any, v.Len())
		for i, element := range v.Elements() {
			elements[i] = yamlTree(element)
		}
		return elements
	case doc.String:
		return v.Text()
	case doc.Bool:
		return v.Bool()
	case doc.Number:
		return yamlNumber(v.Literal())
	}
	return nil
}

// yamlNumber returns a number as the narrowest type of the YAML parser that holds it.
func yamlNumber(literal string) any {
	if n, err := strconv.ParseInt(literal, 10, 64); err == nil {
		return n
	}
	if n, err := strconv.ParseUint(literal, 10, 64); err == nil {
		return n
	}
	if n, err := strconv.ParseFloat(literal, 64); err == nil {
		return n
	}
	return literal
}

// yamlConversion turns the values of the YAML parser into a document. The aliases of one anchor share the parser's
// strings, and so does the document; a detour through JSON text would copy them for each alias.
type yamlConversion struct{ budget int }

func (c *yamlConversion) spend(bytes int) error {
	if c.budget -= bytes + len(`"",`); c.budget < 0 {
		return ErrExpanded
	}
	return nil
}

func (c *yamlConversion) value(tree any, depth int) (doc.Value, error) {
	if depth > doc.MaxDepth+1 {
		return doc.Value{}, ErrTooDeep
	}
	switch tree := tree.(type) {
	case nil:
		return doc.NullValue(), c.spend(0)
	case string:
		if !utf8.ValidString(tree) {
			tree = string([]rune(tree)) // !!binary; JSON cannot express bytes
		}
		return doc.Of(tree), c.spend(len(tree))
	case bool:
		return doc.OfBool(tree), c.spend(0)
	case int:
		return doc.OfInt(int64(tree)), c.spend(0)
	case []any:
		return c.list(tree, depth)
	case map[any]any:
		return c.object(tree, depth)
	case float64:
		if math.IsNaN(tree) || math.IsInf(tree, 0) {
			return doc.Value{}, unsupportedValue(tree)
		}
		return c.number(tree)
	default: // int64, uint64
		return c.number(tree)
	}
}

// unsupportedValue is the error for a number that JSON cannot express. Clients know its text from encoding/json.
func unsupportedValue(f float64) error {
	return errors.New("json: unsupported value: " + strconv.FormatFloat(f, 'g', -1, 64))
}

func (c *yamlConversion) number(n any) (doc.Value, error) {
	literal, err := json.Marshal(n)
	if err != nil {
		return doc.Value{}, err
	}
	v, _, err := DecodeJSON(literal)
	return v, errors.Join(err, c.spend(len(literal)))
}

func (c *yamlConversion) list(tree []any, depth int) (doc.Value, error) {
	if err := c.spend(0); err != nil {
		return doc.Value{}, err
	}
	values := make([]doc.Value, len(tree))
	for i, element := range tree {
		var err error
		if values[i], err = c.value(element, depth+1); err != nil {
			return doc.Value{}, err
		}
	}
	return doc.ListOf(values...), nil
}

func (c *yamlConversion) object(tree map[any]any, depth int) (doc.Value, error) {
	if err := c.spend(0); err != nil {
		return doc.Value{}, err
	}
	members := make([]doc.Member, 0, len(tree))
	for key, element := range tree {
		name, err := memberName(key)
		if err == nil {
			err = c.spend(len(name))
		}
		if err != nil {
			return doc.Value{}, err
		}
		value, err := c.value(element, depth+1)
		if err != nil {
			return doc.Value{}, err
		}
		members = append(members, doc.Member{Key: name, Value: value})
	}
	value, repeated := doc.FromMembers(members, nil)
	if len(repeated) > 0 { // such as 1 and "1"; the parser does not say which of them came last
		return doc.Value{}, fmt.Errorf("yaml: key %q stands in one map as a string and as another type", repeated[0])
	}
	return value, nil
}

// memberName returns the JSON member name of a YAML key. As upstream, it accepts strings, integers, floats and
// booleans.
func memberName(key any) (string, error) {
	switch key := key.(type) {
	case string:
		if !utf8.ValidString(key) {
			return string([]rune(key)), nil
		}
		return key, nil
	case int:
		return strconv.Itoa(key), nil
	case bool:
		return strconv.FormatBool(key), nil
	case float64:
		name, err := yaml.Marshal(float32(key))
		return string(bytes.TrimSpace(name)), err
	default:
		return "", fmt.Errorf("yaml: unsupported map key %v", key)
	}
}

package validate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
)

// Manifest is one object of a file, with its place in the file.
type Manifest struct {
	// File is the name of the file, as [Read] got it.
	File string
	// Line is where the object begins, counted from 1.
	Line int
	// Source is the template from which helm has rendered the object. It is empty for all other objects.
	Source string
	// Kind, Namespace and Name are what the object says of itself. Name is the generateName of an object without a name.
	Kind            apimeta.GroupVersionKind
	Namespace, Name string

	in     *document
	at     string // the path of the object in its document, such as "items[3]"
	object doc.Value
	body   []byte // what the API gets; nil for the object encoded as JSON
	isYAML bool   // body is YAML
	// duplicates are the keys that occur twice in an item of a list. The API does not see them, because it gets the item
	// alone.
	duplicates []string
	err        error // why the document yields no object
}

// document is one document of a file.
type document struct {
	text  []byte
	lines int               // the lines of the file before the document
	nodes func() *yaml.Node // the document with the place of each value, or nil
}

func newDocument(text []byte, lines int) *document {
	return &document{text: text, lines: lines, nodes: sync.OnceValue(func() *yaml.Node {
		var root yaml.Node
		if yaml.Unmarshal(text, &root) != nil || len(root.Content) == 0 {
			return nil
		}
		return root.Content[0]
	})}
}

// Read reads the objects of a file. A file has any number of documents in YAML or JSON, and a document of a list kind,
// such as List or ConfigMapList, has any number of objects. Empty documents are left out. A document that cannot be
// read is a Manifest too, whose [Result] says why.
func Read(file string, text []byte) []Manifest {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return []Manifest{{File: file, Line: 1, in: newDocument(nil, 0),
			err: errors.New("the file is encoded in UTF-16: write it in UTF-8")}}
	}
	if objects, ok := readJSON(file, text); ok {
		return objects
	}
	var all []Manifest
	lines, counted := 0, 0
	for offset, part := range codec.Documents(text) {
		lines += bytes.Count(text[counted:offset], newline)
		counted = offset
		in := newDocument(part, lines)
		m := Manifest{File: file, Line: lines + 1 + leading(part), Source: sourceOf(part), in: in}
		v, duplicates, err := codec.DecodeYAML(part, true)
		if len(duplicates) > 0 {
			m.body, m.isYAML = part, true
		}
		all = append(all, m.expand(v, duplicates, err)...)
	}
	return all
}

var newline = []byte("\n")

// readJSON reads a file of JSON texts that follow each other. It returns false for a file that is something else.
func readJSON(file string, text []byte) (all []Manifest, ok bool) {
	if start := bytes.TrimLeft(text, " \t\r\n"); len(start) == 0 || start[0] != '{' {
		return nil, false
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	lines, counted := 0, 0
	for {
		var part json.RawMessage
		err := decoder.Decode(&part)
		if errors.Is(err, io.EOF) {
			return all, true
		}
		if err != nil {
			return nil, false
		}
		offset := int(decoder.InputOffset()) - len(part)
		lines += bytes.Count(text[counted:offset], newline)
		counted = offset
		m := Manifest{File: file, Line: lines + 1, in: newDocument(part, lines), body: part}
		v, _, err := codec.DecodeJSON(part)
		all = append(all, m.expand(v, nil, err)...)
	}
}

// leading counts the lines before the first one with content.
func leading(text []byte) (lines int) {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return lines
		}
		lines++
	}
	return 0
}

// source is the comment with which helm begins each object.
var source = regexp.MustCompile(`^\s*# Source: (\S+)\s`)

func sourceOf(text []byte) string {
	if match := source.FindSubmatch(text); match != nil {
		return string(match[1])
	}
	return ""
}

// expand returns the objects of a document. duplicates are the keys that occur twice in it, as the YAML parser
// describes them.
func (m Manifest) expand(v doc.Value, duplicates []string, err error) []Manifest {
	items := v.Get("items")
	switch {
	case err != nil:
		m.err = err
	case v.IsNull():
		return nil
	case v.Kind() != doc.Map:
		m.err = errors.New("the document is not an object")
	case strings.HasSuffix(textOf(v, "kind"), "List") && items.Kind() == doc.List && textOf(v, "metadata", "name") == "":
		return m.expandItems(v, items, duplicates)
	default:
		m.object = v
		m.identify()
	}
	return []Manifest{m}
}

// expandItems returns the objects of a list. The items of a list of another kind than List may lack apiVersion and
// kind.
func (m Manifest) expandItems(list, items doc.Value, duplicates []string) (all []Manifest) {
	kind, isTyped := strings.CutSuffix(textOf(list, "kind"), "List")
	for i, item := range items.Elements() {
		one := m
		one.at = strings.TrimPrefix(fmt.Sprintf("%s.items[%d]", m.at, i), ".")
		one.body, one.isYAML = nil, false
		if isTyped && kind != "" && item.Kind() == doc.Map && !item.Has("kind") {
			item = item.With("kind", doc.Of(kind)).With("apiVersion", list.Get("apiVersion"))
		}
		one.Line = m.in.lineOf(one.at)
		all = append(all, one.expand(item, nil, nil)...)
	}
	if len(all) == 0 {
		return all
	}
	for _, text := range duplicates {
		_, line := m.in.inFile(text)
		i := slices.IndexFunc(all[1:], func(next Manifest) bool { return next.Line > line })
		if i < 0 {
			i = len(all) - 1
		}
		all[i].duplicates = append(all[i].duplicates, text)
	}
	return all
}

// identify reads what the object says of itself.
func (m *Manifest) identify() {
	gv, err := apimeta.ParseGroupVersion(textOf(m.object, "apiVersion"))
	m.Kind = gv.WithKind(textOf(m.object, "kind"))
	m.Namespace = textOf(m.object, "metadata", "namespace")
	m.Name = cmp.Or(textOf(m.object, "metadata", "name"), textOf(m.object, "metadata", "generateName"))
	switch {
	case err != nil:
		m.err = err
	case m.Kind.Version == "":
		m.err = errors.New("apiVersion is missing")
	case m.Kind.Kind == "":
		m.err = errors.New("kind is missing")
	}
}

// textOf returns a string in a document, or an empty one.
func textOf(v doc.Value, path ...string) string {
	if found := v.Lookup(path...); found.Kind() == doc.String {
		return found.Text()
	}
	return ""
}

// Err returns why the document cannot be read as an object, or nil.
func (m *Manifest) Err() error { return m.err }

// JSON returns the object as JSON. It is empty if [Manifest.Err] returns an error.
func (m *Manifest) JSON() []byte {
	if m.err != nil {
		return nil
	}
	if m.body != nil && !m.isYAML {
		return m.body
	}
	return codec.AppendJSON(nil, m.object)
}

// String names the object as in "Deployment shop/web".
func (m *Manifest) String() string {
	name := m.Name
	if m.Namespace != "" {
		name = m.Namespace + "/" + name
	}
	return strings.TrimSpace(m.Kind.Kind + " " + name)
}

// numbered is how the YAML parser says where something is wrong.
var numbered = regexp.MustCompile(`\bline (\d+): `)

// inFile changes the lines in a message of the YAML parser to those of the file, and returns the first of them, or 0.
func (d *document) inFile(message string) (text string, line int) {
	text = numbered.ReplaceAllStringFunc(message, func(found string) string {
		n, _ := strconv.Atoi(numbered.FindStringSubmatch(found)[1])
		if n += d.lines; line == 0 {
			line = n
		}
		return fmt.Sprintf("line %d: ", n)
	})
	return text, line
}

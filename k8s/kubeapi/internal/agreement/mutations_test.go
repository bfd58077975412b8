package agreement_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// mutated returns documents and, for each, so many others with one change in its values or, every fourth, in its text.
func mutated(t *testing.T, random *rand.Rand, documents []document, times int) []document {
	all := slices.Clone(documents)
	for _, d := range documents {
		for i := range times {
			o := d.object()
			if o == nil || i%4 == 3 {
				if text := spoil(random, d); isOne(text) {
					all = append(all, text)
				}
				continue
			}
			change(random, o, "apiVersion", "kind")
			all = append(all, documentOf(t, o, i%2 == 0))
		}
	}
	return slices.DeleteFunc(all, func(d document) bool { return strings.HasSuffix(textAt(d.object(), "kind"), "List") })
}

// change changes one place in a value: it removes something, adds an unknown field, or sets another value.
func change(random *rand.Rand, in map[string]any, except ...string) {
	keys := slices.DeleteFunc(slices.Sorted(maps.Keys(in)), func(key string) bool { return slices.Contains(except, key) })
	if len(keys) == 0 {
		in["bogus"] = true
		return
	}
	key := keys[random.IntN(len(keys))]
	deeper := in[key]
	if list, ok := deeper.([]any); ok && len(list) > 0 {
		if i := random.IntN(len(list)); random.IntN(8) == 0 {
			in[key] = append(slices.Clone(list), list[i])
			return
		}
		deeper = list[random.IntN(len(list))]
	}
	if inner, ok := deeper.(map[string]any); ok && random.IntN(4) > 0 {
		change(random, inner)
		return
	}
	values := []any{
		nil, true, -1, 0, 1 << 40, 1.5, "", "no such Value!", "a", "10", "-5Gi", strings.Repeat("x", 300), []any{},
		[]any{"a", "a"}, []any{nil},
		map[string]any{}, map[string]any{"a": "b"}, map[string]any{"no such Key!": 1},
	}
	switch n := random.IntN(len(values) + 3); n {
	case len(values):
		delete(in, key)
	case len(values) + 1:
		in["bogus"] = "x"
	case len(values) + 2:
		in[strings.ToUpper(key[:min(1, len(key))])+key[min(1, len(key)):]] = in[key]
	default:
		in[key] = values[n]
	}
}

// spoil changes the text of a document as editors and templates do.
func spoil(random *rand.Rand, d document) document {
	lines := bytes.SplitAfter(d, []byte("\n"))
	at := random.IntN(len(lines))
	line := lines[at]
	place := random.IntN(len(line) + 1)
	pieces := []string{"\t", " ", "-", ":", "\"", "'", "{", "}", "[", "&a ", "*a", "!!int ", "|", "#", "%", "\x00", "\xff",
		"\r", "0x", "~", "?", ",", "yes", "é"}
	switch random.IntN(8) {
	case 0:
		lines = slices.Delete(lines, at, at+1)
	case 1:
		lines = slices.Insert(lines, at, line)
	case 2:
		other := random.IntN(len(lines))
		lines[at], lines[other] = lines[other], lines[at]
	case 3:
		lines[at] = bytes.TrimPrefix(line, []byte("  "))
	case 4:
		lines[at] = append([]byte("  "), line...)
	case 5:
		lines = lines[:at]
	default:
		lines[at] = slices.Concat(line[:place], []byte(pieces[random.IntN(len(pieces))]), line[place:])
	}
	return bytes.Join(lines, nil)
}

// isOne reports whether the validator has one result for a text: it contains something, and no separator of documents.
func isOne(d document) bool {
	for line := range bytes.Lines(d) {
		if bytes.HasPrefix(line, []byte("---")) || bytes.HasPrefix(line, []byte("...")) {
			return false
		}
	}
	var rest json.RawMessage
	texts := json.NewDecoder(bytes.NewReader(d))
	return d.object() != nil && (texts.Decode(&rest) != nil || texts.Decode(&rest) != nil)
}

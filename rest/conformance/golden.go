package conformance

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// golden holds the recorded transcripts of an area's cases.
type golden map[string]transcript

func loadGolden(dir fs.FS, area string) (golden, error) {
	name := area + ".json"
	b, err := fs.ReadFile(dir, name)
	if err != nil {
		return nil, err
	}
	v, err := decodeJSON(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	found, _ := lookup(v, "cases")
	cases, ok := found.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s: no cases", name)
	}
	g := golden{}
	for test, recorded := range cases {
		responses, ok := recorded.([]any)
		if !ok {
			return nil, fmt.Errorf("%s: %s: not a list of responses", name, test)
		}
		for _, r := range responses {
			response, ok := r.(map[string]any)
			if !ok {
				return nil, fmt.Errorf("%s: %s: a response is an object", name, test)
			}
			g[test] = append(g[test], response)
		}
	}
	return g, nil
}

func (g golden) save(dir, area string) error {
	return os.WriteFile(filepath.Join(dir, area+".json"), g.encode(area), 0o644)
}

// encode writes one response per line, so that a new recording reads well as a
// diff.
func (g golden) encode(area string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\"area\":%s,\"cases\":{\n", jsonText(area))
	for i, test := range slices.Sorted(maps.Keys(g)) {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, "%s:[\n", jsonText(test))
		for j, response := range g[test] {
			if j > 0 {
				b.WriteString(",\n")
			}
			b.WriteString(" " + responseLine(response))
		}
		b.WriteString("\n]")
	}
	b.WriteString("\n}}\n")
	return b.Bytes()
}

// responseLine writes the members in reading order.
func responseLine(response map[string]any) string {
	var members []string
	for _, m := range []string{"req", "status", "headers", "body", "text", "format", "pretty", "events", "ended"} {
		v, ok := response[m]
		if headers, isMap := v.(map[string]any); !ok || m == "headers" && isMap && len(headers) == 0 {
			continue
		}
		members = append(members, jsonText(m)+":"+jsonText(v))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// CompareRecordings compares two folders of golden transcripts. It returns a text
// for each difference in the cases that both hold, and for each case that only a
// holds.
func CompareRecordings(a, b fs.FS) ([]string, error) {
	names, err := fs.Glob(a, "*.json")
	if err != nil {
		return nil, err
	}
	var differences []string
	for _, name := range names {
		area := strings.TrimSuffix(path.Base(name), ".json")
		first, err := loadGolden(a, area)
		if err != nil {
			return nil, err
		}
		second, err := loadGolden(b, area)
		if err != nil {
			return nil, err
		}
		for _, test := range slices.Sorted(maps.Keys(first)) {
			other, ok := second[test]
			if !ok {
				differences = append(differences, fmt.Sprintf("%s/%s: only in the first recording", area, test))
				continue
			}
			for _, d := range compareTranscripts(nil, first[test], other) {
				differences = append(differences, fmt.Sprintf("%s/%s %s", area, test, d))
			}
		}
	}
	return differences, nil
}

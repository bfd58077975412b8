package conformance

import (
	"regexp"
	"strings"
)

// These functions remove empty and redundant information from both sides.

// tidyStatus removes empty details and duplicate causes, and sorts the causes. The
// schema validation of the recorded server reports some problems twice, once with
// the field "<nil>" or with a leading dot.
func tidyStatus(status map[string]any) {
	details, ok := status["details"].(map[string]any)
	if !ok {
		return
	}
	if len(details) == 0 {
		delete(status, "details")
		return
	}
	causes, _ := details["causes"].([]any)
	if len(causes) == 0 {
		return
	}
	fieldAndReason := func(m map[string]any) string { return text(m["field"]) + "\x00" + text(m["reason"]) }
	seen := map[string]bool{}
	kept := []any{}
	for _, c := range causes {
		m, _ := c.(map[string]any)
		if field := text(m["field"]); strings.HasPrefix(text(m["reason"]), "FieldValue") {
			if field == "<nil>" {
				continue
			}
			if bare, dotted := strings.CutPrefix(field, "."); dotted {
				m["field"] = bare
				if seen[fieldAndReason(m)] {
					continue
				}
			}
		}
		whole := jsonText(c)
		if !seen[whole] {
			kept = append(kept, c)
		}
		seen[whole], seen[fieldAndReason(m)] = true, true
	}
	sortBy(kept, func(v any) string {
		m, _ := v.(map[string]any)
		return fieldAndReason(m) + "\x00" + text(m["message"])
	})
	details["causes"] = kept
}

// tidyItems removes kind and apiVersion of a list's items if they only repeat the
// list's: built-in kinds omit them, custom resources include them.
func tidyItems(list map[string]any) {
	kind, _ := list["kind"].(string)
	items, _ := list["items"].([]any)
	for _, item := range items {
		m, ok := item.(map[string]any)
		if ok && m["kind"] == strings.TrimSuffix(kind, "List") && sameText(m["apiVersion"], list["apiVersion"]) {
			delete(m, "kind")
			delete(m, "apiVersion")
		}
	}
}

// sameText compares two values by their JSON text, because comparing maps with ==
// would panic.
func sameText(a, b any) bool { return jsonText(a) == jsonText(b) }

var agePattern = regexp.MustCompile(`^(\d+[smhdy])+$`)

// tidyAges replaces the durations in the cells of a Table.
func tidyAges(table map[string]any) {
	rows, _ := table["rows"].([]any)
	for _, row := range rows {
		m, _ := row.(map[string]any)
		cells, _ := m["cells"].([]any)
		for i, c := range cells {
			if s, ok := c.(string); ok && agePattern.MatchString(s) {
				cells[i] = "<age>"
			}
		}
	}
}

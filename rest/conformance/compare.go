package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Difference is one difference between a golden and an actual response.
type Difference struct {
	Step    int    `json:"step"` // the number of the response within the case, from 1
	Request string `json:"request"`
	Path    string `json:"path"` // path in the response, such as body.metadata.name
	Want    string `json:"want"`
	Got     string `json:"got"`
	Message bool   `json:"messageOnly,omitempty"` // a text for people only
}

// String returns the request, the expected answer and the actual one, on several lines.
func (d Difference) String() string {
	return fmt.Sprintf("step %d %s\n    %s\n      want: %s\n      got:  %s", d.Step, d.Request, d.Path, cut(d.Want, 500),
		cut(d.Got, 500))
}

const absent = "(absent)"

// compareTranscripts compares a case's golden transcript with a fresh one. Without a case
// every member counts. It shapes golden responses again, so that a step can ignore more
// without a new recording.
func compareTranscripts(c *Case, want, got transcript) []Difference {
	var steps []*step
	if c != nil {
		steps = c.answering()
	}
	var found []Difference
	for i, w := range want {
		if i >= len(got) {
			return append(found, Difference{Step: i + 1, Request: text(w["req"]), Path: "response", Want: "a response",
				Got: absent})
		}
		compare := "exact"
		if i < len(steps) {
			shape(w, steps[i])
			compare = steps[i].Compare
		}
		d := differ{step: i + 1, request: text(w["req"]), subset: compare == "subset"}
		d.response(w, got[i], compare == "status-only")
		found = append(found, d.found...)
	}
	if len(got) > len(want) {
		found = append(found, Difference{Step: len(want) + 1, Path: "response", Want: absent, Got: "a response"})
	}
	return found
}

// answering returns the steps that leave a response in the transcript, repeated as often
// as they run.
func (c *Case) answering() []*step {
	var steps []*step
	for _, s := range c.steps {
		if s.answers() {
			steps = append(steps, slices.Repeat([]*step{s}, s.times())...)
		}
	}
	return steps
}

// differ compares one response.
type differ struct {
	step    int
	request string
	failed  bool // the golden response is an error
	subset  bool // the actual response may have more
	found   []Difference
}

func (d *differ) add(path, want, got string, message bool) {
	d.found = append(d.found, Difference{Step: d.step, Request: d.request, Path: path, Want: want, Got: got,
		Message: message})
}

func (d *differ) response(want, got map[string]any, statusOnly bool) {
	d.value("status", want["status"], got["status"], false)
	if statusOnly {
		return
	}
	code := text(want["status"])
	d.failed = strings.HasPrefix(code, "4") || strings.HasPrefix(code, "5")
	wantHeaders, _ := want["headers"].(map[string]any)
	gotHeaders, _ := got["headers"].(map[string]any)
	d.headers(wantHeaders, gotHeaders)
	for _, member := range []string{"body", "text", "format", "pretty", "events", "ended"} {
		w, wanted := want[member]
		g, given := got[member]
		switch {
		case wanted && given && member == "text":
			if w != g {
				d.add(member, jsonText(w), jsonText(g), d.failed) // an error in plain text is for people
			}
		case wanted && given:
			d.value(member, w, g, false)
		default:
			d.presence(member, w, wanted, g, given, false)
		}
	}
}

// presence reports a member that only one side has.
func (d *differ) presence(path string, want any, wanted bool, got any, given, message bool) {
	switch {
	case wanted && !given:
		d.add(path, jsonText(want), absent, message)
	case !wanted && given && !d.subset:
		d.add(path, absent, jsonText(got), message)
	}
}

func (d *differ) headers(want, got map[string]any) {
	for _, name := range unionOfKeys(want, got) {
		w, wanted := want[name]
		g, given := got[name]
		path := "headers." + name
		switch {
		case !wanted || !given:
			d.presence(path, w, wanted, g, given, false)
		case name == "Warning":
			d.warnings(path, listOf(w), listOf(g))
		case jsonText(w) != jsonText(g) && (name != "Content-Type" || mediaText(w) != mediaText(g)):
			d.add(path, jsonText(w), jsonText(g), false)
		}
	}
}

// warnings compares warnings, whose code and agent count and whose text is for people.
func (d *differ) warnings(path string, want, got []any) {
	if len(want) != len(got) {
		d.add(path, jsonText(want), jsonText(got), false)
		return
	}
	for i := range want {
		w, g := text(want[i]), text(got[i])
		if w != g {
			d.add(fmt.Sprintf("%s[%d]", path, i), w, g, codeAndAgent(w) == codeAndAgent(g))
		}
	}
}

func codeAndAgent(warning string) string {
	parts := strings.SplitN(warning, " ", 3)
	if len(parts) < 3 {
		return warning
	}
	return parts[0] + " " + parts[1]
}

// mediaText returns a media type without insignificant differences.
func mediaText(v any) string { return strings.ToLower(strings.ReplaceAll(text(v), " ", "")) }

// value compares two values. inStatus is true inside a Status, where "message" is
// a text for people.
func (d *differ) value(path string, want, got any, inStatus bool) {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			d.add(path, jsonText(want), jsonText(got), false)
			return
		}
		d.object(path, w, g, inStatus || w["kind"] == "Status")
	case []any:
		g, ok := got.([]any)
		if !ok {
			d.add(path, jsonText(want), jsonText(got), false)
			return
		}
		d.list(path, w, g, inStatus)
	case json.Number:
		if g, ok := got.(json.Number); !ok || g != w {
			d.add(path, jsonText(want), jsonText(got), false)
		}
	default:
		if want != got {
			d.add(path, jsonText(want), jsonText(got), false)
		}
	}
}

func (d *differ) object(path string, want, got map[string]any, inStatus bool) {
	inColumns := strings.Contains(path, ".columnDefinitions[")
	for _, k := range unionOfKeys(want, got) {
		w, wanted := want[k]
		g, given := got[k]
		message := inStatus && k == "message" || inColumns && k == "description"
		switch {
		case !wanted || !given:
			d.presence(member(path, k), w, wanted, g, given, message)
		case !message:
			d.value(member(path, k), w, g, inStatus)
		case jsonText(w) != jsonText(g):
			d.add(member(path, k), jsonText(w), jsonText(g), true)
		}
	}
}

func (d *differ) list(path string, want, got []any, inStatus bool) {
	if len(want) != len(got) {
		d.add(path, fmt.Sprintf("%d elements: %s", len(want), jsonText(brief(want))),
			fmt.Sprintf("%d elements: %s", len(got), jsonText(brief(got))), false)
	}
	for i := range min(len(want), len(got)) {
		d.value(fmt.Sprintf("%s[%d]", path, i), want[i], got[i], inStatus)
	}
}

// brief shortens a list of objects to their names, for readable differences.
func brief(list []any) []any {
	short := slices.Clone(list)
	for i, e := range list {
		for _, path := range []string{"object.metadata.name", "metadata.name", "name"} {
			name, ok := lookup(e, path)
			if !ok {
				continue
			}
			short[i] = name
			if kind, ok := lookup(e, "type"); ok {
				short[i] = text(kind) + " " + text(name)
			}
			break
		}
	}
	return short
}

// member returns the path of a member.
func member(path, key string) string {
	if strings.ContainsAny(key, "./[") {
		return path + `["` + key + `"]`
	}
	return path + "." + key
}

func unionOfKeys(a, b map[string]any) []string {
	union := maps.Clone(a)
	if union == nil {
		union = map[string]any{}
	}
	maps.Copy(union, b)
	return slices.Sorted(maps.Keys(union))
}

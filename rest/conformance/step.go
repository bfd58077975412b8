package conformance

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// step is one request, or the collection of a watch that was started earlier.
// README.md, Case files, explains each key.
type step struct {
	Do      string            `yaml:"do"`
	Method  string            `yaml:"method"`
	Path    string            `yaml:"path"`
	Query   pairs             `yaml:"query"`
	Headers pairs             `yaml:"headers"`
	Type    string            `yaml:"type"`
	Body    yaml.Node         `yaml:"body"` // a node, because an explicit null is a body
	Obj     yaml.Node         `yaml:"obj"`
	Capture map[string]string `yaml:"capture"`

	Watch   *watch `yaml:"watch"`
	Start   string `yaml:"start"`
	Collect string `yaml:"collect"`
	Sleep   millis `yaml:"sleep"`
	Repeat  int    `yaml:"repeat"`
	Until   *until `yaml:"until"`
	Hidden  bool   `yaml:"hidden"`

	Compare        string   `yaml:"compare"` // exact, subset or status-only
	Ignore         texts    `yaml:"ignore"`
	Sets           texts    `yaml:"sets"`
	Filter         []filter `yaml:"filter"`
	CompareHeaders texts    `yaml:"compareHeaders"`
	ListRV         string   `yaml:"listRV"`
	ItemTypes      bool     `yaml:"itemTypes"`
	CheckPretty    bool     `yaml:"checkPretty"`

	payload *string // the body, before variables are replaced
}

// watch says when to stop reading a stream.
type watch struct {
	Events    int    `yaml:"events"`
	Until     string `yaml:"until"` // bookmark or close
	Timeout   millis `yaml:"timeout"`
	Unordered bool   `yaml:"unordered"`
}

const defaultWatch = 30 * time.Second

// finish checks and combines the keys.
func (s *step) finish() error {
	if s.Do != "" {
		method, path, ok := strings.Cut(s.Do, " ")
		if !ok || s.Method != "" || s.Path != "" {
			return errors.New("do is METHOD PATH, and replaces method and path")
		}
		s.Method, s.Path = method, strings.TrimSpace(path)
	}
	if media, ok := mediaType(s.Type); ok {
		s.Type = media
	}
	if s.Compare == "" {
		s.Compare = "exact"
	}
	if s.Watch != nil && s.Watch.Timeout == 0 {
		s.Watch.Timeout = millis(defaultWatch)
	}
	switch {
	case !slices.Contains([]string{"exact", "subset", "status-only"}, s.Compare):
		return fmt.Errorf("compare: %q", s.Compare)
	case s.ListRV != "" && s.ListRV != "exact":
		return fmt.Errorf("listRV: %q", s.ListRV)
	case s.Watch != nil && !slices.Contains([]string{"", "bookmark", "close"}, s.Watch.Until):
		return fmt.Errorf("watch: until: %q", s.Watch.Until)
	case s.Collect == "" && s.Sleep == 0 && (s.Method == "" || s.Path == ""):
		return errors.New("needs do, collect or sleep")
	case s.Start != "" && s.Watch == nil:
		return errors.New("start needs watch")
	}
	return s.encodeBody()
}

func (s *step) encodeBody() error {
	if s.Obj.Kind != 0 && s.Body.Kind != 0 {
		return errors.New("body and obj exclude each other")
	}
	switch {
	case s.Obj.Kind != 0:
		short, err := shortForm(&s.Obj)
		if err != nil {
			return err
		}
		object, err := expand(short)
		if err != nil {
			return err
		}
		s.payload = new(jsonText(object))
	case s.Body.Kind != 0:
		v, err := exactValue(&s.Body)
		if err != nil {
			return err
		}
		raw, ok := v.(string)
		if !ok {
			raw = jsonText(v)
		}
		s.payload = &raw
	}
	return nil
}

// times returns how often the step runs.
func (s *step) times() int { return max(1, s.Repeat) }

// answers reports whether the step leaves a response in the transcript.
func (s *step) answers() bool {
	return !s.Hidden && (s.Collect != "" || s.Method != "" && s.Start == "")
}

// mediaType resolves the short names of Content-Types.
func mediaType(short string) (string, bool) {
	switch short {
	case "json":
		return "application/json-patch+json", true
	case "merge":
		return "application/merge-patch+json", true
	case "smp":
		return "application/strategic-merge-patch+json", true
	case "apply":
		return "application/apply-patch+yaml", true
	case "yaml":
		return "application/yaml", true
	}
	return "", false
}

// texts is one text or a list of texts.
type texts []string

// UnmarshalYAML reads either form.
func (t *texts) UnmarshalYAML(n *yaml.Node) error {
	v, err := exactValue(n)
	if err != nil {
		return err
	}
	for _, e := range listOf(v) {
		switch e.(type) {
		case map[string]any, []any:
			return fmt.Errorf("line %d: want a text or a list of texts", n.Line)
		}
		*t = append(*t, text(e))
	}
	return nil
}

// pair is a header or a parameter.
type pair struct{ name, value string }

// pairs are written as a mapping from a name to a value or a list of values, and are
// sent in the order of the names.
type pairs []pair

// UnmarshalYAML reads the mapping.
func (p *pairs) UnmarshalYAML(n *yaml.Node) error {
	v, err := exactValue(n)
	if err != nil {
		return err
	}
	m, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("line %d: want a mapping", n.Line)
	}
	for name, value := range m {
		for _, e := range listOf(value) {
			*p = append(*p, pair{name, text(e)})
		}
	}
	slices.SortStableFunc(*p, func(a, b pair) int { return strings.Compare(a.name, b.name) })
	return nil
}

// listOf returns a list unchanged, and any other value as a list of one element.
func listOf(v any) []any {
	if list, ok := v.([]any); ok {
		return list
	}
	return []any{v}
}

// millis is a duration, written as a number of milliseconds or in the form of a Go
// duration.
type millis time.Duration

// UnmarshalYAML reads either form.
func (d *millis) UnmarshalYAML(n *yaml.Node) error {
	if ms, err := strconv.Atoi(n.Value); err == nil {
		*d = millis(time.Duration(ms) * time.Millisecond)
		return nil
	}
	t, err := time.ParseDuration(n.Value)
	*d = millis(t)
	return err
}

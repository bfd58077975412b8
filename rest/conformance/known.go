package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Known lists the cases that a server is known to fail, each as AREA/NAME and with a reason.
// A run fails if an unlisted case fails, and also if a listed case passes, so the list never
// goes stale.
type Known struct {
	Pending   []Pending   `yaml:"pending,omitempty"`   // the server does not implement these yet
	Different []Different `yaml:"different,omitempty"` // the server deviates in these on purpose

	head string // the comment at the top
}

// Pending are cases that fail for one temporary reason.
type Pending struct {
	Reason string   `yaml:"reason"`
	Cases  []string `yaml:"cases"`
}

// Different are cases in which the server deviates on purpose, because the recorded answer
// is an accident.
type Different struct {
	Row   string   `yaml:"row"` // the name of the deviation in the documentation of the server
	Cases []string `yaml:"cases"`
}

// ParseKnown reads a list from YAML; README.md shows the format. It returns an error for
// unknown keys, a group without a reason, and a duplicate case.
func ParseKnown(text []byte) (Known, error) {
	var k Known
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&k); err != nil && !errors.Is(err, io.EOF) {
		return Known{}, err
	}
	seen := map[string]bool{}
	for why, ids := range k.groups() {
		if strings.TrimSpace(why) == "" {
			return Known{}, fmt.Errorf("a group has no reason, or names no row: it holds %s", strings.Join(ids, ", "))
		}
		for _, id := range ids {
			if seen[id] {
				return Known{}, fmt.Errorf("%s is listed twice", id)
			}
			seen[id] = true
		}
	}
	k.head = headComment(text)
	return k, nil
}

func headComment(text []byte) string {
	var head strings.Builder
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			break
		}
		head.WriteString(strings.TrimRight(line, "\r\n") + "\n")
	}
	return head.String()
}

// Encode writes the list in the form that ParseKnown reads. It keeps the comment at the top
// of a parsed list, but no other comments.
func (k Known) Encode() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(k.head)
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(k); err != nil {
		return nil, err
	}
	return b.Bytes(), e.Close()
}

// groups yields each group's reason and cases, in the order of the list.
func (k Known) groups() iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		for _, p := range k.Pending {
			if !yield(p.Reason, p.Cases) {
				return
			}
		}
		for _, d := range k.Different {
			if !yield(d.Row, d.Cases) {
				return
			}
		}
	}
}

func (k Known) empty() bool { return len(k.Pending) == 0 && len(k.Different) == 0 }

// why returns the reason for which a case is listed.
func (k Known) why(id string) (string, bool) {
	for why, ids := range k.groups() {
		if slices.Contains(ids, id) {
			return why, true
		}
	}
	return "", false
}

// check returns an error for cases that do not exist: otherwise a renamed case would stay
// listed for ever.
func (k Known) check(areas []Area) error {
	exists := map[string]bool{}
	for _, a := range areas {
		for _, c := range a.Cases {
			exists[a.Name+"/"+c.Name] = true
		}
	}
	for _, ids := range k.groups() {
		for _, id := range ids {
			if !exists[id] {
				return fmt.Errorf("the list of known failures names %s, which is no case", id)
			}
		}
	}
	return nil
}

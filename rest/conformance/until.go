package conformance

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// establishedPath leads to the status of a definition's condition Established.
const establishedPath = "body.status.conditions[type=Established].status"

// nowhere is the value of a condition on a path that must lead nowhere.
const nowhere = "absent"

// until is the condition that ends the repetition of a request: the answer is then the one that the transcript shows.
type until struct {
	conditions []pair // a path into status, headers, body and text, and the value there
	has, lacks texts  // what the body contains and does not contain
	times      int    // how often in a row; 0 counts as 1
}

const (
	pollFor   = time.Minute
	pollEvery = 100 * time.Millisecond
)

// UnmarshalYAML reads the mapping.
func (u *until) UnmarshalYAML(n *yaml.Node) error {
	v, err := exactValue(n)
	if err != nil {
		return err
	}
	m, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("line %d: until must be a mapping", n.Line)
	}
	for key, value := range m {
		switch key {
		case "established":
			u.conditions = append(u.conditions, pair{establishedPath, "True"})
		case "has", "lacks":
			list := &u.has
			if key == "lacks" {
				list = &u.lacks
			}
			for _, e := range listOf(value) {
				*list = append(*list, text(e))
			}
		case "times":
			if u.times, err = strconv.Atoi(text(value)); err != nil {
				return fmt.Errorf("line %d: until: times: %w", n.Line, err)
			}
		default:
			u.conditions = append(u.conditions, pair{key, text(value)})
		}
	}
	return nil
}

// poll repeats a request until its answer satisfies u, and returns the last answer. After a minute it gives up without
// an error, because the comparison shows more.
func (r *replay) poll(ctx context.Context, u *until, req request) (*answer, error) {
	deadline := time.Now().Add(pollFor)
	for row := 0; ; {
		a, err := r.exchange(ctx, req)
		if err != nil {
			return nil, err
		}
		if row++; !u.holds(r.vars, a) {
			row = 0
		}
		if row >= max(1, u.times) || time.Now().After(deadline) {
			return a, nil
		}
		if err := pause(ctx, pollEvery); err != nil {
			return nil, err
		}
	}
}

// exchange sends a request and reads the answer.
func (r *replay) exchange(ctx context.Context, req request) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, r.client.timeout)
	defer cancel()
	resp, err := r.client.send(ctx, req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return readAnswer(resp)
}

func (u *until) holds(vars variables, a *answer) bool {
	whole := map[string]any{"status": strconv.Itoa(a.status), "headers": a.headers, "text": a.text}
	if a.hasBody {
		whole["body"] = a.body
	}
	for _, c := range u.conditions {
		v, ok := lookupByType(whole, c.name)
		if ok == (c.value == nowhere) || ok && text(v) != vars.expand(c.value) {
			return false
		}
	}
	said := jsonText(a.body) + a.text
	for _, part := range u.has {
		if !strings.Contains(said, vars.expand(part)) {
			return false
		}
	}
	for _, part := range u.lacks {
		if strings.Contains(said, vars.expand(part)) {
			return false
		}
	}
	return true
}

// lookupByType looks up a path in which [type=X] names the element of a list with this type.
func lookupByType(v any, path string) (any, bool) {
	before, rest, ok := strings.Cut(path, "[type=")
	if !ok {
		return lookup(v, path)
	}
	typ, rest, _ := strings.Cut(rest, "]")
	list, _ := lookup(v, before)
	elements, _ := list.([]any)
	for _, e := range elements {
		if found, _ := lookup(e, "type"); found == typ {
			return lookupByType(e, strings.TrimPrefix(rest, "."))
		}
	}
	return nil, false
}

package conformance

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// transcript is what a server answered to the steps of a case, normalised: for each
// response an object with the members req, status, headers, body, text, format,
// pretty, events and ended, as far as the response has them.
type transcript []map[string]any

// normaliser replaces what differs between runs by symbols.
type normaliser struct {
	said   string // all that the case says: its own values stay as they are
	full   bool   // keep managedFields
	vars   variables
	host   string
	prefix string

	revisions map[string][]*big.Int // of each resource's objects, in order
	opaque    map[string][]string   // resourceVersions that are no numbers, as they appeared
	uids      map[string]string     // their symbols
	uidsOf    map[string]int        // how many uids an object's name has had
	names     map[string]string     // symbols of generated names
	generated map[string]int        // how many names a prefix has had
}

// normalise makes the transcript of a case that was played to its end. Symbols
// depend on what all answers show together, so there are two passes.
func normalise(r *replay) (transcript, error) {
	n := &normaliser{
		said: r.test.text, full: r.test.managedFields, vars: r.vars, host: r.client.host, prefix: r.client.prefix,
		revisions: map[string][]*big.Int{}, opaque: map[string][]string{},
		uids: map[string]string{}, uidsOf: map[string]int{}, names: map[string]string{}, generated: map[string]int{},
	}
	for _, a := range r.answers {
		resource := resourceOf(a.path)
		n.learn(resource, a.body, false)
		for _, e := range a.events {
			bookmark, _ := bookmarkOf(e)
			object, _ := lookup(e, "object")
			n.learn(resource, object, bookmark)
		}
	}
	for _, known := range n.revisions {
		slices.SortFunc(known, (*big.Int).Cmp)
	}
	t := transcript{}
	for _, a := range r.answers {
		if a.step == nil {
			continue
		}
		// Through JSON once, so that fresh and stored transcripts are alike.
		response, err := decodeJSON([]byte(jsonText(n.response(a))))
		if err != nil {
			return nil, fmt.Errorf("normalising: %w", err)
		}
		object, _ := response.(map[string]any)
		t = append(t, object)
	}
	return t, nil
}

func (n *normaliser) response(a *answer) map[string]any {
	in := scope{n: n, resource: resourceOf(a.path), step: a.step}
	response := map[string]any{
		"req": a.request, "status": a.status,
		"headers": in.rewrite(comparedHeaders(a.headers, a.step), "headers", false),
	}
	if a.hasBody {
		response["body"] = in.rewrite(a.body, "", false)
	}
	if a.text != "" {
		response["text"] = in.text(a.text, true)
	}
	if a.format != "" {
		response["format"] = a.format
	}
	if a.pretty != nil {
		response["pretty"] = *a.pretty
	}
	if a.ended != "" {
		response["ended"] = a.ended
	}
	if a.events != nil {
		events := make([]any, len(a.events))
		for i, e := range a.events {
			events[i] = in.event(e)
		}
		response["events"] = events
	}
	shape(response, a.step)
	return response
}

// comparedHeaders are those that count in every step, and those that the step names.
func comparedHeaders(headers map[string]any, s *step) map[string]any {
	compared := map[string]any{}
	for name, v := range headers {
		switch name {
		case "Content-Type", "Warning", "Retry-After", "Content-Encoding", "Allow":
		default:
			if !slices.ContainsFunc(s.CompareHeaders, func(c string) bool { return strings.EqualFold(c, name) }) {
				continue
			}
		}
		if list, ok := v.([]any); ok {
			list = slices.Clone(list)
			sortBy(list, text)
			v = list
		}
		compared[name] = v
	}
	return compared
}

// scope is where a value stands that is rewritten.
type scope struct {
	n        *normaliser
	resource string
	step     *step
}

// event rewrites an event of a watch. A bookmark's resourceVersion is a position, as a list's is.
func (in scope) event(e any) any {
	m, ok := e.(map[string]any)
	if !ok {
		return in.rewrite(e, "", false)
	}
	bookmark, _ := bookmarkOf(e)
	event := make(map[string]any, len(m))
	for k, v := range m {
		event[in.text(k, false)] = in.rewrite(v, k, bookmark && k == "object")
	}
	return event
}

// rewrite returns a value with symbols in it; key is the member it stands under.
// It changes the value it is given.
func (in scope) rewrite(v any, key string, position bool) any {
	switch x := v.(type) {
	case map[string]any:
		if metadata, ok := x["metadata"].(map[string]any); ok {
			in.metadata(metadata, position || isCollection(x))
		}
		if x["kind"] == "Table" {
			tidyAges(x)
		}
		if !in.step.ItemTypes {
			tidyItems(x)
		}
		if x["kind"] == "Status" {
			tidyStatus(x)
		}
		rewritten := make(map[string]any, len(x))
		for k, e := range x {
			rewritten[in.text(k, false)] = in.rewrite(e, k, false)
		}
		return rewritten
	case []any:
		rewritten := make([]any, len(x))
		for i, e := range x {
			rewritten[i] = in.rewrite(e, key, false)
		}
		return rewritten
	case string:
		return in.text(x, key == "message" || key == "headers" || key == "Warning")
	}
	return v
}

// metadata rewrites what only metadata holds; position says that its
// resourceVersion is one of a collection, not of an object.
func (in scope) metadata(m map[string]any, position bool) {
	if rv, ok := m["resourceVersion"].(string); ok && rv != "" {
		switch {
		case position:
			m["resourceVersion"] = in.n.revision(in.resource, rv, true, in.step.ListRV == "exact")
		case in.n.owns(m):
			m["resourceVersion"] = in.n.revision(in.resource, rv, false, false)
		default:
			m["resourceVersion"] = "<rv>"
		}
	}
	if token, ok := m["continue"].(string); ok {
		if token == "" { // as good as absent
			delete(m, "continue")
		} else {
			m["continue"] = "<continue>"
		}
	}
	if managed, ok := m["managedFields"].([]any); ok {
		if in.n.full {
			sortBy(managed, managerKey)
		} else {
			delete(m, "managedFields")
		}
	}
}

func managerKey(v any) string {
	m, _ := v.(map[string]any)
	return text(m["operation"]) + "\x00" + text(m["manager"]) + "\x00" + text(m["subresource"]) + "\x00" + text(m["apiVersion"])
}

// isCollection recognises lists and Tables, whose metadata is not an object's.
func isCollection(m map[string]any) bool {
	if _, ok := m["items"]; ok {
		return true
	}
	kind, _ := m["kind"].(string)
	return kind == "Table" || strings.HasSuffix(kind, "List") && m["metadata"] != nil
}

// resourceOf names the resource that a path addresses.
func resourceOf(path string) string {
	path, _, _ = strings.Cut(path, "?")
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch parts[0] {
	case "api":
		parts = parts[min(2, len(parts)):]
	case "apis":
		parts = parts[min(3, len(parts)):]
	}
	if len(parts) > 0 && parts[0] == "watch" {
		parts = parts[1:]
	}
	switch {
	case len(parts) > 2 && parts[0] == "namespaces":
		return parts[2]
	case len(parts) > 0:
		return parts[0]
	}
	return ""
}

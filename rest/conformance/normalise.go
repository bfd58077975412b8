package conformance

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// transcript holds the normalised answers of a server to the steps of a case: for each response
// an object with the members req, status, headers, body, text, format, pretty, events and ended,
// as far as the response has them.
type transcript []map[string]any

// normaliser replaces values that differ between runs by symbols.
type normaliser struct {
	said   string // the whole text of the case: its own values stay as they are
	full   bool   // keep managedFields
	vars   variables
	host   string
	prefix string

	revisions map[string][]*big.Int // the ascending revisions of each resource's objects
	opaque    map[string][]string   // resourceVersions that are not numbers, in the order of appearance
	uids      map[string]string     // the symbol of each uid
	uidsOf    map[string]int        // how many uids an object's name has had
	names     map[string]string     // the symbols of generated names
	generated map[string]int        // how many names a prefix has had
}

// normalise returns the transcript of a case that was played to its end. Symbols depend on all
// answers together, so it needs two passes.
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
		// The detour through JSON makes fresh and stored transcripts alike.
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

// comparedHeaders returns the headers that count in every step, and those that the step names.
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

// scope is the place of a value that is rewritten.
type scope struct {
	n        *normaliser
	resource string
	step     *step
}

// event rewrites an event of a watch. The resourceVersion of a bookmark is a position, like that
// of a list.
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

// rewrite returns a value with symbols in it. key is the name of the value's member. rewrite
// changes its argument.
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

// metadata rewrites the members that only metadata has. position says that its resourceVersion is
// that of a collection, not of an object.
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
		if token == "" { // means the same as absent
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
	return text(m["operation"]) + "\x00" + text(m["manager"]) + "\x00" + text(m["subresource"]) + "\x00" +
		text(m["apiVersion"])
}

// isCollection reports whether m is a list or a Table, whose metadata is not that of an object.
func isCollection(m map[string]any) bool {
	if _, ok := m["items"]; ok {
		return true
	}
	kind, _ := m["kind"].(string)
	return kind == "Table" || strings.HasSuffix(kind, "List") && m["metadata"] != nil
}

// resourceOf returns the resource that a path addresses.
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

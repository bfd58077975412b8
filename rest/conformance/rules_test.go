package conformance_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/conformance"
)

// rules breaks each rule that cases name.
var rules = map[string]spoiler{
	// Status codes and errors.
	"created": {answer: func(x *exchange) {
		if x.method == http.MethodPost && x.status == http.StatusCreated && strings.Contains(x.path, "/namespaces/") {
			x.status = http.StatusOK
		}
	}},
	"already-exists":         {answer: inStatus(func(s object) { swap(s, "reason", "AlreadyExists", "Conflict") })},
	"conflict":               {answer: inStatus(func(s object) { swap(s, "reason", "Conflict", "AlreadyExists") })},
	"not-found-details":      {answer: code(404, func(s object) { delete(s, "details") })},
	"causes":                 {answer: code(422, func(s object) { delete(in(s, "details"), "causes") })},
	"method-not-allowed":     {answer: recode(405, 404)},
	"not-acceptable":         {answer: recode(406, 400)},
	"unsupported-media-type": {answer: recode(415, 400)},
	"expired": {
		answer: inStatus(func(s object) { swap(s, "reason", "Expired", "InternalError") }),
		event: func(e object) bool {
			swap(in(e, "object"), "reason", "Expired", "InternalError")
			return true
		},
	},

	// Reading.
	"list-version": {answer: inAnswer(func(o object) {
		if _, list := o["items"]; list {
			delete(in(o, "metadata"), "resourceVersion")
		}
	})},
	"limit":                {request: ignores(http.MethodGet, "limit")},
	"continue":             {request: ignores(http.MethodGet, "continue")},
	"remaining-item-count": {answer: inAnswer(func(o object) { delete(in(o, "metadata"), "remainingItemCount") })},
	"label-selector":       {request: ignoresSelector("labelSelector")},
	"field-selector":       {request: ignoresSelector("fieldSelector")},
	"yaml": {answer: func(x *exchange) {
		if x.answerHeader.Get("Content-Type") == "application/yaml" {
			x.answerHeader.Set("Content-Type", "text/yaml")
		}
	}},
	"table-columns": {answer: inAnswer(func(o object) { delete(o, "columnDefinitions") })},
	"table-rows": {answer: inAnswer(func(o object) {
		rows, _ := o["rows"].([]any)
		for _, row := range rows {
			delete(row.(object), "object")
		}
	})},
	"partial-metadata": {request: accepts("as=PartialObjectMetadata")},
	"aggregated-discovery": {answer: inAnswer(func(o object) {
		if o["kind"] != "APIGroupDiscoveryList" {
			return
		}
		for _, group := range o["items"].([]any) {
			for _, version := range group.(object)["versions"].([]any) {
				delete(version.(object), "freshness")
			}
		}
	})},
	"short-names": {answer: inAnswer(func(o object) {
		resources, _ := o["resources"].([]any)
		for _, r := range resources {
			delete(r.(object), "shortNames")
		}
	})},

	// Writing.
	"stale-version": {request: func(x *exchange) {
		body := x.sent()
		if version := in(body, "metadata")["resourceVersion"]; x.method != http.MethodPut || version == nil || version == "" {
			return
		}
		if now := x.current(); now != nil {
			in(body, "metadata")["resourceVersion"] = in(now, "metadata")["resourceVersion"]
			x.body = encoded(body)
		}
	}},
	"version-required": {request: func(x *exchange) {
		body := x.sent()
		if version := in(body, "metadata")["resourceVersion"]; x.method != http.MethodPut || body == nil ||
			version != nil && version != "" {
			return
		}
		if now := x.current(); now != nil && in(body, "metadata") != nil {
			in(body, "metadata")["resourceVersion"] = in(now, "metadata")["resourceVersion"]
			x.body = encoded(body)
		}
	}},
	"new-version": versioned(func(before, after object) {
		after["resourceVersion"] = before["resourceVersion"]
	}),
	"no-op": versioned(func(before, after object) {
		if before["resourceVersion"] == after["resourceVersion"] {
			after["resourceVersion"] = after["resourceVersion"].(string) + "1"
		}
	}),
	"delete-preconditions": {request: func(x *exchange) {
		if body := x.sent(); x.method == http.MethodDelete && body["preconditions"] != nil {
			delete(body, "preconditions")
			x.body = encoded(body)
		}
	}},
	"dry-run": {request: func(x *exchange) {
		x.drop("dryRun")
		if body := x.sent(); x.method == http.MethodDelete && body["dryRun"] != nil {
			delete(body, "dryRun")
			x.body = encoded(body)
		}
	}},
	"generation": {answer: inAnswer(func(o object) {
		if m := in(o, "metadata"); m["generation"] != nil {
			m["generation"] = 1
		}
	})},
	"deletion-timestamp": {answer: inAnswer(func(o object) { delete(in(o, "metadata"), "deletionTimestamp") })},
	"field-validation":   {request: func(x *exchange) { x.drop("fieldValidation") }},
	"warnings":           {answer: func(x *exchange) { x.answerHeader.Del("Warning") }},
	"strategic-merge": {request: func(x *exchange) {
		if x.media("application/strategic-merge-patch+json") {
			x.header.Set("Content-Type", "application/merge-patch+json")
		}
	}},
	"patch-test": {request: func(x *exchange) {
		var patch []any
		if !x.media("application/json-patch+json") || json.Unmarshal(x.body, &patch) != nil {
			return
		}
		x.body = encoded(slices.DeleteFunc(patch, func(o any) bool { return o.(object)["op"] == "test" }))
	}},
	"status-subresource": {request: func(x *exchange) {
		if x.method == http.MethodPut {
			x.path = strings.TrimSuffix(x.path, "/status")
		}
	}},
	"scale": {answer: inAnswer(func(o object) {
		if o["kind"] == "Scale" {
			delete(in(o, "spec"), "replicas")
		}
	})},

	// Watching.
	"watch-modified": {event: func(e object) bool { return e["type"] != "MODIFIED" }},
	"watch-deleted":  {event: func(e object) bool { return e["type"] != "DELETED" }},
	"initial-events-end": {event: func(e object) bool {
		return in(e, "object", "metadata", "annotations")["k8s.io/initial-events-end"] == nil
	}},
	"event-version": {event: func(e object) bool {
		delete(in(e, "object", "metadata"), "resourceVersion")
		return true
	}},

	// Applying.
	"managed-fields": {answer: inAnswer(func(o object) { delete(in(o, "metadata"), "managedFields") })},
	"apply-conflict": {request: func(x *exchange) {
		if x.media("application/apply-patch+yaml") {
			x.drop("force")
			x.query = append(x.query, "force=true")
		}
	}},
	"field-manager": {request: func(x *exchange) {
		if x.media("application/apply-patch+yaml") && !strings.Contains(strings.Join(x.query, "&"), "fieldManager=") {
			x.query = append(x.query, "fieldManager=anybody")
		}
	}},

	// Definitions.
	"stored-versions": {answer: inAnswer(func(o object) { delete(in(o, "status"), "storedVersions") })},
	"names-accepted": {answer: inAnswer(func(o object) {
		conditions, _ := in(o, "status")["conditions"].([]any)
		for _, c := range conditions {
			swap(c.(object), "reason", "InitialNamesAccepted", "Accepted")
		}
	})},
}

// ignores drops parameters of the requests with a method.
func ignores(method string, names ...string) func(*exchange) {
	return func(x *exchange) {
		if x.method == method {
			x.drop(names...)
		}
	}
}

// ignoresSelector drops a selector of a GET in a namespace. In all namespaces, cases select their own objects by it. A
// watch that should have been refused would wait for events; it ends soon.
func ignoresSelector(name string) func(*exchange) {
	return func(x *exchange) {
		selects := strings.Contains(strings.Join(x.query, "&"), name+"=")
		if x.method != http.MethodGet || !selects || !strings.Contains(x.path, "/namespaces/") {
			return
		}
		if x.drop(name); x.watches() {
			x.query = append(x.query, "timeoutSeconds=2")
		}
	}
}

// accepts replaces an Accept header with this text by that of plain JSON.
func accepts(text string) func(*exchange) {
	return func(x *exchange) {
		if strings.Contains(x.header.Get("Accept"), text) {
			x.header.Set("Accept", "application/json")
		}
	}
}

// inAnswer changes answers that are JSON objects.
func inAnswer(change func(object)) func(*exchange) {
	return func(x *exchange) {
		o := x.got()
		if o == nil {
			return
		}
		before := encoded(o)
		if change(o); string(encoded(o)) != string(before) {
			x.answer = encoded(o)
		}
	}
}

// inStatus changes answers of kind Status.
func inStatus(change func(object)) func(*exchange) {
	return inAnswer(func(o object) {
		if o["kind"] == "Status" {
			change(o)
		}
	})
}

// code changes answers of kind Status that have a code.
func code(code int, change func(object)) func(*exchange) {
	return func(x *exchange) {
		if x.status == code {
			inStatus(change)(x)
		}
	}
}

// recode answers with another code.
func recode(from, to int) func(*exchange) {
	return func(x *exchange) {
		if x.status == from {
			x.status = to
		}
	}
}

// versioned changes the metadata of an object that the server has changed by PUT or PATCH.
func versioned(change func(before, after object)) spoiler {
	return spoiler{
		request: func(x *exchange) {
			if x.method == http.MethodPut || x.method == http.MethodPatch {
				x.before = in(x.current(), "metadata")
			}
		},
		answer: func(x *exchange) {
			if x.before != nil && x.status == http.StatusOK {
				inAnswer(func(o object) { change(x.before, in(o, "metadata")) })(x)
			}
		},
	}
}

// swap replaces a value of a member.
func swap(o object, member, from, to string) {
	if o[member] == from {
		o[member] = to
	}
}

// A server that breaks one rule fails the cases that name this rule, and no others.
func TestBrokenServer(t *testing.T) {
	url := os.Getenv("CONFORM_URL")
	if url == "" {
		// The proxy of this test needs a server behind it. The stage conformance starts one and sets the variable.
		t.Skip("set CONFORM_URL to the URL of a server: the test breaks its answers (make conformance starts one)")
	}
	areas, err := conformance.Load(conformance.Cases())
	require.NoError(t, err)
	failing := func(t *testing.T, s spoiler) []string {
		report, err := conformance.Run(t.Context(), conformance.Options{Server: proxy{url, s}.start(t), Jobs: 8})
		require.NoError(t, err)
		var ids []string
		for _, r := range report.Results {
			if r.Outcome == conformance.Fail {
				ids = append(ids, r.ID())
			}
		}
		return ids
	}
	whole := failing(t, spoiler{})
	for rule, s := range rules {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			var want []string
			for _, a := range areas {
				for _, c := range a.Cases {
					if id := a.Name + "/" + c.Name; slices.Contains(c.Rules, rule) || slices.Contains(whole, id) {
						want = append(want, id)
					}
				}
			}
			assert.Equal(t, want, failing(t, s))
		})
	}
}

// README.md lists the rules that cases name, and how many cases name each. TestBrokenServer breaks all of them.
func TestRulesAreDocumented(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(readme), "\n## Rules\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	listed := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| .* \\| (\\d+) \\|$").FindAllStringSubmatch(section,
		-1) {
		listed[row[1]] = row[2]
	}
	areas, err := conformance.Load(conformance.Cases())
	require.NoError(t, err)
	cases := map[string]int{}
	for _, a := range areas {
		for _, c := range a.Cases {
			for _, rule := range c.Rules {
				cases[rule]++
			}
		}
	}
	named := map[string]string{}
	for rule, n := range cases {
		named[rule] = strconv.Itoa(n)
	}
	assert.Equal(t, named, listed)
	assert.ElementsMatch(t, slices.Collect(maps.Keys(rules)), slices.Collect(maps.Keys(named)))
}

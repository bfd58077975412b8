package webhook_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
)

// Webhooks receive the operation, the options and both objects of each write.
func TestRequests(t *testing.T) {
	w := newWorld(t)
	var seen []request
	w.answers("/see", func(r request) response {
		seen = append(seen, r)
		return response{"allowed": true}
	})
	w.validating("see", hook{path: "/see"})
	beta := "/apis/example.com/v1beta1/namespaces/default/gears"
	for _, c := range []struct {
		name, method, path, body string
		want                     string
	}{
		{"create", "POST", gears + "?fieldManager=me", gear("a", `"teeth":1`),
			"CREATE default/a gears.v1 Gear dry=false options=CreateOptions:me teeth=1<-<nil>"},
		{"update", "PATCH", gears + "/a", `{"spec":{"teeth":2}}`,
			"UPDATE default/a gears.v1 Gear dry=false options=UpdateOptions:<nil> teeth=2<-1"},
		{"dry run", "PATCH", gears + "/a?dryRun=All", `{"spec":{"teeth":3}}`,
			"UPDATE default/a gears.v1 Gear dry=true options=UpdateOptions:<nil> teeth=3<-2"},
		{"no change", "PATCH", gears + "/a", `{}`,
			"UPDATE default/a gears.v1 Gear dry=false options=UpdateOptions:<nil> teeth=2<-2"},
		{"status", "PATCH", gears + "/a/status", `{"status":{"turning":true}}`,
			"UPDATE default/a gears.v1/status Gear dry=false options=UpdateOptions:<nil> teeth=2<-2"},
		{"scale", "PATCH", gears + "/a/scale", `{"spec":{"replicas":4}}`,
			"UPDATE default/a gears.v1/scale Scale dry=false options=UpdateOptions:<nil> teeth=<nil><-<nil>"},
		{"another version", "PATCH", beta + "/a", `{"spec":{"teeth":5}}`,
			"UPDATE default/a gears.v1 Gear dry=false options=UpdateOptions:<nil> teeth=5<-4 (gears.v1beta1 example.com/v1beta1)"},
		{"delete", "DELETE", gears + "/a", `{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"}`,
			"DELETE default/a gears.v1 Gear dry=false options=DeleteOptions:<nil> teeth=<nil><-5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			seen = nil
			w.must(c.method, c.path, c.body)
			require.Len(t, seen, 1)
			assert.Equal(t, c.want, shown(seen[0]))
			assert.Equal(t, map[string]any{"username": "system:anonymous", "groups": []any{"system:unauthenticated"}},
				seen[0]["userInfo"])
			assert.NotEmpty(t, seen[0]["uid"])
		})
	}
}

// An apply has the options of a create or of an update. Force is not among them, as in kube-apiserver.
func TestOptionsOfApplies(t *testing.T) {
	w := newWorld(t)
	var seen []any
	w.answers("/see", func(r request) response {
		seen = append(seen, r["options"])
		return response{"allowed": true}
	})
	w.validating("see", hook{path: "/see"})
	apply := func() {
		r := httptest.NewRequest("PATCH", gears+"/a?fieldManager=me&force=true&fieldValidation=Strict&dryRun=All",
			strings.NewReader(gear("a", `"teeth":2`)))
		r.Header.Set("Content-Type", "application/apply-patch+yaml")
		out := httptest.NewRecorder()
		w.ServeHTTP(out, r)
		require.Less(t, out.Code, 300, out.Body.String())
	}
	apply()
	w.must("POST", gears, gear("a", `"teeth":1`))
	apply()
	options := func(kind string) any {
		return map[string]any{"apiVersion": "meta.k8s.io/v1", "kind": kind, "fieldManager": "me", "fieldValidation": "Strict",
			"dryRun": []any{"All"}}
	}
	require.Len(t, seen, 3)
	assert.Equal(t, options("CreateOptions"), seen[0])
	assert.Equal(t, options("UpdateOptions"), seen[2])
}

// shown is a request in a line.
func shown(r request) string {
	at := func(v any, keys ...string) any {
		for _, key := range keys {
			m, _ := v.(map[string]any)
			v = m[key]
		}
		return v
	}
	text := fmt.Sprintf("%v %v/%v %v.%v", r["operation"], r["namespace"], r["name"], at(r, "resource", "resource"),
		at(r, "resource", "version"))
	if sub, ok := r["subResource"]; ok {
		text += fmt.Sprint("/", sub)
	}
	text += fmt.Sprintf(" %v dry=%v options=%v:%v teeth=%v<-%v", at(r, "kind", "kind"), r["dryRun"],
		at(r, "options", "kind"), at(r, "options", "fieldManager"), at(r, "object", "spec", "teeth"),
		at(r, "oldObject", "spec", "teeth"))
	if at(r, "requestResource", "version") != at(r, "resource", "version") {
		text += fmt.Sprintf(" (%v.%v %v/%v)", at(r, "requestResource", "resource"), at(r, "requestResource", "version"),
			at(r, "requestKind", "group"), at(r, "requestKind", "version"))
	}
	if version := at(r, "object", "apiVersion"); version != nil && r["subResource"] != "scale" &&
		version != fmt.Sprint("example.com/", at(r, "kind", "version")) {
		text += fmt.Sprint(" in ", version)
	}
	return text
}

// The webhook decides about the code and the text of a refusal.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name          string
		status        any
		code          int
		reason        any
		message, more string
	}{
		{"nothing", nil, 400, nil, `admission webhook "deny.example.com" denied the request without explanation`, ""},
		{"a text", response{"message": "too big"}, 400, nil,
			`admission webhook "deny.example.com" denied the request: too big`, ""},
		{"a reason", response{"reason": "Invalid"}, 400, "Invalid",
			`admission webhook "deny.example.com" denied the request: Invalid`, ""},
		{"a code", response{"message": "too big", "reason": "Invalid", "code": 422}, 422, "Invalid",
			`admission webhook "deny.example.com" denied the request: too big`, ""},
		{"a code of success", response{"status": "Success", "code": 200}, 400, nil,
			`admission webhook "deny.example.com" denied the request without explanation`, ""},
		{"a code beyond HTTP", response{"code": 1000}, 400, nil,
			`admission webhook "deny.example.com" denied the request without explanation`, ""},
		{"details", response{"message": "no",
			"details": response{"causes": []any{response{"field": "spec.teeth", "message": "odd"}}}}, 400, nil,
			`admission webhook "deny.example.com" denied the request: no`, `map[causes:[map[field:spec.teeth message:odd]]]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, kind := range []string{"validating", "mutating"} {
				w := newWorld(t)
				w.answers("/deny", func(request) response {
					out := response{"allowed": false}
					if c.status != nil {
						out["status"] = c.status
					}
					return out
				})
				if kind == "validating" {
					w.validating("deny", hook{path: "/deny"})
				} else {
					w.mutating("deny", hook{path: "/deny"})
				}
				a := w.do("POST", gears, gear("a", ""))
				assert.Equal(t, c.code, a.code)
				assert.Equal(t, c.message, a.message())
				assert.Equal(t, c.reason, a.body["reason"])
				assert.Equal(t, "Failure", a.body["status"])
				if c.more != "" {
					assert.Equal(t, c.more, fmt.Sprint(a.body["details"]))
				}
				assert.Equal(t, 404, w.do("GET", gears+"/a", "").code)
			}
		})
	}
}

// Configurations count in the order of their names, and of several refusals the client sees the first.
func TestOrderOfValidatingWebhooks(t *testing.T) {
	w := newWorld(t)
	for _, path := range []string{"/one", "/two", "/three"} {
		w.answers(path, func(request) response {
			return response{"allowed": path == "/one", "status": response{"message": path}, "warnings": []string{path}}
		})
	}
	w.validating("b", hook{path: "/three"})
	w.validating("a", hook{path: "/one"}, hook{path: "/two"})
	a := w.do("POST", gears, gear("a", ""))
	assert.Equal(t, `admission webhook "two.example.com" denied the request: /two`, a.message())
	assert.Equal(t, []string{`299 - "/one"`, `299 - "/two"`, `299 - "/three"`}, a.warnings)
}

// Many webhooks see one write side by side.
func TestManyValidatingWebhooks(t *testing.T) {
	w := newWorld(t)
	var hooks []hook
	for i := range 50 {
		path := fmt.Sprint("/h", i)
		w.answers(path, func(request) response { return response{"allowed": true, "warnings": []string{path}} })
		hooks = append(hooks, hook{path: path})
	}
	w.validating("many", hooks...)
	assert.Len(t, w.must("POST", gears, gear("a", "")).warnings, 50)
}

// A configuration counts from the next write on, also when it changes and when it goes.
func TestConfigurationsCountAtOnce(t *testing.T) {
	w := newWorld(t)
	w.answers("/deny", deny)
	w.must("POST", gears, gear("a", ""))
	w.validating("deny", hook{path: "/deny"})
	assert.Equal(t, 400, w.do("POST", gears, gear("b", "")).code)
	w.must("PATCH", configurations("validating")+"/deny", `{"webhooks":[]}`)
	w.must("POST", gears, gear("b", ""))
	w.validating("again", hook{path: "/deny"})
	assert.Equal(t, 400, w.do("POST", gears, gear("c", "")).code)
	w.must("DELETE", configurations("validating")+"/again", "")
	w.must("POST", gears, gear("c", ""))
}

// A configuration can be removed even if it refuses everything, or if its webhook does not answer.
func TestConfigurationsAreExempt(t *testing.T) {
	w := newWorld(t)
	w.answers("/deny", deny)
	w.validating("deny", hook{path: "/deny", more: everything}, hook{path: "/missing", more: everything})
	w.mutating("deny", hook{path: "/deny", more: everything}, hook{path: "/missing", more: everything})
	assert.Equal(t, 400, w.do("POST", memos, `{"metadata":{"name":"a"}}`).code)
	w.must("PATCH", configurations("mutating")+"/deny", `{"metadata":{"labels":{"a":"b"}}}`)
	w.must("DELETE", configurations("mutating")+"/deny", "")
	w.must("DELETE", configurations("validating")+"/deny", "")
	w.must("POST", memos, `{"metadata":{"name":"a"}}`)
}

// Selectors and rules decide which webhooks are called; package matching tests them in full.
func TestSelectors(t *testing.T) {
	w := newWorld(t)
	w.answers("/deny", deny)
	w.validating("deny",
		hook{path: "/deny", more: everything +
			`,"namespaceSelector":{"matchLabels":{"watched":"yes"}},"objectSelector":{"matchExpressions":[{"key":"free","operator":"DoesNotExist"}]}`})
	w.must("POST", gears, gear("a", ""))
	assert.Equal(t, 400, w.do("POST", memos, `{"metadata":{"name":"a"}}`).code, "a cluster-scoped object")
	assert.Equal(t, 400, w.do("PATCH", "/api/v1/namespaces/default", `{"metadata":{"labels":{"watched":"yes"}}}`).code,
		"a namespace that comes to match")
	w.must("PATCH", "/api/v1/namespaces/default", `{"metadata":{"labels":{"free":"yes"}}}`)
	w.must("PATCH", "/api/v1/namespaces/default", `{"metadata":{"labels":{"watched":"yes"}}}`)
	assert.Equal(t, 400, w.do("POST", gears, gear("b", "")).code)
	w.must("DELETE", configurations("validating")+"/deny", "")
}

// A webhook that takes only the old version of the review gets it, and its answer need not name the uid.
func TestOldReviews(t *testing.T) {
	w := newWorld(t)
	version := ""
	w.handle("/old", func(out http.ResponseWriter, r *http.Request) {
		var in struct{ APIVersion string }
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&in))
		version = in.APIVersion
		_, _ = io.WriteString(out, `{"response":{"allowed":true}}`)
	})
	w.validating("old", hook{path: "/old", more: `"admissionReviewVersions":["v2","v1beta1","v1"]`})
	w.must("POST", gears, gear("a", ""))
	assert.Equal(t, "admission.k8s.io/v1beta1", version)
}

// A webhook that denies everything cannot lock out users, because it does not see their reviews.
func TestWebhooksDoNotSeeReviews(t *testing.T) {
	w := newWorld(t)
	w.answers("/deny", deny)
	w.validating("all", hook{path: "/deny", more: everything})
	assert.NotEqual(t, 201, w.do("POST", gears, gear("a", "")).code)
	for path, body := range map[string]string{
		"/apis/authentication.k8s.io/v1/selfsubjectreviews": `{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}`,
		"/apis/authorization.k8s.io/v1/selfsubjectaccessreviews": `{"apiVersion":"authorization.k8s.io/v1",` +
			`"kind":"SelfSubjectAccessReview","spec":{"nonResourceAttributes":{"path":"/","verb":"get"}}}`,
	} {
		w.must("POST", path, body)
	}
}

// In the old version of the review, every patch is a JSON patch.
func TestPatchOfAnOldReview(t *testing.T) {
	w := newWorld(t)
	w.answers("/old", func(request) response {
		return response{"allowed": true, "patch": []byte(`[{"op":"add","path":"/spec/teeth","value":2}]`),
			"patchType": "Other"}
	})
	w.mutating("old", hook{path: "/old", more: `"admissionReviewVersions":["v1beta1"]`})
	assert.Equal(t, map[string]any{"teeth": 2.0}, w.must("POST", gears, gear("a", `"teeth":1`)).spec())
}

func TestDryRun(t *testing.T) {
	w := newWorld(t)
	var dry []any
	w.answers("/see", func(r request) response {
		dry = append(dry, r["dryRun"])
		return response{"allowed": true}
	})
	w.validating("see", hook{path: "/see", more: `"sideEffects":"NoneOnDryRun"`})
	w.must("POST", gears+"?dryRun=All", gear("a", ""))
	assert.Equal(t, []any{true}, dry)
	assert.Equal(t, 404, w.do("GET", gears+"/a", "").code)
}

// Warnings reach the client whether or not the write succeeds, and audit annotations reach the host.
func TestWarningsAndAnnotations(t *testing.T) {
	var audited []string
	w := newWorldWith(t, auditing(&audited), rest.Options{})
	allowed := true
	w.answers("/warn", func(request) response {
		return response{"allowed": allowed, "warnings": []string{"careful", ""},
			"auditAnnotations": response{"b": "2", "a": "1"}}
	})
	w.validating("warn", hook{path: "/warn"})
	w.mutating("warn", hook{path: "/warn"})
	a := w.must("POST", gears, gear("a", ""))
	assert.Equal(t, []string{`299 - "careful"`}, a.warnings)
	assert.Equal(t, []string{"warn.example.com/a=1", "warn.example.com/b=2", "warn.example.com/a=1",
		"warn.example.com/b=2"}, audited)
	allowed = false
	a = w.do("POST", gears, gear("b", ""))
	assert.Equal(t, 400, a.code)
	assert.Equal(t, []string{`299 - "careful"`}, a.warnings)
}

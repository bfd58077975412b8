package oracle

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	upstreampolicy "k8s.io/apiserver/pkg/audit/policy"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"sigs.k8s.io/yaml"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/audit"
)

// auditVocabulary has the words of random audit policies. Some are invalid, and some have the wrong type.
var auditVocabulary = map[string][]any{
	"level": {"None", "Metadata", "Metadata", "Request", "RequestResponse"},
	"stage": {"RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"},
	"user":  {"alice", "bob", "", "system:anonymous"}, "group": {"dev", "ops", "system:authenticated", ""},
	"verb":     {"get", "list", "create", "watch", "*", ""},
	"apiGroup": {"", "apps", "example.com", "*"}, "namespace": {"", "default", "kube-system", "*"},
	"name":     {"a", "b", "", "*"},
	"resource": {"pods", "nodes", "*", "*/status", "pods/*", "pods/log", "pods/status", "*/*", "*/", "/*", "pods/"},
	"url":      {"*", "/", "/healthz", "/healthz*", "/api*", "/heal", "/healthz**"},
	"wrong":    {nil, 3, true, "Everything", "apps/v1", "healthz", "/a*b", []any{}, map[string]any{"x": 1}, []any{nil}},
}

// randomAuditPolicy returns a policy. If it may be wrong, some of its values are.
func randomAuditPolicy(r round, wrong bool) map[string]any {
	word := func(kind string) any {
		if wrong && r.Intn(40) == 0 {
			kind = "wrong"
		}
		return oneOf(r.Rand, auditVocabulary[kind])
	}
	maybe := func(into map[string]any, member, kind string) {
		if r.Intn(3) == 0 {
			words := []any{}
			for range r.Intn(4) {
				words = append(words, word(kind))
			}
			into[member] = words
		}
	}
	var rules []any
	for range r.Intn(5) {
		rule := map[string]any{"level": word("level")}
		maybe(rule, "users", "user")
		maybe(rule, "userGroups", "group")
		maybe(rule, "verbs", "verb")
		maybe(rule, "omitStages", "stage")
		if r.Intn(4) == 0 {
			maybe(rule, "nonResourceURLs", "url")
		}
		if wrong || rule["nonResourceURLs"] == nil {
			maybe(rule, "namespaces", "namespace")
			if r.Intn(2) == 0 {
				var resources []any
				for range r.Intn(3) {
					of := map[string]any{"group": word("apiGroup")}
					maybe(of, "resources", "resource")
					if wrong || of["resources"] != nil {
						maybe(of, "resourceNames", "name")
					}
					resources = append(resources, of)
				}
				rule["resources"] = resources
			}
		}
		if r.Intn(4) == 0 {
			rule["omitManagedFields"] = r.Intn(2) == 0
		}
		rules = append(rules, rule)
	}
	p := map[string]any{"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": rules}
	maybe(p, "omitStages", "stage")
	if r.Intn(3) == 0 {
		p["omitManagedFields"] = true
	}
	if wrong && r.Intn(3) == 0 {
		p[oneOf(r.Rand, []string{"apiVersion", "kind", "metadata", "rules", "Rules", "omitStages", "omitManagedFields",
			"more"})] = word("wrong")
	}
	return p
}

// randomAuditAccess returns a request to a resource, or to a path.
func randomAuditAccess(r round) access.Access {
	a := access.Access{Verb: access.Verb(pickText(r.Rand, "get", "list", "create", "watch"))}
	if r.Intn(6) > 0 {
		a.User = access.User{Name: pickText(r.Rand, "alice", "bob", "system:anonymous"),
			Groups: []string{pickText(r.Rand, "dev", "ops"), "system:authenticated"}}
	}
	if r.Intn(4) == 0 {
		a.Path = pickText(r.Rand, "/", "/healthz", "/healthz/ping", "/api", "/metrics")
		return a
	}
	a.Group, a.Version, a.Resource = pickText(r.Rand, "", "apps", "example.com"), "v1", pickText(r.Rand, "pods", "nodes")
	a.Subresource, a.Namespace = pickText(r.Rand, "", "", "status", "log"), pickText(r.Rand, "", "default", "kube-system")
	a.Name = pickText(r.Rand, "", "a", "b")
	return a
}

// upstreamAuditAttributes are the attributes by which kube-apiserver decides about an access.
func upstreamAuditAttributes(a access.Access) authorizer.Attributes {
	attributes := authorizer.AttributesRecord{Verb: string(a.Verb), Namespace: a.Namespace, APIGroup: a.Group,
		APIVersion: a.Version, Resource: a.Resource, Subresource: a.Subresource, Name: a.Name, ResourceRequest: a.Path == "",
		Path: a.Path}
	if a.User.Name != "" {
		attributes.User = &user.DefaultInfo{Name: a.User.Name, Groups: a.User.Groups}
	}
	return attributes
}

// Random policies decide about random requests as in kube-apiserver.
func TestAuditPoliciesDecideAsUpstream(t *testing.T) {
	matched := map[audit.Level]int{}
	whole := rounds(t, 2000, func(t *testing.T, r round) {
		text, err := json.Marshal(randomAuditPolicy(r, false))
		require.NoError(t, err)
		theirs, err := upstreampolicy.LoadPolicyFromBytes(text)
		ours, oursErr := audit.ParsePolicy(text)
		require.Equal(t, err == nil, oursErr == nil, "%s\nupstream: %v\nours: %v", text, err, oursErr)
		if err != nil {
			return
		}
		evaluator := upstreampolicy.NewPolicyRuleEvaluator(theirs)
		for range 20 {
			a := randomAuditAccess(r)
			want, got := evaluator.EvaluatePolicyRule(upstreamAuditAttributes(a)), ours.Evaluate(a)
			require.Equal(t, string(want.Level), string(got.Level), "%s\n%+v", text, a)
			require.Equal(t, want.OmitManagedFields, got.OmitManagedFields, "%s\n%+v", text, a)
			for stage := range upstreampolicy.AllStages() {
				require.Equal(t, slices.Contains(want.OmitStages, auditinternal.Stage(stage)), got.Omits(audit.Stage(stage)),
					"%s\n%+v\n%s", text, a, stage)
			}
			matched[got.Level]++
		}
	})
	if whole {
		for _, level := range []audit.Level{audit.LevelNone, audit.LevelMetadata, audit.LevelRequest,
			audit.LevelRequestResponse} {
			assert.Greater(t, matched[level], 1000, "few requests at level %s: the input proves little", level)
		}
	}
}

// The files that kube-apiserver accepts are those that we accept.
func TestAuditPoliciesAreAcceptedAsUpstream(t *testing.T) {
	accepted, refused := 0, 0
	whole := rounds(t, 4000, func(t *testing.T, r round) {
		text, err := yaml.Marshal(randomAuditPolicy(r, true))
		require.NoError(t, err)
		_, theirs := upstreampolicy.LoadPolicyFromBytes(text)
		_, ours := audit.ParsePolicy(text)
		require.Equal(t, theirs == nil, ours == nil, "%s\nupstream: %v\nours: %v", text, theirs, ours)
		if ours == nil {
			accepted++
		} else {
			refused++
		}
	})
	if whole {
		assert.Greater(t, accepted, 500)
		assert.Greater(t, refused, 500)
	}
}

// Upstream's types decode each event, and encode it to the same JSON.
func TestAuditEventsAreThoseOfUpstreamsTypes(t *testing.T) {
	type Memo struct {
		apimeta.TypeMeta   `json:",inline"`
		apimeta.ObjectMeta `json:"metadata,omitempty"`
	}
	var log bytes.Buffer
	policy := &audit.Policy{Rules: []audit.PolicyRule{{Level: audit.LevelRequestResponse}}}
	records, err := audit.New(audit.Options{Policy: policy,
		Outputs: []audit.Output{{Sink: audit.NewWriter(&log), Mode: audit.Strict}}})
	require.NoError(t, err)
	api, err := rest.New(rest.Options{
		Plugins: []rest.Plugin{records},
		Authorizer: access.AuthorizerFunc(func(context.Context, access.Access) (access.Decision,
			error) {
			return access.Allow("a test"), nil
		}),
	}, rest.Resource[Memo]{Group: "example.com", Version: "v1", Plural: "memos"})
	require.NoError(t, err)
	defer api.Close()
	const memos, patched = "/apis/example.com/v1/namespaces/default/memos", "application/merge-patch+json"
	rounds(t, 300, func(t *testing.T, r round) {
		name := pickText(r.Rand, "a", "b", "Not_Valid")
		method := pickText(r.Rand, "GET", "PUT", "PATCH", "DELETE", "POST")
		target, contentType := pickText(r.Rand, memos, memos+"/"+name, "/version", "/nowhere",
			memos+"?watch=1&timeoutSeconds=1&resourceVersion=x"), "application/json"
		body := fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Memo","metadata":{"name":%q,"labels":{"n":"%d"}}}`, name,
			r.Intn(3))
		switch {
		case method == "PATCH":
			contentType = patched
		case method == "GET" || method == "DELETE":
			body = ""
		case r.Intn(5) == 0:
			body = body[:r.Intn(len(body))]
		}
		request := httptest.NewRequest(method, target, strings.NewReader(body))
		request.Header.Set("Content-Type", contentType)
		request.Header.Set("Accept",
			pickText(r.Rand, "application/json", "application/yaml", "application/json;as=Table;v=v1;g=meta.k8s.io"))
		if r.Intn(3) == 0 {
			request.Header.Set("Impersonate-User", "bob")
			request.Header.Set("Impersonate-Extra-Scopes", "view")
		}
		log.Reset()
		api.ServeHTTP(httptest.NewRecorder(), request)
		events := 0
		for line := range bytes.Lines(log.Bytes()) {
			strict := json.NewDecoder(bytes.NewReader(line))
			strict.DisallowUnknownFields()
			var event auditv1.Event
			require.NoError(t, strict.Decode(&event), "%s", line)
			again, err := json.Marshal(event)
			require.NoError(t, err)
			require.JSONEq(t, string(line), string(again))
			events++
		}
		require.GreaterOrEqual(t, events, 2, "%s %s", method, target)
	})
}

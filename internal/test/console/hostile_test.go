package console_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/crd"
)

// markup is what an attacker writes wherever a user may write. It runs as a script, as a handler, in an attribute or as
// a link, if the page makes markup of it.
const markup = `<img src=x onerror="window.ran=1"><script>window.ran=2</script>"'><svg onload=window.ran=3>javascript:window.ran=4 {{7*7}}`

// hostile serves an API in which every string that a user controls is markup.
func hostile(t *testing.T) string {
	t.Helper()
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{crd.New(crd.Options{IgnoreRules: true})}}, builtin.Events())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, api.Close()) })
	require.NoError(t, api.Start(t.Context()))
	url := serve(t, api)
	text := quote(markup)
	send(t, http.MethodPost, url+"/platform/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "application/json", `{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "traps.example.com"},
		"spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "traps", "kind": "Trap"}, "versions": [{
			"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
			"additionalPrinterColumns": [{"name": `+text+`, "type": "string", "jsonPath": ".spec.text", "description": `+text+`}],
			"schema": {"openAPIV3Schema": {"type": "object", "description": `+text+`, "properties": {
				"spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "description": `+text+`,
					"properties": {"text": {"type": "string", "description": `+text+`, "default": `+text+`}}},
				"status": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}}}]}}`)
	return url
}

func TestStringsOfUsersAreNeverMarkup(t *testing.T) {
	url := hostile(t)
	p := openPage(t, url)
	p.awaitText(".cards a", "Trap")
	const traps = "/apis/example.com/v1/namespaces/default/traps"
	text := quote(markup)
	send(t, http.MethodPost, url+"/platform"+traps+"?fieldManager="+strings.ReplaceAll("<b onclick=ran>", " ", "%20"),
		"application/json", fmt.Sprintf(`{
		"apiVersion": "example.com/v1", "kind": "Trap",
		"metadata": {"name": "trap", "uid": "", "annotations": {"note": %[1]s, "long": %[3]s}, "labels": {"a": "b"}},
		"spec": {"text": %[1]s, %[1]s: "key", "lines": "first\n\u001b[31m\u202e%[2]s", "many": "one\n<script>window.ran=5</script>\ntwo\n"}}`, text, "x", quote(markup+markup)))
	send(t, http.MethodPatch, url+"/platform"+traps+"/trap/status", "application/merge-patch+json",
		fmt.Sprintf(`{"status": {"conditions": [{"type": %[1]s, "status": %[1]s, "reason": %[1]s, "message": %[1]s, "lastTransitionTime": %[1]s}]}}`, text))

	p.open("#/apis/example.com/v1/traps?q=" + strings.ReplaceAll("<img src=x onerror=window.ran=6>", " ", "%20"))
	p.awaitText(".note", "No object matches.")
	p.open("#/apis/example.com/v1/traps")
	p.awaitText("tbody tr", markup)
	p.awaitText("thead th", markup)
	p.open("#" + traps + "/trap")
	p.awaitText(".conditions li", markup)
	p.awaitText(".chip", markup)
	p.clickText(".folded summary", "long")
	p.awaitText(".folded pre", markup+markup)
	p.awaitText(".facts.spec", markup)
	uid := strings.TrimSpace(p.texts(".facts code")[0])
	send(t, http.MethodPost, url+"/platform/api/v1/namespaces/default/events", "application/json", fmt.Sprintf(`{
		"apiVersion": "v1", "kind": "Event", "metadata": {"name": "trap.1", "namespace": "default"}, "type": "Warning",
		"involvedObject": {"apiVersion": "example.com/v1", "kind": "Trap", "namespace": "default", "name": "trap", "uid": %q},
		"reason": "<b>x</b>", "message": %s, "source": {"component": "<i>x</i>"}}`, uid, text))
	p.awaitText(".events li", markup)
	p.open("#/")
	p.awaitText(".troubles ul li", markup)
	p.open("#" + traps + "/trap")
	p.awaitText(".events li", markup)

	p.clickText("[role=tab]", "document")
	p.clickText(".lines .row", "text: ")
	p.awaitText(".field .text", markup)
	p.awaitText(".field .bounds", markup)
	p.awaitText(".lines", `\u001b[31m\u202ex`)
	p.shortcut("y")
	p.awaitText(".lines", `"many": "one\n<script>`)
	p.clickText("[role=tab]", "subresources")
	p.clickText(".subresources button", "Read")
	p.awaitText(".subresources pre", "window.ran")

	// The views that change something.
	p.clickText("[role=tab]", "edit")
	p.awaitYAML("onerror")
	p.clickText("button", "Form")
	p.awaitText(".form .hint", markup)
	p.fill(`[id="field-spec.text"]`, markup+"!")
	p.clickText(".edit button", "Review")
	p.awaitText(".difference ins", "onerror")
	p.clickText("dialog button", "Cancel")
	p.clickText(".actions button", "Annotations")
	p.fill("[aria-label='Value 1']", markup+"?")
	p.awaitText(".difference ins", "onerror")
	p.clickText("dialog button", "Cancel")
	p.open("#" + traps + "/trap?tab=edit&way=apply&as=yaml")
	p.writeYAML("apiVersion: example.com/v1\nkind: Trap\nmetadata:\n  name: trap\nspec:\n  text: " + text + "\n  other: " +
		text + "\n")
	p.clickText(".edit button", "Review")
	p.awaitText(".difference ins", "onerror")
	p.clickText("dialog button", "Cancel")
	p.writeYAML("apiVersion: example.com/v1\nkind: Trap\nmetadata:\n  name: trap\nspec:\n  text: other\n")
	p.clickText(".edit button", "Review")
	p.awaitText(".conflicts td", "<b onclick=ran>")
	p.awaitText(".conflicts td", markup[:40])

	for _, address := range []string{"#/apis/" + markup, "#/apis/example.com/v1/namespaces/..%2F..%2F/traps",
		"#javascript:window.ran=7",
		"#/api/v1/%00", "#/%zz"} {
		p.open(address)
	}
	p.awaitText(".cards a", "Trap")
	assertNoMarkup(t, p)
}

// assertNoMarkup fails if the strings of users have become elements, or have run.
func assertNoMarkup(t *testing.T, p *page) {
	t.Helper()
	assert.Equal(t, "undefined", eval[string](p, "typeof window.ran"), "a string of a user ran as a script")
	assert.Zero(t, eval[int](p, "document.querySelectorAll('img, #app script, iframe, [onerror], [onload], [onclick]').length"))
}

// The policy holds in a browser: it refuses inline scripts, eval and frames of others.
func TestPolicyHolds(t *testing.T) {
	url := hostile(t)
	p := openPage(t, url)
	p.awaitText(".cards a", "Trap")
	blocked := eval[string](p, `new Promise((done) => {
		document.addEventListener('securitypolicyviolation', (e) => done(e.effectiveDirective), { once: true });
		const script = document.createElement('script');
		script.textContent = 'window.ran = 1';
		document.body.append(script);
	})`)
	assert.Equal(t, "script-src-elem", blocked)
	assert.Equal(t, "undefined", eval[string](p, "typeof window.ran"))
	p.forgive("Executing inline script violates", "Refused to execute inline script")

	base := eval[string](p, `(() => {
		const base = document.createElement('base');
		base.href = 'http://localhost/elsewhere/';
		document.head.append(base);
		return document.baseURI;
	})()`)
	assert.True(t, strings.HasPrefix(base, url+"/console/"), "an injected base has no effect: %s", base)
	blocked = eval[string](p, `new Promise((done) => {
		document.addEventListener('securitypolicyviolation', (e) => done(e.effectiveDirective), { once: true });
		const form = document.createElement('form');
		form.action = 'http://localhost/elsewhere';
		document.body.append(form);
		form.submit();
	})`)
	assert.Equal(t, "form-action", blocked)
	p.forgive("base-uri", "form-action", "Sending form data")
}

// A page of another origin can neither change anything through the browser of a user who has a cookie, nor frame the
// console.
func TestHostilePage(t *testing.T) {
	url := hostile(t)
	attacker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `<!doctype html><iframe src="%s/console/"></iframe>`, url)
	}))
	t.Cleanup(attacker.Close)
	p := openPage(t, url)
	p.awaitText(".cards a", "Trap")
	// The port makes it another origin, and the name another site.
	other := strings.Replace(attacker.URL, "127.0.0.1", "localhost", 1)
	p.run("location.href = " + quote(other))
	p.await("location.hostname === 'localhost' && document.readyState === 'complete'")
	const definition = "/platform/apis/apiextensions.k8s.io/v1/customresourcedefinitions/traps.example.com"
	answer := eval[string](p, fmt.Sprintf(`fetch(%s, {method: 'POST', mode: 'no-cors', credentials: 'include', headers: {'Content-Type': 'text/plain'}, `+
		`body: '{"apiVersion":"example.com/v1","kind":"Trap","metadata":{"name":"stolen"}}'}).then((r) => r.type, (e) => 'refused')`,
		quote(url+"/platform/apis/example.com/v1/namespaces/default/traps")))
	assert.Contains(t, []string{"opaque", "refused"}, answer)
	answer = eval[string](p, fmt.Sprintf(`fetch(%s, {method: 'DELETE', credentials: 'include'}).then((r) => r.type, (e) => 'refused')`, quote(url+definition)))
	assert.Equal(t, "refused", answer)
	for path, code := range map[string]int{definition: http.StatusOK,
		"/platform/apis/example.com/v1/namespaces/default/traps/stolen": http.StatusNotFound} {
		response, err := http.Get(url + path)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Equal(t, code, response.StatusCode, path)
	}
	p.forgive("blocked by CORS policy", "frame-ancestors", "Refused to frame", "Framing")
}

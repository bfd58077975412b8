package console_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// views are the views that the tests look at, each with a text that is there when it is whole.
var views = []struct{ name, address, selector, text string }{
	{"attention", "#/", ".troubles ul li", "BackupFailed"},
	{"kinds", "#/?by=category", ".cards a", "Database"},
	{"table", "#/apis/platform.example.com/v1/databases?wide=1&sort=-Replicas", "tbody tr", "orders"},
	{"object", "#" + databases + "/orders", ".node", "replica-a"},
	{"document", "#" + databases + "/orders?tab=document&field=spec.users%5B0%5D.role", ".field .text", "account may do"},
	{"subresources", "#" + databases + "/orders?tab=subresources", ".subresources li", "status"},
	{"form", "#" + databases + "?new=1", ".form .hint", "database engine"},
	{"editor", "#" + databases + "/orders?tab=edit", ".edit .about", "whole object is replaced"},
	{"apply", "#" + databases + "/orders?tab=edit&way=apply&as=form", ".form .hint", "database engine"},
	{"refusal", "#" + databases + "?fieldSelector=spec.replicas%3D1", ".failure", "400"},
}

// extensionViews are those of an API with extensions.
var extensionViews = []struct{ name, address, selector, text string }{
	{"queries", "#" + parts + "?sort=Size&counts=1&fieldQuery=spec.size%3C%3D40", ".facets button", "dark red"},
	{"history", "#" + parts + "/part-0000?tab=history", ".changes", ".spec.size"},
}

// extensions serves parts with queries. The first part has a history.
func extensions(t *testing.T) string {
	t.Helper()
	api := newParts(t, rest.Options{Queries: &rest.Queries{}}, partResource())
	client := makeParts(t, api, 60)
	for size := range int64(3) {
		changeSize(t, client, size+10)
	}
	return serve(t, api)
}

// withFamily gives the database orders two dependents and other databases beside it, two of which need attention. The
// manifest of orders is in an annotation, as kubectl apply leaves it.
func withFamily(t *testing.T, url string, p *page) {
	t.Helper()
	p.open("#" + databases + "/orders")
	p.awaitText(".conditions li", "3 replicas answer")
	uid := p.texts(".facts code")[0]
	owner := fmt.Sprintf(`,"ownerReferences":[{"apiVersion":"platform.example.com/v1","kind":"Database","name":"orders","uid":%q}]`, uid)
	for i, d := range []struct{ name, engine, owner string }{
		{"replica-a", "postgres", owner}, {"replica-b", "postgres", owner}, {"sessions", "mysql", ""},
		{"catalogue", "postgres", ""},
		{"search", "postgres", ""}, {"metrics", "mysql", ""}, {"mail", "sqlite", ""}, {"payments", "postgres", ""},
		{"stock", "mysql", ""},
	} {
		replicas := 1
		if d.engine != "sqlite" {
			replicas += i % 4
		}
		send(t, http.MethodPost, url+databases, "application/json", fmt.Sprintf(
			`{"apiVersion":"platform.example.com/v1","kind":"Database","metadata":{"name":%q,"labels":{"team":"shop"}%s},"spec":{"engine":%q,"replicas":%d}}`,
			d.name, d.owner, d.engine, replicas))
	}
	send(t, http.MethodPatch, url+databases+"/payments/status?fieldManager=storage&force=true", "application/apply-patch+yaml",
		`{"apiVersion":"platform.example.com/v1","kind":"Database","status":{"conditions":[{"type":"DiskPressure","status":"True",
		"reason":"AlmostFull","message":"The disk of instance 0 has 412 MiB left of 10 GiB.",
		"lastTransitionTime":"`+apimeta.Now().UTC().Format(time.RFC3339)+`"}]}}`)
	send(t, http.MethodPost, url+"/api/v1/namespaces/default/events", "application/json", fmt.Sprintf(
		`{"apiVersion":"v1","kind":"Event","metadata":{"name":"orders.1","namespace":"default"},"type":"Warning","reason":"BackupFailed",
		"message":"The last backup ended after 3 of 12 tables: the bucket refuses the key.","count":4,"lastTimestamp":%q,
		"involvedObject":{"apiVersion":"platform.example.com/v1","kind":"Database","namespace":"default","name":"orders","uid":%q}}`,
		apimeta.Now().UTC().Format(time.RFC3339), uid))
	manifest, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{
		"example.com/contact":                              "databases@example.com",
		"kubectl.kubernetes.io/last-applied-configuration": strings.Repeat(`{"apiVersion":"platform.example.com/v1","kind":"Database"}`, 20)}}})
	require.NoError(t, err)
	send(t, http.MethodPatch, url+databases+"/orders", "application/merge-patch+json", string(manifest))
	p.open("#/")
	p.awaitText(".cards a", "Database")
}

// axeCore returns the program that finds violations of the rules for accessible pages.
func axeCore(t *testing.T) string {
	t.Helper()
	axe, err := os.ReadFile(filepath.Join("..", "..", "..", "rest", "console", "ui", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		// Only who changes the page needs Node.js. The stage console-files of CI installs axe-core before these tests.
		t.Skip("NOT RUN: axe-core is not installed. Run npm ci in rest/console/ui.")
	}
	return string(axe)
}

// load gives a program to the page.
func (p *page) load(program string) {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := chromedp.Evaluate[any](program+";0")(ctx, target)
		return err
	}))
}

// assertAccessible asserts that axe-core, which the page has loaded, finds no violation in a view in both themes.
func (p *page) assertAccessible(name, address, selector, text string) {
	p.t.Helper()
	for _, theme := range []string{"light", "dark"} {
		p.show(theme, 1280, 800)
		p.open(address)
		p.awaitText(selector, text)
		found := eval[[]string](p, `axe.run().then((r) => r.violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.html + ' ' + n.failureSummary).join('\n')))`)
		assert.Empty(p.t, found, "%s, %s", name, theme)
	}
}

func TestAccessibilityOfExtensions(t *testing.T) {
	axe := axeCore(t)
	p := openPage(t, extensions(t))
	p.load(axe)
	for _, view := range extensionViews {
		p.assertAccessible(view.name, view.address, view.selector, view.text)
	}
	p.clickText("[aria-label^='Undo to']", "Undo")
	p.awaitText(".difference ins", "size")
	assert.Empty(t, eval[[]string](p, `axe.run().then((r) => r.violations.map((v) => v.id + ' ' + v.nodes[0].html))`))
}

// axe-core finds no violation in any view, in both themes.
func TestAccessibility(t *testing.T) {
	axe := axeCore(t)
	url := quickstart(t)
	p := openPage(t, url)
	withFamily(t, url, p)
	p.load(axe)
	for _, view := range views {
		p.assertAccessible(view.name, view.address, view.selector, view.text)
	}
	leave := p.reviewChange()
	assert.Empty(t, eval[[]string](p, `axe.run().then((r) => r.violations.map((v) => v.id + ' ' + v.nodes[0].html))`),
		"review")
	leave()
	p.open("#" + databases + "/orders")
	for button, text := range map[string]string{"Delete": "What it owns", "Labels": "Labels select objects"} {
		p.clickText(".actions button", button)
		p.awaitText("dialog[open]", text)
		assert.Empty(t, eval[[]string](p, `axe.run().then((r) => r.violations.map((v) => v.id + ' ' + v.nodes[0].html))`),
			button)
		p.press(kb.Escape)
		p.await("!document.querySelector('dialog')")
	}
	p.shortcut("?")
	p.awaitText("dialog", "next and previous row")
	assert.Empty(t, eval[[]string](p, `axe.run().then((r) => r.violations.map((v) => v.id))`), "the keys")
}

// reviewChange lets the API try a change of the database orders. The function that it returns drops the change.
func (p *page) reviewChange() (leave func()) {
	p.t.Helper()
	p.open("#" + databases + "/orders?tab=edit&as=yaml")
	p.replaceYAML("replicas: 3", "replicas: 5")
	p.clickText(".edit button", "Review")
	p.awaitText(".difference ins", "replicas: 5")
	return func() {
		p.t.Helper()
		p.clickText("dialog button", "Cancel")
		p.clickText(".edit button", "Discard")
	}
}

func (p *page) picture(path string) {
	p.t.Helper()
	picture, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	require.NoError(p.t, err)
	require.NoError(p.t, os.WriteFile(path, picture, 0o644))
}

// With CONSOLE_PICTURES=DIR the views are written to DIR at three widths in both themes, for people to look at.
func TestPictures(t *testing.T) {
	dir := os.Getenv("CONSOLE_PICTURES")
	if dir == "" {
		t.Skip("it asserts nothing and writes pictures, for which CONSOLE_PICTURES names no directory")
	}
	url := quickstart(t)
	p := openPage(t, url)
	withFamily(t, url, p)
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for _, theme := range []string{"light", "dark"} {
		for width, height := range map[int64]int64{390: 780, 820: 900, 1280: 720} {
			p.show(theme, width, height)
			for _, view := range views {
				p.open(view.address)
				p.awaitText(view.selector, view.text)
				p.awaitNoText(".note", "kinds searched")
				p.picture(filepath.Join(dir, fmt.Sprintf("%s-%s-%d.png", view.name, theme, width)))
			}
			leave := p.reviewChange()
			p.picture(filepath.Join(dir, fmt.Sprintf("review-%s-%d.png", theme, width)))
			leave()
		}
	}
	p = openPage(t, extensions(t))
	for _, theme := range []string{"light", "dark"} {
		for width, height := range map[int64]int64{390: 780, 820: 900, 1280: 720} {
			p.show(theme, width, height)
			for _, view := range extensionViews {
				p.open(view.address)
				p.awaitText(view.selector, view.text)
				p.picture(filepath.Join(dir, fmt.Sprintf("%s-%s-%d.png", view.name, theme, width)))
			}
		}
	}
}

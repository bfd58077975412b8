package console_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// get returns the object at url, or an empty one if there is none.
func get(t *testing.T, url string) map[string]any {
	t.Helper()
	answer, err := http.Get(url)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	object := map[string]any{}
	if answer.StatusCode == http.StatusOK {
		require.NoError(t, json.Unmarshal(text, &object))
	}
	return object
}

// at returns the value at a path of fields of an object, or nil.
func at(object any, path ...string) any {
	for _, step := range path {
		fields, _ := object.(map[string]any)
		object = fields[step]
	}
	return object
}

// inEditor is the JavaScript of an expression about the root of the editor, which is a shadow root.
func inEditor(expression string) string {
	return "document.querySelector('.editor')?.shadowRoot" + expression
}

func (p *page) awaitYAML(part string) {
	p.t.Helper()
	p.await(inEditor("?.querySelector('.cm-content')?.innerText.includes(" + quote(part) + ")"))
}

// writeYAML replaces the text of the editor.
func (p *page) writeYAML(text string) {
	p.t.Helper()
	p.await(inEditor("?.querySelector('.cm-content')"))
	p.run(fmt.Sprintf(`const content = %s.querySelector('.cm-content');
		content.focus();
		content.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', code: 'KeyA', keyCode: 65, ctrlKey: true, bubbles: true, cancelable: true }));
		const clipboardData = new DataTransfer();
		clipboardData.setData('text/plain', %s);
		content.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))`, inEditor(""), quote(text)))
}

// replaceYAML replaces a part of the text of the editor, which must be short enough to be shown as a whole.
func (p *page) replaceYAML(part, by string) {
	p.t.Helper()
	p.awaitYAML(part)
	lines := eval[[]string](p, "[..."+inEditor(".querySelectorAll('.cm-line')].map((line) => line.textContent)"))
	p.writeYAML(strings.Replace(strings.Join(lines, "\n"), part, by, 1))
}

// takeCompletion clicks the first completion of the editor, which must begin with the text. A key would have to wait
// until the editor takes it for the list.
func (p *page) takeCompletion(text string) {
	p.t.Helper()
	first := inEditor("?.querySelector('.cm-tooltip-autocomplete li')")
	p.await(first + "?.textContent.startsWith(" + quote(text) + ")")
	p.run(first + ".dispatchEvent(new MouseEvent('mousedown', { bubbles: true, cancelable: true }))")
}

func TestCreateByForm(t *testing.T) {
	url := quickstart(t)
	p := openPage(t, url)
	p.open("#" + databases)
	p.clickText("button", "Create")
	p.awaitText(".form legend", "metadata")
	p.awaitText(".form .hint", "The database engine. It cannot be changed later.")
	p.fill(`[id="field-metadata.name"]`, "ledger")
	p.choose(`[id="field-spec.engine"]`, "mysql")
	p.fill(`[id="field-spec.replicas"]`, "2")
	p.clickText("button", "Add to users")
	p.fill(`[id="field-spec.users[0].name"]`, "NO")
	p.awaitText(".problem", "must match ^[a-z][a-z0-9_]*$")
	p.clickText("button", "Review")
	p.awaitText(".failure", "422")
	p.awaitText(".problem", "Invalid value")
	assert.Empty(t, get(t, url+databases+"/ledger"), "a refused object is not created")

	p.fill(`[id="field-spec.users[0].name"]`, "clerk")
	p.awaitNoText(".problem", "must match")
	p.clickText("button", "Review")
	p.awaitText(".difference ins", "engine: mysql")
	p.awaitText(".difference ins", "storageGiB: 10")
	assert.Empty(t, get(t, url+databases+"/ledger"), "a dry run creates nothing")
	p.clickText("dialog button", "Create")
	p.awaitText("h1", "ledger")
	p.awaitText(".conditions li", "2 replicas answer")
	made := get(t, url+databases+"/ledger")
	assert.Equal(t, "mysql", at(made, "spec", "engine"))
	assert.Equal(t, []any{map[string]any{"name": "clerk", "role": "reader"}}, at(made, "spec", "users"))
}

func TestEditAsYAML(t *testing.T) {
	url := quickstart(t)
	p := openPage(t, url)
	p.open("#" + databases + "/orders")
	p.clickText("[role=tab]", "edit")
	p.awaitYAML("engine: postgres")
	p.replaceYAML("replicas: 3", "replicas: 30")
	p.await(inEditor("?.querySelector('.cm-lint-marker-warning')"))
	p.clickText("button", "Review")
	p.awaitText(".failure", "422")
	p.await(inEditor("?.querySelector('.cm-lint-marker-error')"))
	p.await(inEditor("?.querySelector('.cm-lintRange-error')?.textContent === 'replicas'"))
	p.awaitText(".field h2", "spec.replicas")
	p.awaitText(".field", "How many instances run.")

	p.replaceYAML("replicas: 30", "replica: 5")
	p.clickText("button", "Review")
	p.awaitText(".failure", `unknown field "spec.replica"`)
	p.await(inEditor("?.querySelector('.cm-lintRange-error')?.textContent === 'replica'"))

	p.replaceYAML("replica: 5", "replicas: 5")
	p.clickText("button", "Review")
	p.awaitText(".difference ins", "replicas: 5")
	p.awaitText(".difference del", "replicas: 3")
	assert.EqualValues(t, 3, at(get(t, url+databases+"/orders"), "spec", "replicas"))
	p.clickText("dialog button", "Save")
	p.awaitText(".lines", "replicas: 5")
	assert.EqualValues(t, 5, at(get(t, url+databases+"/orders"), "spec", "replicas"))
}

func TestYAMLCompletes(t *testing.T) {
	p := openPage(t, quickstart(t))
	p.open("#" + databases + "?new=1&as=yaml")
	p.writeYAML("apiVersion: platform.example.com/v1\nkind: Database\nmetadata:\n  name: x\nspec:\n  users:\n  - name: a\n    ")
	p.press("ro")
	p.takeCompletion("role")
	p.awaitYAML("role: ")
	p.press("o")
	p.takeCompletion("owner")
	p.awaitYAML("role: owner")
	p.press(kb.Enter + kb.Backspace + kb.Backspace + "en")
	p.takeCompletion("engine")
	p.press("post")
	p.takeCompletion("postgres")
	p.awaitYAML("engine: postgres")
	p.press(kb.Enter + "bad: a: b")
	p.await(inEditor("?.querySelector('.cm-lint-marker-error')"))
}

// An update that meets a newer revision shows what others changed and carries the user's own changes over.
func TestUpdateThatMeetsAnother(t *testing.T) {
	url := quickstart(t)
	p := openPage(t, url)
	p.open("#" + databases + "/orders?tab=edit")
	p.replaceYAML("replicas: 3", "replicas: 5")
	send(t, http.MethodPatch, url+databases+"/orders", "application/merge-patch+json", `{"spec":{"storageGiB":99}}`)
	p.clickText("button", "Review")
	p.awaitText(".failure", "Somebody else changed the object meanwhile")
	p.awaitText(".failure ins", "storageGiB: 99")
	p.clickText("button", "Carry my changes over")
	p.awaitYAML("storageGiB: 99")
	p.awaitYAML("replicas: 5")
	p.clickText("button", "Review")
	p.awaitText(".difference ins", "replicas: 5")
	p.clickText("dialog button", "Save")
	p.awaitText(".lines", "replicas: 5")
	assert.EqualValues(t, 99, at(get(t, url+databases+"/orders"), "spec", "storageGiB"))
}

// Server-side apply names the owners of fields, and the user decides.
func TestApplyWithConflicts(t *testing.T) {
	url := quickstart(t)
	p := openPage(t, url)
	p.open("#" + databases + "/orders?tab=edit&way=apply")
	const head = "apiVersion: platform.example.com/v1\nkind: Database\nmetadata:\n  name: orders\n  namespace: default\n"
	p.awaitYAML("name: orders")
	p.writeYAML(head + "spec:\n  replicas: 6\n  users:\n  - name: shop\n    role: owner\n")
	p.clickText("button", "Review")
	p.awaitText(".conflicts", "take the fields over, or leave them to their owners")
	p.awaitText(".conflicts td", "spec.replicas")
	p.awaitText(".conflicts td", "Go-http-client")
	p.clickText("button", "Leave them")
	p.await("!document.querySelector('.conflicts')")
	p.await("!" + inEditor(".querySelector('.cm-content').innerText.includes('replicas')"))

	p.writeYAML(head + "spec:\n  replicas: 6\n")
	p.clickText("button", "Review")
	p.clickText("button", "Take them over")
	p.awaitText(".difference ins", "replicas: 6")
	p.clickText("dialog button", "Take over and apply")
	p.awaitText(".lines", "replicas: 6")
	p.clickText(".lines .row", "replicas: 6")
	p.awaitText(".field .setters", "console")
	p.awaitText(".field .setters", "Apply")

	p.open("#" + databases + "/orders?tab=edit&way=apply")
	p.awaitYAML("replicas: 6")
}

func TestScale(t *testing.T) {
	url := quickstart(t, "--crds")
	definition(t, url, `"scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}, "status": {}`)
	p := openPage(t, url)
	send(t, http.MethodPost, url+machines, "application/json",
		`{"apiVersion":"example.com/v1","kind":"Machine","metadata":{"name":"m"},"spec":{"replicas":2}}`)
	p.open("#" + machines + "/m")
	p.clickText(".actions button", "Scale")
	p.awaitText("dialog .hint", "2 are wanted now, and 0 run.")
	p.fill("#replicas", "4")
	p.awaitText(".difference ins", "replicas: 4")
	p.clickText("dialog button", "Scale")
	p.await("!document.querySelector('dialog')")
	assert.EqualValues(t, 4, at(get(t, url+machines+"/m"), "spec", "replicas"))
}

func TestLabelsAndAnnotations(t *testing.T) {
	url := quickstart(t)
	p := openPage(t, url)
	p.open("#" + databases + "/orders")
	p.clickText(".actions button", "Labels")
	p.fill("[aria-label='Value 1']", "not a label")
	p.awaitText("dialog .failure", "422")
	p.clickText("dialog button", "Cancel")
	p.await("!document.querySelector('dialog')")
	p.clickText(".actions button", "Labels")
	p.fill("[aria-label='Value 1']", "sales")
	p.awaitText(".difference ins", "team: sales")
	p.clickText("dialog button", "Save")
	p.awaitText(".chip", "teamsales")
	p.clickText(".actions button", "Annotations")
	p.await("document.querySelector('dialog[open]')")
	p.run("document.querySelector(\"[aria-label='Key 1']\").focus()")
	p.press("note")
	p.fill("[aria-label='Value 1']", "by hand")
	p.awaitText(".difference ins", "note: by hand")
	p.clickText("dialog button", "Save")
	p.awaitText(".chip", "noteby hand")
	assert.Equal(t, map[string]any{"team": "sales"}, at(get(t, url+databases+"/orders"), "metadata", "labels"))
}

// A deletion says what becomes of what the object owns, and what it waits for.
func TestDelete(t *testing.T) {
	url := quickstart(t)
	p := openPage(t, url)
	send(t, http.MethodPatch, url+databases+"/orders", "application/merge-patch+json",
		`{"metadata":{"finalizers":["example.com/backup"]}}`)
	p.open("#" + databases + "/orders")
	p.awaitText(".chip", "example.com/backup")
	p.clickText(".actions button", "Delete")
	p.awaitText("dialog label", "The objects that it owns go first.")
	p.awaitText("dialog .warn", "example.com/backup")
	p.clickText("dialog label", "Orphan")
	p.clickText("dialog button", "Review")
	p.awaitText("dialog", "This deletes orders.")
	p.await("!document.querySelector('dialog button.primary').disabled")
	assert.Nil(t, at(get(t, url+databases+"/orders"), "metadata", "deletionTimestamp"), "a dry run deletes nothing")
	p.clickText("dialog button", "Delete")
	p.awaitText(".object header", "being deleted since")
	p.awaitText(".object header .warn", "example.com/backup")
	assert.NotNil(t, at(get(t, url+databases+"/orders"), "metadata", "deletionTimestamp"))

	send(t, http.MethodPatch, url+databases+"/orders", "application/merge-patch+json", `{"metadata":{"finalizers":null}}`)
	p.awaitText(".dot", "deleted")
	p.await("!document.querySelector('.actions')")
}

const machines = "/apis/example.com/v1/namespaces/default/machines"

// definition adds the kind Machine with some subresources to a server that serves definitions.
func definition(t *testing.T, url, subresources string) {
	t.Helper()
	send(t, http.MethodPost, url+"/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "application/json", `{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "machines.example.com"},
		"spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "machines", "kind": "Machine"}, "versions": [{
			"name": "v1", "served": true, "storage": true, "subresources": {`+subresources+`},
			"schema": {"openAPIV3Schema": {"type": "object", "properties": {
				"spec": {"type": "object", "properties": {"replicas": {"type": "integer"}}},
				"status": {"type": "object", "properties": {"replicas": {"type": "integer"}}}}}}}]}}`)
	require.Eventually(t, func() bool {
		answer, err := http.Get(url + machines)
		if err != nil {
			return false
		}
		_ = answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	}, patience, 10*time.Millisecond)
}

// A draft that is not saved outlives a look at another view, until the user discards it.
func TestUnsavedDraftIsKept(t *testing.T) {
	p := openPage(t, quickstart(t))
	p.open("#" + databases + "/orders?tab=edit")
	p.replaceYAML("replicas: 3", "replicas: 8")
	p.awaitText(".edit button", "Discard")
	p.clickText(".side a", "databases")
	p.clickText("tbody a", "orders")
	p.clickText("[role=tab]", "edit")
	p.awaitYAML("replicas: 8")
	p.clickText(".edit button", "Discard")
	p.awaitYAML("replicas: 3")
	p.awaitNoText(".edit button", "Discard")
}

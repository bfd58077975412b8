package console_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

const databases = "/apis/platform.example.com/v1/namespaces/default/databases"

// quickstart runs the example with three databases and returns its URL.
func quickstart(t *testing.T, flags ...string) string {
	t.Helper()
	url := start(t, "examples/quickstart", append([]string{"--listen", "127.0.0.1:0"}, flags...)...)
	sample, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "quickstart", "sample.yaml"))
	require.NoError(t, err)
	send(t, http.MethodPost, url+databases, "application/yaml", string(sample))
	for _, d := range []struct {
		name, team, engine string
		replicas           int
	}{{"billing", "shop", "mysql", 2}, {"archive", "data", "sqlite", 1}} {
		send(t, http.MethodPost, url+databases, "application/json", fmt.Sprintf(
			`{"apiVersion":"platform.example.com/v1","kind":"Database","metadata":{"name":%q,"labels":{"team":%q}},"spec":{"engine":%q,"replicas":%d}}`,
			d.name, d.team, d.engine, d.replicas))
	}
	return url
}

func TestKindsByGroupAndCategory(t *testing.T) {
	p := openPage(t, quickstart(t))
	p.awaitText(".group h2", "platform.example.com")
	p.awaitText(".cards a", "Database3")
	p.awaitText(".side a", "databases3")
	p.clickText("button", "By category")
	p.awaitText(".group h2", "all")
	p.awaitAddress("by=category")
	p.fill(".home input[type=search]", "nothing")
	p.awaitText(".note", "No kind has this name.")
}

func TestTableIsLive(t *testing.T) {
	url := quickstart(t)
	p := openPage(t, url)
	p.clickText(".cards a", "Database")
	p.awaitText(".dot", "live")
	p.await("document.querySelectorAll('tbody tr').length === 3")
	assert.Equal(t, []string{"archive", "billing", "orders"}, p.texts("tbody td:first-child"))
	assert.Equal(t, []string{"Name ↑", "Namespace", "Engine", "Replicas", "Ready", "Age"}, p.texts("thead th"))

	send(t, http.MethodPatch, url+databases+"/orders", "application/merge-patch+json", `{"spec":{"replicas":7}}`)
	p.await(`[...document.querySelectorAll('tr[class*=flash]')].some((row) => row.cells[0].textContent === 'orders' && row.cells[3].textContent === '7')`)
	send(t, http.MethodDelete, url+databases+"/archive", "application/json", "")
	p.awaitText("tr.gone", "archive")
	p.awaitNoText("tbody tr", "archive")
	p.awaitText(".state", "2 objects")
}

func TestAddressShowsTheSameView(t *testing.T) {
	url := quickstart(t)
	p := openPage(t, url)
	p.clickText(".side a", "databases")
	p.awaitText("tbody tr", "orders")

	p.clickText("th button", "Replicas")
	p.clickText("th button", "Replicas")
	p.await(`document.querySelector('tbody tr').cells[0].textContent === 'orders'`)
	p.awaitAddress("sort=-Replicas")
	p.press("w")
	p.awaitText("thead th", "Storage")
	p.fill("#labels", "team=shop")
	p.awaitNoText("tbody tr", "archive")
	p.fill("#fields", "spec.engine=postgres")
	p.awaitNoText("tbody tr", "billing")
	p.shortcut("/")
	p.press("ord")
	p.awaitAddress("labelSelector=team=shop", "fieldSelector=spec.engine=postgres", "q=ord", "wide=1", "sort=-Replicas")

	other := openPage(t, url)
	other.run("location.replace(" + quote(eval[string](p, "location.href")) + ")")
	other.awaitText("tbody tr", "orders")
	other.awaitText("thead th", "Storage")
	other.await("document.querySelectorAll('tbody tr').length === 1")
	assert.Equal(t, "team=shop", eval[string](other, "document.querySelector('#labels').value"))
}

func TestSelectorsComplete(t *testing.T) {
	p := openPage(t, quickstart(t))
	p.open("#" + databases)
	p.awaitText("tbody tr", "orders")
	p.run("document.querySelector('#labels').focus()")
	p.awaitText("#labels-list li", "team=")
	p.press(kb.ArrowDown)
	p.press(kb.Enter)
	p.awaitText("#labels-list li", "data")
	p.press(kb.ArrowDown)
	p.press(kb.Enter)
	p.await("document.querySelectorAll('tbody tr').length === 1")
	p.awaitText("tbody tr", "archive")

	p.fill("#labels", "")
	p.await("document.querySelectorAll('tbody tr').length === 3")
	p.run("document.querySelector('#fields').focus()")
	p.awaitText("#fields-list li", "spec.engine=")
	p.press("spec.engine=")
	p.awaitText("#fields-list li", "mysql")
	p.press("my")
	p.press(kb.ArrowDown)
	p.press(kb.Enter)
	p.await("document.querySelectorAll('tbody tr').length === 1")
	p.awaitText("tbody tr", "billing")
}

func TestWrongSelectorIsExplained(t *testing.T) {
	p := openPage(t, quickstart(t))
	p.open("#" + databases + "?fieldSelector=spec.replicas%3D1")
	p.awaitText(".failure", "400")
	p.awaitText(".failure", "check the selectors")
}

func TestKeyboard(t *testing.T) {
	p := openPage(t, quickstart(t))
	p.clickText(".side a", "databases")
	p.awaitText("tbody tr", "orders")
	p.press("jj")
	p.await(`document.querySelector('tr[aria-selected=true]')?.cells[0].textContent === 'billing'`)
	p.press("k")
	p.await(`document.querySelector('tr[aria-selected=true]')?.cells[0].textContent === 'archive'`)
	p.press("j" + kb.Enter)
	p.awaitText("h1", "billing")
	p.press("2")
	p.awaitText(".lines", "engine: mysql")
	p.press("y")
	p.awaitText(".lines", `"engine": "mysql"`)
	p.press("u")
	p.awaitText("tbody tr", "orders")
	p.press("?")
	p.awaitText("dialog", "next and previous row")
	p.press(kb.Escape)
	p.await("!document.querySelector('dialog')")
	p.press("g")
	p.awaitText(".cards a", "Database")
	p.press("t")
	p.await("document.documentElement.dataset.theme === 'dark'")
	p.shortcut("/")
	p.await("document.activeElement.type === 'search'")
}

func TestObject(t *testing.T) {
	url := quickstart(t)
	p := openPage(t, url)
	p.open("#" + databases + "/orders")
	p.awaitText(".conditions li", "Ready")
	p.awaitText(".conditions li", "3 replicas answer")
	p.await(`/^\d+s$/.test(document.querySelector('.conditions time').textContent)`)
	p.awaitText(".facts", "team")

	// The columns, and the fields that no column shows.
	p.awaitText(".facts.columns", "Enginepostgres")
	p.awaitText(".facts.columns", "ReadyTrue")
	p.awaitText(".facts.spec", "users"+"app, reports")
	p.awaitText(".facts.spec", "storageGiB10")
	p.awaitText(".facts.status", "readyReplicas3")
	assert.NotContains(t, p.texts(".facts.columns")[0], "Storage", "the column is wide")
	assert.NotContains(t, p.texts(".facts.spec")[0], "engine", "the column shows it")
	p.clickText(".facts.spec a", "users")
	p.awaitText(".field .text", "The accounts that may connect")
	p.press("1")
	p.awaitText(".facts.columns", "Replicas3")

	p.clickText("[role=tab]", "document")
	p.awaitText(".lines", "engine: postgres")
	p.clickText(".lines .row", "readyReplicas: 3")
	p.awaitText(".field", "status.readyReplicas")
	p.awaitText(".field .text", "How many instances answer.")
	p.awaitText(".field", "integer (int32)")
	p.awaitText(".field .setters", "database-operator")
	p.awaitText(".field .setters", "Update of status")
	p.clickText(".lines .row", "role: writer")
	p.awaitText(".field", "spec.users[0].role")
	p.awaitText(".field", "one of reader, writer, owner")
	p.awaitText(".field .setters", "Go-http-client")
	p.awaitAddress("field=spec.users[0].role")

	p.clickText("[role=tab]", "subresources")
	p.clickText(".subresources li button", "Read")
	p.awaitText(".subresources pre", "readyReplicas: 3")

	p.clickText("[role=tab]", "overview")
	send(t, http.MethodPatch, url+databases+"/orders", "application/merge-patch+json", `{"spec":{"replicas":4}}`)
	p.awaitText(".conditions li", "4 replicas answer")
	p.awaitText(".facts.columns", "Replicas4")
	send(t, http.MethodDelete, url+databases+"/orders", "application/json", "")
	p.awaitText(".dot", "deleted")
}

// A server that makes no Tables of a kind answers with the object, and the page shows that.
func TestObjectOfAServerWithoutTables(t *testing.T) {
	api, client := fleet(t, rest.Options{})
	report(t, client, "one", condition("Ready", apimeta.ConditionTrue, "Runs"))
	p := openPage(t, serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Header.Get("Accept"), "as=Table") {
			r.Header.Set("Accept", "application/json")
		}
		api.ServeHTTP(w, r)
	})))
	p.open("#/apis/example.com/v1/namespaces/default/machines/one")
	p.awaitText(".conditions li", "ReadyTrue")
	report(t, client, "one", condition("Ready", apimeta.ConditionFalse, "NoPower"))
	p.awaitText(".conditions .wrong", "ReadyFalse")
	assert.Empty(t, p.texts(".facts.columns"))
}

// A long annotation is folded, and not in the document until somebody opens it.
func TestLongAnnotationIsFolded(t *testing.T) {
	url := quickstart(t)
	long := strings.Repeat("0123456789", 200)
	send(t, http.MethodPatch, url+databases+"/orders", "application/merge-patch+json", fmt.Sprintf(
		`{"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":%q,"lines":"one\ntwo","short":"note"}}}`, long))
	p := openPage(t, url)
	p.open("#" + databases + "/orders")
	p.awaitText(".chip", "shortnote")
	assert.Equal(t, []string{"kubectl.kubernetes.io/last-applied-configuration 2,000 characters", "lines 7 characters"},
		p.texts(".folded summary"))
	assert.NotContains(t, eval[string](p, "document.body.textContent"), long)
	p.run("document.querySelector('.folded summary').focus()")
	p.press(kb.Enter)
	p.awaitText(".folded pre", long)
}

func TestOwnersAndDependents(t *testing.T) {
	url := quickstart(t)
	p := openPage(t, url)
	p.open("#" + databases + "/orders")
	p.awaitText(".facts code", "-")
	uid := p.texts(".facts code")[0]
	for name, owner := range map[string]string{"replica-a": "orders", "replica-b": "orders"} {
		send(t, http.MethodPost, url+databases, "application/json", fmt.Sprintf(
			`{"apiVersion":"platform.example.com/v1","kind":"Database","metadata":{"name":%q,"ownerReferences":[`+
				`{"apiVersion":"platform.example.com/v1","kind":"Database","name":%q,"uid":%q}]},"spec":{"engine":"mysql"}}`, name,
			owner, strings.TrimSpace(uid)))
	}
	p.await("!document.querySelector('[aria-label=\"Search again\"]').disabled")
	p.run("document.querySelector('[aria-label=\"Search again\"]').click()")
	p.awaitText(".node", "dependent Databasereplica-a")
	p.awaitText(".node", "dependent Databasereplica-b")
	// The second search draws the graph anew, also between a look at a link and a click.
	p.await(`[...document.querySelectorAll('.node a')].find((e) => e.textContent === 'replica-a').click() ||
		location.hash.endsWith('/replica-a')`)
	p.awaitText("h1", "replica-a")
	p.awaitText(".node", "owner Databaseorders")
	p.await("document.querySelectorAll('.graph path').length === 1")
}

// A kind that arrives after the page is shown like every other.
func TestKindThatArrivesLater(t *testing.T) {
	url := quickstart(t, "--crds")
	p := openPage(t, url)
	p.awaitText(".cards a", "Database")
	definition, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "quickstart", "definition.yaml"))
	require.NoError(t, err)
	send(t, http.MethodPost, url+"/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "application/yaml",
		string(definition))
	p.open("#/apis/apiextensions.k8s.io/v1/customresourcedefinitions/backups.ops.example.com")
	p.awaitText(".conditions li", "Established")
	p.await("[...document.querySelectorAll('.conditions li')].some((e) => e.textContent.startsWith('EstablishedTrue'))")
	p.open("#/apis/ops.example.com/v1/backups")
	p.awaitText(".note", "There are no backups here.")
}

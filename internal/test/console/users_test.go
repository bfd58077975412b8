package console_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/examples/platform/site"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/kubeconfig"
)

// Two users of one platform see what each may see.
func TestTwoUsers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "teams")
	url := strings.TrimSuffix(start(t, "examples/platform/teams", "--listen", "127.0.0.1:0", "--dir", dir), "/platform")
	root, err := kubeconfig.Load(kubeconfig.Options{}, filepath.Join(dir, "root"))
	require.NoError(t, err)
	namespaces, err := rest.ClientForEndpoint(root.Server, builtin.Namespaces())
	require.NoError(t, err)
	sites, err := rest.ClientForEndpoint(root.Server, site.Resource())
	require.NoError(t, err)
	for _, team := range []string{"team-a", "team-b"} {
		_, err := namespaces.Create(t.Context(), &builtin.Namespace{ObjectMeta: apimeta.ObjectMeta{Name: team}})
		require.NoError(t, err)
		_, err = sites.Namespace(team).Create(t.Context(), &site.Site{
			ObjectMeta: apimeta.ObjectMeta{Name: "site-of-" + team}, Spec: site.SiteSpec{Title: "Hello"}})
		require.NoError(t, err)
	}

	p := openPage(t, url)
	p.awaitText("dialog", "Bearer token")
	p.fill("#token", token(t, dir, "root"))
	p.awaitText(".user", "root")
	p.clickText(".side a", "sites")
	p.awaitText("tbody tr", "site-of-team-a")
	p.awaitText("tbody tr", "site-of-team-b")
	assert.NotContains(t, eval[string](p,
		"JSON.stringify({ ...localStorage, ...sessionStorage }) + location.href + document.cookie"), token(t, dir, "root"))
	p.fill("#namespace", "team-b")
	p.awaitNoText("tbody tr", "site-of-team-a")
	p.awaitText("tbody tr", "site-of-team-b")

	const rbac = "#/apis/rbac.authorization.k8s.io/v1/"
	p.createYAML(rbac+"clusterroles?new=1&as=yaml", "site-editor", `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: site-editor
rules:
- apiGroups: [platform.example.com]
  resources: [sites]
  verbs: ["*"]
`)
	p.createYAML(rbac+"namespaces/team-a/rolebindings?new=1&as=yaml", "editors", `apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: editors
  namespace: team-a
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: site-editor
subjects:
- apiGroup: rbac.authorization.k8s.io
  kind: Group
  name: team-a
`)
	p.open("#/apis/platform.example.com/v1/sites")
	p.awaitText("tbody tr", "site-of-team-b")

	p.clickText(".user", "root")
	p.fill("#token", token(t, dir, "alice"))
	p.awaitText(".user", "alice")
	p.awaitText(".failure", "403")
	p.awaitText(".failure", "choose a namespace that is yours")
	p.fill("#namespace", "team-a")
	p.awaitText("tbody tr", "site-of-team-a")
	p.clickText(".bar button", "Create")
	p.fill(`[id="field-metadata.name"]`, "by-alice")
	p.fill(`[id="field-spec.title"]`, "Made on a page")
	p.clickText(".edit button", "Review")
	p.awaitText(".difference ins", "title: Made on a page")
	p.clickText("dialog button", "Create")
	p.awaitText("h1", "by-alice")
	p.clickText(".actions button", "Delete")
	p.clickText("dialog button", "Review")
	p.clickText("dialog button", "Delete")
	p.awaitText(".dot", "deleted")
	p.clickText(".side a", "namespaces")
	p.awaitText("tbody tr", "team-a")
	assert.Len(t, p.texts("tbody tr"), 1, "a member of a team sees the namespace of the team only")
	assert.Empty(t, p.texts(".bar .primary"), "a member of a team may not create namespaces")
}

// createYAML creates an object that the page then shows.
func (p *page) createYAML(address, name, text string) {
	p.t.Helper()
	p.open(address)
	p.writeYAML(text)
	p.clickText(".edit button", "Review")
	p.clickText("dialog button", "Create")
	p.awaitText("h1", name)
}

// token returns the token in the kubeconfig file of a person.
func token(t *testing.T, dir, person string) string {
	t.Helper()
	file, err := os.ReadFile(filepath.Join(dir, person))
	require.NoError(t, err)
	found := regexp.MustCompile(`"?token"?: *"?([^"\s]+)`).FindSubmatch(file)
	require.Len(t, found, 2)
	return string(found[1])
}

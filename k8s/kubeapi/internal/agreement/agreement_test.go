package agreement_test

import (
	"bytes"
	"cmp"
	"io"
	"math/rand/v2"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/decorum-go/decorum/k8s/kubeapi/kubeapitest"
	"github.com/decorum-go/decorum/rest/conformance"
)

// widget is the definition of the kind Widget of the conformance suite.
const widget = "../../../../rest/conformance/fixtures/widget-crd.yaml"

// The validator finds in a document what the server finds: in each of the conformance suite, and in each with one
// change.
func TestAgreesAboutTranscripts(t *testing.T) {
	seen := recorded(t)
	random := rand.New(rand.NewPCG(37, 1))

	var objects, definitions []document
	for _, d := range seen.created {
		if textAt(d.object(), "kind") == "CustomResourceDefinition" {
			definitions = append(definitions, d)
		} else {
			objects = append(objects, d)
		}
	}
	require.Greater(t, len(objects), 300)
	require.Greater(t, len(definitions), 30)
	require.Greater(t, len(seen.replaced), 50)

	files := []string{widget}
	t.Run("objects", func(t *testing.T) { assertAgreement(t, mutated(t, random, objects, 3), nil, files) })
	t.Run("definitions", func(t *testing.T) { assertAgreement(t, mutated(t, random, definitions, 5), nil, files) })
	for round, pairs := range seen.rounds() {
		var documents, former []document
		for _, p := range pairs {
			documents, former = append(documents, p.after), append(former, p.before)
		}
		t.Logf("round %d has %d updates", round, len(pairs))
		t.Run("updates", func(t *testing.T) { assertAgreement(t, documents, former, files) })
	}
}

// The kinds of Kubernetes, with thousands of changes.
func TestAgreesAboutManifests(t *testing.T) {
	text, err := os.ReadFile("../offline/testdata/shop.yaml")
	require.NoError(t, err)
	seeds := documentsOf(string(text))
	require.Greater(t, len(seeds), 25)
	documents := mutated(t, rand.New(rand.NewPCG(37, 2)), seeds, 100)
	refused := assertAgreement(t, documents, nil, nil)
	t.Logf("the server refuses %d of %d documents", refused, len(documents))
	assert.Greater(t, refused, len(documents)/3)
}

// crds returns the folder with the definitions and samples of public projects. They belong to these projects, so the
// repository does not contain them. CI has the folder beside the checkout.
func crds(t *testing.T) string {
	dir := cmp.Or(os.Getenv("DECORUM_CRDS"), "../../../../../shared/crds")
	if _, err := os.Stat(dir); err != nil {
		// The definitions belong to other projects, so this repository does not contain them.
		t.Skip("set DECORUM_CRDS to a folder with definitions of public projects, which this repository does not contain")
	}
	return dir
}

// Samples of public projects, and examples that they call invalid.
func TestAgreesAboutSamples(t *testing.T) {
	dir := crds(t)
	definitions := []string{"gateway-api/config/crd/standard", "keda/config/crd/bases", "cert-manager/deploy/crds"}
	for i := range definitions {
		definitions[i] = filepath.Join(dir, definitions[i])
	}
	var seeds []document
	for _, folder := range []string{"gateway-api/examples", "gateway-api/hack", "keda/config/samples"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(dir, folder),
			func(path string, entry os.DirEntry, err error) error {
				if err != nil || entry.IsDir() || filepath.Ext(path) != ".yaml" {
					return err
				}
				text, err := os.ReadFile(path)
				require.NoError(t, err)
				seeds = append(seeds, documentsOf(string(text))...)
				return nil
			}))
	}
	require.Greater(t, len(seeds), 100)
	documents := mutated(t, rand.New(rand.NewPCG(37, 3)), seeds, 12)
	refused := assertAgreement(t, documents, nil, definitions)
	t.Logf("the server refuses %d of %d documents", refused, len(documents))
	assert.Greater(t, refused, len(documents)/4)
}

// documentsOf divides the text of a file.
func documentsOf(text string) (all []document) {
	for part := range strings.SplitSeq(text, "\n---") {
		if d := document(part); textAt(d.object(), "kind") != "" {
			all = append(all, d)
		}
	}
	return all
}

// update is a document and the state that it replaces.
type update struct{ before, after document }

// recording is what the conformance suite sends to a server.
type recording struct {
	mu       sync.Mutex
	created  []document
	replaced []update
}

// rounds divides the updates, so that none of them has an object twice.
func (r *recording) rounds() (all [][]update) {
	count := map[string]int{}
	for _, u := range r.replaced {
		o := u.after.object()
		key := textAt(o, "kind") + " " + textAt(o, "metadata", "namespace") + "/" + textAt(o, "metadata", "name")
		n := count[key]
		if count[key]++; n == len(all) {
			all = append(all, nil)
		}
		all[n] = append(all[n], u)
	}
	return all
}

// recorded runs the conformance suite against a server, and returns the documents that it sends.
func recorded(t *testing.T) *recording {
	config := kubeapitest.New(t, kubeapitest.Options{CRDs: []string{widget}}).Config()
	seen := new(recording)
	host, err := url.Parse(config.Host)
	require.NoError(t, err)
	proxy := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(host) },
		Transport:     config.Transport,
		FlushInterval: -1,
	}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.record(t, config, r)
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	report, err := conformance.Run(t.Context(), conformance.Options{Server: front.URL, Jobs: 8})
	require.NoError(t, err)
	t.Logf("%d cases", len(report.Results))
	return seen
}

// record notes the body of a request that creates or replaces an object.
func (seen *recording) record(t *testing.T, config *rest.Config, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	assert.NoError(t, err)
	r.Body = io.NopCloser(bytes.NewReader(body))
	media, _, _ := mime.ParseMediaType(cmp.Or(r.Header.Get("Content-Type"), "application/json"))
	d := document(body)
	o := d.object()
	_, path, _ := strings.Cut(r.URL.Path, "/namespaces/")
	switch {
	case !slices.Contains([]string{"application/json", "application/yaml", "application/apply-patch+yaml"}, media):
		return
	case strings.Count(path, "/") > 2 || textAt(o, "kind") == "Scale" || len(bytes.TrimSpace(body)) == 0: // a subresource, or nothing
		return
	case r.Method == http.MethodPatch || r.Method == http.MethodPost:
		seen.mu.Lock()
		defer seen.mu.Unlock()
		seen.created = append(seen.created, d)
	case r.Method == http.MethodPut:
		before := apiserver{config: config}.ask(t, http.MethodGet, r.URL.Path, nil)
		old := document(before.body).object()
		if before.code == http.StatusOK && textAt(old, "metadata", "name") == textAt(o, "metadata", "name") &&
			o["apiVersion"] == old["apiVersion"] {
			metadata := o["metadata"].(map[string]any)
			metadata["namespace"] = old["metadata"].(map[string]any)["namespace"]
			seen.mu.Lock()
			defer seen.mu.Unlock()
			seen.replaced = append(seen.replaced, update{before.body, documentOf(t, o, true)})
		}
	}
}

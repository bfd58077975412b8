package oracle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/decorum-go/decorum/rest"
	decorumcrd "github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/rest/resttest"
)

// crdSet is the folder of one project: its definitions, and objects of their kinds.
type crdSet struct {
	name        string
	definitions []manifest
	objects     []manifest // valid ones, and those in a folder whose name contains "invalid"
}

// manifest is one document of a file.
type manifest struct {
	file string
	doc  map[string]any
}

func (m manifest) text(path ...string) string {
	var at any = m.doc
	for _, name := range path {
		object, _ := at.(map[string]any)
		at = object[name]
	}
	text, _ := at.(string)
	return text
}

func (m manifest) invalid() bool { return strings.Contains(filepath.Dir(m.file), "invalid") }

// crdSets returns the committed set, and those of the folder that DECORUM_CRDS names. Without DECORUM_CRDS, the folder
// is shared/crds beside the checkout.
func crdSets(t testing.TB) []crdSet {
	t.Helper()
	roots := []string{"testdata/crds"}
	switch beside, err := filepath.Abs("../../../../shared/crds"); {
	case os.Getenv("DECORUM_CRDS") != "":
		roots = append(roots, os.Getenv("DECORUM_CRDS"))
	case err == nil && isFolder(beside):
		roots = append(roots, beside)
	default:
		t.Log("testing the committed set only: shared/crds does not exist beside the checkout, and DECORUM_CRDS is not set")
	}
	var sets []crdSet
	for _, root := range roots {
		entries, err := os.ReadDir(root)
		require.NoError(t, err)
		for _, e := range entries {
			if e.IsDir() {
				sets = append(sets, readCRDSet(t, filepath.Join(root, e.Name())))
			}
		}
	}
	return sets
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func readCRDSet(t testing.TB, folder string) crdSet {
	t.Helper()
	set := crdSet{name: filepath.Base(folder)}
	require.NoError(t, filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, part := range strings.Split("\n"+string(data), "\n---") {
			m := manifest{file: strings.TrimPrefix(path, folder+"/")}
			body, err := yaml.YAMLToJSON([]byte(part))
			if err != nil || utiljson.Unmarshal(body, &m.doc) != nil || m.doc == nil {
				continue // a comment
			}
			if m.doc["kind"] == "CustomResourceDefinition" {
				set.definitions = append(set.definitions, m)
			} else {
				set.objects = append(set.objects, m)
			}
		}
		return nil
	}))
	require.NotEmpty(t, set.definitions, "%s contains no definitions", folder)
	return set
}

// crdHost is an API, and the references of the kinds that it serves by their definitions.
type crdHost struct {
	api        *rest.API
	references map[string]*reference // the keys are an apiVersion and a kind
	stored     []*reference          // the references of the stored versions
}

// host serves the definitions of a set.
func (s crdSet) host(t testing.TB) *crdHost {
	t.Helper()
	api := newDefinitionsAPI(t)
	h := &crdHost{api: api, references: map[string]*reference{}}
	for _, m := range s.definitions {
		body, err := json.Marshal(m.doc)
		require.NoError(t, err)
		created := h.send(t, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", m.doc)
		require.Equal(t, http.StatusCreated, created.code, "%s: %s", m.file, created.body)
		d := decodedCRD(t, body)
		for _, v := range d.Spec.Versions {
			r := newReference(t, d, v.Name)
			h.references[r.kind.GroupVersion().String()+" "+r.kind.Kind] = r
			if v.Storage {
				h.stored = append(h.stored, r)
			}
		}
	}
	h.await(t, len(s.definitions))
	return h
}

// await returns when all definitions are established.
func (h *crdHost) await(t testing.TB, n int) {
	t.Helper()
	established := map[string]bool{}
	for event, err := range resttest.Client[decorumcrd.CustomResourceDefinition](t, h.api).Follow(t.Context(),
		rest.WatchOptions{}) {
		require.NoError(t, err)
		if event.Object != nil && event.Object.Is(decorumcrd.Established) {
			established[event.Object.Name] = true
		}
		if len(established) == n {
			return
		}
	}
}

// answer is a response of our API.
type answer struct {
	code     int
	body     []byte
	warnings []string
	written
}

// send sends a request with an object.
func (h *crdHost) send(t testing.TB, method, path string, obj map[string]any) answer {
	t.Helper()
	body, err := json.Marshal(obj)
	require.NoError(t, err)
	r := httptest.NewRequest(method, path, bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.api.ServeHTTP(w, r)
	a := answer{code: w.Code, body: w.Body.Bytes()}
	for _, text := range w.Header().Values("Warning") {
		if field, ok := strings.CutPrefix(text, `299 - "unknown field \"`); ok {
			a.unknown = append(a.unknown, strings.TrimSuffix(field, `\""`))
		} else {
			a.warnings = append(a.warnings, text)
		}
	}
	slices.Sort(a.unknown)
	var content map[string]any
	require.NoError(t, utiljson.Unmarshal(a.body, &content))
	switch {
	case w.Code < 300:
		delete(content, "metadata")
		a.object = content
	case w.Code == http.StatusUnprocessableEntity:
		a.unknown = nil
		details, _ := content["details"].(map[string]any)
		causes, _ := details["causes"].([]any)
		for _, c := range causes {
			c := c.(map[string]any)
			field, _ := c["field"].(string)
			a.causes = append(a.causes, fmt.Sprintf("%s: %s", field, c["message"]))
		}
		slices.Sort(a.causes)
	case w.Code == http.StatusBadRequest:
		a.refused = true
	}
	return a
}

// collection returns the path of the objects of a kind in the namespace of an object.
func (r *reference) collection(obj map[string]any) string {
	path := "/apis/" + r.kind.GroupVersion().String()
	if r.namespaced {
		path += "/namespaces/" + namespaceOf(obj)
	}
	return path + "/" + r.plural
}

func namespaceOf(obj map[string]any) string {
	metadata, _ := obj["metadata"].(map[string]any)
	if namespace, ok := metadata["namespace"].(string); ok && namespace != "" {
		return namespace
	}
	return "default"
}

// requireLike fails the test unless our answer is what an API server would do.
func requireLike(t testing.TB, want written, got answer, about string, obj map[string]any) {
	t.Helper()
	listAsText := func(cause string) bool {
		return strings.HasSuffix(cause, ` in body must be of type string: "array"`) && !slices.Contains(want.causes, cause)
	}
	if slices.ContainsFunc(got.causes, listAsText) {
		return // an API server accepts any list as a text of a format
	}
	require.Equal(t, want.refused, got.refused, "%s: %s\n%s", about, got.body, asJSON(t, obj))
	require.Equal(t, want.causes, got.causes, "%s\n%s", about, asJSON(t, obj))
	require.Equal(t, want.object == nil, got.object == nil, "%s: %s\n%s", about, got.body, asJSON(t, obj))
	if want.object != nil {
		require.Equal(t, asJSON(t, want.object), asJSON(t, got.object), "%s\n%s", about, asJSON(t, obj))
		require.Equal(t, want.unknown, got.unknown, "%s\n%s", about, asJSON(t, obj))
	}
}

// surprising are a broken object that an API server accepts, because only the project's experimental definition refuses
// it, and a sample that an API server refuses.
var surprising = []string{"hack/invalid-examples/experimental/httproute/invalid-header-value.yaml",
	"config/samples/keda_v1alpha1_scaledjob.yaml"}

// The definitions of real projects are served, and an API server and our API store the same samples and refuse the
// broken ones for the same causes.
func TestCRDSetsLikeUpstream(t *testing.T) {
	for _, set := range crdSets(t) {
		t.Run(set.name, func(t *testing.T) {
			t.Parallel()
			h := set.host(t)
			accepted, refused := 0, 0
			for _, m := range set.objects {
				r := h.references[m.text("apiVersion")+" "+m.text("kind")]
				if r == nil {
					continue // the definition belongs to another project
				}
				got := h.send(t, "POST", r.collection(m.doc)+"?dryRun=All&fieldValidation=Warn", m.doc)
				requireLike(t, r.create(t, m.doc), got, m.file, m.doc)
				if got.object == nil {
					refused++
				} else {
					accepted++
				}
				if !slices.Contains(surprising, m.file) {
					assert.Equal(t, m.invalid(), got.object == nil || len(got.unknown) > 0, "%s: %s", m.file, got.body)
				}
			}
			t.Logf("%d definitions; %d objects accepted, %d refused", len(set.definitions), accepted, refused)
		})
	}
}

// An API server and our API make the same of random objects of the kinds of real projects, and of random changes of
// their samples.
func TestCRDSetsLikeUpstreamAtRandom(t *testing.T) {
	for _, set := range crdSets(t) {
		t.Run(set.name, func(t *testing.T) {
			t.Parallel()
			h := set.host(t)
			samples := map[*reference][]map[string]any{}
			for _, m := range set.objects {
				if r := h.references[m.text("apiVersion")+" "+m.text("kind")]; slices.Contains(h.stored, r) && !m.invalid() {
					samples[r] = append(samples[r], m.doc)
				}
			}
			created, replaced, refused := 0, 0, 0
			rounds(t, 20*len(h.stored), func(t *testing.T, at round) {
				r := h.stored[int(at.seed%int64(len(h.stored)))]
				g := &objects{at.Rand, r.props}
				base := g.object(r.kind)
				if of := samples[r]; len(of) > 0 && !oneIn(at.Rand, 4) {
					base = of[at.Intn(len(of))]
				}
				base = maps.Clone(base)
				base["metadata"] = map[string]any{"name": "a"}
				obj := g.edited(base)
				got := h.send(t, "POST", r.collection(obj)+"?dryRun=All&fieldValidation=Warn", obj)
				requireLike(t, r.create(t, obj), got, "create", obj)
				if got.object == nil {
					refused++
				} else {
					created++
				}
				stored := h.send(t, "POST", r.collection(base), base)
				if stored.code != http.StatusCreated {
					return
				}
				var old map[string]any
				require.NoError(t, utiljson.Unmarshal(stored.body, &old))
				obj["metadata"] = old["metadata"]
				got = h.send(t, "PUT", r.collection(obj)+"/a?dryRun=All&fieldValidation=Warn", obj)
				requireLike(t, r.update(t, obj, old), got, "update of\n"+asJSON(t, old), obj)
				if got.object == nil {
					refused++
				} else {
					replaced++
				}
				h.send(t, "DELETE", r.collection(obj)+"/a", nil)
			})
			t.Logf("%d created, %d replaced, %d refused", created, replaced, refused)
		})
	}
}

// An API server and our API refuse the same random changes of real definitions, for the same causes.
func TestCRDSetDefinitionsLikeUpstream(t *testing.T) {
	j := newJudges(t)
	for _, set := range crdSets(t) {
		t.Run(set.name, func(t *testing.T) {
			t.Parallel()
			rounds(t, 2*len(set.definitions), func(t *testing.T, at round) {
				m := set.definitions[int(at.seed%int64(len(set.definitions)))]
				d := maps.Clone(m.doc)
				d["spec"] = (&objects{Rand: at.Rand}).edited(map[string]any{"spec": d["spec"]})["spec"]
				body, err := json.Marshal(d)
				require.NoError(t, err)
				want, how := j.upstream(body)
				if !slices.ContainsFunc(want, isUnknownType) { // the defaults of such a type differ
					j.compareWith(t, m.file, body, want, how)
				}
			})
		})
	}
}

func isUnknownType(cause string) bool {
	return strings.Contains(cause, ".type | FieldValueNotSupported")
}

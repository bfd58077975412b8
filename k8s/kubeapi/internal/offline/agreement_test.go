package offline_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/decorum-go/decorum/k8s/kubeapi/kubeapitest"
	"github.com/decorum-go/decorum/rest/validate"
)

// crds returns the folder with the definitions and samples of public projects. They belong to these projects, so the repository does not
// contain them. CI has the folder beside the checkout.
func crds(t *testing.T) string {
	dir := cmp.Or(os.Getenv("DECORUM_CRDS"), "../../../../../shared/crds")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("set DECORUM_CRDS to a folder with definitions of public projects, which this repository does not contain")
	}
	return dir
}

// judgement is what a client learns of an object.
type judgement struct {
	Code   int
	Causes []metav1.StatusCause
}

// The validator finds what the server finds: in samples, in examples that their project calls invalid, and in all of them with one change.
func TestAgreesWithTheServer(t *testing.T) {
	dir := crds(t)
	definitions := []string{"gateway-api/config/crd/standard", "keda/config/crd/bases", "cert-manager/deploy/crds"}
	for i := range definitions {
		definitions[i] = filepath.Join(dir, definitions[i])
	}
	var objects []map[string]any
	for _, folder := range []string{"gateway-api/examples", "gateway-api/hack", "keda/config/samples"} {
		objects = append(objects, objectsIn(t, filepath.Join(dir, folder))...)
	}
	require.Greater(t, len(objects), 100)
	random := rand.New(rand.NewPCG(37, 1))
	for _, o := range slices.Clone(objects) {
		for range 10 {
			changed := clone(t, o)
			change(random, changed, "apiVersion", "kind", "metadata")
			objects = append(objects, changed)
		}
	}
	validated, asked := validated(t, objects, definitions), created(t, objects, definitions)
	refused := 0
	for i, want := range asked {
		if want.Code >= http.StatusBadRequest {
			refused++
		}
		if !assert.Equal(t, want, validated[i]) {
			text, err := yaml.Marshal(objects[i])
			require.NoError(t, err)
			t.Fatalf("%s", text)
		}
	}
	t.Logf("the server refuses %d of %d objects", refused, len(objects))
	assert.Greater(t, refused, len(objects)/4)
}

// objectsIn returns the objects of a folder, without those that the validator creates for others.
func objectsIn(t *testing.T, folder string) (all []map[string]any) {
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for part := range strings.SplitSeq(string(text), "\n---") {
			var o map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(part), &o), path)
			if kind, _ := o["kind"].(string); kind != "" && kind != "Namespace" {
				all = append(all, o)
			}
		}
		return nil
	}))
	return all
}

func clone(t *testing.T, o map[string]any) (out map[string]any) {
	text, err := json.Marshal(o)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &out))
	return out
}

// change changes one place in a value: it removes something, adds an unknown field, or sets another value.
func change(random *rand.Rand, in map[string]any, except ...string) {
	keys := slices.DeleteFunc(slices.Sorted(maps.Keys(in)), func(key string) bool { return slices.Contains(except, key) })
	if len(keys) == 0 {
		in["bogus"] = true
		return
	}
	key := keys[random.IntN(len(keys))]
	deeper := in[key]
	if list, ok := deeper.([]any); ok && len(list) > 0 {
		deeper = list[random.IntN(len(list))]
	}
	if inner, ok := deeper.(map[string]any); ok && random.IntN(4) > 0 {
		change(random, inner)
		return
	}
	values := []any{nil, true, -1, 1 << 40, 1.5, "", "no such Value!", strings.Repeat("x", 300), []any{}, []any{"a", "a"}, map[string]any{}}
	switch n := random.IntN(len(values) + 2); n {
	case len(values):
		delete(in, key)
	case len(values) + 1:
		in["bogus"] = "x"
	default:
		in[key] = values[n]
	}
}

// validated returns what the validator says. Every second object is in a file of YAML, and the others are in one of JSON.
func validated(t *testing.T, objects []map[string]any, definitions []string) []judgement {
	var files [2]bytes.Buffer
	for i, o := range objects {
		var text []byte
		var err error
		if i%2 == 0 {
			text, err = yaml.Marshal(o)
			files[0].WriteString("---\n")
		} else {
			text, err = json.Marshal(o)
		}
		require.NoError(t, err)
		files[i%2].Write(text)
	}
	args := []string{"-f", "a.yaml", "-f", "b.json", "--output", "json", "--service-cluster-ip-range", "10.0.0.0/24"}
	for _, d := range definitions {
		args = append(args, "--crds", d)
	}
	stdout, stderr, _ := run(t, map[string]string{"a.yaml": files[0].String(), "b.json": files[1].String()}, "", args...)
	require.Empty(t, stderr)
	var report struct {
		Results []struct {
			Verdict  validate.Verdict
			Code     int
			Findings []struct {
				Severity               validate.Severity
				Field, Reason, Message string
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &report))
	require.Len(t, report.Results, len(objects))
	all := make([]judgement, len(objects))
	half := (len(objects) + 1) / 2
	for n, r := range report.Results {
		i := 2 * n
		if n >= half {
			i = 2*(n-half) + 1
		}
		require.NotEqual(t, validate.Unknown, r.Verdict, "%v", objects[i])
		all[i].Code = r.Code
		for _, f := range r.Findings {
			if f.Severity == validate.Error && r.Code == http.StatusUnprocessableEntity {
				all[i].Causes = append(all[i].Causes, metav1.StatusCause{Type: metav1.CauseType(f.Reason), Message: f.Message, Field: f.Field})
			}
		}
	}
	return all
}

// created returns what a server answers to the creation of the objects.
func created(t *testing.T, objects []map[string]any, definitions []string) []judgement {
	config := kubeapitest.New(t, kubeapitest.Options{CRDs: definitions}).Config()
	resources := map[string]metav1.APIResource{}
	all := make([]judgement, len(objects))
	for i, o := range objects {
		apiVersion := o["apiVersion"].(string)
		at := "/apis/" + apiVersion
		if !strings.Contains(apiVersion, "/") {
			at = "/api/" + apiVersion
		}
		kind := at + " " + o["kind"].(string)
		if _, known := resources[kind]; !known {
			var list metav1.APIResourceList
			require.NoError(t, json.Unmarshal(ask(t, config, http.MethodGet, at, nil).body, &list))
			for _, r := range list.APIResources {
				if !strings.Contains(r.Name, "/") {
					resources[at+" "+r.Kind] = r
				}
			}
		}
		res := resources[kind]
		if res.Namespaced {
			namespace, _ := o["metadata"].(map[string]any)["namespace"].(string)
			namespace = cmp.Or(namespace, "default")
			ask(t, config, http.MethodPost, "/api/v1/namespaces", map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": namespace}})
			at += "/namespaces/" + namespace
		}
		a := ask(t, config, http.MethodPost, at+"/"+res.Name+"?fieldValidation=Strict", o)
		all[i].Code = a.code
		var s metav1.Status
		if a.code >= http.StatusBadRequest {
			require.NoError(t, json.Unmarshal(a.body, &s))
		}
		switch {
		case s.Reason == metav1.StatusReasonAlreadyExists: // only the name is in the way
			all[i].Code = http.StatusCreated
		case a.code == http.StatusUnprocessableEntity && s.Details != nil:
			for _, c := range s.Details.Causes {
				c.Field = strings.TrimPrefix(strings.TrimPrefix(c.Field, "<nil>"), ".")
				all[i].Causes = append(all[i].Causes, c)
			}
		}
	}
	return all
}

type reply struct {
	code int
	body []byte
}

func ask(t *testing.T, config *rest.Config, method, path string, body any) reply {
	text, err := json.Marshal(body)
	require.NoError(t, err)
	r, err := http.NewRequestWithContext(t.Context(), method, config.Host+path, bytes.NewReader(text))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	answer, err := config.Transport.RoundTrip(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	read, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return reply{answer.StatusCode, read}
}

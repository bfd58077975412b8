package hostile_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/lifecycle"
	"github.com/decorum-go/decorum/storage/bolt"
)

// defining is an API that accepts definitions, over a file, so that it can restart.
type defining struct {
	api  *rest.API
	stop func()
}

// startDefining starts the API. Without definitions it is a program that does not accept any, so the kinds of earlier
// ones are not served.
func startDefining(t *testing.T, path string, definitions bool) *defining {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	store, err := bolt.Open(t.Context(), bolt.Options{Path: path})
	require.NoError(t, err)
	plugins := []rest.Plugin{lifecycle.New(lifecycle.Options{Logger: quiet})}
	if definitions {
		plugins = append(plugins, crd.New(crd.Options{Logger: quiet}))
	}
	api, err := rest.New(rest.Options{Store: store, Logger: quiet, Plugins: plugins}, notes(), builtin.Namespaces())
	require.NoError(t, err)
	require.NoError(t, api.Start(t.Context()))
	return &defining{api, func() {
		require.NoError(t, api.Close())
		require.NoError(t, store.Close())
	}}
}

// ask sends a request. A panic of the API fails the test.
func (d *defining) ask(method, path, body string) (int, string) {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	d.api.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// randomly returns one of the values.
func randomly[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// randomText joins up to n random parts.
func randomText(r *rand.Rand, n int, parts ...string) (text string) {
	for range r.IntN(n + 1) {
		text += randomly(r, parts...)
	}
	return text
}

// randomDefinition returns a definition whose names are parts of paths, with random columns, a pattern and a default,
// and the path of its objects.
func randomDefinition(r *rand.Rand) (name, path, kind, text string) {
	plural := randomly(r, "namespaces", "status", "scale", "finalize", "watch", "proxy", "apis", "healthz")
	group := randomly(r, "clash.example.com", "v1.example.com", "apis.example.com")
	name, kind = plural+"."+group, "Kind"+plural
	scope, path := "Cluster", "/apis/"+group+"/v1/"+plural
	if r.IntN(2) == 0 {
		scope, path = "Namespaced", "/apis/"+group+"/v1/namespaces/"+tenant+"/"+plural
	}
	type object = map[string]any
	subresources := object{}
	if r.IntN(2) == 0 {
		subresources["status"] = object{}
	}
	if r.IntN(2) == 0 {
		subresources["scale"] = object{"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
	}
	var columns []object
	for i := range r.IntN(4) {
		column := "." + randomText(r, 8, "spec", "status", ".", "..", "[", "]", "[-1:]", "[0,1]", "['a','b']", "[?(@.a==1)]",
			"}", "{", "*", "\\", "'")
		columns = append(columns, object{"name": fmt.Sprint("c", i), "type": "string", "jsonPath": column})
	}
	counted := object{"type": "object", "properties": object{"replicas": object{"type": "integer"}}}
	matched := object{"type": "string",
		"pattern": "^" + randomText(r, 30, "a?", "(a|b)*", "[a-z]{1,20}", "(a+)+", "(a?a?){50}", ".*") + "$"}
	filled := object{"type": "array", "items": object{"type": "object", "properties": object{
		"d": object{"type": "string", "default": strings.Repeat("x", r.IntN(20_000))}}}}
	spec := object{"type": "object",
		"properties": object{"replicas": object{"type": "integer"}, "matched": matched, "filled": filled}}
	data, _ := json.Marshal(object{ // maps of texts, numbers and lists always encode
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": object{"name": name},
		"spec": object{"group": group, "scope": scope, "names": object{"plural": plural, "kind": kind}, "versions": []object{{
			"name": "v1", "served": true, "storage": true, "subresources": subresources, "additionalPrinterColumns": columns,
			"schema": object{"openAPIV3Schema": object{"type": "object", "properties": object{"spec": spec, "status": counted}}},
		}}},
	})
	return name, path, kind, string(data)
}

// definitionRounds returns how long the test of random definitions runs, beyond its first round.
func definitionRounds(t *testing.T) time.Duration {
	text := os.Getenv("DECORUM_ROUNDS")
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	require.NoError(t, err, "DECORUM_ROUNDS")
	return d
}

// tenant is the namespace of the objects.
const tenant = "tenant"

const (
	namespaces = "/api/v1/namespaces"
	ofTenant   = `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"` + tenant + `"}}`
)

// evict deletes the namespace while a program runs that serves none of the definitions. The namespace stays if the
// store holds objects of them. The next program, which serves them, empties the namespace, and its next owner finds
// nothing in it.
func evict(t *testing.T, path string, resources []string, stored int) {
	d := startDefining(t, path, false)
	code, answer := d.ask("DELETE", namespaces+"/"+tenant, "")
	require.Equal(t, http.StatusOK, code, answer)
	await(t, "the controller has looked at the namespace", func() string {
		code, answer := d.ask("GET", namespaces+"/"+tenant, "")
		if stored == 0 && code == http.StatusNotFound ||
			stored > 0 && strings.Contains(answer, `"reason":"DiscoveryFailed"`) {
			return ""
		}
		return answer
	})
	d.stop()
	d = startDefining(t, path, true)
	defer d.stop()
	await(t, "the namespace is gone", func() string {
		if code, answer := d.ask("GET", namespaces+"/"+tenant, ""); code != http.StatusNotFound {
			return answer
		}
		return ""
	})
	code, answer = d.ask("POST", namespaces, ofTenant)
	require.Equal(t, http.StatusCreated, code, answer)
	for _, objects := range resources {
		code, answer = d.ask("GET", objects, "")
		require.Equal(t, http.StatusOK, code, answer)
		require.NotContains(t, answer, `"uid"`, objects)
	}
}

// Whatever random definitions the API accepts: it answers every request about their kinds, other kinds and its health,
// also after a restart, and no object outlives its namespace. DECORUM_SEED repeats a failed run.
func TestRandomDefinitions(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("DECORUM_SEED"); text != "" {
		var err error
		seed, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err, "DECORUM_SEED")
	}
	t.Logf("DECORUM_SEED=%d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	answers := map[int]int{} // how many objects got each code
	for round, end := 0, time.Now().Add(definitionRounds(t)); round == 0 || time.Now().Before(end); round++ {
		path := filepath.Join(t.TempDir(), "objects.db")
		d := startDefining(t, path, true)
		code, answer := d.ask("POST", namespaces, ofTenant)
		require.Equal(t, http.StatusCreated, code, answer)
		accepted := map[string]string{}
		var inNamespace []string // the resources of the namespace, by their paths
		stored := 0              // how many objects they have
		for range 5 {
			name, objects, kind, text := randomDefinition(r)
			code, answer := d.ask("POST", definitionsPath, text)
			if code != http.StatusCreated {
				require.Contains(t, []int{http.StatusConflict, http.StatusUnprocessableEntity}, code, "%s\n%s", answer, text)
				continue
			}
			await(t, name+" is established", func() string {
				_, answer := d.ask("GET", definitionsPath+"/"+name, "")
				var got struct {
					Status struct {
						Conditions []struct{ Type, Status string }
					}
				}
				if err := json.Unmarshal([]byte(answer), &got); err != nil {
					return err.Error()
				}
				for _, c := range got.Status.Conditions {
					if c.Type == "Established" && c.Status == "True" {
						return ""
					}
				}
				return answer
			})
			_, group, _ := strings.Cut(name, ".")
			elements := strings.TrimSuffix(strings.Repeat("{},", 1+r.IntN(randomly(r, 3, 20_000))), ",")
			body := fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":"x"},"spec":{"matched":%q,"filled":[%s]}}`,
				group+"/v1", kind, strings.Repeat("a", r.IntN(randomly(r, 3, 20_000))), elements)
			code, answer = d.ask("POST", objects, body)
			require.Contains(t, []int{201, 413, 422}, code, "%.500s", answer)
			answers[code]++
			if strings.Contains(objects, "/"+tenant+"/") {
				inNamespace = append(inNamespace, objects)
				if code == http.StatusCreated {
					stored++
				}
			}
			accepted[objects] = text
			for _, when := range []string{"before a restart", "after a restart"} {
				code, _ = d.ask("GET", "/healthz", "")
				require.Equal(t, 200, code, when)
				code, _ = d.ask("GET", notesIn("default"), "")
				require.Equal(t, 200, code, when)
				for objects, text := range accepted {
					code, answer = d.ask("GET", objects, "")
					require.Equal(t, 200, code, "%s: %.300s\n%s", when, answer, text)
				}
				if when == "before a restart" {
					d.stop()
					d = startDefining(t, path, true)
				}
			}
		}
		d.stop()
		evict(t, path, inNamespace, stored)
	}
	t.Logf("answers to objects, by code: %v", answers)
}

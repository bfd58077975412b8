package oracle

import (
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// coreSubjects returns the kinds that the core of Decorum validates.
func coreSubjects() []subject {
	return append(subjects(), of[corev1.Event](), of[eventsv1.Event](), of[rbacv1.Role](), of[rbacv1.ClusterRole](),
		of[rbacv1.RoleBinding](), of[rbacv1.ClusterRoleBinding]())
}

// served is a valid object that both sides serve.
type served struct {
	subject
	doc  map[string]any
	path string // the path of the collection
}

func servedExamples(t *testing.T) (all []served) {
	t.Helper()
	text, err := os.ReadFile("testdata/served.yaml")
	require.NoError(t, err)
	for part := range strings.SplitSeq(string(text), "\n---\n") {
		var doc map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(part), &doc))
		gvk := schema.FromAPIVersionAndKind(doc["apiVersion"].(string), doc["kind"].(string))
		i := slices.IndexFunc(coreSubjects(), func(s subject) bool { return s.gvk == gvk })
		require.GreaterOrEqual(t, i, 0, gvk)
		all = append(all, served{coreSubjects()[i], doc, place(t, doc)})
	}
	return all
}

// structs matches a message that shows a struct or a list. Kubernetes shows them with the names of its internal fields.
var structs = regexp.MustCompile(`^([A-Z][a-z ]+): [{[].*[]}](: |$)`)

// causes returns what an answer finds wrong with an object, except with its metadata.
func (a answer) causes(t *testing.T) (all []fault) {
	t.Helper()
	var s metav1.Status
	require.NoError(t, json.Unmarshal(a.body, &s), "%s", a.body)
	if s.Details == nil {
		return nil
	}
	for _, c := range s.Details.Causes {
		if !strings.HasPrefix(c.Field, "metadata") {
			detail, _, _ := strings.Cut(c.Message, "\n") // a difference of objects follows
			all = append(all, fault{c.Field, string(c.Type), structs.ReplaceAllString(detail, "$1: ")})
		}
	}
	return all
}

// TestRefusalsOfTheCore is TestRefusals for the kinds that the core of Decorum validates. It sends the objects to both
// sides.
func TestRefusalsOfTheCore(t *testing.T) {
	found, missed := map[string]*tally{}, misses{}
	for _, e := range servedExamples(t) {
		kind := e.gvk.Kind
		if e.gvk.Group == eventsv1.GroupName {
			kind += " of events.k8s.io"
		}
		found[kind] = &tally{}
		old := e.path + "/" + e.doc["metadata"].(map[string]any)["name"].(string)
		for _, s := range []side{kubernetesAPI(t), ourAPI(t)} {
			a := s.send(t, http.MethodPost, e.path, asJSON, encode(t, e.doc))
			require.Equal(t, http.StatusCreated, a.code, "%s", a.body)
		}
		m := newMutator(t, e.subject)
		for range 150 {
			obj := e.decode(t, encode(t, e.doc))
			m.mutate(obj, false)
			for _, method := range []string{http.MethodPost, http.MethodPut} {
				path := old
				if method == http.MethodPost {
					path = e.path
					obj.(metav1.Object).SetName("new")
				} else {
					obj.(metav1.Object).SetName(e.doc["metadata"].(map[string]any)["name"].(string))
				}
				body := encode(t, obj)
				want := kubernetesAPI(t).send(t, method, path+"?dryRun=All", asJSON, body)
				got := ourAPI(t).send(t, method, path+"?dryRun=All", asJSON, body)
				switch {
				case want.code < 300 && strings.Contains(string(got.body), "spec.variables[1]: Duplicate value"):
					// Kubernetes stores two variables with one name, but cannot apply such an object.
				case want.code < 300:
					assert.Less(t, got.code, 300, "only we refuse %s %s: %s", method, body, got.body)
				default:
					assert.Equal(t, want.code, got.code, "%s %s:\nKubernetes: %s\nwe: %s", method, body, want.body, got.body)
				}
				if want.code != http.StatusUnprocessableEntity {
					continue
				}
				theirs, ours := want.causes(t), got.causes(t)
				found[kind].add(theirs, ours)
				missed.add("only Kubernetes: "+method+" of "+kind, theirs, ours)
				missed.add("only we: "+method+" of "+kind, ours, theirs)
			}
		}
	}
	checkShares(t, "validation of the core", "-run TestRefusalsOfTheCore", found, missed)
}

// unvalidated are the kinds without a row in the tables of refusals, and why.
var unvalidated = map[string]string{
	"bindings":                  "TestSubresources compares bindings",
	"customresourcedefinitions": "the oracle of the core compares definitions",
	"apiservices":               "the core refuses them all",
	"selfsubjectreviews":        "virtual",
	"tokenreviews":              "virtual",
	"localsubjectaccessreviews": "virtual",
	"selfsubjectaccessreviews":  "virtual",
	"selfsubjectrulesreviews":   "virtual",
	"subjectaccessreviews":      "virtual",
}

// Each kind that our API serves has a row in one of the tables of refusals, or a reason why it has none.
func TestRowsOfAllKinds(t *testing.T) {
	rows := map[schema.GroupVersionKind]bool{}
	for _, e := range examples(t) {
		rows[e.gvk] = true
	}
	for _, e := range servedExamples(t) {
		rows[e.gvk] = true
	}
	var groups metav1.APIGroupList
	ourAPI(t).get(t, "/apis", &groups)
	paths := []string{"/api/v1"}
	for _, g := range groups.Groups {
		paths = append(paths, "/apis/"+g.PreferredVersion.GroupVersion)
	}
	for _, path := range paths {
		var list metav1.APIResourceList
		ourAPI(t).get(t, path, &list)
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		require.NoError(t, err)
		for _, r := range list.APIResources {
			if strings.Contains(r.Name, "/") || !slices.Contains(r.Verbs, "create") {
				continue
			}
			why := unvalidated[r.Name]
			assert.NotEqual(t, rows[gv.WithKind(r.Kind)], why != "", "%s %s: a row, or a reason, and not both", path, r.Kind)
		}
	}
}

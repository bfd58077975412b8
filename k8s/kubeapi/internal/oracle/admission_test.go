package oracle

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/decorum-go/decorum/internal/test/roundstest"
)

// scene is requests that concern one plugin, in order. The key of a request is its method and path, after its user if
// that is not the administrator.
type scene struct {
	Plugin string
	Send   []map[string]any
}

func scenes(t *testing.T) (all []scene) {
	t.Helper()
	text, err := os.ReadFile("testdata/admission.yaml")
	require.NoError(t, err)
	for part := range strings.SplitSeq(string(text), "\n---\n") {
		var s scene
		require.NoError(t, yaml.UnmarshalStrict([]byte(part), &s))
		all = append(all, s)
	}
	return all
}

// cluster is both sides with the same admission plugins.
type cluster struct {
	theirs, ours side
	shelves      []shelf
	played       []outcome
}

func admitting(plugins []string) (c cluster, err error) {
	transport, shelves, err := newUpstream(plugins)
	if err != nil {
		return c, err
	}
	ours, err := start("--enable-admission-plugins="+strings.Join(plugins, ","), "--disable-admission-plugins=ResourceQuota")
	return cluster{theirs: side{"http://kubernetes", transport}, ours: ours, shelves: shelves}, err
}

// clusters are one cluster with the plugins that run by default, and one with all plugins.
var clusters = sync.OnceValues(func() (map[string]*cluster, error) {
	all := map[string]*cluster{}
	for name, plugins := range map[string][]string{
		"default plugins": pluginNames(false),
		"all plugins":     append(pluginNames(false), pluginNames(true)...),
	} {
		c, err := admitting(plugins)
		if err != nil {
			return nil, err
		}
		all[name] = &c
	}
	return all, nil
})

// send sends a request to both sides.
func (c cluster) send(t *testing.T, user, method, path string, body []byte) (theirs, ours answer) {
	t.Helper()
	for _, s := range c.shelves {
		require.NoError(t, s.fill(t.Context()))
	}
	return c.theirs.as(user).send(t, method, path, asJSON, body), c.ours.as(user).send(t, method, path, asJSON, body)
}

// outcome is what both sides answer to a request of a scene.
type outcome struct {
	plugin, path, request string
	theirs, ours          answer
}

// play sends the requests of all scenes to both sides, once for all tests.
func (c *cluster) play(t *testing.T) []outcome {
	t.Helper()
	if c.played != nil {
		return c.played
	}
	for _, s := range scenes(t) {
		for _, send := range s.Send {
			for what, doc := range send {
				words := strings.Fields(what)
				if len(words) == 2 {
					words = slices.Insert(words, 0, administrator)
				}
				var body []byte
				if doc != nil {
					body = encode(t, doc)
				}
				theirs, ours := c.send(t, words[0], words[1], words[2], body)
				if s.Plugin != "none" { // one side has these objects from the start
					c.played = append(c.played, outcome{s.Plugin, words[2], fmt.Sprintf("%s %s", what, body), theirs, ours})
				}
			}
		}
	}
	return c.played
}

// admissionExceptions are differences of other causes than admission, by the end of the path.
var admissionExceptions = []exception{
	{"localsubjectaccessreviews", ".metadata.creationTimestamp"}, // Kubernetes has none
	{"localsubjectaccessreviews", ".status"},                     // the sides have other roles
	{"token", ".status.token"},                                   // the sides have different issuers
}

// TestAdmission sends the requests of testdata/admission.yaml to both sides with the same plugins. Both must refuse the
// same requests in the same words, and change the same in the objects of the others. TestWrites compares the
// managedFields. This test ignores them, because they differ after a write to a part of a Pod.
func TestAdmission(t *testing.T) {
	all, err := clusters()
	require.NoError(t, err)
	seen := map[exception]bool{}
	for name, c := range all {
		for _, o := range c.play(t) {
			assert.Equal(t, o.theirs.code, o.ours.code, "%s: %s: %s\nKubernetes: %s\nwe: %s", name, o.plugin, o.request,
				o.theirs.body, o.ours.body)
			if o.theirs.code == http.StatusUnprocessableEntity {
				continue // TestRefusals compares these
			}
			for _, d := range differences("", o.theirs.shown(t), o.ours.shown(t)) {
				i := slices.IndexFunc(admissionExceptions,
					func(e exception) bool { return strings.HasSuffix(o.path, "/"+e.resource) && strings.HasPrefix(d, e.at) })
				switch {
				case i >= 0:
					seen[admissionExceptions[i]] = true
				case !strings.HasPrefix(d, ".metadata.managedFields"):
					assert.Fail(t, d, "%s: %s: %s", name, o.plugin, o.request)
				}
			}
		}
	}
	for _, e := range admissionExceptions {
		assert.True(t, seen[e], "%s %s: the two sides no longer differ", e.resource, e.at)
	}
}

// unplayed are the plugins of package program without a scene, and why.
var unplayed = map[string]string{
	"AlwaysAdmit":                "does nothing",
	"AlwaysDeny":                 "would refuse the scenes of all others",
	"EventRateLimit":             "counts in time, which both sides would have to share",
	"ImagePolicyWebhook":         "asks a server outside",
	"ClusterTrustBundleAttest":   "a test of package server sends its requests",
	"PodGroupProtection":         "concerns kinds that Kubernetes does not serve by default",
	"MutatingAdmissionPolicy":    "the core has its own tests",
	"MutatingAdmissionWebhook":   "the core has its own tests",
	"ValidatingAdmissionPolicy":  "the core has its own tests",
	"ValidatingAdmissionWebhook": "the core has its own tests",
	"ResourceQuota":              "TestChargedUsage compares what it counts",
}

// Each admission plugin of kube-apiserver has a scene, or a reason why it has none.
func TestScenesOfAllPlugins(t *testing.T) {
	text, err := os.ReadFile("../program/plugins.txt")
	require.NoError(t, err)
	played := map[string]bool{}
	for _, s := range scenes(t) {
		played[s.Plugin] = true
	}
	for line := range strings.Lines(string(text)) {
		if name, _, _ := strings.Cut(line, " "); name != "#" {
			assert.NotEqual(t, played[name], unplayed[name] != "", "%s: a scene, or a reason, and not both", name)
		}
	}
}

// creation is a creation of a scene, which tests repeat with random changes.
type creation struct {
	subject
	path string
	doc  map[string]any
}

// creations returns the creations of the scenes.
func (c cluster) creations(t *testing.T) (all []creation) {
	t.Helper()
	kinds := map[string]subject{}
	for _, s := range subjects() {
		kinds[s.gvk.String()] = s
	}
	for _, s := range scenes(t) {
		for _, send := range s.Send {
			for what, body := range send {
				path, posts := strings.CutPrefix(what, "POST ")
				i := strings.LastIndexByte(path, '/')
				doc, ok := body.(map[string]any)
				if !posts || !ok || i < 0 {
					continue
				}
				group, _, _ := strings.Cut(path[:i], "/namespaces")
				r := c.theirs.resourcesOf(t, group)[path[i+1:]]
				gv, err := schema.ParseGroupVersion(strings.TrimPrefix(strings.TrimPrefix(group, "/apis/"), "/api/"))
				require.NoError(t, err)
				if s, ok := kinds[gv.WithKind(r.Kind).String()]; ok {
					all = append(all, creation{s, path, doc})
				}
			}
		}
	}
	return all
}

// TestAdmissionOfRandomObjects repeats the creations of the scenes with random changes. Both sides must refuse the same
// objects, and change the same in the others.
func TestAdmissionOfRandomObjects(t *testing.T) {
	all, err := clusters()
	require.NoError(t, err)
	for name, c := range all {
		c.play(t)
		examples := c.creations(t)
		require.NotEmpty(t, examples)
		roundstest.Run(t, 300, func(t *testing.T, seed int64) {
			r := newFiller(seed)
			e := pick(r, examples...)
			m := newMutator(t, e.subject)
			m.filler = r
			obj := e.decode(t, encode(t, e.doc))
			m.mutate(obj, false)
			obj.(metav1.Object).SetName(fmt.Sprintf("random%d", seed))
			body := encode(t, obj)
			want, got := c.send(t, administrator, http.MethodPost, e.path+"?dryRun=All", body)
			codes := []int{want.code, got.code}
			if slices.Contains(codes, http.StatusUnprocessableEntity) {
				// TestRefusals compares what is wrong. If a plugin refuses an invalid object, either may come first.
				assert.GreaterOrEqual(t, slices.Min(codes), 400, "%s: %s\nKubernetes: %s\nwe: %s", name, body, want.body, got.body)
				return
			}
			assert.Equal(t, want.code, got.code, "%s: %s\nKubernetes: %s\nwe: %s", name, body, want.body, got.body)
			switch {
			case strings.Contains(string(want.body), "invalid resource name"): // the client of Kubernetes refuses to ask
			case e.gvk.Kind == "Service": // each side chooses addresses and ports
			default:
				for _, d := range differences("", want.shown(t), got.shown(t)) {
					if !strings.HasPrefix(d, ".metadata.managedFields") {
						assert.Fail(t, d, "%s: %s: %s", name, e.path, body)
					}
				}
			}
		})
	}
}

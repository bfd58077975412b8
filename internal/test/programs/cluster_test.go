package programs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	"sigs.k8s.io/yaml"

	"github.com/decorum-go/decorum/internal/test/hangtest"
	"github.com/decorum-go/decorum/k8s/kubeapi/kubeapitest"
)

// patience limits each step of a program. It is long, because a busy machine may be slow.
const patience = hangtest.Deadline

// source is the folder of a module in the module cache.
func source(t *testing.T, module, version string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", module+"@"+version).Output()
	var downloaded struct{ Dir, Error string }
	require.NoError(t, errors.Join(json.Unmarshal(out, &downloaded), err), downloaded.Error)
	return downloaded.Dir
}

// build builds a program of another module with the requirements of that module, and returns its path.
func build(t *testing.T, source, pkg string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", path, pkg)
	cmd.Dir, cmd.Env = source, append(os.Environ(), "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return path
}

// cluster is an API and its clients, which are administrators.
type cluster struct {
	*kubeapitest.Server
	client  kubernetes.Interface
	objects dynamic.Interface
}

func newCluster(t *testing.T, options kubeapitest.Options) *cluster {
	options.Controllers = []string{"garbage-collector", "namespace", "serviceaccount", "root-ca-certificate-publisher",
		"clusterrole-aggregation"}
	c := &cluster{Server: kubeapitest.New(t, options)}
	var err error
	c.client, err = kubernetes.NewForConfig(c.Config())
	require.NoError(t, err)
	c.objects, err = dynamic.NewForConfig(c.Config())
	require.NoError(t, err)
	return c
}

// helm installs a chart. No Pod will run.
func (c *cluster) helm(t *testing.T, namespace, release, chart string, args ...string) {
	t.Helper()
	home := t.TempDir()
	args = append([]string{"tool", "helm", "--namespace", namespace, "install", release, chart, "--create-namespace"}, args...)
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+c.Kubeconfig(""), "HELM_CONFIG_HOME="+home, "HELM_CACHE_HOME="+home,
		"HELM_DATA_HOME="+home)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// program is a process that acts on the cluster, and ends with the test.
type program struct {
	path               string
	args               []string // $KUBECONFIG stands for the path of its kubeconfig
	namespace, account string   // the namespace and the name of its ServiceAccount
	env                []string
}

// run starts a program, which may find its kubeconfig in the environment, and returns a function that waits for its
// end. Its requests are those of its ServiceAccount. The test fails if the account lacked a right, or if the API does
// not have a resource that the program asked for.
func (c *cluster) run(t *testing.T, p program) (wait func() error) {
	t.Helper()
	user := "system:serviceaccount:" + p.namespace + ":" + p.account
	kubeconfig := c.Kubeconfig(user, "system:serviceaccounts", "system:serviceaccounts:"+p.namespace)
	log := filepath.Join(t.TempDir(), "log")
	out, err := os.Create(log)
	require.NoError(t, err)
	cmd := exec.Command(p.path)
	for _, arg := range p.args {
		cmd.Args = append(cmd.Args, strings.ReplaceAll(arg, "$KUBECONFIG", kubeconfig))
	}
	cmd.Env = append(append(os.Environ(), "KUBECONFIG="+kubeconfig, "POD_NAMESPACE="+p.namespace), p.env...)
	cmd.Stdout, cmd.Stderr = out, out
	require.NoError(t, cmd.Start())
	wait = sync.OnceValue(cmd.Wait)
	t.Cleanup(func() {
		if err := cmd.Process.Kill(); !errors.Is(err, os.ErrProcessDone) {
			assert.NoError(t, err)
		}
		_ = wait() // killed
		assert.NoError(t, out.Close())
		text, err := os.ReadFile(log)
		assert.NoError(t, err)
		assert.NotContains(t, string(text), "is forbidden: User", "rights of %s", user)
		assert.NotContains(t, string(text), "could not find the requested resource")
		if lines := strings.Split(string(text), "\n"); t.Failed() {
			t.Logf("the log of %s ends with:\n%s", p.account, strings.Join(lines[max(0, len(lines)-40):], "\n"))
		}
	})
	return wait
}

// resource returns a client for objects such as "apps/v1/deployments" in a namespace, or for all of the cluster.
func (c *cluster) resource(t *testing.T, name, namespace string) dynamic.ResourceInterface {
	t.Helper()
	at := strings.LastIndex(name, "/")
	version, err := schema.ParseGroupVersion(name[:at])
	require.NoError(t, err)
	resource := c.objects.Resource(version.WithResource(name[at+1:]))
	if namespace == "" {
		return resource
	}
	return resource.Namespace(namespace)
}

// create writes an object from YAML.
func (c *cluster) create(t *testing.T, resource, manifest string) error {
	t.Helper()
	o := object(t, manifest)
	_, err := c.resource(t, resource, o.GetNamespace()).Create(t.Context(), o, metav1.CreateOptions{})
	return err
}

func object(t *testing.T, manifest string) *unstructured.Unstructured {
	t.Helper()
	o := new(unstructured.Unstructured)
	require.NoError(t, yaml.Unmarshal([]byte(manifest), &o.Object))
	return o
}

// await waits until an object exists and satisfies holds, and returns it.
func (c *cluster) await(t *testing.T, resource, namespace, name string,
	holds func(*unstructured.Unstructured) bool,
) *unstructured.Unstructured {
	t.Helper()
	return c.until(t, resource, namespace, name, func(o *unstructured.Unstructured) bool { return o != nil && holds(o) })
}

// awaitGone waits until an object is deleted.
func (c *cluster) awaitGone(t *testing.T, resource, namespace, name string) {
	t.Helper()
	c.until(t, resource, namespace, name, func(o *unstructured.Unstructured) bool { return o == nil })
}

// until waits until an object, which is nil while it does not exist, satisfies holds.
func (c *cluster) until(t *testing.T, resource, namespace, name string,
	holds func(*unstructured.Unstructured) bool,
) *unstructured.Unstructured {
	t.Helper()
	client := c.resource(t, resource, namespace)
	one := fields.OneTermEqualSelector("metadata.name", name).String()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var last *unstructured.Unstructured
	satisfied := func(o *unstructured.Unstructured) bool { last = o; return holds(o) }
	_, err := watchtools.UntilWithSync(ctx, &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.FieldSelector = one
			return client.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.FieldSelector = one
			return client.Watch(ctx, o)
		},
	}, new(unstructured.Unstructured), func(store cache.Store) (bool, error) {
		return len(store.List()) == 0 && satisfied(nil), nil
	}, func(event watch.Event) (bool, error) {
		o, ok := event.Object.(*unstructured.Unstructured)
		if !ok {
			return false, fmt.Errorf("%v", event.Object)
		}
		if event.Type == watch.Deleted {
			o = nil
		}
		return satisfied(o), nil
	})
	require.NoError(t, err, "%s %s: %v", resource, name, last)
	return last
}

// exists is a condition for await.
func exists(*unstructured.Unstructured) bool { return true }

// condition returns a condition for await: that a condition of the status is True.
func condition(kind string) func(*unstructured.Unstructured) bool {
	return func(o *unstructured.Unstructured) bool {
		all, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
		for _, c := range all {
			if c, ok := c.(map[string]any); ok && c["type"] == kind && c["status"] == "True" {
				return true
			}
		}
		return false
	}
}

// text returns a string in an object, or an empty one.
func text(o *unstructured.Unstructured, path ...string) string {
	s, _, _ := unstructured.NestedString(o.Object, path...)
	return s
}

// port returns a port of the loopback interface that was free a moment ago.
func port(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	return strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
}

// mount writes a Secret to a folder, as a kubelet does for a Pod.
func (c *cluster) mount(t *testing.T, namespace, name, dir string) {
	t.Helper()
	secret, err := c.client.CoreV1().Secrets(namespace).Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	for file, data := range secret.Data {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), data, 0o600))
	}
	require.NotEmpty(t, secret.Data, fmt.Sprintf("Secret %s", name))
}

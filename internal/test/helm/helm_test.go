package helm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/decorum-go/decorum/internal/test/hangtest"
	"github.com/decorum-go/decorum/k8s/kubeapi/kubeapitest"
)

// program is the path of helm.
var program string

func TestMain(m *testing.M) {
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "decorum-helm-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "helm")
	if out, err := exec.Command("go", "build", "-o", program, "-ldflags=-s -w",
		"helm.sh/helm/v4/cmd/helm").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build helm: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

var shipResource = schema.GroupVersionResource{Group: "fleet.example.com", Version: "v1", Resource: "ships"}

// cluster is an API, its clients, and a helm that knows only a kubeconfig.
type cluster struct {
	kubeconfig, home string
	client           kubernetes.Interface
	ships            dynamic.ResourceInterface
}

func newCluster(t *testing.T) *cluster {
	api := kubeapitest.New(t, kubeapitest.Options{
		Controllers: []string{"garbage-collector", "namespace", "serviceaccount", "root-ca-certificate-publisher"},
	})
	c := &cluster{kubeconfig: api.Kubeconfig(""), home: t.TempDir()}
	var err error
	c.client, err = kubernetes.NewForConfig(api.Config())
	require.NoError(t, err)
	documents, err := dynamic.NewForConfig(api.Config())
	require.NoError(t, err)
	c.ships = documents.Resource(shipResource).Namespace("sea")
	playCluster(t, c.client)
	return c
}

// helm runs a command that must succeed, and returns its output.
func (c *cluster) helm(t *testing.T, args ...string) string {
	t.Helper()
	out, problems, err := c.try(t, args...)
	require.NoError(t, err, "helm %s\n%s%s", strings.Join(args, " "), out, problems)
	return out
}

// refused runs a command that must fail, and returns its error output.
func (c *cluster) refused(t *testing.T, args ...string) string {
	t.Helper()
	out, problems, err := c.try(t, args...)
	require.Error(t, err, "helm %s should fail, but printed:\n%s", strings.Join(args, " "), out)
	return problems
}

func (c *cluster) try(t *testing.T, args ...string) (string, string, error) {
	ctx, cancel := context.WithTimeout(t.Context(), hangtest.Deadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, append([]string{"--namespace", "sea"}, args...)...)
	cmd.Env = []string{"HOME=" + c.home, "TMPDIR=" + c.home, "KUBECONFIG=" + c.kubeconfig, "PATH=" + os.Getenv("PATH")}
	var out, problems strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &problems
	err := cmd.Run()
	return out.String(), problems.String(), err
}

// release is a line of helm list or helm history.
type release struct {
	Name, Status, Chart string
	Revision            any // a string in a list, a number in a history
}

func (c *cluster) releases(t *testing.T, args ...string) (lines []string) {
	t.Helper()
	var all []release
	require.NoError(t, json.Unmarshal([]byte(c.helm(t, append(args, "-o", "json")...)), &all))
	for _, r := range all {
		lines = append(lines, fmt.Sprintf("%v %s", r.Revision, r.Status))
	}
	return lines
}

// guns returns what the API says about the flagship.
func (c *cluster) guns(t *testing.T) string {
	t.Helper()
	ship, err := c.ships.Get(t.Context(), "fleet-flagship", metav1.GetOptions{})
	require.NoError(t, err)
	spec, _ := ship.Object["spec"].(map[string]any)
	return fmt.Sprintf("%v, %v guns", spec["class"], spec["guns"])
}

func (c *cluster) replicas(t *testing.T) int32 {
	t.Helper()
	d, err := c.client.AppsV1().Deployments("sea").Get(t.Context(), "fleet", metav1.GetOptions{})
	require.NoError(t, err)
	return *d.Spec.Replicas
}

// hasMetrics reports whether the Service that the value metrics asks for exists.
func (c *cluster) hasMetrics(t *testing.T) bool {
	t.Helper()
	_, err := c.client.CoreV1().Services("sea").Get(t.Context(), "fleet-metrics", metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		require.NoError(t, err)
	}
	return err == nil
}

// helm writes objects with server-side apply, or, as its older versions did, with patches that it computes from three
// versions.
func TestAReleaseFromInstallationToItsEnd(t *testing.T) {
	const chart = "testdata/fleet"
	for _, serverSide := range []string{"true", "false"} {
		t.Run("server-side="+serverSide, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t)
			how := "--server-side=" + serverSide

			assert.Contains(t, c.helm(t, "install", "fleet", chart, "--create-namespace", "--wait", how),
				"The flagship has 4 guns.")
			assert.Equal(t, "Frigate, 4 guns", c.guns(t), "a definition in crds/ serves its kind before the templates are sent")
			assert.Equal(t, []string{"1 deployed"}, c.releases(t, "list"))
			_, err := c.client.BatchV1().Jobs("sea").Get(t.Context(), "fleet-migrate", metav1.GetOptions{})
			assert.True(t, apierrors.IsNotFound(err), "helm deletes a hook that has succeeded: %v", err)
			stored, err := c.client.CoreV1().Secrets("sea").Get(t.Context(), "sh.helm.release.v1.fleet.v1", metav1.GetOptions{})
			require.NoError(t, err)
			assert.EqualValues(t, "helm.sh/release.v1", stored.Type)
			assert.Contains(t, c.refused(t, "install", "fleet", chart), "cannot reuse a name that is still in use")

			c.helm(t, "upgrade", "fleet", chart, "--wait", how, "--set", "guns=8,replicas=3,metrics=false")
			assert.Equal(t, "Frigate, 8 guns", c.guns(t))
			assert.EqualValues(t, 3, c.replicas(t))
			assert.False(t, c.hasMetrics(t), "an upgrade deletes what the chart contains no more")

			assert.Contains(t, c.refused(t, "upgrade", "fleet", chart, how, "--set", "guns=200"),
				"spec.guns in body should be less than or equal to 100")
			assert.Equal(t, []string{"1 superseded", "2 deployed", "3 failed"}, c.releases(t, "history", "fleet"))

			c.helm(t, "rollback", "fleet", "1", "--wait")
			assert.Equal(t, "Frigate, 4 guns", c.guns(t))
			assert.EqualValues(t, 2, c.replicas(t))
			assert.True(t, c.hasMetrics(t), "a rollback creates what the upgrade has deleted")
			hook, err := c.client.CoreV1().ConfigMaps("sea").Get(t.Context(), "fleet-installed", metav1.GetOptions{})
			require.NoError(t, err)
			assert.Equal(t, "1", hook.Data["revision"], "a rollback runs the hooks as they were rendered for the first revision")
			assert.Contains(t, c.helm(t, "test", "fleet"), "Phase:          Succeeded")
			assert.Contains(t, c.helm(t, "get", "manifest", "fleet"), "kind: Ship")

			c.helm(t, "uninstall", "fleet", "--wait")
			assert.Empty(t, c.releases(t, "list"))
			left, err := c.ships.List(t.Context(), metav1.ListOptions{})
			require.NoError(t, err, "helm keeps the definitions of a chart")
			assert.Empty(t, left.Items)
			assert.False(t, c.hasMetrics(t))
		})
	}
}

// A field that somebody else has set is a conflict, as it is for any other client of server-side apply.
func TestHelmMeetsAConflict(t *testing.T) {
	t.Parallel()
	const chart = "testdata/fleet"
	c := newCluster(t)
	c.helm(t, "install", "fleet", chart, "--create-namespace", "--no-hooks")
	_, err := c.client.AppsV1().Deployments("sea").Patch(t.Context(), "fleet", types.MergePatchType,
		[]byte(`{"spec":{"replicas":9}}`), metav1.PatchOptions{FieldManager: "somebody"})
	require.NoError(t, err)

	assert.Contains(t, c.refused(t, "upgrade", "fleet", chart, "--no-hooks"), `conflict with "somebody"`)
	assert.EqualValues(t, 9, c.replicas(t))
	c.helm(t, "upgrade", "fleet", chart, "--no-hooks", "--force-conflicts")
	assert.EqualValues(t, 2, c.replicas(t))
}

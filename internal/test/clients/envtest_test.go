package clients_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// The folder that module k8s/kubeapi writes takes the place of kube-apiserver and etcd: envtest itself is unchanged.
func TestEnvtestStartsKubeapi(t *testing.T) {
	command := exec.Command("go", "-C", "../../../k8s/kubeapi", "run", "./assets")
	var problems bytes.Buffer
	command.Stderr = &problems
	out, err := command.Output()
	require.NoError(t, err, problems.String())
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")

	report := filepath.Join(t.TempDir(), "report")
	t.Setenv("DECORUM_REPORT", report)
	t.Setenv("KUBEBUILDER_ASSETS", lines[len(lines)-1])
	environment := &envtest.Environment{CRDDirectoryPaths: []string{"../../../examples/quickstart/definition.yaml"},
		ErrorIfCRDPathMissing: true}
	environment.ControlPlane.GetAPIServer().Configure().Append("goaway-chance", "0")
	config, err := environment.Start()
	require.NoError(t, err)
	stopped := false
	defer func() {
		if !stopped {
			assert.NoError(t, environment.Stop())
		}
	}()

	c, err := client.NewWithWatch(config, client.Options{})
	require.NoError(t, err)
	var namespace corev1.Namespace
	require.NoError(t, c.Get(t.Context(), client.ObjectKey{Name: "kube-system"}, &namespace))
	backups := &unstructured.UnstructuredList{}
	backups.SetGroupVersionKind(schema.GroupVersionKind{Group: "ops.example.com", Version: "v1", Kind: "BackupList"})
	require.NoError(t, c.List(t.Context(), backups))

	user, err := environment.AddUser(envtest.User{Name: "alice", Groups: []string{"readers"}}, nil)
	require.NoError(t, err)
	alice, err := client.New(user.Config(), client.Options{})
	require.NoError(t, err)
	assert.True(t, apierrors.IsForbidden(alice.List(t.Context(), &corev1.SecretList{})))
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "list", Resource: "secrets"}}}
	require.NoError(t, alice.Create(t.Context(), review))
	assert.False(t, review.Status.Allowed)

	watch, err := c.Watch(t.Context(), &corev1.NamespaceList{}) // is still open when the processes are stopped
	require.NoError(t, err)
	defer watch.Stop()
	require.Equal(t, "ADDED", string((<-watch.ResultChan()).Type))
	stopped = true
	require.NoError(t, environment.Stop())
	text, err := os.ReadFile(report)
	require.NoError(t, err)
	assert.Equal(t, "--goaway-chance has no effect\n", string(text))
}

package kinds_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"

	"github.com/decorum-go/decorum/rest"
)

const namespace = "default"

// clientOf returns a client of an API that sends and reads Protobuf, as the programs of a cluster do.
func clientOf(t *testing.T, api *rest.API) *kubernetes.Clientset { return warnedClientOf(t, api, nil) }

// warnedClientOf returns such a client that passes on warnings. If warnings is nil, client-go logs them.
func warnedClientOf(t *testing.T, api *rest.API, warnings clientrest.WarningHandler) *kubernetes.Clientset {
	c, err := kubernetes.NewForConfig(&clientrest.Config{Host: "http://kubernetes", Transport: rest.RoundTripper(api),
		QPS: -1, WarningHandler: warnings,
		ContentConfig: clientrest.ContentConfig{ContentType: "application/vnd.kubernetes.protobuf"}})
	require.NoError(t, err)
	return c
}

// heard collects the warnings that a client receives.
type heard struct{ texts []string }

func (h *heard) HandleWarningHeader(_ int, _, text string) { h.texts = append(h.texts, text) }

// newNamespace creates a namespace, so that the cases of a test can share an API.
func newNamespace(t *testing.T, client *kubernetes.Clientset) string {
	n, err := client.CoreV1().Namespaces().Create(t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "n-"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	return n.Name
}

func named(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name} }

// must returns an object that a client has read or written.
func must[T any](t *testing.T) func(obj T, err error) T {
	return func(obj T, err error) T {
		t.Helper()
		require.NoError(t, err)
		return obj
	}
}

// assertRefused checks the code and the text of an error.
func assertRefused(t *testing.T, err error, code int32, text string) {
	t.Helper()
	var status apierrors.APIStatus
	if assert.ErrorAs(t, err, &status) {
		assert.Equal(t, code, status.Status().Code)
		assert.Contains(t, err.Error(), text)
	}
}

package kinds_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"

	"github.com/decorum-go/decorum/rest"
)

const namespace = "default"

// clientOf returns a client of an API that sends and reads Protobuf, as the programs of a cluster do.
func clientOf(t *testing.T, api *rest.API) *kubernetes.Clientset {
	c, err := kubernetes.NewForConfig(&clientrest.Config{Host: "http://kubernetes", Transport: rest.RoundTripper(api), QPS: -1,
		ContentConfig: clientrest.ContentConfig{ContentType: "application/vnd.kubernetes.protobuf"}})
	require.NoError(t, err)
	return c
}

func named(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name, Namespace: namespace} }

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

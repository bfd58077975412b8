package k8s_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"

	"github.com/decorum-go/decorum/k8s"
	"github.com/decorum-go/decorum/rest"
)

// server is an API behind a real socket that records what its clients send.
type server struct {
	url string

	mu    sync.Mutex
	types map[string]string // content types of requests and answers, by method
}

func newServer(t *testing.T) *server {
	api, err := rest.New(rest.Options{},
		k8s.Resource[corev1.Namespace](), k8s.Resource[corev1.ConfigMap](), k8s.Resource[corev1.Pod](),
		k8s.Resource[corev1.Event](),
		k8s.Resource[corev1.ReplicationController](), k8s.Resource[corev1.Node](), k8s.Resource[corev1.Service](),
		k8s.Resource[coordinationv1.Lease](), k8s.Resource[eventsv1.Event](), k8s.Resource[appsv1.Deployment]())
	require.NoError(t, err)
	s := &server{types: map[string]string{}}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		api.ServeHTTP(w, r)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.types[r.Method] = r.Header.Get("Content-Type") + " > " + w.Header().Get("Content-Type")
	}))
	s.url = web.URL
	t.Cleanup(func() {
		api.Close() // ends the watches for which the server would wait
		web.Close()
	})
	return s
}

// exchanged returns the content types of the last request of a method and of its answer.
func (s *server) exchanged(method string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.types[method]
}

// client returns client-go in its usual configuration, which uses Protobuf for kinds that have a
// message.
func (s *server) client(t *testing.T) *kubernetes.Clientset {
	c, err := kubernetes.NewForConfig(&clientrest.Config{Host: s.url, QPS: -1})
	require.NoError(t, err)
	return c
}

package k8s_test

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Every column shows a field that the kind has.
func TestColumnsShowFields(t *testing.T) {
	elsewhere := map[string]bool{ // what an older version has under another name
		"flowcontrol.apiserver.k8s.io/v1beta1 NominalConcurrencyShares": true,
		"flowcontrol.apiserver.k8s.io/v1beta2 NominalConcurrencyShares": true,
		"node.k8s.io/v1alpha1 Handler":                                  true,
	}
	elements := regexp.MustCompile(`\[[^\]]*\]`)
	for _, h := range everyKind() {
		s := derive(t, h)
		for _, c := range h.columns {
			path := strings.Split(elements.ReplaceAllString(strings.TrimPrefix(c.Path, "."), ".[]"), ".")
			at := s.At(path...)
			if elsewhere[h.gvk.GroupVersion().String()+" "+c.Name] {
				assert.Nil(t, at, "%s: column %q", h.gvk, c.Name)
				continue
			}
			if assert.NotNil(t, at, "%s: column %q", h.gvk, c.Name) && (c.Type == "integer" || c.Type == "boolean") {
				assert.Equal(t, c.Type, at.Type, "%s: column %q", h.gvk, c.Name)
			}
		}
	}
}

func TestTables(t *testing.T) {
	s := newServer(t)
	clients := s.client(t)
	two := int32(2)
	_, err := clients.AppsV1().Deployments(metav1.NamespaceDefault).Create(t.Context(), &appsv1.Deployment{ObjectMeta: named("web"), Spec: appsv1.DeploymentSpec{Replicas: &two}}, metav1.CreateOptions{})
	require.NoError(t, err)
	node, err := clients.CoreV1().Nodes().Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}, metav1.CreateOptions{})
	require.NoError(t, err)
	node.Status.Conditions = []corev1.NodeCondition{
		{Type: corev1.NodeDiskPressure, Status: corev1.ConditionFalse}, {Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	_, err = clients.CoreV1().Nodes().UpdateStatus(t.Context(), node, metav1.UpdateOptions{})
	require.NoError(t, err)

	tests := []struct{ name, path, want string }{
		{"counts", "/apis/apps/v1/namespaces/default/deployments", `"cells":["web",2,`},
		{"elements by type", "/api/v1/nodes", `"cells":["n","True",`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+tt.path, nil)
			require.NoError(t, err)
			request.Header.Set("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
			response, err := http.DefaultClient.Do(request)
			require.NoError(t, err)
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			assert.Contains(t, string(body), tt.want)
		})
	}
}

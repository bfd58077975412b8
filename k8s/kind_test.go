package k8s_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	clientrest "k8s.io/client-go/rest"

	"github.com/decorum-go/decorum/k8s"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/resttest"
)

// Every kind of k8s.io/api with metadata is hosted, unless it is never stored under a name.
func TestEveryKindIsHosted(t *testing.T) {
	notStored := map[string]bool{
		"Binding": true, "ComponentStatus": true, "PodStatusResult": true, "RangeAllocation": true,
		"SerializedReference": true,
		"ImageReview":         true, "LocalSubjectAccessReview": true, "SelfSubjectAccessReview": true, "SelfSubjectReview": true,
		"SelfSubjectRulesReview": true, "SubjectAccessReview": true, "TokenRequest": true, "TokenReview": true, "Scale": true,
		"Eviction": true, // lifecycle.k8s.io has a stored one
	}
	known := map[schema.GroupVersionKind]bool{}
	for _, h := range everyKind() {
		known[h.gvk] = true
	}
	for gvk, typ := range scheme.Scheme.AllKnownTypes() {
		_, isObject := typ.FieldByName("ObjectMeta")
		if isObject && strings.HasPrefix(typ.PkgPath(), "k8s.io/api/") && gvk.Version != runtime.APIVersionInternal &&
			!notStored[gvk.Kind] {
			assert.True(t, known[gvk], "%s", gvk)
		}
	}
}

func TestEveryKindMakesAnAPI(t *testing.T) {
	for _, h := range everyKind() {
		t.Run(h.gvk.String(), func(t *testing.T) {
			require.NotEmpty(t, h.plural)
			require.NotNil(t, h.overlay, "it has apply configurations")
			api, err := rest.New(rest.Options{}, h)
			require.NoError(t, err)
			defer api.Close()

			path := "/apis/" + h.gvk.GroupVersion().String()
			if h.gvk.Group == "" {
				path = "/api/" + h.gvk.Version
			}
			w := httptest.NewRecorder()
			api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path+"/"+h.plural, nil))
			assert.Equal(t, http.StatusOK, w.Code, "%s", w.Body)
			assert.Contains(t, w.Body.String(), `"kind":"`+h.gvk.Kind+`List"`)
		})
	}
}

// One API can serve all kinds, each in one version, because no short name is duplicate within a group.
func TestKindsLiveTogether(t *testing.T) {
	taken := map[schema.GroupKind]bool{}
	var all []rest.Definition
	for _, h := range everyKind() {
		if !taken[h.gvk.GroupKind()] {
			all = append(all, h)
		}
		taken[h.gvk.GroupKind()] = true
	}
	api, err := rest.New(rest.Options{}, all...)
	require.NoError(t, err)
	api.Close()
}

// client-go has a method for each resource. Its name is the plural, and it has a namespace parameter if the
// resource is namespaced.
func TestNamesAndScopesAreThoseOfClientGo(t *testing.T) {
	clients, err := kubernetes.NewForConfig(&clientrest.Config{Host: "http://localhost"})
	require.NoError(t, err)
	namespaced := map[string]bool{}
	set := reflect.ValueOf(clients)
	for i := range set.NumMethod() {
		if set.Method(i).Type().NumIn() != 0 || set.Method(i).Type().NumOut() != 1 {
			continue
		}
		group, ok := set.Method(i).Call(nil)[0].Interface().(interface{ RESTClient() clientrest.Interface })
		if !ok {
			continue
		}
		for m := range reflect.TypeOf(group).Methods() {
			namespaced[group.RESTClient().APIVersion().String()+" "+strings.ToLower(m.Name)] = m.Type.NumIn() == 2
		}
	}
	for _, h := range everyKind() {
		inNamespace, ok := namespaced[h.gvk.GroupVersion().String()+" "+h.plural]
		if assert.True(t, ok, "%s %s", h.gvk, h.plural) {
			assert.Equal(t, inNamespace, h.scope == rest.ScopeNamespaced, "%s", h.gvk)
		}
	}
}

type note struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

func (n *note) DeepCopyObject() runtime.Object { c := *n; return &c }

func TestWhatIsNotStoredIsRefusedByName(t *testing.T) {
	tests := map[string]struct {
		definition rest.Definition
		want       string
	}{
		"a list":               {k8s.Resource[corev1.PodList](), `kind "PodList": Plural ""`},
		"Binding":              {k8s.Resource[corev1.Binding](), `kind "Binding": Plural ""`},
		"a kind of the host's": {k8s.Resource[note](), `kind "note": Plural ""`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := rest.New(rest.Options{}, tt.definition)
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func TestNamespacesAreThoseOfTheAPI(t *testing.T) {
	api, err := rest.New(rest.Options{}, k8s.Resource[corev1.Namespace](), k8s.Resource[corev1.ConfigMap]())
	require.NoError(t, err)
	defer api.Close()

	ns, err := resttest.Client[corev1.Namespace](t, api).Get(t.Context(), "default")
	require.NoError(t, err)
	assert.Equal(t, corev1.NamespaceActive, ns.Status.Phase)

	_, err = resttest.Client[corev1.ConfigMap](t, api).Namespace("missing").Create(context.Background(),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}})
	require.ErrorContains(t, err, `namespaces "missing" not found`)
}

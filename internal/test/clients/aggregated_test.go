package clients_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	clientrest "k8s.io/client-go/rest"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/test/realapitest"
	"github.com/decorum-go/decorum/rest"
)

// deploy are the manifests of the example of an aggregated server.
const deploy = "../../../examples/aggregated/deploy/"

// Report is a kind behind kube-apiserver.
type Report struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Text string `json:"text,omitempty"`
	} `json:"spec"`
}

// An informer of client-go follows a kind through kube-apiserver, which proxies its requests to an aggregated server.
// The informer reports every change, also those while kube-apiserver is stopped.
func TestInformerBehindKubeAPIServer(t *testing.T) {
	withAndWithoutWatchList(t, func(t *testing.T, _ bool) {
		r := realapitest.Start(t)
		r.Permit()
		for _, file := range []string{"rbac.yaml", "users.yaml", "apiservice.yaml"} {
			r.Kubectl("admin", "apply", "--server-side", "-f", deploy+file)
		}
		const group = "reports.example.com"
		behind := r.Aggregate(t, group, rest.Options{}, rest.Resource[Report]{Group: group, Version: "v1", Plural: "reports"})
		r.Available("v1." + group)

		config := &clientrest.Config{Host: r.URL(), BearerToken: "admin",
			TLSClientConfig: clientrest.TLSClientConfig{CAData: []byte(r.Authority.PEM)}}
		client, err := dynamic.NewForConfig(config)
		require.NoError(t, err)
		resource := schema.GroupVersionResource{Group: group, Version: "v1", Resource: "reports"}
		reports := client.Resource(resource).Namespace("default")
		create := func(name string) {
			_, err := reports.Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": group + "/v1", "kind": "Report", "metadata": map[string]any{"name": name},
				"spec": map[string]any{"text": "one"},
			}}, metav1.CreateOptions{})
			require.NoError(t, err)
		}
		create("early")
		informer := dynamicinformer.NewDynamicSharedInformerFactory(client, 0).ForResource(resource).Informer()
		seen := run(t, informer)
		awaitAll(t, seen, "added early")
		require.Eventually(t, informer.HasSynced, patience, time.Millisecond)

		create("late")
		awaitAll(t, seen, "added late")
		_, err = reports.Patch(t.Context(), "late", types.MergePatchType, []byte(`{"spec":{"text":"two"}}`), metav1.PatchOptions{})
		require.NoError(t, err)
		awaitAll(t, seen, "updated late")

		r.Stop()
		late := "/apis/" + group + "/v1/namespaces/default/reports/late"
		assert.Equal(t, 200, behind.Send(r.Clients.Sign("root", "system:masters"), "DELETE", late))
		r.Resume()
		awaitAll(t, seen, "deleted late")
		create("new")
		awaitAll(t, seen, "added new")
		assert.ElementsMatch(t, []string{"default/early", "default/new"}, informer.GetStore().ListKeys())
	})
}

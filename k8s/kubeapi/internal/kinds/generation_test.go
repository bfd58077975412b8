package kinds_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// object returns a manifest that a test may write in one line.
func object(apiVersion, kind, name, rest string) string {
	return `{"apiVersion":"` + apiVersion + `","kind":"` + kind + `","metadata":{"name":"` + name + `"}` + rest + `}`
}

// metadataOf reads the answer of a server as the metadata of an object.
func metadataOf(t *testing.T, client *kubernetes.Clientset, verb, path, body string) metav1.ObjectMeta {
	request := client.RESTClient().Verb(verb).AbsPath(path).SetHeader("Accept",
		"application/json").SetHeader("Content-Type", "application/json")
	if verb == "PATCH" {
		request.SetHeader("Content-Type", string(types.MergePatchType))
	}
	data, err := request.Body([]byte(body)).DoRaw(t.Context())
	require.NoError(t, err, string(data))
	var obj metav1.PartialObjectMetadata
	require.NoError(t, json.Unmarshal(data, &obj))
	return obj.ObjectMeta
}

func TestGenerationsRiseAsInKubernetes(t *testing.T) {
	client := clientOf(t, newAPI(t))
	const template = `"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}`
	const annotated, labelled = `{"metadata":{"annotations":{"c":"d"}}}`, `{"metadata":{"labels":{"c":"d"}}}`
	for _, c := range []struct {
		name, collection, object, patch, part string
		begins, ends                          int64
	}{
		{"a Deployment's spec", "/apis/apps/v1/namespaces/default/deployments",
			object("apps/v1", "Deployment", "a", `,"spec":{`+template+`}`), `{"spec":{"paused":true}}`, "", 1, 2},
		{"a Deployment's annotations", "/apis/apps/v1/namespaces/default/deployments",
			object("apps/v1", "Deployment", "b", `,"spec":{`+template+`}`), annotated, "", 1, 2},
		{"a Deployment's labels", "/apis/apps/v1/namespaces/default/deployments",
			object("apps/v1", "Deployment", "c", `,"spec":{`+template+`}`), labelled, "", 1, 1},
		{"a Deployment's status", "/apis/apps/v1/namespaces/default/deployments",
			object("apps/v1", "Deployment", "d", `,"spec":{`+template+`}`),
			`{"metadata":{"annotations":{"c":"d"}},"status":{"replicas":1}}`, "/status", 1, 1},
		{"a StatefulSet's annotations", "/apis/apps/v1/namespaces/default/statefulsets",
			object("apps/v1", "StatefulSet", "a", `,"spec":{"serviceName":"s",`+template+`}`), annotated, "", 1, 1},
		{"a DaemonSet's template", "/apis/apps/v1/namespaces/default/daemonsets",
			object("apps/v1", "DaemonSet", "a", `,"spec":{`+template+`}`),
			`{"spec":{"template":{"metadata":{"annotations":{"c":"d"}}}}}`, "", 1, 2},
		{"an EndpointSlice's labels", "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
			object("discovery.k8s.io/v1", "EndpointSlice", "a", `,"addressType":"IPv4","endpoints":[]`), labelled, "", 1, 2},
		{"an EndpointSlice's annotations", "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
			object("discovery.k8s.io/v1", "EndpointSlice", "b", `,"addressType":"IPv4","endpoints":[]`), annotated, "", 1, 1},
		{"a PriorityClass", "/apis/scheduling.k8s.io/v1/priorityclasses",
			object("scheduling.k8s.io/v1", "PriorityClass", "a", `,"value":1`), `{"description":"d"}`, "", 1, 1},
		{"a Pod's image", "/api/v1/namespaces/default/pods",
			object("v1", "Pod", "a", `,"spec":{"containers":[{"name":"c","image":"i"}]}`),
			`{"spec":{"containers":[{"name":"c","image":"j"}]}}`, "", 1, 2},
		{"a ConfigMap", "/api/v1/namespaces/default/configmaps", object("v1", "ConfigMap", "a", ""), `{"data":{"c":"d"}}`, "",
			0, 0},
		{"a CSIDriver", "/apis/storage.k8s.io/v1/csidrivers", object("storage.k8s.io/v1", "CSIDriver", "a", `,"spec":{}`),
			`{"spec":{"storageCapacity":true}}`, "", 0, 1},
		{"an autoscaler", "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
			object("autoscaling/v2", "HorizontalPodAutoscaler", "a",
				`,"spec":{"maxReplicas":2,"scaleTargetRef":{"apiVersion":"a/v1","kind":"K","name":"n"}}`),
			`{"spec":{"maxReplicas":3}}`, "", 1, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := metadataOf(t, client, "POST", c.collection, c.object)
			assert.Equal(t, c.begins, m.Generation)
			m = metadataOf(t, client, "PATCH", c.collection+"/"+m.Name+c.part, c.patch)
			assert.Equal(t, c.ends, m.Generation)
		})
	}
}

func TestDaemonSetsCountTheirTemplates(t *testing.T) {
	client := clientOf(t, newAPI(t))
	const collection = "/apis/apps/v1/namespaces/default/daemonsets"
	manifest := object("apps/v1", "DaemonSet", "a",
		`,"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}`)
	count := func(m metav1.ObjectMeta) string { return m.Annotations["deprecated.daemonset.template.generation"] }

	first := metadataOf(t, client, "POST", collection, manifest)
	assert.Equal(t, "1", count(first))
	again := metadataOf(t, client, "PUT", collection+"/a", manifest)
	assert.Equal(t, first.ResourceVersion, again.ResourceVersion, "the same manifest changes nothing")
	assert.Equal(t, "1", count(metadataOf(t, client, "PATCH", collection+"/a",
		`{"metadata":{"annotations":{"deprecated.daemonset.template.generation":"7"}}}`)))
	assert.Equal(t, "1", count(metadataOf(t, client, "PATCH", collection+"/a", `{"spec":{"minReadySeconds":5}}`)))
	assert.Equal(t, "2", count(metadataOf(t, client, "PATCH", collection+"/a",
		`{"spec":{"template":{"spec":{"hostNetwork":true}}}}`)))
	assert.Equal(t, "2", count(metadataOf(t, client, "PUT", collection+"/a/status", manifest)),
		"a client that writes the status may leave the annotation out")
}

func TestSecretsRecordTheirManagers(t *testing.T) {
	secrets := clientOf(t, newAPI(t)).CoreV1().Secrets(namespace)
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s", Labels: map[string]string{"app": "a"}},
		Data: map[string][]byte{"user": []byte("u")}}
	s = must[*corev1.Secret](t)(secrets.Create(t.Context(), s, metav1.CreateOptions{FieldManager: "creator"}))
	s.Data["password"] = []byte("p")
	s.Annotations = map[string]string{"by": "updater"}
	s = must[*corev1.Secret](t)(secrets.Update(t.Context(), s, metav1.UpdateOptions{FieldManager: "updater"}))
	want := map[string]string{
		"creator": `{"f:data":{".":{},"f:user":{}},"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:type":{}}`,
		"updater": `{"f:data":{"f:password":{}},"f:metadata":{"f:annotations":{".":{},"f:by":{}}}}`,
	}
	got := map[string]string{}
	for _, e := range s.ManagedFields {
		assert.Equal(t, metav1.ManagedFieldsOperationUpdate, e.Operation)
		assert.Equal(t, "v1", e.APIVersion)
		got[e.Manager] = string(e.FieldsV1.Raw)
	}
	assert.Equal(t, want, got)
}

package k8s_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	appsv1beta1 "k8s.io/api/apps/v1beta1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/decorum-go/decorum/k8s"
	"github.com/decorum-go/decorum/rest"
)

// table is the answer that kubectl get receives.
type table struct {
	ColumnDefinitions []struct{ Name, Type, Format, Description string }
	Rows              []struct{ Cells []any }
}

func (t table) headings() string {
	var out []string
	for _, c := range t.ColumnDefinitions {
		out = append(out, c.Name)
	}
	return strings.Join(out, ", ")
}

// put serves the kind and creates an object named a with a status.
func put(t *testing.T, h hosted, object, status string) (get func() table) {
	t.Helper()
	api, err := rest.New(rest.Options{}, h)
	require.NoError(t, err)
	t.Cleanup(func() { api.Close() })
	path := "/apis/" + h.gvk.GroupVersion().String()
	if h.gvk.Group == "" {
		path = "/api/" + h.gvk.Version
	}
	if h.scope == rest.ScopeNamespaced {
		path += "/namespaces/default"
	}
	path += "/" + h.plural
	request := func(method, path, contentType, accept, body string) []byte {
		t.Helper()
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		r.Header.Set("Accept", accept)
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		require.Less(t, w.Code, 300, "%s", w.Body)
		return w.Body.Bytes()
	}
	if object != "" {
		object = "," + object
	}
	request(http.MethodPost, path, "application/json", "application/json", `{"metadata":{"name":"a"}`+object+`}`)
	if status != "" {
		request(http.MethodPatch, path+"/a/status", "application/merge-patch+json", "application/json",
			`{"status":`+status+`}`)
	}
	return func() table {
		t.Helper()
		var out table
		require.NoError(t, json.Unmarshal(request(http.MethodGet, path+"/a", "",
			"application/json;as=Table;v=v1;g=meta.k8s.io", ""), &out))
		return out
	}
}

// TestTables expects the cells that kube-apiserver answered for the same objects.
func TestTables(t *testing.T) {
	const containers = `"containers":[{"name":"a","image":"b"},{"name":"c","image":"d"}]`
	const template = `"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{` +
		containers + `}}`
	tests := []struct {
		name                     string
		of                       hosted
		object, status, headings string
		cells                    []any
	}{
		{"config map", of[corev1.ConfigMap](), `"data":{"k":"v"},"binaryData":{"m":"YQ=="}`, "", "Name, Data, Age",
			[]any{"a", 2., "0s"}},
		{"empty config map", of[corev1.ConfigMap](), "", "", "Name, Data, Age", []any{"a", 0., "0s"}},
		{"secret", of[corev1.Secret](), `"type":"Opaque","data":{"k":"YQ=="}`, "", "Name, Type, Data, Age",
			[]any{"a", "Opaque", 1., "0s"}},
		{"service account", of[corev1.ServiceAccount](), `"secrets":[{"name":"x"}]`, "", "Name, Age", []any{"a", "0s"}},
		{"without a printer", of[corev1.LimitRange](), "", "", "Name, Created At", nil},
		{"new node", of[corev1.Node](), "", "",
			"Name, Status, Roles, Age, Version, Internal-IP, External-IP, OS-Image, Kernel-Version, Container-Runtime",
			[]any{"a", "Unknown", "<none>", "0s", "", "<none>", "<none>", "<unknown>", "<unknown>", "<unknown>"}},
		{"node", of[corev1.Node](), `"spec":{"unschedulable":true}`,
			`{"conditions":[{"type":"DiskPressure","status":"True"},{"type":"Ready","status":"False"}],` +
				`"addresses":[{"type":"InternalIP","address":"10.1.1.1"}],"nodeInfo":{"kubeletVersion":"v1.2.3","kernelVersion":"5","architecture":"amd64"}}`, "",
			[]any{"a", "NotReady,SchedulingDisabled", "<none>", "0s", "v1.2.3", "10.1.1.1", "<none>", "<unknown>", "5 (amd64)",
				"<unknown>"}},
		{"new pod", of[corev1.Pod](), `"spec":{` + containers + `}`, `{"phase":"Pending"}`,
			"Name, Ready, Status, Restarts, Age, IP, Node, Nominated Node, Readiness Gates",
			[]any{"a", "0/2", "Pending", "0", "0s", "<none>", "<none>", "<none>", "<none>"}},
		{"pod", of[corev1.Pod](), `"spec":{"nodeName":"n","readinessGates":[{"conditionType":"x"},{"conditionType":"y"}],` +
			containers + `}`, `{"phase":"Running","podIPs":[{"ip":"10.0.0.1"}],"conditions":[{"type":"Ready","status":"True"},{"type":"x","status":"True"}],"containerStatuses":[` +
			`{"name":"a","ready":true,"restartCount":3,"state":{"running":{}}},{"name":"c","state":{"terminated":{"exitCode":0,"reason":"Completed"}}}]}`, "",
			[]any{"a", "1/2", "Running", "3", "0s", "10.0.0.1", "n", "<none>", "1/2"}},
		{"pod that fails", of[corev1.Pod](), `"spec":{` + containers + `}`, `{"phase":"Running","containerStatuses":[` +
			`{"name":"a","restartCount":3,"state":{"waiting":{"reason":"CrashLoopBackOff"}}},{"name":"c","ready":true,"state":{"running":{}}}]}`, "",
			[]any{"a", "1/2", "CrashLoopBackOff", "3", "0s", "<none>", "<none>", "<none>", "<none>"}},
		{"pod that does not begin", of[corev1.Pod](),
			`"spec":{"initContainers":[{"name":"i"},{"name":"s","restartPolicy":"Always"}],` + containers + `}`,
			`{"phase":"Pending","initContainerStatuses":[{"name":"i","restartCount":1,"state":{"terminated":{"exitCode":2}}}]}`,
			"",
			[]any{"a", "0/3", "Init:ExitCode:2", "1", "0s", "<none>", "<none>", "<none>", "<none>"}},
		{"pod with a sidecar", of[corev1.Pod](),
			`"spec":{"initContainers":[{"name":"i"},{"name":"s","restartPolicy":"Always"}],"containers":[{"name":"a"}]}`,
			`{"phase":"Pending","initContainerStatuses":[{"name":"i","restartCount":1,"state":{"terminated":{"exitCode":0}}},{"name":"s","ready":true,"started":true,"restartCount":2,"state":{"running":{}}}],` +
				`"containerStatuses":[{"name":"a","restartCount":1,"state":{"terminated":{"exitCode":3,"signal":9}}}]}`, "",
			[]any{"a", "1/2", "Signal:9", "3", "0s", "<none>", "<none>", "<none>", "<none>"}},
		{"pod that waits for its gates", of[corev1.Pod](), `"spec":{"containers":[{"name":"a"}]}`,
			`{"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":"SchedulingGated"}]}`, "",
			[]any{"a", "0/1", "SchedulingGated", "0", "0s", "<none>", "<none>", "<none>", "<none>"}},
		{"service", of[corev1.Service](),
			`"spec":{"type":"NodePort","clusterIPs":["10.0.0.9"],"externalIPs":["1.2.3.4","1.2.3.5"],"ports":[{"port":80,"nodePort":30000,"protocol":"TCP"},{"port":53,"protocol":"UDP"}],"selector":{"a":"b"}}`, "",
			"Name, Type, Cluster-IP, External-IP, Port(s), Age, Selector",
			[]any{"a", "NodePort", "10.0.0.9", "1.2.3.4,1.2.3.5", "80:30000/TCP,53/UDP", "0s", "a=b"}},
		{"service that waits", of[corev1.Service](), `"spec":{"type":"LoadBalancer"}`, "", "",
			[]any{"a", "LoadBalancer", "<none>", "<pending>", "<none>", "0s", "<none>"}},
		{"balanced service", of[corev1.Service](), `"spec":{"type":"LoadBalancer","externalIPs":["9.9.9.9"]}`,
			`{"loadBalancer":{"ingress":[{"ip":"5.5.5.5"},{"hostname":"b.example.com"},{"ip":"1.1.1.1"}]}}`, "",
			[]any{"a", "LoadBalancer", "<none>", "1.1.1.1,5.5.5.5,b.example.com,9.9.9.9", "<none>", "0s", "<none>"}},
		{"endpoints", of[corev1.Endpoints](),
			`"subsets":[{"addresses":[{"ip":"1.1.1.1"},{"ip":"1.1.1.2"}],"ports":[{"port":80,"name":"a"},{"port":81,"name":"b"}]}]`, "",
			"Name, Endpoints, Age", []any{"a", "1.1.1.1:80,1.1.1.2:80,1.1.1.1:81 + 1 more...", "0s"}},
		{"claim", of[corev1.PersistentVolumeClaim](), `"spec":{"volumeName":"v","storageClassName":"sc"}`,
			`{"phase":"Bound","accessModes":["ReadWriteMany","ReadWriteOnce"],"capacity":{"storage":"2Gi"}}`,
			"Name, Status, Volume, Capacity, Access Modes, StorageClass, VolumeAttributesClass, Age, VolumeMode",
			[]any{"a", "Bound", "v", "2Gi", "RWO,RWX", "sc", "<unset>", "0s", "<unset>"}},
		{"quota", of[corev1.ResourceQuota](), "",
			`{"hard":{"pods":"4","cpu":"2","limits.memory":"1Gi"},"used":{"cpu":"500m","pods":"1"}}`,
			"Name, Request, Limit, Age", []any{"a", "cpu: 500m/2, pods: 1/4", "limits.memory: 0/1Gi", "0s"}},
		{"event", of[corev1.Event](),
			`"involvedObject":{"kind":"Pod","name":"x","namespace":"default","fieldPath":"f"},"reason":"R","message":" m ","type":"Normal","source":{"component":"c","host":"h"},"count":4`, "",
			"Last Seen, Type, Reason, Object, Subobject, Source, Message, First Seen, Count, Name",
			[]any{"<unknown>", "Normal", "R", "pod/x", "f", "c, h", "m", "<unknown>", 4., "a"}},
		{"newer event", of[eventsv1.Event](),
			`"regarding":{"kind":"Pod","namespace":"default"},"reason":"R","note":"n","type":"Normal","reportingController":"example.com/c","reportingInstance":"i"`, "",
			"Last Seen, Type, Reason, Object, Subobject, Source, Message, First Seen, Count, Name",
			[]any{"<unknown>", "Normal", "R", "pod", "", "example.com/c, i", "n", "<unknown>", 1., "a"}},
		{"deployment", of[appsv1.Deployment](), `"spec":{"replicas":3,` + template + `}`,
			`{"readyReplicas":1,"updatedReplicas":2,"availableReplicas":1}`,
			"Name, Ready, Up-to-date, Available, Age, Containers, Images, Selector",
			[]any{"a", "1/3", 2., 1., "0s", "a,c", "b,d", "a=b"}},
		{"old deployment", of[appsv1beta1.Deployment](), `"spec":{"replicas":3,` + template + `}`,
			`{"readyReplicas":1,"updatedReplicas":2,"availableReplicas":1}`,
			"Name, Ready, Up-to-date, Available, Age, Containers, Images, Selector",
			[]any{"a", "1/3", 2., 1., "0s", "a,c", "b,d", "a=b"}},
		{"daemon set", of[appsv1.DaemonSet](), `"spec":{` + template + `}`,
			`{"desiredNumberScheduled":4,"currentNumberScheduled":1,"numberReady":2,"updatedNumberScheduled":3,"numberAvailable":2}`,
			"Name, Desired, Current, Ready, Up-to-date, Available, Node Selector, Age, Containers, Images, Selector",
			[]any{"a", 4., 1., 2., 3., 2., "<none>", "0s", "a,c", "b,d", "a=b"}},
		{"autoscaler", of[autoscalingv2.HorizontalPodAutoscaler](),
			`"spec":{"scaleTargetRef":{"kind":"Deployment","name":"d"},"maxReplicas":5,"metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"averageUtilization":50}}},` +
				`{"type":"Pods","pods":{"target":{"averageValue":"5k"}}},{"type":"External","external":{"target":{"value":"7"}}}]}`,
			`{"currentReplicas":2,"currentMetrics":[{"resource":{"current":{"averageUtilization":33}}}]}`,
			"Name, Reference, Targets, MinPods, MaxPods, Replicas, Age",
			[]any{"a", "Deployment/d", "cpu: 33%/50%, <unknown>/5k + 1 more...", "<unset>", 5., 2., "0s"}},
		{"old autoscaler", of[autoscalingv1.HorizontalPodAutoscaler](),
			`"spec":{"scaleTargetRef":{"kind":"Deployment","name":"d"},"minReplicas":2,"maxReplicas":5,"targetCPUUtilizationPercentage":60}`, "", "",
			[]any{"a", "Deployment/d", "cpu: <unknown>/60%", "2", 5., 0., "0s"}},
		{"job", of[batchv1.Job](), `"spec":{"completions":3,"template":{"spec":{` + containers + `}}}`, "",
			"Name, Status, Completions, Duration, Age, Containers, Images, Selector",
			[]any{"a", "Running", "0/3", "", "0s", "a,c", "b,d", "<none>"}},
		{"suspended job", of[batchv1.Job](), `"spec":{"parallelism":2}`,
			`{"conditions":[{"type":"Suspended","status":"True"}]}`, "",
			[]any{"a", "Suspended", "0/1 of 2", "", "0s", "", "", "<none>"}},
		{"cron job", of[batchv1.CronJob](), `"spec":{"schedule":"* * * * *","suspend":false}`, `{"active":[{"name":"x"}]}`,
			"Name, Schedule, Timezone, Suspend, Active, Last Schedule, Age, Containers, Images, Selector",
			[]any{"a", "* * * * *", "<none>", "False", 1., "<none>", "0s", "", "", "<none>"}},
		{"ingress", of[networkingv1.Ingress](),
			`"spec":{"ingressClassName":"c","tls":[{}],"rules":[{"host":"a.com"},{},{"host":"b.com"},{"host":"c.com"},{"host":"d.com"}]}`, "",
			"Name, Class, Hosts, Address, Ports, Age", []any{"a", "c", "a.com,b.com,c.com + 2 more...", "", "80, 443", "0s"}},
		{"binding", of[rbacv1.RoleBinding](),
			`"roleRef":{"kind":"Role","name":"r"},"subjects":[{"kind":"User","name":"u"},{"kind":"User","name":"v"},{"kind":"Group","name":"g"},{"kind":"ServiceAccount","name":"s","namespace":"n"}]`, "",
			"Name, Role, Age, Users, Groups, ServiceAccounts", []any{"a", "Role/r", "0s", "u, v", "g", "n/s"}},
		{"storage class", of[storagev1.StorageClass](), `"provisioner":"p"`, "",
			"Name, Provisioner, ReclaimPolicy, VolumeBindingMode, AllowVolumeExpansion, Age",
			[]any{"a", "p", "Delete", "Immediate", false, "0s"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := put(t, tt.of, tt.object, tt.status)()
			if tt.headings != "" {
				assert.Equal(t, tt.headings, got.headings())
			}
			if cells := got.Rows[0].Cells; tt.cells != nil {
				assert.Equal(t, tt.cells, withoutAges(cells))
			}
		})
	}
}

// withoutAges replaces every age under a minute by the same text.
func withoutAges(cells []any) []any {
	for i, c := range cells {
		if s, ok := c.(string); ok && len(s) <= 3 && strings.HasSuffix(s, "s") && strings.Trim(s, "0123456789") == "s" {
			cells[i] = "0s"
		}
	}
	return cells
}

// The descriptions of the columns are those of the k8s.io/api with which the program is
// built.
func TestColumnsAreDescribed(t *testing.T) {
	got := put(t, of[corev1.ConfigMap](), "", "")()
	assert.Equal(t, corev1.ConfigMap{}.SwaggerDoc()["data"], got.ColumnDefinitions[1].Description)
	assert.Equal(t, "string", got.ColumnDefinitions[2].Type, "clients do not format an age as a date")
}

// No column requires a field to be set, in any version of any kind.
func TestTablesOfEmptyObjects(t *testing.T) {
	for _, h := range everyKind() {
		t.Run(h.gvk.String(), func(t *testing.T) {
			got := put(t, h, "", "")()
			assert.Len(t, got.Rows[0].Cells, len(got.ColumnDefinitions))
			assert.Contains(t, got.headings(), "Name")
		})
	}
}

func TestColumnsOfAHost(t *testing.T) {
	r := k8s.Resource[corev1.ConfigMap]()
	r.Columns = []rest.Column{{Name: "Immutable", Type: "boolean", Path: ".immutable"}}
	h := of[corev1.ConfigMap]()
	h.Definition = r
	got := put(t, h, `"immutable":true`, "")()
	assert.Equal(t, "Name, Immutable", got.headings())
	assert.Equal(t, []any{"a", true}, got.Rows[0].Cells)
}

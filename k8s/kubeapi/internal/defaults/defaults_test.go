package defaults_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/defaults"
)

const (
	podDefaults = `"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","securityContext":{},"schedulerName":"default-scheduler"`
	ofContainer = `"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"`
)

// Package internal/test/oracle compares all kinds with Kubernetes. These are the cases that people meet.
func TestSet(t *testing.T) {
	for _, c := range []struct {
		name       string
		set        func(t *testing.T, sent, want string)
		sent, want string
	}{
		{"a Pod", set[corev1.Pod],
			`{"spec":{"containers":[{"name":"a","image":"nginx","resources":{"limits":{"cpu":"1"},"requests":{"memory":"1Gi"}}}]}}`,
			`{"spec":{"containers":[{"name":"a","image":"nginx","imagePullPolicy":"Always","resources":{"limits":{"cpu":"1"},"requests":{"cpu":"1","memory":"1Gi"}},` + ofContainer + `}],` +
				podDefaults + `,"enableServiceLinks":true}}`},
		{"the template of a Deployment", set[appsv1.Deployment],
			`{"spec":{"template":{"spec":{"serviceAccountName":"a","containers":[{"name":"a","image":"nginx:1.2","livenessProbe":{"httpGet":{"port":80}},"ports":[{"containerPort":80}]}]}}}}`,
			`{"spec":{"replicas":1,"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":"25%","maxUnavailable":"25%"}},"revisionHistoryLimit":10,"progressDeadlineSeconds":600,
				"template":{"spec":{"serviceAccountName":"a","serviceAccount":"a",` + podDefaults +
				`,"containers":[{"name":"a","image":"nginx:1.2","imagePullPolicy":"IfNotPresent",` + ofContainer + `,
					"livenessProbe":{"httpGet":{"path":"/","port":80,"scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3},
					"ports":[{"containerPort":80,"protocol":"TCP"}]}]}}}}`},
		{"the claims of a StatefulSet", set[appsv1.StatefulSet],
			`{"spec":{"volumeClaimTemplates":[{"metadata":{"name":"data"},"spec":{}}]}}`,
			`{"spec":{"replicas":1,"podManagementPolicy":"OrderedReady","revisionHistoryLimit":10,"updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":1,"partition":0}},
				"persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Retain","whenScaled":"Retain"},"template":{"spec":{` + podDefaults + `}},
				"volumeClaimTemplates":[{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"data"},"spec":{"volumeMode":"Filesystem"},"status":{"phase":"Pending"}}]}}`},
		{"a Service", set[corev1.Service], `{"spec":{"ports":[{"port":80}]}}`,
			`{"spec":{"type":"ClusterIP","sessionAffinity":"None","internalTrafficPolicy":"Cluster","ports":[{"port":80,"protocol":"TCP","targetPort":80}]}}`},
		{"a Job takes the labels of its template", set[batchv1.Job],
			`{"spec":{"template":{"metadata":{"labels":{"a":"1"}}}}}`,
			`{"metadata":{"labels":{"a":"1"}},"spec":{"parallelism":1,"completions":1,"backoffLimit":6,"completionMode":"NonIndexed","suspend":false,"manualSelector":false,
				"podReplacementPolicy":"TerminatingOrFailed","template":{"metadata":{"labels":{"a":"1"}},"spec":{` + podDefaults + `}}}}`},
		{"one direction of an autoscaler", set[autoscalingv2.HorizontalPodAutoscaler],
			`{"spec":{"behavior":{"scaleUp":{"policies":[{"type":"Pods","value":1,"periodSeconds":5}]}}}}`,
			`{"spec":{"minReplicas":1,"metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":80}}}],"behavior":{
				"scaleUp":{"stabilizationWindowSeconds":0,"selectPolicy":"Max","policies":[{"type":"Pods","value":1,"periodSeconds":5}]},
				"scaleDown":{"selectPolicy":"Max","policies":[{"type":"Percent","value":100,"periodSeconds":15}]}}}}`},
		{"a claim", set[corev1.PersistentVolumeClaim], `{}`,
			`{"spec":{"volumeMode":"Filesystem"},"status":{"phase":"Pending"}}`},
		{"a namespace", set[corev1.Namespace], `{"metadata":{"name":"a"}}`,
			`{"metadata":{"name":"a","labels":{"kubernetes.io/metadata.name":"a"}},"status":{"phase":"Active"}}`},
		{"a kind without defaults", set[nodev1.RuntimeClass], `{"overhead":{"podFixed":{"cpu":"0.1m"}}}`,
			`{"overhead":{"podFixed":{"cpu":"100u"}}}`},
	} {
		t.Run(c.name, func(t *testing.T) { c.set(t, c.sent, c.want) })
	}
}

func set[T any](t *testing.T, sent, want string) {
	obj := decode[T](t, sent)
	defaults.Of[T]().Set(obj)
	assert.JSONEq(t, encode(t, decode[T](t, want)), encode(t, obj))
}

func canonicalize[T any](t *testing.T, sent, want string) {
	obj := decode[T](t, sent)
	defaults.Of[T]().Canonicalize(obj)
	assert.JSONEq(t, encode(t, decode[T](t, want)), encode(t, obj))
}

func decode[T any](t *testing.T, text string) *T {
	obj := new(T)
	require.NoError(t, json.Unmarshal([]byte(text), obj))
	return obj
}

func encode(t *testing.T, obj any) string {
	text, err := json.Marshal(obj)
	require.NoError(t, err)
	return string(text)
}

func TestTaintsOfDevicesBeginNow(t *testing.T) {
	slice := &resourcev1.ResourceSlice{Spec: resourcev1.ResourceSliceSpec{Devices: []resourcev1.Device{{Taints: []resourcev1.DeviceTaint{{Key: "a"}}}}}}
	before := time.Now().Truncate(time.Second)
	defaults.Of[resourcev1.ResourceSlice]().Set(slice)
	added := slice.Spec.Devices[0].Taints[0].TimeAdded
	require.NotNil(t, added)
	assert.False(t, added.Time.Before(before) || added.Time.After(time.Now()), "%v", added)
}

func TestCanonicalize(t *testing.T) {
	for _, c := range []struct {
		name       string
		rewrite    func(t *testing.T, sent, want string)
		sent, want string
	}{
		{"a quantity below a thousandth", canonicalize[corev1.ResourceQuota], `{"spec":{"hard":{"cpu":"0.0001"}}}`,
			`{"spec":{"hard":{"cpu":"1m"}}}`},
		{"the texts of a secret", canonicalize[corev1.Secret], `{"data":{"a":"eA==","b":"eQ=="},"stringData":{"a":"z"}}`,
			`{"data":{"a":"eg==","b":"eQ=="}}`},
		{"the label of a namespace", canonicalize[corev1.Namespace],
			`{"metadata":{"name":"a","labels":{"kubernetes.io/metadata.name":"b"}}}`,
			`{"metadata":{"name":"a","labels":{"kubernetes.io/metadata.name":"a"}}}`},
		{"two names of an account", canonicalize[corev1.PodTemplate],
			`{"template":{"spec":{"serviceAccountName":"a","serviceAccount":"b"}}}`,
			`{"template":{"spec":{"serviceAccountName":"a","serviceAccount":"a"}}}`},
		{"settings of an affinity that a Service lacks", canonicalize[corev1.Service],
			`{"spec":{"sessionAffinity":"None","sessionAffinityConfig":{"clientIP":{"timeoutSeconds":1}}}}`,
			`{"spec":{"sessionAffinity":"None"}}`},
	} {
		t.Run(c.name, func(t *testing.T) { c.rewrite(t, c.sent, c.want) })
	}
}

package validation_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/defaults"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/validation"
	"github.com/decorum-go/decorum/status"
)

// Package internal/test/oracle compares all kinds with Kubernetes. These are the messages on which tests of operators
// depend.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name  string
		check func(t *testing.T, text string) status.FieldErrors
		text  string
		want  []string
	}{
		{"a Pod without containers", check[corev1.Pod], `{}`, []string{"spec.containers: Required value"}},
		{"a template without containers", check[appsv1.Deployment],
			`{"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}}}}}`,
			[]string{"spec.template.spec.containers: Required value"}},
		{"a selector of other Pods", check[appsv1.ReplicaSet],
			`{"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"c"}},"spec":{"containers":[{"name":"a","image":"b"}]}}}}`,
			[]string{"spec.template.metadata.labels: Invalid value: {\"a\":\"c\"}: `selector` does not match template " +
				"`labels`"}},
		{"a Job without an image, whose Pods always restart", check[batchv1.Job],
			`{"spec":{"manualSelector":true,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"a"}]}}}}`,
			[]string{"spec.template.spec.containers[0].image: Required value",
				`spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"`}},
		{"a port out of range", check[corev1.Service], `{"spec":{"ports":[{"port":70000,"targetPort":80}]}}`,
			[]string{"spec.ports[0].port: Invalid value: 70000: must be between 1 and 65535, inclusive"}},
		{"a mount of an unknown volume", check[corev1.Pod],
			`{"spec":{"containers":[{"name":"a","image":"b","volumeMounts":[{"name":"x","mountPath":"/x"}]}]}}`,
			[]string{`spec.containers[0].volumeMounts[0].name: Not found: "x"`}},
		{"a Job with a selector of its own that is not manual", check[batchv1.Job],
			`{"metadata":{"name":"j","uid":"1"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b","controller-uid":"1","job-name":"j",
			"batch.kubernetes.io/controller-uid":"1","batch.kubernetes.io/job-name":"j"}},"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"b"}]}}}}`,
			[]string{"spec.selector: Invalid value: {\"matchLabels\":{\"a\":\"b\"}}: `selector` not auto-generated"}},
		{"a schedule of four fields", check[batchv1.CronJob],
			`{"spec":{"schedule":"* * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"b"}]}}}}}}`,
			[]string{`spec.schedule: Invalid value: "* * * *": expected exactly 5 fields, found 4: [* * * *]`}},
		{"a taint without an effect", check[corev1.Node], `{"spec":{"taints":[{"key":"a"}]}}`,
			[]string{"metadata.taints[0].effect: Required value"}},
		{"a limit below the least value", check[corev1.LimitRange],
			`{"spec":{"limits":[{"type":"Pod","min":{"cpu":"2"},"max":{"cpu":"1"}}]}}`,
			[]string{`spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1`}},
		{"a load balancer without a port for its health", check[corev1.Service],
			`{"spec":{"type":"LoadBalancer","externalTrafficPolicy":"Local","ports":[{"port":80}]}}`,
			[]string{"spec.healthCheckNodePort: Required value"}},
		{"an address with a leading zero", check[corev1.Service],
			`{"spec":{"externalIPs":["010.0.0.1"],"ports":[{"port":80}]}}`,
			[]string{`spec.externalIPs[0]: Invalid value: "010.0.0.1": must not have leading 0s`}},
		{"an address of this machine", check[corev1.Service],
			`{"spec":{"externalIPs":["127.0.0.1"],"ports":[{"port":80}]}}`,
			[]string{`spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)`}},
		{"an address of the other family", check[corev1.Service],
			`{"spec":{"clusterIP":"10.0.0.1","clusterIPs":["10.0.0.1"],"ipFamilies":["IPv6"],"ports":[{"port":80}]}}`,
			[]string{`spec.clusterIPs[0]: Invalid value: "10.0.0.1": expected an IPv6 value as indicated by ` +
				"`ipFamilies[0]`"}},
		{"the claim of another volume", check[corev1.Pod],
			`{"metadata":{"name":"p"},"spec":{"containers":[{"name":"a","image":"b"}],"volumes":[
			{"name":"v","ephemeral":{"volumeClaimTemplate":{"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1"}}}}}},
			{"name":"w","persistentVolumeClaim":{"claimName":"p-v"}}]}}`,
			[]string{`spec.volumes[1].persistentVolumeClaim.claimName: Invalid value: "p-v": must not reference a PVC that ` +
				"gets created for an ephemeral volume"}},
		{"devices by an attribute and a capacity", check[resourcev1.DeviceClass], selecting(
			`cel.bind(a, device.attributes["a.example.com"], a.fast && a.model == "x") && device.allowMultipleAllocations && ` +
				`device.driver == "a" && device.capacity["a.example.com"].memory.isGreaterThan(quantity("1Gi"))`), nil},
		{"devices by a value of any type", check[resourcev1.DeviceClass], selecting(`device.attributes["a"].fast`), nil},
		{"devices by a text", check[resourcev1.DeviceClass], selecting(`device.driver`),
			[]string{`spec.selectors[0].cel.expression: Invalid value: "device.driver": must evaluate to bool or the unknown ` +
				"type, not string"}},
		{"devices by a loop in a loop in a loop", check[resourcev1.DeviceClass], selecting(
			`device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, device.attributes.all(d, a+b+c+d == ""))))`),
			[]string{"spec.selectors[0].cel.expression: Forbidden: too complex, exceeds cost limit"}},
		{"devices by a long expression", check[resourcev1.DeviceClass], selecting(strings.Repeat(" ", 10<<10) + "true"),
			[]string{"spec.selectors[0].cel.expression: Too long: may not be more than 10240 bytes"}},
		{"a kind without rules", check[corev1.ServiceAccount], `{"secrets":[{}]}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, e := range c.check(t, c.text) {
				got = append(got, e.Error())
			}
			assert.Equal(t, c.want, got)
		})
	}
}

// selecting returns a DeviceClass whose devices an expression selects.
func selecting(expression string) string {
	text, _ := json.Marshal(resourcev1.DeviceClass{Spec: resourcev1.DeviceClassSpec{Selectors: []resourcev1.DeviceSelector{
		{CEL: &resourcev1.CELDeviceSelector{Expression: expression}}}}})
	return string(text)
}

func TestInvalidDeviceSelector(t *testing.T) {
	errs := check[resourcev1.DeviceClass](t, selecting("device.nope"))
	require.Len(t, errs, 1)
	assert.Equal(t, status.CauseInvalid, errs[0].Type)
	assert.Contains(t, errs[0].Detail, "compilation failed: ERROR: <input>:1:7: undefined field 'nope'")
}

// An address in an old form may stay, also in another place.
func TestUpdateMayKeepAnAddress(t *testing.T) {
	const header = `{"spec":{"ports":[{"port":80}],"externalIPs":`
	old := decode[corev1.Service](t, header+`["010.0.0.1"]}}`)
	moved := decode[corev1.Service](t, header+`["10.0.0.2","010.0.0.1"]}}`)
	another := decode[corev1.Service](t, header+`["010.0.0.1","010.0.0.2"]}}`)
	assert.Empty(t, validation.CheckUpdate(moved, old))
	errs := validation.CheckUpdate(another, old)
	require.Len(t, errs, 1)
	assert.Equal(t, "spec.externalIPs[1]", errs[0].Field)
}

func TestAnUpdateMayKeepAFault(t *testing.T) {
	old, same := decode[corev1.Pod](t, `{}`), decode[corev1.Pod](t, `{"metadata":{"labels":{"a":"b"}}}`)
	worse := decode[corev1.Pod](t, `{"spec":{"tolerations":[{"key":"a","effect":"x"}]}}`)
	assert.Empty(t, validation.CheckUpdate(same, old))
	errs := validation.CheckUpdate(worse, old)
	require.Len(t, errs, 1)
	assert.Equal(t, "spec.tolerations[0].effect", errs[0].Field)
}

func check[T any](t *testing.T, text string) status.FieldErrors {
	return validation.Check(decode[T](t, text))
}

// decode returns the object with this JSON and its defaults.
func decode[T any](t *testing.T, text string) *T {
	obj := new(T)
	require.NoError(t, json.Unmarshal([]byte(text), obj))
	defaults.Of[T]().Set(obj)
	return obj
}

package validation_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/validation"
	"github.com/decorum-go/decorum/status"
)

// change is an object, and the JSON that is written over it. Elements of a list are written over those that are there.
type change struct {
	name      string
	old, with string
	want      []string
}

const (
	aPod   = `{"spec":{"containers":[{"name":"a","image":"b"}],"tolerations":[{"key":"a","operator":"Exists"}],"activeDeadlineSeconds":60}}`
	gated  = `{"spec":{"schedulingGates":[{"name":"a"}],"nodeSelector":{"a":"b"},"containers":[{"name":"a","image":"b"}]}}`
	aJob   = `{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"b"}]}}},"status":{"startTime":"2026-01-01T00:00:00Z"}}`
	failed = `{"spec":{"restartPolicy":"OnFailure","containers":[{"name":"a","image":"b"}]},"status":{"containerStatuses":[{"name":"a","state":{"terminated":{"exitCode":1}}}]}}`
	ended  = `{"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"b"}]},"status":{"containerStatuses":[{"name":"a","state":{"terminated":{"exitCode":1}}}]}}`
)

func TestUpdates(t *testing.T) {
	const frozen = "spec: Forbidden: pod updates may not change fields other than " +
		"`spec.containers[*].image`,`spec.initContainers[*].image`," +
		"`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations)," +
		"`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
	run[corev1.Pod](t, validation.CheckUpdate,
		change{"another image", aPod, `{"spec":{"containers":[{"name":"a","image":"c"}]}}`, nil},
		change{"another host", aPod, `{"spec":{"hostname":"c"}}`, []string{frozen}},
		change{"no containers", aPod, `{"spec":{"containers":null}}`, []string{"spec.containers: Required value",
			"spec.containers: Forbidden: pod updates may not add or remove containers"}},
		change{"a later deadline", aPod, `{"spec":{"activeDeadlineSeconds":61}}`,
			[]string{"spec.activeDeadlineSeconds: Invalid value: 61: must be less than or equal to previous value"}},
		change{"one more toleration", aPod,
			`{"spec":{"tolerations":[{"key":"a","operator":"Exists"},{"key":"b","operator":"Exists"}]}}`, nil},
		change{"another toleration", aPod, `{"spec":{"tolerations":[{"key":"b","operator":"Exists"}]}}`,
			[]string{"spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds"}},
		change{"an open gate", gated, `{"spec":{"schedulingGates":null}}`, nil},
		change{"one more gate", gated, `{"spec":{"schedulingGates":[{"name":"a"},{"name":"b"}]}}`,
			[]string{"spec.schedulingGates[1].name: Forbidden: only deletion is allowed, but found new scheduling gate 'b'"}},
		change{"fewer nodes, before the gates are open", gated, `{"spec":{"nodeSelector":{"a":"b","c":"d"}}}`, nil},
		change{"an affinity, before the gates are open", gated,
			`{"spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"Exists"}]}]}}}}}`, nil},
		change{"other nodes, before the gates are open", gated, `{"spec":{"nodeSelector":{"a":"c"}}}`,
			[]string{`spec.nodeSelector: Invalid value: {"a":"c"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)`}})
	run[appsv1.Deployment](t, validation.CheckUpdate,
		change{"another selector",
			`{"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b","c":"d"}},"spec":{"containers":[{"name":"a","image":"b"}]}}}}`,
			`{"spec":{"selector":{"matchLabels":{"a":"b","c":"d"}}}}`,
			[]string{`spec.selector: Invalid value: {"matchLabels":{"a":"b","c":"d"}}: field is immutable`}})
	const addressed = `{"spec":{"clusterIP":"10.0.0.1","clusterIPs":["10.0.0.1"],"ipFamilies":["IPv4"],` +
		`"ports":[{"port":80}]}}`
	run[corev1.Service](t, validation.CheckUpdate,
		change{"a second address", addressed,
			`{"spec":{"clusterIPs":["10.0.0.1","fd00::1"],"ipFamilies":["IPv4","IPv6"]}}`, nil},
		change{"another address", addressed, `{"spec":{"clusterIP":"10.0.0.2","clusterIPs":["10.0.0.2"]}}`,
			[]string{`spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set`}},
		change{"no addresses", addressed, `{"spec":{"clusterIP":"","clusterIPs":null,"ipFamilies":null}}`,
			[]string{"spec.clusterIPs[0]: Invalid value: null: primary clusterIP can not be unset",
				"spec.ipFamilies[0]: Invalid value: null: primary ipFamily can not be unset"}})
	run[batchv1.Job](t, validation.CheckUpdate,
		change{"another value of a generated label in a suspended Job",
			`{"metadata":{"name":"a","uid":"1"},"spec":{"selector":{"matchLabels":{"controller-uid":"1"}},"suspend":true,` +
				`"template":{"metadata":{"labels":{"controller-uid":"1","job-name":"a","batch.kubernetes.io/controller-uid":"1","batch.kubernetes.io/job-name":"a"}},` +
				`"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"b"}]}}}}`,
			`{"spec":{"template":{"metadata":{"labels":{"batch.kubernetes.io/job-name":"b"}}}}}`,
			nil})
	run[corev1.Node](t, validation.CheckUpdate,
		change{"a first provider", `{}`, `{"spec":{"providerID":"a"}}`, nil},
		change{"another provider", `{"spec":{"providerID":"a"}}`, `{"spec":{"providerID":"b"}}`,
			[]string{`spec.providerID: Invalid value: null: field cannot be modified once set`}})
}

func TestWritesOfTheStatus(t *testing.T) {
	const again = "status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state"
	run[corev1.Pod](t, validation.CheckStatus,
		change{"a container that runs again", ended,
			`{"status":{"containerStatuses":[{"name":"a","state":{"terminated":null,"running":{}}}]}}`, []string{again}},
		change{"a container that may run again", failed,
			`{"status":{"containerStatuses":[{"name":"a","state":{"terminated":null,"running":{}}}]}}`, nil},
		change{"two addresses of one family", ended, `{"status":{"podIPs":[{"ip":"10.0.0.1"},{"ip":"10.0.0.2"}]}}`,
			[]string{`status.podIPs: Invalid value: [{"ip":"10.0.0.1"},{"ip":"10.0.0.2"}]: may specify no more than one IP for each IP family`}},
		change{"a claim for resources that no container requests", ended,
			`{"status":{"extendedResourceClaimStatus":{"resourceClaimName":"c","requestMappings":[{"containerName":"a",` +
				`"resourceName":"example.com/gpu","requestName":"r"}]}}}`,
			[]string{`status.extendedResourceClaimStatus.requestMappings[0].resourceName: Invalid value: "example.com/gpu": ` +
				"must match the extended resource name of an entry in spec.initContainers.resources.requests or " +
				"spec.containers.resources.requests"}},
		change{"a class", ended, `{"status":{"qosClass":"Guaranteed"}}`,
			[]string{`status.qosClass: Invalid value: "Guaranteed": field is immutable`}})
	run[batchv1.Job](t, validation.CheckStatus,
		change{"an end that was announced", aJob,
			`{"status":{"completionTime":"2026-01-01T00:00:01Z","conditions":[{"type":"SuccessCriteriaMet","status":"True"},{"type":"Complete","status":"True"}]}}`, nil},
		change{"an end that was not announced", aJob,
			`{"status":{"completionTime":"2026-01-01T00:00:01Z","conditions":[{"type":"Complete","status":"True"}]}}`,
			[]string{"status.conditions: Invalid value: cannot set Complete=True condition without the " +
				"SuccessCriteriaMet=true condition"}},
		change{"a failure without its cause", aJob, `{"status":{"conditions":[{"type":"Failed","status":"True"}]}}`,
			[]string{"status.conditions: Invalid value: cannot set Failed=True condition without the FailureTarget=true " +
				"condition"}},
		change{"another start", aJob, `{"status":{"startTime":"2026-01-01T00:00:01Z"}}`,
			[]string{`status.startTime: Invalid value: "2026-01-01T00:00:01Z": field is immutable for unsuspended job once set`}})
	run[appsv1.ReplicaSet](t, validation.CheckStatus,
		change{"more ready than there are", `{}`, `{"status":{"replicas":1,"readyReplicas":2}}`,
			[]string{"status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas"}})
	run[certificatesv1.CertificateSigningRequest](t, validation.CheckStatus,
		change{"an approval", `{}`, `{"status":{"conditions":[{"type":"Approved","status":"True"}]}}`,
			[]string{`status.conditions: Forbidden: updates may not add a condition of type "Approved"`}})
	run[corev1.Namespace](t, validation.CheckStatus,
		change{"an end without a deletion", `{"status":{"phase":"Active"}}`, `{"status":{"phase":"Terminating"}}`,
			[]string{"status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty"}})
}

// run checks the errors about changes of a kind.
func run[T any](t *testing.T, check func(obj, old any) status.FieldErrors, changes ...change) {
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			old, obj := decode[T](t, c.old), decode[T](t, c.old)
			require.NoError(t, json.Unmarshal([]byte(c.with), obj))
			var got []string
			for _, e := range check(obj, old) {
				got = append(got, e.Error())
			}
			assert.Equal(t, c.want, got)
		})
	}
}

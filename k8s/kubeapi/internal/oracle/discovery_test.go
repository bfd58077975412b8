package oracle

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// groupVersions returns the paths of the groups and versions that Kubernetes serves.
func groupVersions(t *testing.T) []string {
	t.Helper()
	var groups metav1.APIGroupList
	kubernetesAPI(t).get(t, "/apis", &groups)
	paths := []string{"/api/v1"}
	for _, g := range groups.Groups {
		for _, v := range g.Versions {
			paths = append(paths, "/apis/"+v.GroupVersion)
		}
	}
	return paths
}

// resourcesOf returns the resources of a group and version. Each side makes up its own hashes of storage versions.
func (s side) resourcesOf(t *testing.T, path string) map[string]metav1.APIResource {
	t.Helper()
	var list metav1.APIResourceList
	s.get(t, path, &list)
	resources := map[string]metav1.APIResource{}
	for _, r := range list.APIResources {
		r.StorageVersionHash = ""
		slices.Sort(r.Verbs)
		resources[r.Name] = r
	}
	return resources
}

// Both sides describe the same resources.
func TestDiscovery(t *testing.T) {
	for _, path := range groupVersions(t) {
		want, got := kubernetesAPI(t).resourcesOf(t, path), ourAPI(t).resourcesOf(t, path)
		assert.Equal(t, want, got, path)
	}
}

// fields are the fields that the field selectors of some kinds name, and others.
var fields = []string{
	"metadata.name", "metadata.namespace", "metadata.uid", "metadata.labels", "name", "spec", "status.phase",
	"spec.nodeName", "spec.restartPolicy",
	"spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork", "status.podIP", "status.podIPs",
	"status.nominatedNodeName", "spec.host",
	"spec.unschedulable", "spec.replicas", "status.replicas", "status.successful", "type", "spec.clusterIP", "spec.type",
	"spec.driver", "spec.pool.name",
	"spec.signerName", "spec.parentRef.resource", "involvedObject.kind", "involvedObject.namespace", "involvedObject.name",
	"involvedObject.uid",
	"involvedObject.apiVersion", "involvedObject.resourceVersion", "involvedObject.fieldPath", "regarding.kind",
	"regarding.namespace", "regarding.name",
	"regarding.uid", "regarding.apiVersion", "regarding.resourceVersion", "regarding.fieldPath", "reason",
	"reportingComponent", "reportingController", "source",
}

// Both sides accept the same fields in field selectors, and refuse the others in the same words.
func TestFieldSelectors(t *testing.T) {
	for _, path := range groupVersions(t) {
		for name, r := range kubernetesAPI(t).resourcesOf(t, path) {
			if !slices.Contains(r.Verbs, "list") {
				continue
			}
			for _, field := range fields {
				request := path + "/" + name + "?fieldSelector=" + field + "%3Dx"
				if request == "/api/v1/pods?fieldSelector=status.podIPs%3Dx" {
					continue // Kubernetes accepts it, and selects nothing
				}
				if name == "podcertificaterequests" && field == "metadata.namespace" {
					continue // Kubernetes refuses it for this kind alone
				}
				want, got := kubernetesAPI(t).send(t, "GET", request, asJSON, nil), ourAPI(t).send(t, "GET", request, asJSON, nil)
				switch assert.Equal(t, want.code, got.code, "%s: %s, %s", request, want.body, got.body); {
				case name == "jobs" || name == "resourceslices": // Kubernetes has other words for these two
				case want.code >= 400:
					assert.JSONEq(t, string(want.body), string(got.body), request)
				}
			}
		}
	}
}

package k8s

import "github.com/decorum-go/decorum/rest"

// core is the group without a name.
func core() map[string]kind {
	all := []string{"all"}
	return map[string]kind{
		"ConfigMap": {plural: "configmaps", shortNames: []string{"cm"}, columns: configMapColumns()},
		"Endpoints": {plural: "endpoints", shortNames: []string{"ep"}, createOnUpdate: true, columns: endpointsColumns()},
		"Event": {plural: "events", shortNames: []string{"ev"}, createOnUpdate: true,
			selectable: []string{"involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid",
				"involvedObject.apiVersion", "involvedObject.resourceVersion", "involvedObject.fieldPath", "reason",
				"reportingComponent",
				"source=source.component,reportingComponent", "type"},
			columns: eventColumns()},
		"LimitRange": {plural: "limitranges", shortNames: []string{"limits"}, createOnUpdate: true},
		"Namespace": {plural: "namespaces", returnDeleted: true, shortNames: []string{"ns"}, scope: rest.ScopeCluster,
			names: rest.NameDNSLabel, selectable: []string{"status.phase"},
			columns: namespaceColumns()},
		"Node": {plural: "nodes", shortNames: []string{"no"}, scope: rest.ScopeCluster,
			selectable: []string{"spec.unschedulable"},
			columns:    nodeColumns()},
		"PersistentVolume": {plural: "persistentvolumes", returnDeleted: true, shortNames: []string{"pv"},
			scope: rest.ScopeCluster, columns: persistentVolumeColumns()},
		"PersistentVolumeClaim": {plural: "persistentvolumeclaims", returnDeleted: true, shortNames: []string{"pvc"},
			columns: persistentVolumeClaimColumns()},
		"Pod": {plural: "pods", returnDeleted: true, shortNames: []string{"po"}, categories: all, generation: true,
			selectable: []string{"spec.nodeName", "spec.host=spec.nodeName", "spec.restartPolicy", "spec.schedulerName",
				"spec.serviceAccountName", "spec.hostNetwork", "status.phase", "status.podIP", "status.nominatedNodeName"},
			columns: podColumns()},
		"PodTemplate": {plural: "podtemplates", returnDeleted: true, columns: podTemplateColumns()},
		"ReplicationController": {plural: "replicationcontrollers", shortNames: []string{"rc"}, categories: all,
			generation: true, scale: scaled(), selectable: []string{"status.replicas"},
			columns: replicationControllerColumns()},
		"ResourceQuota": {plural: "resourcequotas", returnDeleted: true, shortNames: []string{"quota"},
			columns: resourceQuotaColumns()},
		"Secret": {plural: "secrets", selectable: []string{"type"}, columns: secretColumns()},
		"Service": {plural: "services", returnDeleted: true, shortNames: []string{"svc"}, categories: all,
			names: rest.NameDNSLabel, createOnUpdate: true, selectable: []string{"spec.clusterIP", "spec.type"},
			columns: serviceColumns()},
		"ServiceAccount": {plural: "serviceaccounts", returnDeleted: true, shortNames: []string{"sa"},
			columns: []column{age()}},
	}
}

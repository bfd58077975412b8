package k8s

import "github.com/decorum-go/decorum/rest"

// core is the group without a name.
func core() map[string]kind {
	all := []string{"all"}
	return map[string]kind{
		"ConfigMap": {plural: "configmaps", shortNames: []string{"cm"}, columns: []rest.Column{age()}},
		"Endpoints": {plural: "endpoints", shortNames: []string{"ep"}, createOnUpdate: true, columns: []rest.Column{age()}},
		"Event": {plural: "events", shortNames: []string{"ev"}, createOnUpdate: true,
			// Kubernetes also knows source, which is the component of either field that names one.
			selectable: []string{"involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid",
				"involvedObject.apiVersion", "involvedObject.resourceVersion", "involvedObject.fieldPath", "reason", "reportingComponent", "type"},
			columns: []rest.Column{since("Last Seen", ".lastTimestamp"), text("Type", ".type"), text("Reason", ".reason"),
				text("Kind", ".involvedObject.kind"), text("Object", ".involvedObject.name"),
				wide(text("Subobject", ".involvedObject.fieldPath")), wide(text("Source", ".source.component")),
				text("Message", ".message"), wide(since("First Seen", ".firstTimestamp")), wide(number("Count", ".count"))}},
		"LimitRange": {plural: "limitranges", shortNames: []string{"limits"}, createOnUpdate: true},
		"Namespace": {plural: "namespaces", shortNames: []string{"ns"}, scope: rest.Cluster, names: rest.DNSLabel,
			selectable: []string{"status.phase"},
			columns:    []rest.Column{text("Status", ".status.phase"), age()}},
		"Node": {plural: "nodes", shortNames: []string{"no"}, scope: rest.Cluster,
			selectable: []string{"spec.unschedulable"},
			columns: []rest.Column{text("Ready", ".status.conditions[?(@.type=='Ready')].status"), age(),
				text("Version", ".status.nodeInfo.kubeletVersion"),
				wide(text("Internal-IP", ".status.addresses[?(@.type=='InternalIP')].address")),
				wide(text("External-IP", ".status.addresses[?(@.type=='ExternalIP')].address")),
				wide(text("OS-Image", ".status.nodeInfo.osImage")),
				wide(text("Kernel-Version", ".status.nodeInfo.kernelVersion")),
				wide(text("Container-Runtime", ".status.nodeInfo.containerRuntimeVersion"))}},
		"PersistentVolume": {plural: "persistentvolumes", shortNames: []string{"pv"}, scope: rest.Cluster,
			columns: []rest.Column{text("Capacity", ".spec.capacity.storage"), text("Access Modes", ".spec.accessModes"),
				text("Reclaim Policy", ".spec.persistentVolumeReclaimPolicy"), text("Status", ".status.phase"),
				text("Claim", ".spec.claimRef.name"), text("StorageClass", ".spec.storageClassName"),
				text("VolumeAttributesClass", ".spec.volumeAttributesClassName"), text("Reason", ".status.reason"), age(),
				wide(text("VolumeMode", ".spec.volumeMode"))}},
		"PersistentVolumeClaim": {plural: "persistentvolumeclaims", shortNames: []string{"pvc"},
			columns: []rest.Column{text("Status", ".status.phase"), text("Volume", ".spec.volumeName"),
				text("Capacity", ".status.capacity.storage"), text("Access Modes", ".status.accessModes"),
				text("StorageClass", ".spec.storageClassName"), text("VolumeAttributesClass", ".spec.volumeAttributesClassName"), age(),
				wide(text("VolumeMode", ".spec.volumeMode"))}},
		"Pod": {plural: "pods", shortNames: []string{"po"}, categories: all, generation: true,
			selectable: []string{"spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName",
				"spec.hostNetwork", "status.phase", "status.podIP", "status.nominatedNodeName"},
			columns: []rest.Column{text("Ready", ".status.conditions[?(@.type=='Ready')].status"), text("Status", ".status.phase"), age(),
				wide(text("IP", ".status.podIP")), wide(text("Node", ".spec.nodeName")),
				wide(text("Nominated Node", ".status.nominatedNodeName"))}},
		"PodTemplate": {plural: "podtemplates",
			columns: []rest.Column{text("Containers", ".template.spec.containers[*].name"), text("Images", ".template.spec.containers[*].image")}},
		"ReplicationController": {plural: "replicationcontrollers", shortNames: []string{"rc"}, categories: all, generation: true,
			scale: scaled(), selectable: []string{"status.replicas"}, columns: replicas()},
		"ResourceQuota": {plural: "resourcequotas", shortNames: []string{"quota"}, columns: []rest.Column{age()}},
		"Secret": {plural: "secrets", selectable: []string{"type"},
			columns: []rest.Column{text("Type", ".type"), age()}},
		"Service": {plural: "services", shortNames: []string{"svc"}, categories: all, names: rest.DNS1035Label, createOnUpdate: true,
			selectable: []string{"spec.clusterIP", "spec.type"},
			columns: []rest.Column{text("Type", ".spec.type"), text("Cluster-IP", ".spec.clusterIP"),
				text("External-IP", ".spec.externalIPs"), text("Port(s)", ".spec.ports[*].port"), age()}},
		"ServiceAccount": {plural: "serviceaccounts", shortNames: []string{"sa"}, columns: []rest.Column{age()}},
	}
}

// replicas are the columns of what keeps a number of pods.
func replicas() []rest.Column {
	return []rest.Column{number("Desired", ".spec.replicas"), number("Current", ".status.replicas"),
		number("Ready", ".status.readyReplicas"), age(),
		wide(text("Containers", ".spec.template.spec.containers[*].name")),
		wide(text("Images", ".spec.template.spec.containers[*].image"))}
}

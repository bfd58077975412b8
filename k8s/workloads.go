package k8s

import "github.com/decorum-go/decorum/rest"

// apps is the group of workloads that run on.
func apps() map[string]kind {
	all := []string{"all"}
	images := []rest.Column{wide(text("Containers", ".spec.template.spec.containers[*].name")),
		wide(text("Images", ".spec.template.spec.containers[*].image"))}
	return map[string]kind{
		"ControllerRevision": {plural: "controllerrevisions",
			columns: []rest.Column{text("Controller", ".metadata.ownerReferences[?(@.controller==true)].name"), number("Revision", ".revision"), age()}},
		"DaemonSet": {plural: "daemonsets", shortNames: []string{"ds"}, categories: all, generation: true,
			columns: append([]rest.Column{number("Desired", ".status.desiredNumberScheduled"), number("Current", ".status.currentNumberScheduled"),
				number("Ready", ".status.numberReady"), number("Up-to-date", ".status.updatedNumberScheduled"),
				number("Available", ".status.numberAvailable"), age()}, images...)},
		"Deployment": {plural: "deployments", shortNames: []string{"deploy"}, categories: all, generation: true, scale: scaled(),
			columns: append([]rest.Column{number("Desired", ".spec.replicas"), number("Ready", ".status.readyReplicas"),
				number("Up-to-date", ".status.updatedReplicas"), number("Available", ".status.availableReplicas"), age()}, images...)},
		"ReplicaSet": {plural: "replicasets", shortNames: []string{"rs"}, categories: all, generation: true, scale: scaled(),
			selectable: []string{"status.replicas"}, columns: replicas()},
		"StatefulSet": {plural: "statefulsets", shortNames: []string{"sts"}, categories: all, generation: true, scale: scaled(),
			columns: append([]rest.Column{number("Desired", ".spec.replicas"), number("Ready", ".status.readyReplicas"), age()}, images...)},
	}
}

// extensions is where workloads and ingresses were before they had groups of their own.
func extensions() map[string]kind {
	workloads, network := apps(), networking()
	old := map[string]kind{}
	for _, name := range []string{"DaemonSet", "Deployment", "ReplicaSet"} {
		old[name] = workloads[name]
	}
	for _, name := range []string{"Ingress", "NetworkPolicy"} {
		old[name] = network[name]
	}
	return old
}

// batch is the group of workloads that end.
func batch() map[string]kind {
	all := []string{"all"}
	return map[string]kind{
		"CronJob": {plural: "cronjobs", shortNames: []string{"cj"}, categories: all, generation: true,
			columns: []rest.Column{text("Schedule", ".spec.schedule"), text("Timezone", ".spec.timeZone"), flag("Suspend", ".spec.suspend"),
				text("Active", ".status.active[*].name"), since("Last Schedule", ".status.lastScheduleTime"), age()}},
		"Job": {plural: "jobs", categories: all, generation: true,
			columns: []rest.Column{number("Completions", ".spec.completions"), number("Active", ".status.active"),
				number("Succeeded", ".status.succeeded"), number("Failed", ".status.failed"), age()}},
	}
}

func autoscaling() map[string]kind {
	return map[string]kind{
		"HorizontalPodAutoscaler": {plural: "horizontalpodautoscalers", shortNames: []string{"hpa"}, categories: []string{"all"},
			columns: []rest.Column{text("Reference", ".spec.scaleTargetRef.name"), number("MinPods", ".spec.minReplicas"),
				number("MaxPods", ".spec.maxReplicas"), number("Replicas", ".status.currentReplicas"), age()}},
	}
}

func policy() map[string]kind {
	return map[string]kind{
		"PodDisruptionBudget": {plural: "poddisruptionbudgets", shortNames: []string{"pdb"}, generation: true, versionRequired: true,
			columns: []rest.Column{text("Min Available", ".spec.minAvailable"), text("Max Unavailable", ".spec.maxUnavailable"),
				number("Allowed Disruptions", ".status.disruptionsAllowed"), age()}},
	}
}

// scheduling is the group of what orders pods and groups them.
func scheduling() map[string]kind {
	return map[string]kind{
		"CompositePodGroup": {plural: "compositepodgroups"},
		"PodGroup":          {plural: "podgroups"},
		"PriorityClass": {plural: "priorityclasses", shortNames: []string{"pc"}, scope: rest.Cluster,
			columns: []rest.Column{number("Value", ".value"), flag("Global-Default", ".globalDefault"), age(),
				text("PreemptionPolicy", ".preemptionPolicy")}},
		"Workload": {plural: "workloads"},
	}
}

func node() map[string]kind {
	return map[string]kind{
		"RuntimeClass": {plural: "runtimeclasses", scope: rest.Cluster, createOnUpdate: true, versionRequired: true,
			columns: []rest.Column{text("Handler", ".handler"), age()}},
	}
}

func lifecycle() map[string]kind {
	return map[string]kind{
		"Eviction":        {plural: "evictions"},
		"EvictionRequest": {plural: "evictionrequests"},
	}
}

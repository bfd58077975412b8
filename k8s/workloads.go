package k8s

import "github.com/decorum-go/decorum/rest"

// apps returns the group of workloads that keep running.
func apps() map[string]kind {
	all := []string{"all"}
	return map[string]kind{
		"ControllerRevision": {plural: "controllerrevisions", columns: controllerRevisionColumns()},
		"DaemonSet": {plural: "daemonsets", shortNames: []string{"ds"}, categories: all, generation: true,
			columns: daemonSetColumns()},
		"Deployment": {plural: "deployments", shortNames: []string{"deploy"}, categories: all, generation: true,
			scale: scaled(), columns: deploymentColumns()},
		"ReplicaSet": {plural: "replicasets", shortNames: []string{"rs"}, categories: all, generation: true,
			scale: scaled(), columns: replicaSetColumns()},
		"StatefulSet": {plural: "statefulsets", shortNames: []string{"sts"}, categories: all, generation: true,
			names: rest.NameDNSLabel, scale: scaled(), columns: statefulSetColumns()},
	}
}

// extensions returns the group that workloads and ingresses belonged to before they had
// groups of their own.
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

// batch returns the group of workloads that end.
func batch() map[string]kind {
	all := []string{"all"}
	return map[string]kind{
		"CronJob": {plural: "cronjobs", shortNames: []string{"cj"}, categories: all, generation: true,
			columns: cronJobColumns()},
		"Job": {plural: "jobs", categories: all, generation: true,
			selectable: []string{"status.successful=status.succeeded"}, columns: jobColumns()},
	}
}

func autoscaling() map[string]kind {
	return map[string]kind{
		"HorizontalPodAutoscaler": {plural: "horizontalpodautoscalers", shortNames: []string{"hpa"},
			categories: []string{"all"}, generation: true, columns: horizontalPodAutoscalerColumns()},
	}
}

func policy() map[string]kind {
	return map[string]kind{
		"PodDisruptionBudget": {plural: "poddisruptionbudgets", shortNames: []string{"pdb"}, generation: true,
			versionRequired: true, columns: podDisruptionBudgetColumns()},
	}
}

// scheduling returns the group of the kinds that order and group pods.
func scheduling() map[string]kind {
	return map[string]kind{
		"CompositePodGroup": {plural: "compositepodgroups"},
		"PodGroup":          {plural: "podgroups"},
		"PriorityClass": {plural: "priorityclasses", shortNames: []string{"pc"}, scope: rest.ScopeCluster,
			columns: priorityClassColumns()},
		"Workload": {plural: "workloads", columns: []column{age()}},
	}
}

func node() map[string]kind {
	return map[string]kind{
		"RuntimeClass": {plural: "runtimeclasses", scope: rest.ScopeCluster, createOnUpdate: true, versionRequired: true,
			columns: runtimeClassColumns()},
	}
}

func lifecycle() map[string]kind {
	return map[string]kind{
		"Eviction":        {plural: "evictions"},
		"EvictionRequest": {plural: "evictionrequests"},
	}
}

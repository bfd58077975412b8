package k8s

import (
	"cmp"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/labels"
)

func configMapColumns() []column {
	return []column{
		text("Data", documented[corev1.ConfigMap]("data"),
			func(m *corev1.ConfigMap) any { return len(m.Data) + len(m.BinaryData) }),
		age(),
	}
}

func secretColumns() []column {
	return []column{
		text("Type", documented[corev1.Secret]("type"), func(s *corev1.Secret) any { return s.Type }),
		text("Data", documented[corev1.Secret]("data"), func(s *corev1.Secret) any { return len(s.Data) }),
		age(),
	}
}

func namespaceColumns() []column {
	return []column{
		text("Status", "The status of the namespace", func(n *corev1.Namespace) any { return n.Status.Phase }),
		age(),
	}
}

func endpointsColumns() []column {
	return []column{
		text("Endpoints", documented[corev1.Endpoints]("subsets"), func(e *corev1.Endpoints) any {
			var addresses []string
			for _, s := range e.Subsets {
				for _, port := range ports(s) {
					for _, a := range s.Addresses {
						addresses = append(addresses, port(a.IP))
					}
				}
			}
			if len(e.Subsets) == 0 {
				return none
			}
			return firstOf(3, addresses, "")
		}),
		age(),
	}
}

// ports returns functions that print an address of a subset: one for each port, or one without a port if the
// subset has none.
func ports(s corev1.EndpointSubset) []func(ip string) string {
	if len(s.Ports) == 0 {
		return []func(string) string{func(ip string) string { return ip }}
	}
	var out []func(string) string
	for _, p := range s.Ports {
		out = append(out, func(ip string) string { return net.JoinHostPort(ip, strconv.Itoa(int(p.Port))) })
	}
	return out
}

// firstOf prints the first texts of a list and how many are left. For an empty list it returns the argument
// nothing.
func firstOf(most int, texts []string, nothing string) string {
	if more := len(texts) - most; more > 0 {
		return fmt.Sprintf("%s + %d more...", strings.Join(texts[:most], ","), more)
	}
	return cmp.Or(strings.Join(texts, ","), nothing)
}

func nodeColumns() []column {
	addresses := documented[corev1.NodeStatus]("addresses")
	return []column{
		text("Status", "The status of the node", nodeStatus),
		text("Roles", "The roles of the node", nodeRoles),
		age(),
		text("Version", documented[corev1.NodeSystemInfo]("kubeletVersion"),
			func(n *corev1.Node) any { return n.Status.NodeInfo.KubeletVersion }),
		wide(text("Internal-IP", addresses, func(n *corev1.Node) any { return nodeAddress(n, corev1.NodeInternalIP) })),
		wide(text("External-IP", addresses, func(n *corev1.Node) any { return nodeAddress(n, corev1.NodeExternalIP) })),
		wide(text("OS-Image", documented[corev1.NodeSystemInfo]("osImage"),
			func(n *corev1.Node) any { return cmp.Or(n.Status.NodeInfo.OSImage, unknown) })),
		wide(text("Kernel-Version", documented[corev1.NodeSystemInfo]("kernelVersion"), func(n *corev1.Node) any {
			kernel := cmp.Or(n.Status.NodeInfo.KernelVersion, unknown)
			if on := n.Status.NodeInfo.Architecture; on != "" {
				kernel += " (" + on + ")"
			}
			return kernel
		})),
		wide(text("Container-Runtime", documented[corev1.NodeSystemInfo]("containerRuntimeVersion"),
			func(n *corev1.Node) any {
				return cmp.Or(n.Status.NodeInfo.ContainerRuntimeVersion, unknown)
			})),
	}
}

func nodeStatus(n *corev1.Node) any {
	status := "Unknown"
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue {
			status = "Ready"
		} else if c.Type == corev1.NodeReady {
			status = "NotReady"
		}
	}
	if n.Spec.Unschedulable {
		status += ",SchedulingDisabled"
	}
	return status
}

// nodeRoles returns the roles of a node, which labels name in two ways.
func nodeRoles(n *corev1.Node) any {
	var roles []string
	for key, value := range n.Labels {
		if role, ok := strings.CutPrefix(key, "node-role.kubernetes.io/"); ok && role != "" {
			roles = append(roles, role)
		} else if key == "kubernetes.io/role" && value != "" {
			roles = append(roles, value)
		}
	}
	slices.Sort(roles)
	return cmp.Or(strings.Join(slices.Compact(roles), ","), none)
}

func nodeAddress(n *corev1.Node, of corev1.NodeAddressType) string {
	for _, a := range n.Status.Addresses {
		if a.Type == of {
			return a.Address
		}
	}
	return none
}

// eventColumns returns the columns of the events of both groups.
func eventColumns() []column {
	event := func(c column) column {
		of := c.cell
		c.cell = func(obj any) any {
			if e, ok := obj.(*eventsv1.Event); ok {
				obj = coreEvent(e)
			}
			return of(obj)
		}
		return c
	}
	columns := []column{
		text("Last Seen", documented[corev1.Event]("lastTimestamp"), func(e *corev1.Event) any {
			switch {
			case e.Series != nil:
				return e.Series.LastObservedTime.Time
			case !e.LastTimestamp.IsZero():
				return e.LastTimestamp.Time
			}
			return firstSeen(e)
		}),
		text("Type", documented[corev1.Event]("type"), func(e *corev1.Event) any { return e.Type }),
		text("Reason", documented[corev1.Event]("reason"), func(e *corev1.Event) any { return e.Reason }),
		text("Object", documented[corev1.Event]("involvedObject"), func(e *corev1.Event) any {
			object := strings.ToLower(e.InvolvedObject.Kind)
			if e.InvolvedObject.Name != "" {
				object += "/" + e.InvolvedObject.Name
			}
			return object
		}),
		wide(text("Subobject", documented[corev1.ObjectReference]("fieldPath"),
			func(e *corev1.Event) any { return e.InvolvedObject.FieldPath })),
		wide(text("Source", documented[corev1.Event]("source"), func(e *corev1.Event) any {
			source := cmp.Or(e.Source.Component, e.ReportingController)
			if host := cmp.Or(e.Source.Host, e.ReportingInstance); host != "" {
				source += ", " + host
			}
			return source
		})),
		text("Message", documented[corev1.Event]("message"),
			func(e *corev1.Event) any { return strings.TrimSpace(e.Message) }),
		wide(text("First Seen", documented[corev1.Event]("firstTimestamp"), firstSeen)),
		wide(text("Count", documented[corev1.Event]("count"), func(e *corev1.Event) any {
			if e.Series != nil {
				return e.Series.Count
			}
			return max(e.Count, 1) // an event of the newer group that happened once has no count
		})),
		wide(nameColumn(func(e *corev1.Event) any { return e.Name })),
	}
	for i, c := range columns {
		columns[i] = event(c)
	}
	return columns
}

func firstSeen(e *corev1.Event) any {
	if e.FirstTimestamp.IsZero() {
		return e.EventTime.Time
	}
	return e.FirstTimestamp.Time
}

// coreEvent returns an event of the newer group as the core group shows it.
func coreEvent(e *eventsv1.Event) *corev1.Event {
	out := &corev1.Event{ObjectMeta: e.ObjectMeta, InvolvedObject: e.Regarding, Reason: e.Reason, Message: e.Note,
		Source: e.DeprecatedSource, FirstTimestamp: e.DeprecatedFirstTimestamp, LastTimestamp: e.DeprecatedLastTimestamp,
		Count: e.DeprecatedCount, Type: e.Type,
		EventTime: e.EventTime, ReportingController: e.ReportingController, ReportingInstance: e.ReportingInstance}
	if e.Series != nil {
		out.Series = &corev1.EventSeries{Count: e.Series.Count, LastObservedTime: e.Series.LastObservedTime}
	}
	return out
}

func persistentVolumeColumns() []column {
	return []column{
		text("Capacity", documented[corev1.PersistentVolumeSpec]("capacity"),
			func(v *corev1.PersistentVolume) any { return v.Spec.Capacity.Storage().String() }),
		text("Access Modes", documented[corev1.PersistentVolumeSpec]("accessModes"),
			func(v *corev1.PersistentVolume) any { return accessModes(v.Spec.AccessModes) }),
		text("Reclaim Policy", documented[corev1.PersistentVolumeSpec]("persistentVolumeReclaimPolicy"),
			func(v *corev1.PersistentVolume) any {
				return v.Spec.PersistentVolumeReclaimPolicy
			}),
		text("Status", documented[corev1.PersistentVolumeStatus]("phase"), func(v *corev1.PersistentVolume) any {
			if deleting(v) {
				return "Terminating"
			}
			return v.Status.Phase
		}),
		text("Claim", documented[corev1.PersistentVolumeSpec]("claimRef"), func(v *corev1.PersistentVolume) any {
			if v.Spec.ClaimRef == nil {
				return ""
			}
			return v.Spec.ClaimRef.Namespace + "/" + v.Spec.ClaimRef.Name
		}),
		text("StorageClass", "StorageClass of the pv", func(v *corev1.PersistentVolume) any {
			if class, ok := v.Annotations[corev1.BetaStorageClassAnnotation]; ok {
				return class
			}
			return v.Spec.StorageClassName
		}),
		text("VolumeAttributesClass", "VolumeAttributesClass of the pv", func(v *corev1.PersistentVolume) any {
			return given(v.Spec.VolumeAttributesClassName, unset)
		}),
		text("Reason", documented[corev1.PersistentVolumeStatus]("reason"),
			func(v *corev1.PersistentVolume) any { return v.Status.Reason }),
		age(),
		wide(text("VolumeMode", documented[corev1.PersistentVolumeSpec]("volumeMode"),
			func(v *corev1.PersistentVolume) any { return given(v.Spec.VolumeMode, unset) })),
	}
}

func persistentVolumeClaimColumns() []column {
	return []column{
		text("Status", documented[corev1.PersistentVolumeClaimStatus]("phase"), func(c *corev1.PersistentVolumeClaim) any {
			if deleting(c) {
				return "Terminating"
			}
			return c.Status.Phase
		}),
		text("Volume", documented[corev1.PersistentVolumeClaimSpec]("volumeName"),
			func(c *corev1.PersistentVolumeClaim) any { return c.Spec.VolumeName }),
		text("Capacity", documented[corev1.PersistentVolumeClaimStatus]("capacity"),
			func(c *corev1.PersistentVolumeClaim) any {
				if c.Spec.VolumeName == "" {
					return ""
				}
				return c.Status.Capacity.Storage().String()
			}),
		text("Access Modes", documented[corev1.PersistentVolumeClaimStatus]("accessModes"),
			func(c *corev1.PersistentVolumeClaim) any {
				if c.Spec.VolumeName == "" {
					return ""
				}
				return accessModes(c.Status.AccessModes)
			}),
		text("StorageClass", "StorageClass of the pvc", func(c *corev1.PersistentVolumeClaim) any {
			if class, ok := c.Annotations[corev1.BetaStorageClassAnnotation]; ok {
				return class
			}
			return given(c.Spec.StorageClassName, "")
		}),
		text("VolumeAttributesClass", "VolumeAttributesClass of the pvc", func(c *corev1.PersistentVolumeClaim) any {
			return given(c.Spec.VolumeAttributesClassName, unset)
		}),
		age(),
		wide(text("VolumeMode", documented[corev1.PersistentVolumeClaimSpec]("volumeMode"),
			func(c *corev1.PersistentVolumeClaim) any {
				return given(c.Spec.VolumeMode, unset)
			})),
	}
}

// accessModes abbreviates access modes, in the order of kubectl.
func accessModes(modes []corev1.PersistentVolumeAccessMode) string {
	var out []string
	for _, m := range []struct {
		mode  corev1.PersistentVolumeAccessMode
		short string
	}{{corev1.ReadWriteOnce, "RWO"}, {corev1.ReadOnlyMany, "ROX"}, {corev1.ReadWriteMany, "RWX"},
		{corev1.ReadWriteOncePod, "RWOP"}} {
		if slices.Contains(modes, m.mode) {
			out = append(out, m.short)
		}
	}
	return strings.Join(out, ",")
}

func resourceQuotaColumns() []column {
	// used prints the use of each resource: of the limits, or of the others.
	used := func(limits bool) func(q *corev1.ResourceQuota) any {
		return func(q *corev1.ResourceQuota) any {
			var out []string
			for name, hard := range q.Status.Hard {
				if strings.HasPrefix(string(name), "limits.") == limits {
					use := q.Status.Used[name]
					out = append(out, fmt.Sprintf("%s: %s/%s", name, use.String(), hard.String()))
				}
			}
			slices.SortFunc(out, func(a, b string) int {
				a, _, _ = strings.Cut(a, ": ")
				b, _, _ = strings.Cut(b, ": ")
				return strings.Compare(a, b)
			})
			return strings.Join(out, ", ")
		}
	}
	return []column{
		text("Request", "Request represents a minimum amount of cpu/memory that a container may consume.", used(false)),
		text("Limit", "Limits control the maximum amount of cpu/memory that a container may use independent of contention on the node.", used(true)),
		age(),
	}
}

func serviceColumns() []column {
	return []column{
		text("Type", documented[corev1.ServiceSpec]("type"), func(s *corev1.Service) any { return s.Spec.Type }),
		text("Cluster-IP", documented[corev1.ServiceSpec]("clusterIP"), func(s *corev1.Service) any {
			if len(s.Spec.ClusterIPs) > 0 {
				return s.Spec.ClusterIPs[0]
			}
			return none
		}),
		text("External-IP", documented[corev1.ServiceSpec]("externalIPs"), externalAddress),
		text("Port(s)", documented[corev1.ServiceSpec]("ports"), func(s *corev1.Service) any {
			var ports []string
			for _, p := range s.Spec.Ports {
				port := strconv.Itoa(int(p.Port))
				if p.NodePort > 0 {
					port += ":" + strconv.Itoa(int(p.NodePort))
				}
				ports = append(ports, port+"/"+string(p.Protocol))
			}
			return cmp.Or(strings.Join(ports, ","), none)
		}),
		age(),
		wide(text("Selector", documented[corev1.ServiceSpec]("selector"),
			func(s *corev1.Service) any { return labels.FormatLabels(s.Spec.Selector) })),
	}
}

// externalAddress returns the addresses at which a service is reachable from outside.
func externalAddress(s *corev1.Service) any {
	external := strings.Join(s.Spec.ExternalIPs, ",")
	switch s.Spec.Type {
	case corev1.ServiceTypeClusterIP, corev1.ServiceTypeNodePort:
		return cmp.Or(external, none)
	case corev1.ServiceTypeLoadBalancer:
		var points []point
		for _, i := range s.Status.LoadBalancer.Ingress {
			points = append(points, point{i.IP, i.Hostname})
		}
		balancer := loadBalancer(points)
		if balancer != "" && external != "" {
			return balancer + "," + external
		}
		return cmp.Or(balancer+external, "<pending>")
	case corev1.ServiceTypeExternalName:
		return s.Spec.ExternalName
	}
	return unknown
}

// point is an ingress point of a load balancer.
type point struct{ ip, hostname string }

func loadBalancer(points []point) string {
	var out []string
	for _, p := range points {
		if at := cmp.Or(p.ip, p.hostname); at != "" {
			out = append(out, at)
		}
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), ",")
}

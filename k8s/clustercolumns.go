package k8s

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apiserverinternalv1alpha1 "k8s.io/api/apiserverinternal/v1alpha1"
	certificatesv1 "k8s.io/api/certificates/v1"
	certificatesv1beta1 "k8s.io/api/certificates/v1beta1"
	coordinationv1 "k8s.io/api/coordination/v1"
	coordinationv1beta1 "k8s.io/api/coordination/v1beta1"
	discoveryv1 "k8s.io/api/discovery/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagemigrationv1 "k8s.io/api/storagemigration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"
)

func leaseColumns() []column {
	return []column{
		text("Holder", documented[coordinationv1.LeaseSpec]("holderIdentity"),
			func(l *coordinationv1.Lease) any { return given(l.Spec.HolderIdentity, "") }),
		age(),
	}
}

func leaseCandidateColumns() []column {
	type candidate = coordinationv1beta1.LeaseCandidate
	return []column{
		text("LeaseName", documented[coordinationv1beta1.LeaseCandidateSpec]("leaseName"),
			func(c *candidate) any { return c.Spec.LeaseName }),
		text("BinaryVersion", "", func(c *candidate) any { return c.Spec.BinaryVersion }),
		text("EmulationVersion", "", func(c *candidate) any { return c.Spec.EmulationVersion }),
		age(),
	}
}

func endpointSliceColumns() []column {
	return []column{
		text("AddressType", documented[discoveryv1.EndpointSlice]("addressType"),
			func(s *discoveryv1.EndpointSlice) any { return s.AddressType }),
		text("Ports", documented[discoveryv1.EndpointSlice]("ports"), func(s *discoveryv1.EndpointSlice) any {
			var ports []string
			for _, p := range s.Ports {
				if p.Port != nil {
					ports = append(ports, strconv.Itoa(int(*p.Port)))
				} else {
					ports = append(ports, given(p.Name, "*"))
				}
			}
			return firstOf(3, ports, unset)
		}),
		text("Endpoints", documented[discoveryv1.EndpointSlice]("endpoints"), func(s *discoveryv1.EndpointSlice) any {
			var addresses []string
			for _, e := range s.Endpoints {
				addresses = append(addresses, e.Addresses...)
			}
			return firstOf(3, addresses, unset)
		}),
		age(),
	}
}

func ipAddressColumns() []column {
	return []column{text("ParentRef", documented[networkingv1.IPAddressSpec]("parentRef"),
		func(a *networkingv1.IPAddress) any {
			parent := a.Spec.ParentRef
			if parent == nil {
				return none
			}
			out := strings.ToLower(schema.GroupResource{Group: parent.Group, Resource: parent.Resource}.String())
			if parent.Namespace != "" {
				out += "/" + parent.Namespace
			}
			return out + "/" + parent.Name
		})}
}

func ingressColumns() []column {
	return []column{
		text("Class", "The name of the IngressClass resource that should be used for additional configuration",
			func(i *networkingv1.Ingress) any {
				return given(i.Spec.IngressClassName, none)
			}),
		text("Hosts", "Hosts that incoming requests are matched against before the ingress rule", ingressHosts),
		text("Address", "Address is a list containing ingress points for the load-balancer",
			func(i *networkingv1.Ingress) any {
				var points []point
				for _, p := range i.Status.LoadBalancer.Ingress {
					points = append(points, point{p.IP, p.Hostname})
				}
				return loadBalancer(points)
			}),
		text("Ports", "Ports of TLS configurations that open", func(i *networkingv1.Ingress) any {
			if len(i.Spec.TLS) > 0 {
				return "80, 443"
			}
			return "80"
		}),
		age(),
	}
}

// ingressHosts prints three hosts, and the number of the remaining rules, with and without a
// host.
func ingressHosts(i *networkingv1.Ingress) any {
	var hosts []string
	for _, rule := range i.Spec.Rules {
		if len(hosts) == 3 {
			return fmt.Sprintf("%s + %d more...", strings.Join(hosts, ","), len(i.Spec.Rules)-3)
		}
		if rule.Host != "" {
			hosts = append(hosts, rule.Host)
		}
	}
	return cmp.Or(strings.Join(hosts, ","), "*")
}

func ingressClassColumns() []column {
	return []column{
		nameColumn(func(c *networkingv1.IngressClass) any {
			return defaultName(c, networkingv1.AnnotationIsDefaultIngressClass)
		}),
		text("Controller", "Controller that is responsible for handling this class",
			func(c *networkingv1.IngressClass) any { return c.Spec.Controller }),
		text("Parameters", "A reference to a resource with additional parameters", func(c *networkingv1.IngressClass) any {
			p := c.Spec.Parameters
			if p == nil {
				return none
			}
			kind := p.Kind
			if p.APIGroup != nil {
				kind += "." + *p.APIGroup
			}
			return kind + "/" + p.Name
		}),
		age(),
	}
}

// defaultName returns the name of a class, and marks it as the default if one of the annotations
// does.
func defaultName(obj metav1.Object, annotations ...string) string {
	for _, key := range annotations {
		if obj.GetAnnotations()[key] == "true" {
			return obj.GetName() + " (default)"
		}
	}
	return obj.GetName()
}

func networkPolicyColumns() []column {
	return []column{
		text("Pod-Selector", documented[networkingv1.NetworkPolicySpec]("podSelector"),
			func(p *networkingv1.NetworkPolicy) any {
				return metav1.FormatLabelSelector(&p.Spec.PodSelector)
			}),
		age(),
	}
}

func serviceCIDRColumns() []column {
	return []column{
		text("CIDRs", documented[networkingv1.ServiceCIDRSpec]("cidrs"),
			func(c *networkingv1.ServiceCIDR) any { return strings.Join(c.Spec.CIDRs, ",") }),
		age(),
	}
}

// bindingColumns returns the columns of RoleBinding and ClusterRoleBinding.
func bindingColumns(of, role string) []column {
	subjects := func(kind string, print func(s rbacv1.Subject) string) func(b *rbacv1.RoleBinding) any {
		return func(b *rbacv1.RoleBinding) any {
			var out []string
			for _, s := range b.Subjects {
				if s.Kind == kind {
					out = append(out, print(s))
				}
			}
			return strings.Join(out, ", ")
		}
	}
	name := func(s rbacv1.Subject) string { return s.Name }
	return []column{
		text("Role", role, func(b *rbacv1.RoleBinding) any { return b.RoleRef.Kind + "/" + b.RoleRef.Name }),
		age(),
		wide(text("Users", "Users in the "+of, subjects(rbacv1.UserKind, name))),
		wide(text("Groups", "Groups in the "+of, subjects(rbacv1.GroupKind, name))),
		wide(text("ServiceAccounts", "ServiceAccounts in the "+of,
			subjects(rbacv1.ServiceAccountKind, func(s rbacv1.Subject) string { return s.Namespace + "/" + s.Name }))),
	}
}

func certificateSigningRequestColumns() []column {
	type csr = certificatesv1.CertificateSigningRequest
	return []column{
		age(),
		text("SignerName", documented[certificatesv1beta1.CertificateSigningRequestSpec]("signerName"),
			func(r *csr) any { return cmp.Or(r.Spec.SignerName, none) }),
		text("Requestor", documented[certificatesv1beta1.CertificateSigningRequestSpec]("request"),
			func(r *csr) any { return r.Spec.Username }),
		text("RequestedDuration", documented[certificatesv1beta1.CertificateSigningRequestSpec]("expirationSeconds"),
			func(r *csr) any {
				if r.Spec.ExpirationSeconds == nil {
					return none
				}
				return duration.HumanDuration(time.Duration(*r.Spec.ExpirationSeconds) * time.Second)
			}),
		text("Condition", documented[certificatesv1beta1.CertificateSigningRequestStatus]("conditions"), func(r *csr) any {
			has := map[certificatesv1.RequestConditionType]bool{}
			for _, c := range r.Status.Conditions {
				has[c.Type] = true
			}
			condition := "Pending"
			if has[certificatesv1.CertificateDenied] {
				condition = "Denied"
			} else if has[certificatesv1.CertificateApproved] {
				condition = "Approved"
			}
			if has[certificatesv1.CertificateFailed] {
				condition += ",Failed"
			}
			if len(r.Status.Certificate) > 0 {
				condition += ",Issued"
			}
			return condition
		}),
	}
}

func clusterTrustBundleColumns() []column {
	return []column{text("SignerName", documented[certificatesv1beta1.ClusterTrustBundleSpec]("signerName"),
		func(b *certificatesv1beta1.ClusterTrustBundle) any {
			return cmp.Or(b.Spec.SignerName, none)
		})}
}

func podCertificateRequestColumns() []column {
	type request = certificatesv1beta1.PodCertificateRequest
	says := documented[certificatesv1beta1.PodCertificateRequestSpec]
	return []column{
		text("PodName", says("podName"), func(r *request) any { return r.Spec.PodName }),
		text("ServiceAccountName", says("serviceAccountName"), func(r *request) any { return r.Spec.ServiceAccountName }),
		text("NodeName", says("nodeName"), func(r *request) any { return r.Spec.NodeName }),
		text("SignerName", says("signerName"), func(r *request) any { return r.Spec.SignerName }),
		text("State", "Is the request Pending, Issued, Denied, or Failed?", func(r *request) any {
			state := "Pending"
			for _, c := range r.Status.Conditions {
				switch c.Type {
				case certificatesv1beta1.PodCertificateRequestConditionTypeIssued,
					certificatesv1beta1.PodCertificateRequestConditionTypeDenied,
					certificatesv1beta1.PodCertificateRequestConditionTypeFailed:
					state = c.Type
				}
			}
			return state
		}),
		text("UnverifiedUserAnnotations", says("unverifiedUserAnnotations"),
			func(r *request) any { return labels.FormatLabels(r.Spec.UnverifiedUserAnnotations) }),
	}
}

// webhookColumns returns the columns of the two kinds of webhook configurations.
func webhookColumns() []column {
	return []column{
		number("Webhooks", "Webhooks indicates the number of webhooks registered in this configuration",
			func(c *admissionregistrationv1.ValidatingWebhookConfiguration) any {
				return len(c.Webhooks)
			}),
		age(),
	}
}

func validatingPolicyColumns() []column {
	return []column{
		number("Validations", "Validations indicates the number of validation rules defined in this configuration",
			func(p *admissionregistrationv1.ValidatingAdmissionPolicy) any {
				return len(p.Spec.Validations)
			}),
		paramKind(), age(),
	}
}

func mutatingPolicyColumns() []column {
	return []column{
		number("Mutations", "Mutation indicates the number of mutations rules defined in this configuration",
			func(p *admissionregistrationv1.MutatingAdmissionPolicy) any {
				return len(p.Spec.Mutations)
			}),
		paramKind(), age(),
	}
}

func paramKind() column {
	return text("ParamKind", "ParamKind specifies the kind of resources used to parameterize this policy",
		func(p *admissionregistrationv1.ValidatingAdmissionPolicy) any {
			if p.Spec.ParamKind == nil {
				return unset
			}
			return p.Spec.ParamKind.APIVersion + "/" + p.Spec.ParamKind.Kind
		})
}

// policyBindingColumns returns the columns of the bindings of both kinds of policies.
func policyBindingColumns() []column {
	type binding = admissionregistrationv1.ValidatingAdmissionPolicyBinding
	return []column{
		text("PolicyName", "PolicyName indicates the policy definition which the policy binding binded to",
			func(b *binding) any { return b.Spec.PolicyName }),
		text("ParamRef", "ParamRef indicates the param resource which sets the configuration param", func(b *binding) any {
			switch ref := b.Spec.ParamRef; {
			case ref != nil && ref.Name != "":
				return cmp.Or(ref.Namespace, "*") + "/" + ref.Name
			case ref != nil && ref.Name == "" && ref.Selector != nil:
				return ref.Selector.String()
			}
			return unset
		}),
		age(),
	}
}

func flowSchemaColumns() []column {
	return []column{
		text("PriorityLevel", documented[flowcontrolv1.PriorityLevelConfigurationReference]("name"),
			func(s *flowcontrolv1.FlowSchema) any {
				return s.Spec.PriorityLevelConfiguration.Name
			}),
		text("MatchingPrecedence", documented[flowcontrolv1.FlowSchemaSpec]("matchingPrecedence"),
			func(s *flowcontrolv1.FlowSchema) any { return s.Spec.MatchingPrecedence }),
		text("DistinguisherMethod", documented[flowcontrolv1.FlowSchemaSpec]("distinguisherMethod"),
			func(s *flowcontrolv1.FlowSchema) any {
				if s.Spec.DistinguisherMethod == nil {
					return none
				}
				return s.Spec.DistinguisherMethod.Type
			}),
		age(),
		text("MissingPL", "references a broken or non-existent PriorityLevelConfiguration",
			func(s *flowcontrolv1.FlowSchema) any {
				for _, c := range s.Status.Conditions {
					if c.Type == flowcontrolv1.FlowSchemaConditionDangling {
						return c.Status
					}
				}
				return "?"
			}),
	}
}

func priorityLevelColumns() []column {
	type level = flowcontrolv1.PriorityLevelConfiguration
	queuing := func(of func(q *flowcontrolv1.QueuingConfiguration) int32) func(l *level) any {
		return func(l *level) any {
			if l.Spec.Limited == nil || l.Spec.Limited.LimitResponse.Queuing == nil {
				return none
			}
			return of(l.Spec.Limited.LimitResponse.Queuing)
		}
	}
	says := documented[flowcontrolv1.QueuingConfiguration]
	return []column{
		text("Type", documented[flowcontrolv1.PriorityLevelConfigurationSpec]("type"),
			func(l *level) any { return l.Spec.Type }),
		text("NominalConcurrencyShares",
			documented[flowcontrolv1.LimitedPriorityLevelConfiguration]("nominalConcurrencyShares"), func(l *level) any {
				if l.Spec.Limited == nil {
					return none
				}
				return given(l.Spec.Limited.NominalConcurrencyShares, 0)
			}),
		text("Queues", says("queues"), queuing(func(q *flowcontrolv1.QueuingConfiguration) int32 { return q.Queues })),
		text("HandSize", says("handSize"), queuing(func(q *flowcontrolv1.QueuingConfiguration) int32 { return q.HandSize })),
		text("QueueLengthLimit", says("queueLengthLimit"),
			queuing(func(q *flowcontrolv1.QueuingConfiguration) int32 { return q.QueueLengthLimit })),
		age(),
	}
}

func storageVersionColumns() []column {
	return []column{
		text("CommonEncodingVersion", documented[apiserverinternalv1alpha1.StorageVersionStatus]("commonEncodingVersion"),
			func(v *apiserverinternalv1alpha1.StorageVersion) any {
				return given(v.Status.CommonEncodingVersion, unset)
			}),
		text("StorageVersions", documented[apiserverinternalv1alpha1.StorageVersionStatus]("storageVersions"),
			func(v *apiserverinternalv1alpha1.StorageVersion) any {
				var versions []string
				for _, s := range v.Status.StorageVersions {
					versions = append(versions, s.APIServerID+"="+s.EncodingVersion)
				}
				return firstOf(3, versions, unset)
			}),
		age(),
	}
}

func storageVersionMigrationColumns() []column {
	return []column{
		text("Resource", "GroupResource to migrate",
			func(m *storagemigrationv1.StorageVersionMigration) any { return m.Spec.Resource.String() }),
		text("Status", "Status of the migration", func(m *storagemigrationv1.StorageVersionMigration) any {
			status := "Unknown"
			for _, c := range m.Status.Conditions {
				if c.Status != metav1.ConditionTrue {
					continue
				}
				switch storagemigrationv1.MigrationConditionType(c.Type) {
				case storagemigrationv1.MigrationRunning, storagemigrationv1.MigrationFailed, storagemigrationv1.MigrationSucceeded:
					status = c.Type
				}
			}
			return status
		}),
	}
}

func runtimeClassColumns() []column {
	return []column{text("Handler", "", func(c *nodev1.RuntimeClass) any { return c.Handler }), age()}
}

func deviceTaintRuleColumns() []column {
	taint := func(name, field string, of func(t *resourcev1.DeviceTaint) any) column {
		return text(name, documented[resourcev1.DeviceTaint](field), func(r *resourcev1.DeviceTaintRule) any {
			return of(&r.Spec.Taint)
		})
	}
	return []column{
		taint("Key", "key", func(t *resourcev1.DeviceTaint) any { return t.Key }),
		taint("Value", "value", func(t *resourcev1.DeviceTaint) any { return t.Value }),
		taint("Effect", "effect", func(t *resourcev1.DeviceTaint) any { return string(t.Effect) }),
		taint("TimeAdded", "timeAdded", func(t *resourcev1.DeviceTaint) any {
			if t.TimeAdded == nil {
				return ""
			}
			return t.TimeAdded.Time
		}),
		age(),
	}
}

func resourceClaimColumns() []column {
	return []column{
		text("State", "A summary of the current state (allocated, pending, reserved, etc.).",
			func(c *resourcev1.ResourceClaim) any {
				var states []string
				if deleting(c) {
					states = append(states, "deleted")
				}
				switch allocated := c.Status.Allocation != nil; {
				case allocated && len(c.Status.ReservedFor) > 0:
					states = append(states, "allocated", "reserved")
				case allocated:
					states = append(states, "allocated")
				case !deleting(c):
					states = append(states, "pending")
				}
				return strings.Join(states, ",")
			}),
		age(),
	}
}

func resourceSliceColumns() []column {
	return []column{
		text("Node", documented[resourcev1.ResourceSliceSpec]("nodeName"),
			func(s *resourcev1.ResourceSlice) any { return given(s.Spec.NodeName, "") }),
		text("Driver", documented[resourcev1.ResourceSliceSpec]("driver"),
			func(s *resourcev1.ResourceSlice) any { return s.Spec.Driver }),
		text("Pool", documented[resourcev1.ResourcePool]("name"),
			func(s *resourcev1.ResourceSlice) any { return s.Spec.Pool.Name }),
		age(),
	}
}

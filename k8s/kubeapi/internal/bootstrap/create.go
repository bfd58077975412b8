package bootstrap

import (
	"context"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/addresses"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// Config says what the objects contain.
type Config struct {
	// ClientCA is the certificate of the authority for client certificates, in PEM. It is empty if clients have no
	// certificates.
	ClientCA []byte
	// ServiceRange are the addresses of Services. The Service kubernetes has the first one.
	ServiceRange netip.Prefix
	// Address is where clients reach the API. It is zero if the API has no address.
	Address netip.AddrPort
	// Common, if set, creates the objects that are the same in every API. It needs Store, which must be the store of the
	// API.
	Common *Common
	Store  storage.Store
}

// Create creates the objects that do not exist, and leaves the others as they are.
func Create(ctx context.Context, api *rest.API, c Config) error {
	common := createCommon
	if c.Common != nil {
		common = c.Common.create
	}
	return inOrder(ctx, api, c, common, authentication, kubernetesService, components)
}

// createCommon creates the objects that are the same in every API.
func createCommon(ctx context.Context, api *rest.API, c Config) error {
	return inOrder(ctx, api, c, namespaces, roles, priorityClasses, flowControl)
}

// inOrder takes the steps in their order, which matters: an object needs its namespace, and a binding its role.
func inOrder(ctx context.Context, api *rest.API, c Config,
	steps ...func(context.Context, *rest.API, Config) error) error {
	for _, step := range steps {
		if err := step(ctx, api, c); err != nil {
			return err
		}
	}
	return nil
}

// ensure creates the objects that do not exist. The namespace is empty if the kind has none.
func ensure[T any](ctx context.Context, api *rest.API, namespace string, objects ...T) error {
	client, err := rest.ClientForType[T](api)
	if err != nil {
		return err
	}
	client = client.Namespace(namespace)
	for _, obj := range objects {
		// Another replica may have been faster.
		if _, err := client.Create(ctx, &obj); err != nil && !status.IsAlreadyExists(err) {
			return err
		}
	}
	return nil
}

func namespaces(ctx context.Context, api *rest.API, _ Config) error {
	var all []corev1.Namespace
	for _, name := range []string{metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic,
		corev1.NamespaceNodeLease} {
		all = append(all, corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	return ensure(ctx, api, "", all...)
}

func roles(ctx context.Context, api *rest.API, _ Config) error {
	p, err := defaultPolicy()
	if err != nil {
		return err
	}
	if err := ensure(ctx, api, "", p.clusterRoles...); err != nil {
		return err
	}
	if err := ensure(ctx, api, "", p.clusterRoleBindings...); err != nil {
		return err
	}
	for _, r := range p.roles {
		if err := ensure(ctx, api, r.Namespace, r); err != nil {
			return err
		}
	}
	for _, b := range p.roleBindings {
		if err := ensure(ctx, api, b.Namespace, b); err != nil {
			return err
		}
	}
	return nil
}

func priorityClasses(ctx context.Context, api *rest.API, _ Config) error {
	return ensure(ctx, api, "",
		schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "system-node-critical"}, Value: 2000001000,
			Description: "Used for system critical pods that must not be moved from their current node."},
		schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "system-cluster-critical"}, Value: 2000000000,
			Description: "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary."})
}

// authentication creates the ConfigMap that tells servers of other APIs which client certificates to trust.
func authentication(ctx context.Context, api *rest.API, c Config) error {
	m := corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "extension-apiserver-authentication"}}
	if c.ClientCA != nil {
		m.Data = map[string]string{"client-ca-file": string(c.ClientCA)}
	}
	return ensure(ctx, api, metav1.NamespaceSystem, m)
}

// kubernetesService creates the Service through which Pods reach the API, with the range that its address is from.
func kubernetesService(ctx context.Context, api *rest.API, c Config) error {
	const name = "kubernetes"
	labels := map[string]string{"component": "apiserver", "provider": name}
	if err := addresses.CreateDefault(ctx, api, c.ServiceRange); err != nil {
		return err
	}
	first, port := c.ServiceRange.Masked().Addr().Next().String(), int32(443)
	if c.Address.IsValid() {
		port = int32(c.Address.Port())
	}
	if err := ensure(ctx, api, metav1.NamespaceDefault, corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec: corev1.ServiceSpec{
			Type: corev1.ServiceTypeClusterIP, ClusterIP: first, ClusterIPs: []string{first},
			SessionAffinity: corev1.ServiceAffinityNone,
			Ports: []corev1.ServicePort{{Name: "https", Port: 443, Protocol: corev1.ProtocolTCP,
				TargetPort: intstr.FromInt32(port)}},
		},
	}); err != nil {
		return err
	}
	slice := discoveryv1.EndpointSlice{
		ObjectMeta:  metav1.ObjectMeta{Name: name, Labels: map[string]string{discoveryv1.LabelServiceName: name}},
		AddressType: discoveryv1.AddressTypeIPv4, Endpoints: []discoveryv1.Endpoint{},
		Ports: []discoveryv1.EndpointPort{{Name: new("https"), Port: &port, Protocol: new(corev1.ProtocolTCP)}},
	}
	if c.Address.IsValid() {
		if c.Address.Addr().Is6() {
			slice.AddressType = discoveryv1.AddressTypeIPv6
		}
		slice.Endpoints = append(slice.Endpoints, discoveryv1.Endpoint{Addresses: []string{c.Address.Addr().String()},
			Conditions: discoveryv1.EndpointConditions{Ready: new(true)}})
		if err := ensure(ctx, api, metav1.NamespaceDefault, corev1.Endpoints{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{discoveryv1.LabelSkipMirror: "true"}},
			Subsets: []corev1.EndpointSubset{{
				Addresses: []corev1.EndpointAddress{{IP: c.Address.Addr().String()}},
				Ports:     []corev1.EndpointPort{{Name: "https", Port: port, Protocol: corev1.ProtocolTCP}},
			}},
		}); err != nil {
			return err
		}
	}
	return ensure(ctx, api, metav1.NamespaceDefault, slice)
}

// components creates the ComponentStatus of the store. It always says that the store works: otherwise, the API could
// not answer.
func components(ctx context.Context, api *rest.API, _ Config) error {
	return ensure(ctx, api, "", corev1.ComponentStatus{ObjectMeta: metav1.ObjectMeta{Name: "etcd-0"},
		Conditions: []corev1.ComponentCondition{{Type: corev1.ComponentHealthy, Status: corev1.ConditionTrue,
			Message: "ok"}}})
}

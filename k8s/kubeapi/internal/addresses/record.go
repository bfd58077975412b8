package addresses

import (
	"context"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/status"
)

// allocator is the value of the label of IPAddresses that are those of Services.
const allocator = "ipallocator.k8s.io"

// manager owns the fields of these IPAddresses.
const manager = "kube-apiserver"

// Record returns a hook that creates the IPAddresses of a Service. It belongs behind all other hooks, because it cannot
// know whether they refuse the write. If the write fails nevertheless, the hook takes the IPAddresses back when the
// request ends.
func Record() admission.Hook {
	return admission.Hook{Name: "addresses.kubeapi",
		Operations: []admission.Operation{admission.Create, admission.Update}, Resources: []string{"services"},
		SideEffects: admission.SideEffectsNoneOnDryRun, Validate: record}
}

func record(ctx context.Context, r *admission.Request) error {
	if r.DryRun {
		return nil
	}
	var s corev1.Service
	if err := r.Object(&s); err != nil {
		return err
	}
	k, err := keeperForHook(ctx)
	if err != nil {
		return err
	}
	by := types.NamespacedName{Namespace: r.Namespace, Name: r.Name}
	for _, ip := range Of(&s) {
		created, err := k.give(ctx, ip, by)
		if err != nil {
			return err
		}
		if created {
			// If this fails, the API has closed, and the next one takes the IPAddress back.
			context.AfterFunc(ctx, func() { _ = k.settle(context.Background(), ip, by) })
		}
	}
	return nil
}

// Of returns the cluster IPs of a Service.
func Of(s *corev1.Service) (ips []netip.Addr) {
	for _, text := range append([]string{s.Spec.ClusterIP}, s.Spec.ClusterIPs...) {
		if ip, err := netip.ParseAddr(text); err == nil && !slices.Contains(ips, ip) {
			ips = append(ips, ip)
		}
	}
	return ips
}

// Reserved reports whether a client has created an IPAddress for an address, so that no Service may have it.
func Reserved(ctx context.Context, ip netip.Addr) (bool, error) {
	objects, err := rest.ClientForHook[networkingv1.IPAddress](ctx)
	if err != nil {
		return false, err
	}
	a, err := objects.Get(ctx, ip.String())
	if status.IsNotFound(err) {
		return false, nil
	}
	return err == nil && !ofService(a), err
}

// ofService reports whether an IPAddress is that of a Service.
func ofService(a *networkingv1.IPAddress) bool {
	return a.Labels[networkingv1.LabelManagedBy] == allocator
}

// keeper creates and removes the IPAddresses of Services.
type keeper struct {
	addresses rest.Client[networkingv1.IPAddress]
	services  rest.Client[corev1.Service]
}

func keeperForHook(ctx context.Context) (*keeper, error) {
	addresses, err := rest.ClientForHook[networkingv1.IPAddress](ctx)
	if err != nil {
		return nil, err
	}
	services, err := rest.ClientForHook[corev1.Service](ctx)
	return &keeper{addresses.FieldManager(manager), services}, err
}

func keeperFor(api *rest.API) (*keeper, error) {
	addresses, err := rest.ClientForType[networkingv1.IPAddress](api)
	if err != nil {
		return nil, err
	}
	services, err := rest.ClientForType[corev1.Service](api)
	return &keeper{addresses.FieldManager(manager), services}, err
}

// attempts is how often give tries again after another write has come between.
const attempts = 16

// give creates the IPAddress of a Service, and reports whether it did not exist.
func (k *keeper) give(ctx context.Context, ip netip.Addr, to types.NamespacedName) (created bool, err error) {
	for range attempts {
		var a *networkingv1.IPAddress
		switch a, err = k.addresses.Get(ctx, ip.String()); {
		case err == nil && parentOf(a) == to:
			return false, nil
		case err == nil && (!ofService(a) || a.DeletionTimestamp != nil):
			return false, status.Conflict(apimeta.GroupResource{Resource: "services"}, to.Name,
				"another object has the address "+a.Name)
		case err == nil:
			err = k.remove(ctx, a) // the Service before had the address until the allocator gave it to this one
		case status.IsNotFound(err):
			if _, err = k.addresses.Create(ctx, addressOf(ip, to)); err == nil {
				return true, nil
			}
		}
		if err != nil && !status.IsAlreadyExists(err) && !status.IsConflict(err) {
			return false, err
		}
	}
	return false, err
}

// settle makes the IPAddress of an address agree with a Service: the Service has the IPAddress if it has the address.
func (k *keeper) settle(ctx context.Context, ip netip.Addr, with types.NamespacedName) error {
	s, err := k.services.Namespace(with.Namespace).Get(ctx, with.Name)
	if err != nil && !status.IsNotFound(err) {
		return err
	}
	if err == nil && slices.Contains(Of(s), ip) {
		_, err = k.give(ctx, ip, with)
		return err
	}
	a, err := k.addresses.Get(ctx, ip.String())
	if err == nil && ofService(a) && parentOf(a) == with {
		err = k.remove(ctx, a)
	}
	if status.IsNotFound(err) {
		return nil
	}
	return err
}

// remove removes an IPAddress, unless another one has taken its place.
func (k *keeper) remove(ctx context.Context, a *networkingv1.IPAddress) error {
	uid := string(a.UID)
	err := k.addresses.Delete(ctx, a.Name, rest.DeleteOptions{Preconditions: &apimeta.Preconditions{UID: &uid}})
	if status.IsNotFound(err) {
		return nil
	}
	return err
}

// parentOf returns the Service of an IPAddress, or the zero value if it refers to something else.
func parentOf(a *networkingv1.IPAddress) types.NamespacedName {
	p := a.Spec.ParentRef
	if p == nil || p.Group != "" || p.Resource != "services" {
		return types.NamespacedName{}
	}
	return types.NamespacedName{Namespace: p.Namespace, Name: p.Name}
}

func addressOf(ip netip.Addr, of types.NamespacedName) *networkingv1.IPAddress {
	family := corev1.IPv4Protocol
	if ip.Is6() {
		family = corev1.IPv6Protocol
	}
	return &networkingv1.IPAddress{
		ObjectMeta: metav1.ObjectMeta{Name: ip.String(), Labels: map[string]string{
			networkingv1.LabelIPAddressFamily: string(family), networkingv1.LabelManagedBy: allocator}},
		Spec: networkingv1.IPAddressSpec{ParentRef: &networkingv1.ParentReference{Resource: "services",
			Namespace: of.Namespace, Name: of.Name}},
	}
}

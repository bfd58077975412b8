package addresses

import (
	"context"
	"log/slog"
	"net/netip"
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/status"
)

// finalizer keeps a ServiceCIDR until no Service needs it any more.
const finalizer = "networking.k8s.io/service-cidr-finalizer"

// Protect is the controller of ServiceCIDRs. It adds a finalizer to each, and says that it is ready. Of a ServiceCIDR
// that is being deleted, it removes the finalizer when each address of a Service is in another one, too. It works until
// ctx ends.
func Protect(ctx context.Context, api *rest.API, logger *slog.Logger) error {
	objects, err := rest.ClientForType[networkingv1.ServiceCIDR](api)
	if err != nil {
		return err
	}
	ips, err := rest.ClientForType[networkingv1.IPAddress](api)
	if err != nil {
		return err
	}
	p := &protector{objects: objects.FieldManager("service-cidr-controller"), ips: ips,
		known: controller.NewInformer(objects, controller.InformerOptions[networkingv1.ServiceCIDR]{Logger: logger})}
	used := controller.NewInformer(ips, controller.InformerOptions[networkingv1.IPAddress]{Logger: logger,
		LabelSelector: ofServices})
	return controller.New(p.reconcile, controller.Options{Logger: logger}, controller.Mapped(p.known, p.overlapping),
		controller.Mapped(used, p.containing)).Run(ctx)
}

// ofServices selects the IPAddresses of Services.
const ofServices = networkingv1.LabelManagedBy + "=" + allocator

type protector struct {
	objects rest.Client[networkingv1.ServiceCIDR]
	ips     rest.Client[networkingv1.IPAddress]
	known   *controller.Informer[networkingv1.ServiceCIDR]
}

// overlapping returns the ServiceCIDRs that share addresses with one, and itself.
func (p *protector) overlapping(c *networkingv1.ServiceCIDR) []controller.Key {
	keys := []controller.Key{{Name: c.Name}}
	for _, other := range p.known.List() {
		if slices.ContainsFunc(rangesOf(c), func(r netip.Prefix) bool {
			return slices.ContainsFunc(rangesOf(other), r.Overlaps)
		}) {
			keys = append(keys, controller.Key{Name: other.Name})
		}
	}
	return keys
}

// containing returns the ServiceCIDRs with an address.
func (p *protector) containing(a *networkingv1.IPAddress) (keys []controller.Key) {
	for _, c := range with(a, p.known.List()) {
		keys = append(keys, controller.Key{Name: c.Name})
	}
	return keys
}

// with returns those ServiceCIDRs that have an address.
func with(a *networkingv1.IPAddress, all []*networkingv1.ServiceCIDR) (found []*networkingv1.ServiceCIDR) {
	ip, err := netip.ParseAddr(a.Name)
	if err != nil {
		return nil
	}
	for _, c := range all {
		if slices.ContainsFunc(rangesOf(c), func(r netip.Prefix) bool { return Usable(r, ip) }) {
			found = append(found, c)
		}
	}
	return found
}

func (p *protector) reconcile(ctx context.Context, key controller.Key) (controller.Result, error) {
	c, err := p.objects.Get(ctx, key.Name)
	if status.IsNotFound(err) {
		return controller.Result{}, nil
	}
	if err == nil {
		err = p.advance(ctx, c)
	}
	return controller.Result{}, err
}

func (p *protector) advance(ctx context.Context, c *networkingv1.ServiceCIDR) error {
	has := slices.Contains(c.Finalizers, finalizer)
	if c.DeletionTimestamp == nil {
		if !has {
			if err := p.modify(ctx, c, func(all []string) []string { return append(all, finalizer) }); err != nil {
				return err
			}
		}
		return report(ctx, p.objects, c.Name,
			metav1.Condition{Status: metav1.ConditionTrue, Message: "Kubernetes Service CIDR is ready"})
	}
	needed, err := p.needed(ctx, c)
	if err != nil {
		return err
	}
	if needed {
		return report(ctx, p.objects, c.Name, metav1.Condition{Status: metav1.ConditionFalse,
			Reason:  networkingv1.ServiceCIDRReasonTerminating,
			Message: "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR"})
	}
	if !has {
		return nil
	}
	return p.modify(ctx, c, func(all []string) []string {
		return slices.DeleteFunc(all, func(f string) bool { return f == finalizer })
	})
}

func (p *protector) modify(ctx context.Context, c *networkingv1.ServiceCIDR, f func([]string) []string) error {
	_, err := p.objects.Modify(ctx, c.Name, func(c *networkingv1.ServiceCIDR) error {
		c.Finalizers = f(c.Finalizers)
		return nil
	})
	return err
}

// needed reports whether an address of a Service is in this ServiceCIDR alone. It asks the store: since the deletion of
// the ServiceCIDR, no further Service gets such an address, but the informers may not know the last ones yet.
func (p *protector) needed(ctx context.Context, c *networkingv1.ServiceCIDR) (bool, error) {
	all, err := p.objects.List(ctx, rest.ListOptions{})
	if err != nil {
		return false, err
	}
	for a, err := range p.ips.All(ctx, rest.ListOptions{LabelSelector: ofServices}) {
		if err != nil {
			return false, err
		}
		if in := with(a, all.Items); len(in) == 1 && in[0].Name == c.Name {
			return true, nil
		}
	}
	return false, nil
}

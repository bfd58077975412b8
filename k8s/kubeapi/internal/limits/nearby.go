package limits

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/rest"
)

// nearby holds the other objects that the usage of ResourceClaims depends on. Its zero value has no DeviceClasses and
// no Pods.
type nearby struct {
	// classes maps the name of each DeviceClass to its extended resource, or to "" if it has none.
	classes map[string]string
	// chargedTo returns the usage of the Pod for which the scheduler made a claim, or nil without such a Pod.
	chargedTo func(c *resourcev1.ResourceClaim) corev1.ResourceList
}

// clients read the objects for nearby.
type clients struct {
	classes rest.Client[resourcev1.DeviceClass]
	claims  rest.Client[resourcev1.ResourceClaim]
	pods    rest.Client[corev1.Pod]
}

// clientsOfHook returns the clients for an admission hook.
func clientsOfHook(ctx context.Context) (c clients, err error) {
	var errs [3]error
	c.classes, errs[0] = rest.ClientForHook[resourcev1.DeviceClass](ctx)
	c.claims, errs[1] = rest.ClientForHook[resourcev1.ResourceClaim](ctx)
	c.pods, errs[2] = rest.ClientForHook[corev1.Pod](ctx)
	return c, errors.Join(errs[:]...)
}

// clientsOf returns the clients of an API.
func clientsOf(api *rest.API) (c clients, err error) {
	var errs [3]error
	c.classes, errs[0] = rest.ClientForType[resourcev1.DeviceClass](api)
	c.claims, errs[1] = rest.ClientForType[resourcev1.ResourceClaim](api)
	c.pods, errs[2] = rest.ClientForType[corev1.Pod](api)
	return c, errors.Join(errs[:]...)
}

// read reads the DeviceClasses. chargedTo reads Pods and claims on demand.
func (c clients) read(ctx context.Context) (nearby, error) {
	near := nearby{classes: map[string]string{},
		chargedTo: func(claim *resourcev1.ResourceClaim) corev1.ResourceList { return c.chargedTo(ctx, claim) }}
	for class, err := range c.classes.All(ctx, rest.ListOptions{}) {
		if err != nil {
			return nearby{}, err
		}
		near.classes[class.Name] = ""
		if resource := class.Spec.ExtendedResourceName; resource != nil {
			near.classes[class.Name] = *resource
		}
	}
	return near, nil
}

// chargedTo returns the usage of the Pod for which the scheduler made a claim. Like Kubernetes, it returns nil, so that
// the claim counts on its own, if it cannot read the Pod or if the Pod has another such claim.
func (c clients) chargedTo(ctx context.Context, claim *resourcev1.ResourceClaim) corev1.ResourceList {
	owner := podOf(claim)
	if owner == nil {
		return nil
	}
	pod, err := c.pods.Namespace(claim.Namespace).Get(ctx, owner.Name)
	if err != nil || pod.UID != owner.UID {
		return nil
	}
	if made := pod.Status.ExtendedResourceClaimStatus; made != nil {
		if made.ResourceClaimName != claim.Name {
			return nil
		}
		return podUsage(pod, time.Now())
	}
	for other, err := range c.claims.Namespace(claim.Namespace).All(ctx, rest.ListOptions{}) {
		if err != nil {
			return nil
		}
		if of := podOf(other); of != nil && of.UID == owner.UID && isEarlier(other, claim) {
			return nil
		}
	}
	return podUsage(pod, time.Now())
}

// podOf returns the reference to the Pod for which the scheduler made a claim, or nil for other claims.
func podOf(c *resourcev1.ResourceClaim) *metav1.OwnerReference {
	owner := metav1.GetControllerOfNoCopy(c)
	if c.Annotations[resourcev1.ExtendedResourceClaimAnnotation] != "true" || owner == nil ||
		owner.Kind != "Pod" || owner.APIVersion != "v1" {
		return nil
	}
	return owner
}

// isEarlier reports whether a claim is older than another. It compares the names of claims of the same second.
func isEarlier(c, than *resourcev1.ResourceClaim) bool {
	n := c.CreationTimestamp.Compare(than.CreationTimestamp.Time)
	return n < 0 || n == 0 && c.Name < than.Name
}

// limits reports whether ResourceClaims count toward an extended resource that a quota limits, such as
// requests.example.com/gpu.
func (n nearby) limits(name corev1.ResourceName) bool {
	plain, ok := strings.CutPrefix(string(name), requestsPrefix)
	if !ok {
		return false
	}
	if class, ok := strings.CutPrefix(plain, resourcev1.ResourceDeviceClassPrefix); ok {
		_, ok = n.classes[class]
		return ok
	}
	return isExtended(corev1.ResourceName(plain)) && slices.Contains(slices.Collect(maps.Values(n.classes)), plain)
}

// extend adds extended resources to the usage of a claim. If the scheduler made the claim for a Pod, extend subtracts
// the usage of the Pod.
func (n nearby) extend(usage corev1.ResourceList, claim *resourcev1.ResourceClaim) {
	extended := corev1.ResourceList{}
	for name, q := range usage {
		class, ok := strings.CutSuffix(string(name), corev1.ResourceClaimsPerClass)
		if !ok || class == "" {
			continue
		}
		extended[corev1.ResourceName(corev1.ResourceImplicitExtendedClaimsPerClass+class)] = q
		if resource := n.classes[class]; resource != "" {
			extended[corev1.ResourceName(requestsPrefix+resource)] = q
		}
	}
	var charged corev1.ResourceList
	if n.chargedTo != nil {
		charged = n.chargedTo(claim)
	}
	for name, q := range extended {
		q = q.DeepCopy()
		q.Sub(charged[name])
		if q.Sign() > 0 {
			usage[name] = q
		}
	}
}

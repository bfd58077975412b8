package kinds

import (
	"context"

	coordinationv1 "k8s.io/api/coordination/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// cluster returns the kinds of the groups with which the parts of a cluster work: certificates.k8s.io, coordination.k8s.io,
// flowcontrol.apiserver.k8s.io, node.k8s.io and scheduling.k8s.io.
func cluster() []rest.Definition {
	return []rest.Definition{
		certificateSigningRequests(),
		of[coordinationv1.Lease](),
		of[flowcontrolv1.FlowSchema](),
		of[flowcontrolv1.PriorityLevelConfiguration](),
		freezing(of[nodev1.RuntimeClass](), frozen[nodev1.RuntimeClass]{"handler", func(c *nodev1.RuntimeClass) any { return c.Handler }}),
		priorityClasses(),
	}
}

func priorityClasses() rest.Resource[schedulingv1.PriorityClass] {
	r := validating(of[schedulingv1.PriorityClass](), func(_ context.Context, c, old *schedulingv1.PriorityClass) status.FieldErrors {
		if old == nil || c.Value == old.Value {
			return nil
		}
		return status.FieldErrors{status.ForbiddenField(status.Field("value"), "may not be changed in an update.")}
	})
	r.Wire.Generation = true
	return freezing(r, frozen[schedulingv1.PriorityClass]{"preemptionPolicy", func(c *schedulingv1.PriorityClass) any { return c.PreemptionPolicy }})
}

package builtin

import (
	"context"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// Lease records which process holds a lock, and until when. Leader election uses it. Its group is coordination.k8s.io.
type Lease struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	Spec LeaseSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec" api:"doc='Who holds the lease, and for how long.'"`
}

// LeaseSpec states who holds a lease, and for how long.
type LeaseSpec struct {
	HolderIdentity       *string                   `json:"holderIdentity,omitempty" protobuf:"bytes,1,opt,name=holderIdentity" api:"doc='The holder of the lease. Empty if nobody holds it.'"`
	LeaseDurationSeconds *int32                    `json:"leaseDurationSeconds,omitempty" protobuf:"varint,2,opt,name=leaseDurationSeconds" api:"doc='How many seconds after renewTime others may take the lease.'"`
	AcquireTime          *apimeta.MicroTime        `json:"acquireTime,omitempty" protobuf:"bytes,3,opt,name=acquireTime" api:"doc='When the holder took the lease.'"`
	RenewTime            *apimeta.MicroTime        `json:"renewTime,omitempty" protobuf:"bytes,4,opt,name=renewTime" api:"doc='When the holder last renewed the lease.'"`
	LeaseTransitions     *int32                    `json:"leaseTransitions,omitempty" protobuf:"varint,5,opt,name=leaseTransitions" api:"doc='How many times the holder of the lease has changed.'"`
	Strategy             *CoordinatedLeaseStrategy `json:"strategy,omitempty" protobuf:"bytes,6,opt,name=strategy" api:"doc='How a coordinated election picks the holder. The server drops this field, because it does not support coordinated leader election.'"`
	PreferredHolder      *string                   `json:"preferredHolder,omitempty" protobuf:"bytes,7,opt,name=preferredHolder" api:"doc='Who should hold the lease instead. The server drops this field, because it does not support coordinated leader election.'"`
}

// CoordinatedLeaseStrategy names the rule by which a coordinated election picks the holder of a lease.
type CoordinatedLeaseStrategy string

// Leases declares the resource leases. A PUT creates a lease that does not exist; to replace an existing lease, it must
// carry the lease's resourceVersion. The server drops strategy and preferredHolder, as Kubernetes does if its
// coordinated leader election is disabled.
func Leases() rest.Resource[Lease] {
	return rest.Resource[Lease]{
		Group: "coordination.k8s.io", Version: "v1", Plural: "leases",
		Description: "Lease records which process holds a lock, and until when. Leader election uses it.",
		Wire: rest.Wire{Dialect: rest.DialectBuiltin, CreateOnUpdate: true, VersionRequired: true,
			PlainMetadata: true},
		Columns: []rest.Column{
			column("Holder", "The holder of the lease.", func(l *Lease) any {
				if l.Spec.HolderIdentity == nil {
					return ""
				}
				return *l.Spec.HolderIdentity
			}),
			column("Age", ageDescription, func(l *Lease) any { return l.CreationTimestamp.Time }),
		},
		Hooks: rest.Hooks[Lease]{
			Prepare: func(_ context.Context, l, _ *Lease) error {
				l.Spec.Strategy, l.Spec.PreferredHolder = nil, nil
				return nil
			},
			Validate: func(_ context.Context, l, _ *Lease) (status.FieldErrors, error) { return l.Spec.validate(), nil },
		},
	}
}

func (s *LeaseSpec) validate() (errs status.FieldErrors) {
	if n := s.LeaseDurationSeconds; n != nil && *n <= 0 {
		errs = append(errs, status.InvalidField(status.NewPath("spec", "leaseDurationSeconds"), *n, "must be greater than 0"))
	}
	if n := s.LeaseTransitions; n != nil && *n < 0 {
		errs = append(errs, status.InvalidField(status.NewPath("spec", "leaseTransitions"), *n,
			"must be greater than or equal to 0"))
	}
	return errs
}

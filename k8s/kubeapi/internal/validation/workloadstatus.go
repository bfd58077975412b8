package validation

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// count is a number in a status.
type count struct {
	name string
	n    int32
}

func (r *report) counts(p *field.Path, all ...count) {
	for _, c := range all {
		number(r, p.Child(c.name), c.n)
	}
}

// limited checks that counts are not above another one.
func (r *report) limited(p *field.Path, limit int32, detail string, all ...count) {
	for _, c := range all {
		r.is(c.n <= limit, field.Invalid(p.Child(c.name), c.n, detail))
	}
}

// The details of a count that is above another one.
const (
	moreThanAll   = "cannot be greater than status.replicas"
	moreThanReady = "cannot be greater than readyReplicas"
)

func (r *report) deploymentStatusChange(obj, old *appsv1.Deployment) {
	r.collisions(obj.Status.CollisionCount, old.Status.CollisionCount)
}

func (r *report) statefulSetStatusChange(obj, old *appsv1.StatefulSet) {
	r.collisions(obj.Status.CollisionCount, old.Status.CollisionCount)
}

func (r *report) daemonSetStatusChange(obj, old *appsv1.DaemonSet) {
	r.collisions(obj.Status.CollisionCount, old.Status.CollisionCount)
}

// collisions checks that the number of collisions does not fall.
func (r *report) collisions(now, was *int32) {
	n := int32(0)
	if now != nil {
		n = *now
	}
	r.is(was == nil || n >= *was, field.Invalid(field.NewPath("status", "collisionCount"), n, "cannot be decremented"))
}

func (r *report) deploymentStatus(obj *appsv1.Deployment) {
	p, s := field.NewPath("status"), &obj.Status
	updated, ready, available := count{"updatedReplicas", s.UpdatedReplicas}, count{"readyReplicas", s.ReadyReplicas},
		count{"availableReplicas", s.AvailableReplicas}
	number(r, p.Child("observedGeneration"), s.ObservedGeneration)
	r.counts(p, count{"replicas", s.Replicas}, updated, ready, available,
		count{"unavailableReplicas", s.UnavailableReplicas})
	optionalNumber(r, p.Child("terminatingReplicas"), s.TerminatingReplicas)
	optionalNumber(r, p.Child("collisionCount"), s.CollisionCount)
	r.limited(p, s.Replicas, moreThanAll, updated, ready, available)
	r.limited(p, s.ReadyReplicas, moreThanReady, available)
}

func (r *report) replicaSetStatus(obj *appsv1.ReplicaSet) {
	p, s := field.NewPath("status"), &obj.Status
	optionalNumber(r, p.Child("terminatingReplicas"), s.TerminatingReplicas)
	r.replicas(p, &corev1.ReplicationControllerStatus{Replicas: s.Replicas, FullyLabeledReplicas: s.FullyLabeledReplicas,
		ReadyReplicas: s.ReadyReplicas, AvailableReplicas: s.AvailableReplicas, ObservedGeneration: s.ObservedGeneration})
}

func (r *report) replicationControllerStatus(obj *corev1.ReplicationController) {
	r.replicas(field.NewPath("status"), &obj.Status)
}

// replicas checks the counts that ReplicaSets and ReplicationControllers have in common.
func (r *report) replicas(p *field.Path, s *corev1.ReplicationControllerStatus) {
	labeled, ready, available := count{"fullyLabeledReplicas", s.FullyLabeledReplicas},
		count{"readyReplicas", s.ReadyReplicas}, count{"availableReplicas", s.AvailableReplicas}
	r.counts(p, count{"replicas", s.Replicas}, labeled, ready, available)
	number(r, p.Child("observedGeneration"), s.ObservedGeneration)
	r.limited(p, s.Replicas, moreThanAll, labeled, ready, available)
	r.limited(p, s.ReadyReplicas, moreThanReady, available)
}

func (r *report) statefulSetStatus(obj *appsv1.StatefulSet) {
	p, s := field.NewPath("status"), &obj.Status
	ready, current := count{"readyReplicas", s.ReadyReplicas}, count{"currentReplicas", s.CurrentReplicas}
	updated, available := count{"updatedReplicas", s.UpdatedReplicas}, count{"availableReplicas", s.AvailableReplicas}
	number(r, p.Child("observedGeneration"), s.ObservedGeneration)
	r.counts(p, count{"replicas", s.Replicas}, ready, current, updated, available)
	optionalNumber(r, p.Child("collisionCount"), s.CollisionCount)
	r.limited(p, s.Replicas, moreThanAll, ready, current, updated, available)
	r.limited(p, s.ReadyReplicas, "cannot be greater than status.readyReplicas", available)
}

func (r *report) daemonSetStatus(obj *appsv1.DaemonSet) {
	p, s := field.NewPath("status"), &obj.Status
	number(r, p.Child("observedGeneration"), s.ObservedGeneration)
	r.counts(p, count{"currentNumberScheduled", s.CurrentNumberScheduled},
		count{"numberMisscheduled", s.NumberMisscheduled},
		count{"desiredNumberScheduled", s.DesiredNumberScheduled}, count{"numberReady", s.NumberReady},
		count{"updatedNumberScheduled", s.UpdatedNumberScheduled}, count{"numberAvailable", s.NumberAvailable},
		count{"numberUnavailable", s.NumberUnavailable})
	optionalNumber(r, p.Child("collisionCount"), s.CollisionCount)
}

package kinds

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/decorum-go/decorum/status"
)

// allocatePorts takes the node ports that the client asks for, and a free one for each other port of the Service that
// needs one. Ports with the same number and different protocols share a node port.
func (a *allocator) allocatePorts(ctx context.Context, s, old *corev1.Service) error {
	var had []int32
	if old != nil {
		had = nodePortsOf(old)
	}
	if hasNodePorts(s) {
		shared := map[int32]int32{} // the node port of a port
		if old == nil {
			for _, p := range s.Spec.Ports {
				if p.NodePort != 0 && shared[p.Port] == 0 {
					shared[p.Port] = p.NodePort
				}
			}
		}
		for i := range s.Spec.Ports {
			p := &s.Spec.Ports[i]
			if p.NodePort == 0 {
				if !needsNodePort(s) {
					continue
				}
				p.NodePort = shared[p.Port]
			}
			if slices.Contains(had, p.NodePort) {
				continue
			}
			err := a.takePort(ctx, s, &p.NodePort)
			if refused, ok := errors.AsType[*refusedPort](err); ok {
				return invalidService(s, status.FieldErrors{status.InvalidField(status.NewPath("spec",
					"ports").Index(i).Child("nodePort"), p.NodePort, refused.Error())})
			}
			if err != nil {
				return err
			}
			if old == nil {
				shared[p.Port] = p.NodePort
			}
		}
	}
	if needsHealthCheckPort(s) && !slices.Contains(had, s.Spec.HealthCheckNodePort) {
		asked := s.Spec.HealthCheckNodePort
		if err := a.takePort(ctx, s, &s.Spec.HealthCheckNodePort); err != nil {
			return status.InternalError(fmt.Errorf("failed to allocate requested HealthCheck NodePort %d: %w", asked, err))
		}
	}
	return nil
}

// refusedPort is the error about a node port that a Service cannot have.
type refusedPort struct{ text string }

func (e *refusedPort) Error() string { return e.text }

// takePort takes a node port for a Service, or any if the port is 0.
func (a *allocator) takePort(ctx context.Context, s *corev1.Service, port *int32) error {
	if *port == 0 {
		p, ok, err := a.ports.takeAny(ctx, except(nodePorts(), nodePortsOf(s)), nameOf(s))
		if err == nil && !ok {
			err = status.InternalError(errors.New("failed to allocate a nodePort: range is full"))
		}
		*port = p
		return err
	}
	if *port < firstNodePort || *port > lastNodePort {
		return &refusedPort{fmt.Sprintf("provided port is not in the valid range. The range of valid ports is %d-%d",
			firstNodePort, lastNodePort)}
	}
	ok, err := a.ports.take(ctx, *port, nameOf(s))
	if err == nil && !ok {
		err = &refusedPort{"provided port is already allocated"}
	}
	return err
}

// except yields the candidates that are not in a list.
func except(candidates iter.Seq[int32], list []int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for c := range candidates {
			if !slices.Contains(list, c) && !yield(c) {
				return
			}
		}
	}
}

// nodePorts yields all node ports, from a random one on. The first 86 come last, because people choose fixed ports
// there.
func nodePorts() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for i := range circle(86, lastNodePort-firstNodePort) {
			if !yield(int32(firstNodePort + i)) {
				return
			}
		}
	}
}

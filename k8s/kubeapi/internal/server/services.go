package server

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/callout"
)

// resolver returns a function for [callout.Options.Resolve]. The function looks for the server of a webhook at the
// external name of the Service, and then at a ready endpoint in an EndpointSlice. It cannot use the cluster IP, which
// only kube-proxy forwards. If it finds neither, it returns the address that otherwise returns, unless that is empty.
func (s *Server) resolver(otherwise func() string) func(context.Context, callout.Service) (string, error) {
	return func(ctx context.Context, service callout.Service) (string, error) {
		service.Port = cmp.Or(service.Port, 443)
		address, err := serviceAddress(ctx, s.api, service)
		if err != nil && otherwise != nil {
			if known := otherwise(); known != "" {
				return known, nil
			}
		}
		return address, err
	}
}

func serviceAddress(ctx context.Context, api *rest.API, s callout.Service) (string, error) {
	services, err := rest.ClientForType[corev1.Service](api)
	if err != nil {
		return "", err
	}
	endpoints, err := rest.ClientForType[discoveryv1.EndpointSlice](api)
	if err != nil {
		return "", err
	}
	service, err := services.Namespace(s.Namespace).Get(ctx, s.Name)
	if err != nil {
		return "", err
	}
	if service.Spec.Type == corev1.ServiceTypeExternalName {
		return net.JoinHostPort(service.Spec.ExternalName, strconv.Itoa(int(s.Port))), nil
	}
	i := slices.IndexFunc(service.Spec.Ports, func(p corev1.ServicePort) bool { return p.Port == s.Port })
	if i < 0 {
		return "", fmt.Errorf("no service port %d found for service %q", s.Port, s.Name)
	}
	found, err := endpoints.Namespace(s.Namespace).List(ctx,
		rest.ListOptions{LabelSelector: discoveryv1.LabelServiceName + "=" + s.Name})
	if err != nil {
		return "", err
	}
	for _, slice := range found.Items {
		if address, ok := readyEndpoint(slice, service.Spec.Ports[i].Name); ok {
			return address, nil
		}
	}
	return "", fmt.Errorf("no endpoints available for service %q", s.Name)
}

// readyEndpoint returns the address of an endpoint, at the port with the given name.
func readyEndpoint(slice *discoveryv1.EndpointSlice, port string) (string, bool) {
	for _, p := range slice.Ports {
		if p.Port == nil || p.Name != nil && *p.Name != port || p.Name == nil && port != "" {
			continue
		}
		for _, e := range slice.Endpoints {
			if (e.Conditions.Ready == nil || *e.Conditions.Ready) && len(e.Addresses) > 0 {
				return net.JoinHostPort(e.Addresses[0], strconv.Itoa(int(*p.Port))), true
			}
		}
	}
	return "", false
}

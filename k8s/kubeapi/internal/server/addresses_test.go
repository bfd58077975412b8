package server_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/server"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
)

// rootOf returns a client of a server over HTTP, with all rights.
func rootOf(t *testing.T, s *server.Server) *kubernetes.Clientset {
	client, err := kubernetes.NewForConfig(&clientrest.Config{Host: "https://kubernetes", BearerToken: "root", QPS: -1,
		Transport: rest.RoundTripper(s.Handler())})
	require.NoError(t, err)
	return client
}

// service returns a Service with one port, at an address or, if it is empty, at any.
func service(name, ip string) *corev1.Service {
	return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.ServiceSpec{ClusterIP: ip, Ports: []corev1.ServicePort{{Port: 80}}}}
}

func TestServicesHaveIPAddresses(t *testing.T) {
	s := newServer(t, func(*server.Config) {})
	client := rootOf(t, s)
	services, addresses := client.CoreV1().Services("default"), client.NetworkingV1().IPAddresses()
	watched := resttest.Client[networkingv1.IPAddress](t, s.API())

	first, err := addresses.Get(t.Context(), "10.0.0.1", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, "kubernetes", first.Spec.ParentRef.Name)

	created, err := services.Create(t.Context(), service("a", ""), metav1.CreateOptions{})
	require.NoError(t, err)
	ip := created.Spec.ClusterIP
	a, err := addresses.Get(t.Context(), ip, metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"ipaddress.kubernetes.io/ip-family": "IPv4",
		"ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io"}, a.Labels)
	assert.Equal(t, &networkingv1.ParentReference{Resource: "services", Namespace: "default", Name: "a"},
		a.Spec.ParentRef)

	require.NoError(t, addresses.Delete(t.Context(), ip, metav1.DeleteOptions{}))
	resttest.WaitFor(t, watched, ip, func(now *networkingv1.IPAddress) bool { return now.UID != a.UID })

	created.Spec.Type, created.Spec.ExternalName, created.Spec.ClusterIP = corev1.ServiceTypeExternalName, "example.com", ""
	created.Spec.ClusterIPs = nil
	_, err = services.Update(t.Context(), created, metav1.UpdateOptions{})
	require.NoError(t, err)
	resttest.WaitForGone(t, watched, ip)

	_, err = services.Create(t.Context(), service("b", "10.0.0.9"), metav1.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, services.Delete(t.Context(), "b", metav1.DeleteOptions{}))
	_, err = services.Create(t.Context(), service("c", "10.0.0.9"), metav1.CreateOptions{})
	require.NoError(t, err, "the address is free at once")
	resttest.WaitFor(t, watched, "10.0.0.9",
		func(now *networkingv1.IPAddress) bool { return now.Spec.ParentRef.Name == "c" })
}

func TestFailedWritesOfServicesLeaveNoIPAddress(t *testing.T) {
	s := newServer(t, func(*server.Config) {})
	client := rootOf(t, s)
	services := client.CoreV1().Services("default")
	watched := resttest.Client[networkingv1.IPAddress](t, s.API())
	_, err := services.Create(t.Context(), service("a", "10.0.0.9"), metav1.CreateOptions{})
	require.NoError(t, err)

	_, err = services.Create(t.Context(), service("a", "10.0.0.10"), metav1.CreateOptions{})
	require.True(t, apierrors.IsAlreadyExists(err), "%v", err)
	resttest.WaitForGone(t, watched, "10.0.0.10")

	_, err = services.Create(t.Context(), service("b", "10.0.0.11"), metav1.CreateOptions{DryRun: []string{"All"}})
	require.NoError(t, err)
	_, err = watched.Get(t.Context(), "10.0.0.11")
	assert.True(t, status.IsNotFound(err), "a dry run records nothing: %v", err)
}

func TestServicesDoNotGetAReservedAddress(t *testing.T) {
	client := rootOf(t, newServer(t, func(*server.Config) {}))
	_, err := client.NetworkingV1().IPAddresses().Create(t.Context(),
		&networkingv1.IPAddress{ObjectMeta: metav1.ObjectMeta{Name: "10.0.0.9"}, Spec: networkingv1.IPAddressSpec{
			ParentRef: &networkingv1.ParentReference{Group: "example.com", Resource: "gateways", Name: "g"}}},
		metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = client.CoreV1().Services("default").Create(t.Context(), service("a", "10.0.0.9"), metav1.CreateOptions{})
	assert.ErrorContains(t, err, "failed to allocate IP 10.0.0.9: provided IP is already allocated")
}

func TestServiceCIDRsExtendTheRange(t *testing.T) {
	s := newServer(t, func(c *server.Config) { c.Controllers = []string{"service-cidr"} })
	client := rootOf(t, s)
	services, cidrs := client.CoreV1().Services("default"), client.NetworkingV1().ServiceCIDRs()
	watched := resttest.Client[networkingv1.ServiceCIDR](t, s.API())

	_, err := services.Create(t.Context(), service("a", "192.168.7.9"), metav1.CreateOptions{})
	require.ErrorContains(t, err, "the provided network does not match the current range")
	_, err = cidrs.Create(t.Context(), &networkingv1.ServiceCIDR{ObjectMeta: metav1.ObjectMeta{Name: "more"},
		Spec: networkingv1.ServiceCIDRSpec{CIDRs: []string{"192.168.7.0/28"}}}, metav1.CreateOptions{})
	require.NoError(t, err)
	resttest.WaitFor(t, watched, "more", func(c *networkingv1.ServiceCIDR) bool {
		return meta.IsStatusConditionTrue(c.Status.Conditions, "Ready") && len(c.Finalizers) == 1
	})
	_, err = services.Create(t.Context(), service("a", "192.168.7.9"), metav1.CreateOptions{})
	require.NoError(t, err)

	require.NoError(t, cidrs.Delete(t.Context(), "more", metav1.DeleteOptions{}))
	resttest.WaitFor(t, watched, "more", func(c *networkingv1.ServiceCIDR) bool {
		ready := meta.FindStatusCondition(c.Status.Conditions, "Ready")
		return ready != nil && ready.Status == metav1.ConditionFalse && ready.Reason == "Terminating"
	})
	_, err = services.Create(t.Context(), service("b", "192.168.7.10"), metav1.CreateOptions{})
	require.ErrorContains(t, err, "the provided network does not match the current range", "it is being deleted")
	require.NoError(t, services.Delete(t.Context(), "a", metav1.DeleteOptions{}))
	resttest.WaitForGone(t, watched, "more")
}

func TestServicesUseEveryAddressOfAllRanges(t *testing.T) {
	client := rootOf(t, newServer(t, func(*server.Config) {}))
	_, err := client.NetworkingV1().ServiceCIDRs().Create(t.Context(),
		&networkingv1.ServiceCIDR{ObjectMeta: metav1.ObjectMeta{Name: "more"},
			Spec: networkingv1.ServiceCIDRSpec{CIDRs: []string{"192.168.7.0/30"}}}, metav1.CreateOptions{})
	require.NoError(t, err)
	services := client.CoreV1().Services("default")
	for i := range 255 { // 254 and 2, without that of the Service kubernetes
		_, err := services.Create(t.Context(), service(fmt.Sprint("s", i), ""), metav1.CreateOptions{})
		require.NoError(t, err)
	}
	_, err = services.Create(t.Context(), service("last", ""), metav1.CreateOptions{})
	require.ErrorContains(t, err, "range is full")
	list, err := client.NetworkingV1().IPAddresses().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	assert.Len(t, list.Items, 256)
}

func TestFirstServiceCIDRIsRecreated(t *testing.T) {
	s := newServer(t, func(*server.Config) {})
	cidrs := rootOf(t, s).NetworkingV1().ServiceCIDRs()
	c, err := cidrs.Get(t.Context(), "kubernetes", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, []string{"10.0.0.0/24"}, c.Spec.CIDRs)
	assert.True(t, meta.IsStatusConditionTrue(c.Status.Conditions, "Ready"))
	require.NoError(t, cidrs.Delete(t.Context(), "kubernetes", metav1.DeleteOptions{}))
	resttest.WaitFor(t, resttest.Client[networkingv1.ServiceCIDR](t, s.API()), "kubernetes",
		func(now *networkingv1.ServiceCIDR) bool {
			return now.UID != c.UID && meta.IsStatusConditionTrue(now.Status.Conditions, "Ready")
		})
}

package kinds_test

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/kinds"
	"github.com/decorum-go/decorum/rest/admission"
)

// service returns a Service with one port, changed by options.
func service(name string, options ...func(*corev1.ServiceSpec)) *corev1.Service {
	s := &corev1.Service{ObjectMeta: named(name),
		Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeClusterIP, Selector: map[string]string{"app": name},
			Ports: []corev1.ServicePort{{Name: "web", Port: 80, Protocol: corev1.ProtocolTCP}}}}
	for _, o := range options {
		o(&s.Spec)
	}
	return s
}

func ofType(kind corev1.ServiceType) func(*corev1.ServiceSpec) {
	return func(s *corev1.ServiceSpec) { s.Type = kind }
}

func atIP(ip string) func(*corev1.ServiceSpec) {
	return func(s *corev1.ServiceSpec) { s.ClusterIP = ip }
}

func atPort(port int32) func(*corev1.ServiceSpec) {
	return func(s *corev1.ServiceSpec) { s.Type, s.Ports[0].NodePort = corev1.ServiceTypeNodePort, port }
}

func TestServicesGetWhatTheirTypeNeeds(t *testing.T) {
	client := clientOf(t, newAPI(t))
	local := func(s *corev1.ServiceSpec) {
		s.Type, s.ExternalTrafficPolicy = corev1.ServiceTypeLoadBalancer, corev1.ServiceExternalTrafficPolicyLocal
	}
	noPorts := func(s *corev1.ServiceSpec) {
		s.Type, s.AllocateLoadBalancerNodePorts = corev1.ServiceTypeLoadBalancer, new(bool)
	}
	dns := func(s *corev1.ServiceSpec) {
		s.Type, s.Ports = corev1.ServiceTypeNodePort, []corev1.ServicePort{{Name: "tcp", Port: 53, Protocol: "TCP"},
			{Name: "udp", Port: 53, Protocol: "UDP"}, {Name: "http", Port: 80, Protocol: "TCP"}}
	}
	for _, c := range []struct {
		name              string
		service           *corev1.Service
		ip                string
		families          []corev1.IPFamily
		policy            corev1.IPFamilyPolicy
		ports, differing  int // the number of node ports, and how many different ones there are
		healthCheck, null bool
	}{
		{"a cluster IP", service("a"), "allocated", []corev1.IPFamily{"IPv4"}, "SingleStack", 0, 0, false, false},
		{"a chosen cluster IP", service("a", atIP("10.0.0.5")), "10.0.0.5", []corev1.IPFamily{"IPv4"}, "SingleStack", 0, 0,
			false, false},
		{"headless", service("a", atIP("None")), "None", []corev1.IPFamily{"IPv4"}, "SingleStack", 0, 0, false, false},
		{"headless without a selector", service("a", atIP("None"), func(s *corev1.ServiceSpec) { s.Selector = nil }), "None",
			[]corev1.IPFamily{"IPv4", "IPv6"}, "RequireDualStack", 0, 0, false, false},
		{"an external name", service("a", ofType(corev1.ServiceTypeExternalName),
			func(s *corev1.ServiceSpec) { s.ExternalName = "example.com" }), "", nil, "", 0, 0, false, true},
		{"node ports", service("a", ofType(corev1.ServiceTypeNodePort)), "allocated", []corev1.IPFamily{"IPv4"},
			"SingleStack", 1, 1, false, false},
		{"a node port for two protocols", service("a", dns), "allocated", []corev1.IPFamily{"IPv4"}, "SingleStack", 3, 2,
			false, false},
		{"a load balancer", service("a", ofType(corev1.ServiceTypeLoadBalancer)), "allocated", []corev1.IPFamily{"IPv4"},
			"SingleStack", 1, 1, false, false},
		{"a load balancer without node ports", service("a", noPorts), "allocated", []corev1.IPFamily{"IPv4"}, "SingleStack",
			0, 0, false, false},
		{"a load balancer for local traffic", service("a", local), "allocated", []corev1.IPFamily{"IPv4"}, "SingleStack", 1,
			1, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			services := client.CoreV1().Services(newNamespace(t, client))
			s := must[*corev1.Service](t)(services.Create(t.Context(), c.service, metav1.CreateOptions{}))
			if c.ip == "allocated" {
				ip, err := netip.ParseAddr(s.Spec.ClusterIP)
				require.NoError(t, err)
				assert.True(t, netip.MustParsePrefix("10.0.0.0/24").Contains(ip), "%s", ip)
			} else {
				assert.Equal(t, c.ip, s.Spec.ClusterIP)
			}
			if c.null {
				assert.Empty(t, s.Spec.ClusterIPs)
				assert.Nil(t, s.Spec.IPFamilyPolicy)
			} else {
				assert.Equal(t, []string{s.Spec.ClusterIP}, s.Spec.ClusterIPs)
				assert.Equal(t, c.policy, *s.Spec.IPFamilyPolicy)
			}
			assert.Equal(t, c.families, s.Spec.IPFamilies)
			ports := map[int32]bool{}
			count := 0
			for _, p := range s.Spec.Ports {
				if p.NodePort != 0 {
					assert.True(t, p.NodePort >= 30000 && p.NodePort <= 32767, "%d", p.NodePort)
					ports[p.NodePort] = true
					count++
				}
			}
			assert.Equal(t, c.ports, count)
			assert.Len(t, ports, c.differing)
			assert.Equal(t, c.healthCheck, s.Spec.HealthCheckNodePort != 0)
		})
	}
}

// The server chooses node ports at random, so 300 of 2768 would not all differ by chance.
func TestNodePortsOfOneServiceDiffer(t *testing.T) {
	s := service("a", ofType(corev1.ServiceTypeNodePort))
	for i := range 299 {
		s.Spec.Ports = append(s.Spec.Ports,
			corev1.ServicePort{Name: fmt.Sprintf("p%d", i), Port: int32(1000 + i), Protocol: corev1.ProtocolTCP})
	}
	created, err := clientOf(t, newAPI(t)).CoreV1().Services("default").Create(t.Context(), s, metav1.CreateOptions{})
	require.NoError(t, err)
	different := map[int32]bool{}
	for _, p := range created.Spec.Ports {
		different[p.NodePort] = true
	}
	assert.Len(t, different, 300)
}

func TestServicesAreRefusedWhatOthersHave(t *testing.T) {
	secondary := func(s *corev1.ServiceSpec) {
		policy := corev1.IPFamilyPolicyRequireDualStack
		s.IPFamilyPolicy = &policy
	}
	v6 := func(s *corev1.ServiceSpec) { s.IPFamilies = []corev1.IPFamily{corev1.IPv6Protocol} }
	services := clientOf(t, newAPI(t)).CoreV1().Services(namespace)
	must[*corev1.Service](t)(services.Create(t.Context(), service("a", atIP("10.0.0.5"), atPort(30100)),
		metav1.CreateOptions{}))
	for _, c := range []struct {
		name    string
		service *corev1.Service
		want    string
	}{
		{"a cluster IP", service("b", atIP("10.0.0.5")),
			`Service "b" is invalid: spec.clusterIPs: Invalid value: ["10.0.0.5"]: failed to allocate IP 10.0.0.5: provided IP is already allocated`},
		{"an address elsewhere", service("b", atIP("10.1.0.5")),
			`failed to allocate IP 10.1.0.5: the provided network does not match the current range`},
		{"the network", service("b", atIP("10.0.0.0")),
			`failed to allocate IP 10.0.0.0: the provided network does not match the current range`},
		{"a node port", service("b", atPort(30100)),
			`Service "b" is invalid: spec.ports[0].nodePort: Invalid value: 30100: provided port is already allocated`},
		{"a port outside of the range", service("b", atPort(80)),
			`spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767`},
		{"two families", service("b", secondary),
			`spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services`},
		{"another family", service("b", v6), `spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := services.Create(t.Context(), c.service, metav1.CreateOptions{})
			assertRefused(t, err, 422, c.want)
		})
	}
}

func TestServicesKeepAndReleaseWhatTheyHave(t *testing.T) {
	services := clientOf(t, newAPI(t)).CoreV1().Services(namespace)
	created := must[*corev1.Service](t)(services.Create(t.Context(), service("a", ofType(corev1.ServiceTypeNodePort)),
		metav1.CreateOptions{}))
	update := func(options ...func(*corev1.ServiceSpec)) (*corev1.Service, error) {
		return services.Update(t.Context(), service("a", options...), metav1.UpdateOptions{})
	}

	again := must[*corev1.Service](t)(update(ofType(corev1.ServiceTypeNodePort)))
	assert.Equal(t, created, again, "the same manifest changes nothing")

	// An address of the lower sixteen: the Service has one of the others.
	_, err := update(atIP("10.0.0.7"))
	assertRefused(t, err, 422, `spec.clusterIPs[0]: Invalid value: ["10.0.0.7"]: may not change once set`)

	toClusterIP := created.DeepCopy()
	toClusterIP.Spec.Type = corev1.ServiceTypeClusterIP
	plain := must[*corev1.Service](t)(services.Update(t.Context(), toClusterIP, metav1.UpdateOptions{}))
	assert.Equal(t, created.Spec.ClusterIP, plain.Spec.ClusterIP)
	assert.Zero(t, plain.Spec.Ports[0].NodePort)
	must[*corev1.Service](t)(services.Create(t.Context(), service("b", atPort(created.Spec.Ports[0].NodePort)),
		metav1.CreateOptions{}))

	named := must[*corev1.Service](t)(services.Patch(t.Context(), "a", types.MergePatchType,
		[]byte(`{"spec":{"type":"ExternalName","externalName":"example.com"}}`), metav1.PatchOptions{}))
	assert.Empty(t, named.Spec.ClusterIP)
	assert.Empty(t, named.Spec.ClusterIPs)
	assert.Nil(t, named.Spec.IPFamilyPolicy)
	must[*corev1.Service](t)(services.Create(t.Context(), service("c", atIP(created.Spec.ClusterIP)),
		metav1.CreateOptions{}))

	back := must[*corev1.Service](t)(services.Patch(t.Context(), "a", types.MergePatchType,
		[]byte(`{"spec":{"type":"ClusterIP","externalName":null}}`), metav1.PatchOptions{}))
	assert.NotEmpty(t, back.Spec.ClusterIP)
	assert.NotEqual(t, created.Spec.ClusterIP, back.Spec.ClusterIP)

	require.NoError(t, services.Delete(t.Context(), "c", metav1.DeleteOptions{}))
	must[*corev1.Service](t)(services.Create(t.Context(), service("d", atIP(created.Spec.ClusterIP)),
		metav1.CreateOptions{}))
}

// A write that fails, or that is only tried, takes nothing.
func TestServicesLoseTheStatusOfTheirLoadBalancer(t *testing.T) {
	services := clientOf(t, newAPI(t)).CoreV1().Services(namespace)
	s := must[*corev1.Service](t)(services.Create(t.Context(), &corev1.Service{ObjectMeta: named("s"),
		Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer, Ports: []corev1.ServicePort{{Port: 80}}}},
		metav1.CreateOptions{}))
	s.Status.LoadBalancer.Ingress = []corev1.LoadBalancerIngress{{IP: "192.0.2.1"}}
	s = must[*corev1.Service](t)(services.UpdateStatus(t.Context(), s, metav1.UpdateOptions{}))
	s.Labels = map[string]string{"a": "b"}
	s = must[*corev1.Service](t)(services.Update(t.Context(), s, metav1.UpdateOptions{}))
	assert.Len(t, s.Status.LoadBalancer.Ingress, 1)
	s.Spec.Type = corev1.ServiceTypeClusterIP
	s = must[*corev1.Service](t)(services.Update(t.Context(), s, metav1.UpdateOptions{}))
	assert.Empty(t, s.Status.LoadBalancer.Ingress)
	assert.Zero(t, s.Spec.Ports[0].NodePort)
}

func TestRefusedServicesTakeNothing(t *testing.T) {
	services := clientOf(t, newAPI(t)).CoreV1().Services(namespace)
	must[*corev1.Service](t)(services.Create(t.Context(), service("a", atIP("10.0.0.5")),
		metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}))
	broken := service("b", atIP("10.0.0.5"))
	broken.Labels = map[string]string{"!": ""}
	_, err := services.Create(t.Context(), broken, metav1.CreateOptions{})
	assertRefused(t, err, 422, "metadata.labels")
	must[*corev1.Service](t)(services.Create(t.Context(), service("c", atIP("10.0.0.5")), metav1.CreateOptions{}))
}

// A dry run takes nothing, not even while it is under way.
func TestDryRunsAllocateNothing(t *testing.T) {
	for name, test := range map[string]struct {
		tried, real func(*corev1.ServiceSpec)
		before      int // other Services
	}{
		"node port":            {tried: atPort(30080), real: atPort(30080)},
		"cluster IP":           {tried: atIP("10.0.0.5"), real: atIP("10.0.0.5")},
		"last address":         {tried: atIP(""), real: atIP(""), before: 5},
		"health check port":    {tried: checkedAt(30081), real: checkedAt(30081)},
		"port of another kind": {tried: checkedAt(30081), real: atPort(30081)},
	} {
		t.Run(name, func(t *testing.T) {
			entered, leave := make(chan struct{}), make(chan struct{})
			enter := sync.OnceFunc(func() { close(entered) })
			hold := admission.Hook{Name: "hold.example.com", Operations: []admission.Operation{admission.Create},
				Resources: []string{"services"}, SideEffects: admission.SideEffectsNone,
				Validate: func(_ context.Context, r *admission.Request) error {
					if r.DryRun {
						enter()
						<-leave
					}
					return nil
				}}
			hooks := append(hooksOf(t, kinds.PluginOptions{Off: []string{"ServiceAccount"}}), hold)
			services := clientOf(t, newAPIOf(t, hooks, netip.MustParsePrefix("10.0.0.0/29"))).CoreV1().Services(namespace)
			for i := range test.before {
				must[*corev1.Service](t)(services.Create(t.Context(), service(fmt.Sprint("s", i)), metav1.CreateOptions{}))
			}
			tried := make(chan error)
			go func() {
				_, err := services.Create(t.Context(), service("tried", test.tried), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
				tried <- err
			}()
			<-entered
			_, err := services.Create(t.Context(), service("real", test.real), metav1.CreateOptions{})
			assert.NoError(t, err)
			close(leave)
			assert.NoError(t, <-tried)
			_, err = services.Create(t.Context(), service("late", test.tried), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			assert.Error(t, err, "what the real one has is taken for a dry run, too")
		})
	}
}

func checkedAt(port int32) func(*corev1.ServiceSpec) {
	return func(s *corev1.ServiceSpec) {
		s.Type, s.ExternalTrafficPolicy, s.HealthCheckNodePort = corev1.ServiceTypeLoadBalancer, corev1.ServiceExternalTrafficPolicyLocal, port
	}
}

func TestServicesWithoutNameAllocateNothing(t *testing.T) {
	services := clientOf(t, newAPI(t)).CoreV1().Services(namespace)
	_, err := services.Create(t.Context(), service("", atIP("10.0.0.9")), metav1.CreateOptions{})
	assertRefused(t, err, 422, "name or generateName is required")
	must[*corev1.Service](t)(services.Create(t.Context(), service("a", atIP("10.0.0.9")), metav1.CreateOptions{}))
}

// Services that are created and deleted at the same time never share an address, and the range can be used to its end.
func TestServicesNeverShareAnAddress(t *testing.T) {
	client := clientOf(t, newAPIAt(t, netip.MustParsePrefix("10.0.0.0/26"))) // 62 addresses
	const workers, each = 6, 10
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for i := range each {
				if _, err := createService(t, client, fmt.Sprintf("s-%d-%d", w, i)); !assert.NoError(t, err) {
					return
				}
			}
		})
	}
	group.Wait()
	services := client.CoreV1().Services(namespace)
	list := must[*corev1.ServiceList](t)(services.List(t.Context(), metav1.ListOptions{}))
	require.Len(t, list.Items, workers*each)
	seen := map[string]string{}
	for _, s := range list.Items {
		assert.Empty(t, seen[s.Spec.ClusterIP], s.Spec.ClusterIP)
		seen[s.Spec.ClusterIP] = s.Name
	}
	for i := range 2 {
		_, err := createService(t, client, fmt.Sprintf("last-%d", i))
		require.NoError(t, err)
	}
	_, err := createService(t, client, "too-many")
	assertRefused(t, err, 500, `failed to allocate a serviceIP for Service "too-many": range is full`)
}

func createService(t *testing.T, client *kubernetes.Clientset, name string) (*corev1.Service, error) {
	return client.CoreV1().Services(namespace).Create(t.Context(), service(name), metav1.CreateOptions{})
}

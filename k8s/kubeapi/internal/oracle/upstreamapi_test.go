package oracle

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/go-jose/go-jose.v2/jwt"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/util/compatibility"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/generated/openapi"
	kubeletclient "k8s.io/kubernetes/pkg/kubelet/client"
	admissionregistrationrest "k8s.io/kubernetes/pkg/registry/admissionregistration/rest"
	appsrest "k8s.io/kubernetes/pkg/registry/apps/rest"
	authenticationrest "k8s.io/kubernetes/pkg/registry/authentication/rest"
	authorizationrest "k8s.io/kubernetes/pkg/registry/authorization/rest"
	autoscalingrest "k8s.io/kubernetes/pkg/registry/autoscaling/rest"
	batchrest "k8s.io/kubernetes/pkg/registry/batch/rest"
	certificatesrest "k8s.io/kubernetes/pkg/registry/certificates/rest"
	coordinationrest "k8s.io/kubernetes/pkg/registry/coordination/rest"
	"k8s.io/kubernetes/pkg/registry/core/componentstatus"
	endpointsstore "k8s.io/kubernetes/pkg/registry/core/endpoint/storage"
	limitrangestore "k8s.io/kubernetes/pkg/registry/core/limitrange/storage"
	nodestore "k8s.io/kubernetes/pkg/registry/core/node/storage"
	volumestore "k8s.io/kubernetes/pkg/registry/core/persistentvolume/storage"
	claimstore "k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim/storage"
	podstore "k8s.io/kubernetes/pkg/registry/core/pod/storage"
	podtemplatestore "k8s.io/kubernetes/pkg/registry/core/podtemplate/storage"
	controllerstore "k8s.io/kubernetes/pkg/registry/core/replicationcontroller/storage"
	corerest "k8s.io/kubernetes/pkg/registry/core/rest"
	"k8s.io/kubernetes/pkg/registry/core/service/ipallocator"
	"k8s.io/kubernetes/pkg/registry/core/service/portallocator"
	servicestore "k8s.io/kubernetes/pkg/registry/core/service/storage"
	accountstore "k8s.io/kubernetes/pkg/registry/core/serviceaccount/storage"
	discoveryrest "k8s.io/kubernetes/pkg/registry/discovery/rest"
	eventsrest "k8s.io/kubernetes/pkg/registry/events/rest"
	flowcontrolrest "k8s.io/kubernetes/pkg/registry/flowcontrol/rest"
	networkingrest "k8s.io/kubernetes/pkg/registry/networking/rest"
	noderest "k8s.io/kubernetes/pkg/registry/node/rest"
	policyrest "k8s.io/kubernetes/pkg/registry/policy/rest"
	rbacrest "k8s.io/kubernetes/pkg/registry/rbac/rest"
	resourcerest "k8s.io/kubernetes/pkg/registry/resource/rest"
	schedulingrest "k8s.io/kubernetes/pkg/registry/scheduling/rest"
	storagerest "k8s.io/kubernetes/pkg/registry/storage/rest"
	migrationrest "k8s.io/kubernetes/pkg/registry/storagemigration/rest"
)

// handled sends requests to a handler in this process.
type handled struct{ http.Handler }

func (h handled) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r.Body = http.NoBody
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result(), nil
}

// upstream is Kubernetes' API in this process, without admission and controllers.
var upstream = sync.OnceValues(func() (http.RoundTripper, error) {
	api, _, err := newUpstream(nil)
	return api, err
})

// newUpstream returns an API of Kubernetes with admission plugins, without controllers, and the informers that the
// plugins read.
func newUpstream(plugins []string) (http.RoundTripper, []shelf, error) {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	loopback := &handled{}
	clientConfig := &clientrest.Config{Host: "http://kubernetes", Transport: loopback, QPS: -1}
	client, err := kubernetes.NewForConfig(clientConfig)
	if err != nil {
		return nil, nil, err
	}
	config := genericapiserver.NewConfig(legacyscheme.Codecs)
	config.EffectiveVersion = compatibility.DefaultBuildEffectiveVersion()
	config.ExternalAddress = "127.0.0.1:443"
	config.LoopbackClientConfig = clientConfig
	config.Authentication.Authenticator = authenticator.RequestFunc(recognize)
	config.Authorization.Authorizer = authorizer.AuthorizerFunc(authorize)
	var shelves []shelf
	if config.AdmissionControl, shelves, err = newAdmission(plugins, client, config.Authorization.Authorizer); err != nil {
		return nil, nil, err
	}
	namer := openapinamer.NewDefinitionNamer(legacyscheme.Scheme)
	config.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(openapi.GetOpenAPIDefinitions, namer)
	config.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(openapi.GetOpenAPIDefinitions, namer)
	stores := storesInMemory{inMemory()}
	config.RESTOptionsGetter = stores
	server, err := config.Complete(nil).New("kubernetes", genericapiserver.NewEmptyDelegate())
	if err != nil {
		return nil, nil, err
	}
	legacy, err := coreStorage(stores, client)
	if err != nil {
		return nil, nil, err
	}
	if err := server.InstallLegacyAPIGroup("/api", &legacy); err != nil {
		return nil, nil, err
	}
	allow := config.Authorization.Authorizer
	for _, p := range []interface {
		NewRESTStorage(serverstorage.APIResourceConfigSource, generic.RESTOptionsGetter) (genericapiserver.APIGroupInfo,
			error)
	}{
		admissionregistrationrest.RESTStorageProvider{Authorizer: allow, DiscoveryClient: client.Discovery()},
		appsrest.StorageProvider{},
		authenticationrest.RESTStorageProvider{Authenticator: config.Authentication.Authenticator},
		authorizationrest.RESTStorageProvider{Authorizer: allow},
		autoscalingrest.RESTStorageProvider{},
		batchrest.RESTStorageProvider{},
		certificatesrest.RESTStorageProvider{Authorizer: allow},
		coordinationrest.RESTStorageProvider{},
		discoveryrest.StorageProvider{},
		eventsrest.RESTStorageProvider{},
		flowcontrolrest.RESTStorageProvider{},
		networkingrest.RESTStorageProvider{},
		noderest.RESTStorageProvider{},
		policyrest.RESTStorageProvider{},
		rbacrest.RESTStorageProvider{Authorizer: allow},
		resourcerest.RESTStorageProvider{NamespaceClient: client.CoreV1().Namespaces(), Authorizer: allow},
		schedulingrest.RESTStorageProvider{},
		storagerest.RESTStorageProvider{},
		migrationrest.RESTStorageProvider{},
	} {
		group, err := p.NewRESTStorage(generallyAvailable{}, stores)
		if err != nil {
			return nil, nil, err
		}
		if err := server.InstallAPIGroup(&group); err != nil {
			return nil, nil, err
		}
	}
	loopback.Handler = server.PrepareRun().GenericAPIServer.Handler
	return loopback, shelves, nil
}

// generallyAvailable enables the versions that Kubernetes serves by default.
type generallyAvailable struct{}

func (generallyAvailable) ResourceEnabled(r schema.GroupVersionResource) bool {
	return r.Version == "v1" || r.Version == "v2"
}

func (generallyAvailable) ResourceExplicitlyEnabled(schema.GroupVersionResource) bool { return false }

func (generallyAvailable) VersionExplicitlyEnabled(schema.GroupVersion) bool { return false }

func (generallyAvailable) AnyResourceForGroupEnabled(string) bool { return true }

// storesInMemory says that all resources are stored in memory.
type storesInMemory struct{ generic.StorageDecorator }

func (s storesInMemory) GetRESTOptions(r schema.GroupResource, _ runtime.Object) (generic.RESTOptions, error) {
	codec := legacyscheme.Codecs.LegacyCodec(legacyscheme.Scheme.PrioritizedVersionsForGroup(r.Group)...)
	config := storagebackend.Config{Codec: codec}
	return generic.RESTOptions{StorageConfig: config.ForResource(r), Decorator: s.StorageDecorator,
		EnableGarbageCollection: true, DeleteCollectionWorkers: 1, ResourcePrefix: "/registry/" + r.Resource}, nil
}

// coreStorage returns the group without a name. Its addresses and ports are in memory too.
func coreStorage(stores generic.RESTOptionsGetter,
	client kubernetes.Interface) (group genericapiserver.APIGroupInfo, err error) {
	generics := corerest.GenericConfig{}
	if group, err = generics.NewRESTStorage(generallyAvailable{}, stores); err != nil {
		return group, err
	}
	_, addresses, err := net.ParseCIDR("10.0.0.0/24")
	if err != nil {
		return group, err
	}
	ips, err := ipallocator.NewInMemory(addresses)
	if err != nil {
		return group, err
	}
	ports, err := portallocator.NewInMemory(utilnet.PortRange{Base: 30000, Size: 2768})
	if err != nil {
		return group, err
	}
	nodes, err := nodestore.NewStorage(stores, kubeletclient.KubeletClientConfig{}, nil)
	if err != nil {
		return group, err
	}
	pods, err := podstore.NewStorage(stores, nodes.KubeletConnectionInfo, nil, client.PolicyV1(),
		authorizerfactory.NewAlwaysAllowAuthorizer())
	if err != nil {
		return group, err
	}
	endpoints, err := endpointsstore.NewREST(stores)
	if err != nil {
		return group, err
	}
	services, serviceStatus, serviceProxy, err := servicestore.NewREST(stores, core.IPv4Protocol,
		map[core.IPFamily]ipallocator.Interface{core.IPv4Protocol: ips}, ports, nil, pods.Pod, nil)
	if err != nil {
		return group, err
	}
	volumes, volumeStatus, err := volumestore.NewREST(stores)
	if err != nil {
		return group, err
	}
	claims, claimStatus, err := claimstore.NewREST(stores)
	if err != nil {
		return group, err
	}
	controllers, err := controllerstore.NewStorage(stores)
	if err != nil {
		return group, err
	}
	templates, err := podtemplatestore.NewREST(stores)
	if err != nil {
		return group, err
	}
	limits, err := limitrangestore.NewREST(stores)
	if err != nil {
		return group, err
	}
	webhooks := client.AdmissionregistrationV1()
	accounts, err := accountstore.NewREST(stores, tokens{}, authenticator.Audiences{"api"},
		authorizerfactory.NewAlwaysAllowAuthorizer(), 0, pods.Pod,
		group.VersionedResourcesStorageMap["v1"]["secrets"].(rest.Getter), nodes.Node,
		webhooks.ValidatingWebhookConfigurations(), webhooks.MutatingWebhookConfigurations(), false, 0)
	if err != nil {
		return group, err
	}
	resources := group.VersionedResourcesStorageMap["v1"]
	for name, storage := range map[string]rest.Storage{
		"bindings":          pods.LegacyBinding,
		"componentstatuses": componentstatus.NewStorage(func() map[string]componentstatus.Server { return nil }),
		"endpoints":         endpoints, "limitranges": limits, "nodes": nodes.Node, "nodes/proxy": nodes.Proxy,
		"nodes/status":      nodes.Status,
		"persistentvolumes": volumes, "persistentvolumes/status": volumeStatus, "persistentvolumeclaims": claims,
		"persistentvolumeclaims/status": claimStatus,
		"pods":                          pods.Pod, "pods/attach": pods.Attach, "pods/binding": pods.Binding,
		"pods/ephemeralcontainers": pods.EphemeralContainers,
		"pods/eviction":            pods.Eviction, "pods/exec": pods.Exec, "pods/log": pods.Log, "pods/portforward": pods.PortForward,
		"pods/proxy":  pods.Proxy,
		"pods/resize": pods.Resize, "pods/status": pods.Status, "podtemplates": templates,
		"replicationcontrollers":       controllers.Controller,
		"replicationcontrollers/scale": controllers.Scale, "replicationcontrollers/status": controllers.Status,
		"serviceaccounts": accounts, "serviceaccounts/token": accounts.Token, "services": services,
		"services/proxy": serviceProxy, "services/status": serviceStatus,
	} {
		resources[name] = storage
	}
	return group, nil
}

// tokens issues tokens that no test verifies.
type tokens struct{}

func (tokens) GenerateToken(context.Context, *jwt.Claims, any) (string, error) { return "token", nil }

// kubernetesAPI returns Kubernetes' API.
func kubernetesAPI(t *testing.T) side {
	t.Helper()
	transport, err := upstream()
	require.NoError(t, err)
	return side{"http://kubernetes", transport}
}

package oracle

import (
	"context"
	"io"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	"k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/util/compatibility"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	cacheddiscovery "k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/plugin/pkg/admission/alwayspullimages"
	"k8s.io/kubernetes/plugin/pkg/admission/antiaffinity"
	certapproval "k8s.io/kubernetes/plugin/pkg/admission/certificates/approval"
	certsigning "k8s.io/kubernetes/plugin/pkg/admission/certificates/signing"
	certsubjectrestriction "k8s.io/kubernetes/plugin/pkg/admission/certificates/subjectrestriction"
	"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds"
	"k8s.io/kubernetes/plugin/pkg/admission/extendedresourcetoleration"
	"k8s.io/kubernetes/plugin/pkg/admission/gc"
	"k8s.io/kubernetes/plugin/pkg/admission/limitranger"
	"k8s.io/kubernetes/plugin/pkg/admission/namespace/autoprovision"
	"k8s.io/kubernetes/plugin/pkg/admission/namespace/exists"
	"k8s.io/kubernetes/plugin/pkg/admission/network/defaultingressclass"
	"k8s.io/kubernetes/plugin/pkg/admission/network/denyserviceexternalips"
	"k8s.io/kubernetes/plugin/pkg/admission/nodedeclaredfeatures"
	"k8s.io/kubernetes/plugin/pkg/admission/noderestriction"
	"k8s.io/kubernetes/plugin/pkg/admission/nodetaint"
	"k8s.io/kubernetes/plugin/pkg/admission/podnodeselector"
	"k8s.io/kubernetes/plugin/pkg/admission/podresize"
	"k8s.io/kubernetes/plugin/pkg/admission/podtolerationrestriction"
	"k8s.io/kubernetes/plugin/pkg/admission/podtopologylabels"
	"k8s.io/kubernetes/plugin/pkg/admission/priority"
	"k8s.io/kubernetes/plugin/pkg/admission/runtimeclass"
	"k8s.io/kubernetes/plugin/pkg/admission/security/podsecurity"
	"k8s.io/kubernetes/plugin/pkg/admission/serviceaccount"
	"k8s.io/kubernetes/plugin/pkg/admission/storage/persistentvolume/resize"
	"k8s.io/kubernetes/plugin/pkg/admission/storage/storageclass/setdefault"
	"k8s.io/kubernetes/plugin/pkg/admission/storage/storageobjectinuseprotection"
)

// plugin is an admission plugin of Kubernetes.
type plugin struct {
	name     string
	rare     bool // off by default
	register func(*admission.Plugins)
}

// plugins are the admission plugins of Kubernetes that the tests compare, in the order in which Kubernetes runs them.
var plugins = []plugin{
	{autoprovision.PluginName, true, autoprovision.Register},
	{lifecycle.PluginName, false, lifecycle.Register},
	{exists.PluginName, true, exists.Register},
	{antiaffinity.PluginName, true, antiaffinity.Register},
	{limitranger.PluginName, false, limitranger.Register},
	{serviceaccount.PluginName, false, serviceaccount.Register},
	{noderestriction.PluginName, true, noderestriction.Register},
	{nodetaint.PluginName, false, nodetaint.Register},
	{alwayspullimages.PluginName, true, alwayspullimages.Register},
	{podsecurity.PluginName, false, podsecurity.Register},
	{podnodeselector.PluginName, true, podnodeselector.Register},
	{priority.PluginName, false, priority.Register},
	{defaulttolerationseconds.PluginName, false, defaulttolerationseconds.Register},
	{podtolerationrestriction.PluginName, true, podtolerationrestriction.Register},
	{extendedresourcetoleration.PluginName, true, extendedresourcetoleration.Register},
	{setdefault.PluginName, false, setdefault.Register},
	{storageobjectinuseprotection.PluginName, false, storageobjectinuseprotection.Register},
	{gc.PluginName, true, gc.Register},
	{resize.PluginName, false, resize.Register},
	{runtimeclass.PluginName, false, runtimeclass.Register},
	{certapproval.PluginName, false, certapproval.Register},
	{certsigning.PluginName, false, certsigning.Register},
	{certsubjectrestriction.PluginName, false, certsubjectrestriction.Register},
	{defaultingressclass.PluginName, false, defaultingressclass.Register},
	{denyserviceexternalips.PluginName, true, denyserviceexternalips.Register},
	{podtopologylabels.PluginName, false, podtopologylabels.Register},
	{nodedeclaredfeatures.PluginName, false, nodedeclaredfeatures.Register},
	{podresize.PluginName, false, podresize.Register},
}

// pluginNames returns the names of the plugins that are on by default, or of those that are not.
func pluginNames(rare bool) (names []string) {
	for _, p := range plugins {
		if p.rare == rare {
			names = append(names, p.name)
		}
	}
	return names
}

// noConfiguration says that no plugin has a configuration file.
type noConfiguration struct{}

func (noConfiguration) ConfigFor(string) (io.Reader, error) { return nil, nil }

// shelf is an informer that never runs: the test fills it from the API before each request, so that it never lags.
type shelf struct {
	cache.SharedIndexInformer
	list func(context.Context) (runtime.Object, error)
}

func (shelf) HasSynced() bool { return true }

func (s shelf) fill(ctx context.Context) error {
	list, err := s.list(ctx)
	if err != nil {
		return err
	}
	items, err := meta.ExtractList(list)
	if err != nil {
		return err
	}
	objects := make([]any, len(items))
	for i, item := range items {
		objects[i] = item
	}
	return s.GetIndexer().Replace(objects, "")
}

// shelves returns informers for the kinds that the plugins read, and the factory that gives them to the plugins.
func shelves(client kubernetes.Interface) (informers.SharedInformerFactory, []shelf) {
	factory, options := informers.NewSharedInformerFactory(client, 0), metav1.ListOptions{}
	var all []shelf
	add := func(of runtime.Object, list func(context.Context) (runtime.Object, error)) {
		indexers := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
		s := shelf{cache.NewSharedIndexInformer(&cache.ListWatch{}, of, 0, indexers), list}
		factory.InformerFor(of, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer { return s })
		all = append(all, s)
	}
	core := client.CoreV1()
	add(&corev1.Namespace{}, func(ctx context.Context) (runtime.Object, error) { return core.Namespaces().List(ctx, options) })
	add(&corev1.Node{}, func(ctx context.Context) (runtime.Object, error) { return core.Nodes().List(ctx, options) })
	add(&corev1.Pod{}, func(ctx context.Context) (runtime.Object, error) { return core.Pods("").List(ctx, options) })
	add(&corev1.LimitRange{}, func(ctx context.Context) (runtime.Object, error) {
		return core.LimitRanges("").List(ctx, options)
	})
	add(&corev1.ServiceAccount{}, func(ctx context.Context) (runtime.Object, error) {
		return core.ServiceAccounts("").List(ctx, options)
	})
	add(&corev1.PersistentVolume{}, func(ctx context.Context) (runtime.Object, error) {
		return core.PersistentVolumes().List(ctx, options)
	})
	add(&corev1.PersistentVolumeClaim{}, func(ctx context.Context) (runtime.Object, error) {
		return core.PersistentVolumeClaims("").List(ctx, options)
	})
	add(&networkingv1.IngressClass{}, func(ctx context.Context) (runtime.Object, error) {
		return client.NetworkingV1().IngressClasses().List(ctx, options)
	})
	add(&nodev1.RuntimeClass{}, func(ctx context.Context) (runtime.Object, error) {
		return client.NodeV1().RuntimeClasses().List(ctx, options)
	})
	add(&schedulingv1.PriorityClass{}, func(ctx context.Context) (runtime.Object, error) {
		return client.SchedulingV1().PriorityClasses().List(ctx, options)
	})
	add(&storagev1.StorageClass{}, func(ctx context.Context) (runtime.Object, error) {
		return client.StorageV1().StorageClasses().List(ctx, options)
	})
	add(&storagev1.CSIDriver{}, func(ctx context.Context) (runtime.Object, error) {
		return client.StorageV1().CSIDrivers().List(ctx, options)
	})
	return factory, all
}

// newAdmission returns plugins that run one after another, and the informers that they read.
func newAdmission(names []string, client kubernetes.Interface, rights authorizer.Authorizer) (admission.Interface, []shelf,
	error) {
	registry := admission.NewPlugins()
	var ordered []string
	for _, p := range plugins {
		if slices.Contains(names, p.name) {
			p.register(registry)
			ordered = append(ordered, p.name)
		}
	}
	factory, all := shelves(client)
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(cacheddiscovery.NewMemCacheClient(client.Discovery()))
	start := initializer.New(client, nil, factory, rights, utilfeature.DefaultFeatureGate,
		compatibility.DefaultBuildEffectiveVersion(), make(chan struct{}), mapper)
	chain, err := registry.NewFromPlugins(ordered, noConfiguration{}, start, nil)
	return chain, all, err
}

package clients_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apiextensionsclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/restmapper"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/storage"
)

// definitionOf returns the definition of a kind of Go.
func definitionOf(t *testing.T, kind rest.Definition) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	manifest, losses, err := crd.Manifest(kind)
	require.NoError(t, err)
	require.Empty(t, losses)
	var definition apiextensionsv1.CustomResourceDefinition
	require.NoError(t, yaml.UnmarshalStrict(manifest, &definition))
	return &definition
}

// enable restarts the host so that it accepts definitions.
func (h *host) enable(t *testing.T) {
	t.Helper()
	if !h.defines {
		h.defines = true
		h.start(t, storage.Options{})
	}
}

// define makes the host accept definitions, and creates one.
func (h *host) define(t *testing.T, definition *apiextensionsv1.CustomResourceDefinition) {
	t.Helper()
	h.enable(t)
	inProcess(&host{wire: newWire(h.lives)}).install(t, definition)
}

var (
	shopVersion  = schema.GroupVersion{Group: "shops.example.com", Version: "v1"}
	shopKind     = shopVersion.WithKind("Shop")
	shopResource = shopVersion.WithResource("shops")
)

// shops returns the definition of a kind that no program has compiled in. The spec has a title and the given further
// fields.
func shops(fields map[string]apiextensionsv1.JSONSchemaProps) *apiextensionsv1.CustomResourceDefinition {
	properties := map[string]apiextensionsv1.JSONSchemaProps{"title": {Type: "string"}}
	maps.Copy(properties, fields)
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "shops.shops.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: shopVersion.Group, Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "shops", Kind: "Shop", ShortNames: []string{"sh"}},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object",
					Properties: map[string]apiextensionsv1.JSONSchemaProps{
						"spec":   {Type: "object", Properties: properties},
						"status": {Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"page": {Type: "string"}}},
					},
				}},
			}},
		},
	}
}

func newShop(name, title string) *unstructured.Unstructured {
	shop := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"title": title}}}
	shop.SetGroupVersionKind(shopKind)
	shop.SetNamespace(metav1.NamespaceDefault)
	shop.SetName(name)
	return shop
}

// definitions returns a client of definitions, as the module of kube-apiserver generates it.
func (h *host) definitions(t *testing.T) apiextensionsclient.CustomResourceDefinitionInterface {
	t.Helper()
	clients, err := clientset.NewForConfig(h.config)
	require.NoError(t, err)
	return clients.ApiextensionsV1().CustomResourceDefinitions()
}

// install creates a definition as envtest does, and waits until its kind is served.
func (h *host) install(t *testing.T, definition *apiextensionsv1.CustomResourceDefinition) {
	t.Helper()
	_, err := envtest.InstallCRDs(h.config,
		envtest.CRDInstallOptions{CRDs: []*apiextensionsv1.CustomResourceDefinition{definition},
			PollInterval: time.Millisecond})
	require.NoError(t, err)
	h.awaitEstablished(t, definition.Name)
}

// change updates a definition as envtest does, and waits until its newest schema holds. No condition tells this, as in
// a cluster.
func (h *host) change(t *testing.T, definition *apiextensionsv1.CustomResourceDefinition) {
	t.Helper()
	changed := h.api.Objects().Changed()
	h.install(t, definition)
	select {
	case <-changed:
	case <-time.After(patience):
		require.Fail(t, "not in time", "the host serves the changed definition")
	}
}

// awaitEstablished waits until the kind of a definition is served.
func (h *host) awaitEstablished(t *testing.T, name string) {
	t.Helper()
	w, err := h.definitions(t).Watch(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	require.NoError(t, err)
	defer w.Stop()
	await(t, w.ResultChan(), "the definition is established", func(e watch.Event) bool {
		d, ok := e.Object.(*apiextensionsv1.CustomResourceDefinition)
		return ok && slices.ContainsFunc(d.Status.Conditions, func(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
			return c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue
		})
	})
}

// uninstall deletes a definition and waits until it is gone.
func (h *host) uninstall(t *testing.T, name string) {
	t.Helper()
	before, err := h.definitions(t).Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	require.NoError(t, h.definitions(t).Delete(t.Context(), name, metav1.DeleteOptions{}))
	w, err := h.definitions(t).Watch(t.Context(),
		metav1.ListOptions{FieldSelector: "metadata.name=" + name, ResourceVersion: before.ResourceVersion})
	require.NoError(t, err)
	defer w.Stop()
	await(t, w.ResultChan(), "the definition is gone", func(e watch.Event) bool { return e.Type == watch.Deleted })
}

// Mappers that did not know a kind find it when its definition is installed.
func TestMappersFindDefinitions(t *testing.T) {
	overBoth(t, func(t *testing.T, h *host) {
		h.enable(t)
		lazy, err := apiutil.NewDynamicRESTMapper(h.config, &http.Client{Transport: transport(t, h.config)})
		require.NoError(t, err)
		found, err := discovery.NewDiscoveryClientForConfig(h.config)
		require.NoError(t, err)
		cached := memory.NewMemCacheClient(found)
		deferred := restmapper.NewDeferredDiscoveryRESTMapper(cached)
		for _, mapper := range []meta.RESTMapper{lazy, deferred} {
			_, err := mapper.RESTMapping(shopKind.GroupKind())
			require.True(t, meta.IsNoMatchError(err), "%v", err)
		}

		h.install(t, shops(nil))
		deferred.Reset() // the other mapper asks again on its own
		for _, mapper := range []meta.RESTMapper{lazy, deferred} {
			mapping, err := mapper.RESTMapping(shopKind.GroupKind())
			require.NoError(t, err)
			assert.Equal(t, shopResource, mapping.Resource)
			assert.Equal(t, meta.RESTScopeNameNamespace, mapping.Scope.Name())
		}
		short, err := restmapper.NewShortcutExpander(deferred, cached,
			nil).KindFor(schema.GroupVersionResource{Resource: "sh"})
		require.NoError(t, err)
		assert.Equal(t, shopKind, short)
	})
}

// keeper keeps a page, a ConfigMap, for every shop.
type keeper struct {
	client.Client
	seen chan<- string // what it saw of a shop: its name, its title and its tables
}

func (k *keeper) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	shop := newShop("", "")
	if err := k.Get(ctx, request.NamespacedName, shop); err != nil {
		if apierrors.IsNotFound(err) {
			k.seen <- request.Name + " is gone"
		}
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	spec, _, _ := unstructured.NestedMap(shop.Object, "spec")
	page := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: request.Namespace, Name: request.Name + "-page"}}
	_, err := controllerutil.CreateOrUpdate(ctx, k.Client, page, func() error {
		page.Data = map[string]string{"title": spec["title"].(string)}
		return controllerutil.SetControllerReference(shop, page, k.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	if now, _, _ := unstructured.NestedString(shop.Object, "status", "page"); now != page.Name {
		if err := unstructured.SetNestedField(shop.Object, page.Name, "status", "page"); err != nil {
			return ctrl.Result{}, err
		}
		return ctrl.Result{}, k.Status().Update(ctx, shop)
	}
	k.seen <- fmt.Sprintf("%s %v %v", request.Name, spec["title"], spec["tables"])
	return ctrl.Result{}, nil
}

// A manager and a dynamic informer go on when the definition of their kind changes, and when it is deleted and comes
// back.
func TestDefinitionChangesUnderAManager(t *testing.T) {
	overBoth(t, func(t *testing.T, h *host) {
		t.Parallel()
		ctx := t.Context()
		h.enable(t)
		h.install(t, shops(nil))
		mgr := newManager(t, h)
		seen := make(chan string, 100)
		cached, err := client.New(h.config,
			client.Options{Scheme: mgr.GetScheme(), Cache: &client.CacheOptions{Reader: mgr.GetCache(), Unstructured: true}})
		require.NoError(t, err)
		require.NoError(t, ctrl.NewControllerManagedBy(mgr).For(newShop("",
			"")).Owns(&corev1.ConfigMap{}).Named("keeper").Complete(&keeper{cached, seen}))
		start(t, mgr)
		sees := func(what string) {
			t.Helper()
			await(t, seen, what, func(got string) bool { return got == what })
		}
		informer := dynamicinformer.NewDynamicSharedInformerFactory(h.dynamic(t), 0).ForResource(shopResource).Informer()
		events := run(t, informer)
		informs := func(name, title string) { // it has an object with this title, or none if the title is empty
			t.Helper()
			await(t, events, name+" "+title, func(string) bool {
				obj, exists, err := informer.GetStore().GetByKey(metav1.NamespaceDefault + "/" + name)
				require.NoError(t, err)
				if !exists {
					return title == ""
				}
				now, _, _ := unstructured.NestedString(obj.(*unstructured.Unstructured).Object, "spec", "title")
				return now == title
			})
		}

		user, err := client.NewWithWatch(h.config, client.Options{Scheme: mgr.GetScheme()})
		require.NoError(t, err)
		pages, err := user.Watch(ctx, &corev1.ConfigMapList{}, client.InNamespace(metav1.NamespaceDefault))
		require.NoError(t, err)
		defer pages.Stop()
		pageIs := func(what watch.EventType) {
			t.Helper()
			await(t, pages.ResultChan(), string(what), func(e watch.Event) bool {
				page, ok := e.Object.(*corev1.ConfigMap)
				return ok && e.Type == what && page.Name == "inn-page"
			})
		}
		require.NoError(t, user.Create(ctx, newShop("inn", "Food")))
		sees("inn Food <nil>")
		informs("inn", "Food")
		pageIs(watch.Added)
		require.NoError(t, user.Delete(ctx,
			&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: "inn-page"}}))
		pageIs(watch.Deleted)
		pageIs(watch.Added) // the keeper owns the page, so it sees the deletion

		four := apiextensionsv1.JSON{Raw: []byte("4")}
		h.change(t, shops(map[string]apiextensionsv1.JSONSchemaProps{"tables": {Type: "integer", Default: &four}}))
		require.NoError(t, user.Patch(ctx, newShop("inn", ""),
			client.RawPatch(types.MergePatchType, []byte(`{"spec":{"title":"Drinks"}}`))))
		sees("inn Drinks 4")
		informs("inn", "Drinks")

		h.uninstall(t, "shops.shops.example.com")
		sees("inn is gone")
		informs("inn", "")
		h.install(t, shops(nil))
		require.NoError(t, user.Create(ctx, newShop("bar", "Music")))
		sees("bar Music <nil>")
		informs("bar", "Music")
	})
}

// A client of definitions may use Protobuf, for what it sends and for every answer.
func TestDefinitionsInProtobuf(t *testing.T) {
	parsed := func(text string) *apiextensionsv1.JSON { return &apiextensionsv1.JSON{Raw: []byte(text)} }
	least, most, step := 0.5, int64(9), 0.25
	wanted := shops(map[string]apiextensionsv1.JSONSchemaProps{
		"price": {Type: "number", Minimum: &least, MultipleOf: &step, Default: parsed("1.5")},
		"size":  {Type: "string", MaxLength: &most, Enum: []apiextensionsv1.JSON{*parsed(`"small"`), *parsed(`"large"`)}},
		"doors": {Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{Type: "string"}}},
		"rooms": {Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true,
			Schema: &apiextensionsv1.JSONSchemaProps{Type: "integer"}}},
		"others": {Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true}},
	})
	overBoth(t, func(t *testing.T, h *host) {
		h.enable(t)
		asked := *h.config
		asked.ContentType, asked.AcceptContentTypes = protobuf, protobuf
		h = &host{wire: h.wire, config: &asked}
		began := len(h.wire.saw(func(exchange) bool { return true }))
		made, err := h.definitions(t).Create(t.Context(), wanted.DeepCopy(), metav1.CreateOptions{})
		require.NoError(t, err)
		assert.Equal(t, wanted.Spec.Versions, made.Spec.Versions)
		h.awaitEstablished(t, wanted.Name)
		read, err := h.definitions(t).Get(t.Context(), wanted.Name, metav1.GetOptions{})
		require.NoError(t, err)
		listed, err := h.definitions(t).List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		require.Len(t, listed.Items, 1)
		assert.Equal(t, inJSON(t, read), inJSON(t, &listed.Items[0]))
		h.uninstall(t, wanted.Name)
		for _, e := range h.wire.saw(func(exchange) bool { return true })[began:] {
			assert.Equal(t, protobuf, strings.TrimSuffix(e.answered, ";stream=watch"), "%+v", e)
		}
	})
}

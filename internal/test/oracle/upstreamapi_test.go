package oracle

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/scheme"
	informers "k8s.io/apiextensions-apiserver/pkg/client/informers/externalversions/apiextensions/v1"
	listers "k8s.io/apiextensions-apiserver/pkg/client/listers/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/audit"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"
)

// upstreamAPI serves the custom resources of one definition with the handler of kube-apiserver. It keeps them in memory
// instead of etcd.
type upstreamAPI struct {
	handler http.Handler
	known   request.RequestInfoFactory
}

// newUpstreamAPI serves the kind of a valid definition.
func newUpstreamAPI(t *testing.T, definition []byte) upstreamAPI {
	d := &apiextensionsv1.CustomResourceDefinition{}
	_, _, err := scheme.Codecs.UniversalDeserializer().Decode(definition, nil, d)
	require.NoError(t, err)
	apiextensionsv1.SetObjectDefaults_CustomResourceDefinition(d)
	d.UID, d.Status.AcceptedNames = "u", d.Spec.Names
	for _, condition := range []apiextensionsv1.CustomResourceDefinitionConditionType{apiextensionsv1.NamesAccepted,
		apiextensionsv1.Established} {
		d.Status.Conditions = append(d.Status.Conditions,
			apiextensionsv1.CustomResourceDefinitionCondition{Type: condition, Status: apiextensionsv1.ConditionTrue})
	}
	definitions := definitionInformer{cache.NewSharedIndexInformer(&cache.ListWatch{}, d, 0, cache.Indexers{})}
	require.NoError(t, definitions.Informer().GetIndexer().Add(d))
	handler, err := apiserver.NewCustomResourceDefinitionHandler(nil, nil, definitions, http.NotFoundHandler(),
		&memory{data: map[string]kept{}, revision: 1}, admission.NewChainHandler(), nil, nil, nil, 1,
		authorizerfactory.NewAlwaysAllowAuthorizer(), time.Minute, time.Minute, nil, 3<<20)
	require.NoError(t, err)
	return upstreamAPI{handler, request.RequestInfoFactory{APIPrefixes: sets.NewString("apis"),
		GrouplessAPIPrefixes: sets.NewString()}}
}

func (u upstreamAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	info, err := u.known.NewRequestInfo(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	ctx := request.WithRequestInfo(audit.WithAuditContext(r.Context()), info)
	u.handler.ServeHTTP(w, r.WithContext(request.WithReceivedTimestamp(ctx, time.Now())))
}

// definitionInformer is an informer that has seen all definitions.
type definitionInformer struct{ informer cache.SharedIndexInformer }

var _ informers.CustomResourceDefinitionInformer = definitionInformer{}

func (d definitionInformer) Informer() cache.SharedIndexInformer { return d.informer }

func (d definitionInformer) Lister() listers.CustomResourceDefinitionLister {
	return listers.NewCustomResourceDefinitionLister(d.informer.GetIndexer())
}

// memory takes the place of etcd. All versions of a kind share it.
type memory struct {
	mu       sync.Mutex
	data     map[string]kept
	revision int64
}

type kept struct {
	bytes    []byte
	revision int64
}

func (m *memory) GetRESTOptions(resource schema.GroupResource, _ runtime.Object) (generic.RESTOptions, error) {
	config := storagebackend.Config{Codec: unstructured.UnstructuredJSONScheme}
	decorate := func(config *storagebackend.ConfigForResource, _ string, _ func(runtime.Object) (string,
		error), _, _ func() runtime.Object, _ storage.AttrFunc,
		_ storage.IndexerFuncs, _ *cache.Indexers) (storage.Interface, factory.DestroyFunc, error) {
		return memoryOf{memory: m, codec: config.Codec, versioner: storage.APIObjectVersioner{}}, func() {}, nil
	}
	return generic.RESTOptions{StorageConfig: config.ForResource(resource), Decorator: decorate,
		DeleteCollectionWorkers: 1, ResourcePrefix: resource.Resource}, nil
}

// memoryOf is the memory as one version of a kind sees it. It implements what the tests need.
type memoryOf struct {
	storage.Interface
	memory    *memory
	codec     runtime.Codec
	versioner storage.Versioner
}

func (m memoryOf) Versioner() storage.Versioner { return m.versioner }

func (m memoryOf) Create(_ context.Context, key string, obj, out runtime.Object, _ uint64) error {
	m.memory.mu.Lock()
	defer m.memory.mu.Unlock()
	if _, exists := m.memory.data[key]; exists {
		return storage.NewKeyExistsError(key, 0)
	}
	if err := m.versioner.PrepareObjectForStorage(obj); err != nil {
		return err
	}
	data, err := runtime.Encode(m.codec, obj)
	if err != nil {
		return err
	}
	return m.decode(m.keep(key, data), out)
}

func (m memoryOf) Get(_ context.Context, key string, _ storage.GetOptions, out runtime.Object) error {
	m.memory.mu.Lock()
	defer m.memory.mu.Unlock()
	object, exists := m.memory.data[key]
	if !exists {
		return storage.NewKeyNotFoundError(key, 0)
	}
	return m.decode(object, out)
}

func (m memoryOf) GetList(_ context.Context, prefix string, options storage.ListOptions, out runtime.Object) error {
	m.memory.mu.Lock()
	defer m.memory.mu.Unlock()
	list := out.(*unstructured.UnstructuredList)
	for key, object := range m.memory.data {
		if !strings.HasPrefix(key, prefix) {
			continue
		}
		item := &unstructured.Unstructured{}
		item.SetAPIVersion(list.GetAPIVersion())
		if err := m.decode(object, item); err != nil {
			return err
		}
		if matches, err := options.Predicate.Matches(item); err != nil || !matches {
			continue
		}
		list.Items = append(list.Items, *item)
	}
	return m.versioner.UpdateList(list, uint64(m.memory.revision), "", nil)
}

func (m memoryOf) GuaranteedUpdate(_ context.Context, key string, out runtime.Object, ignoreNotFound bool,
	preconditions *storage.Preconditions, update storage.UpdateFunc, _ runtime.Object) error {
	m.memory.mu.Lock()
	defer m.memory.mu.Unlock()
	object, exists := m.memory.data[key]
	current := out.(*unstructured.Unstructured).NewEmptyInstance()
	switch {
	case exists:
		if err := m.decode(object, current); err != nil {
			return err
		}
	case !ignoreNotFound:
		return storage.NewKeyNotFoundError(key, 0)
	}
	if err := preconditions.Check(key, current); err != nil {
		return err
	}
	next, _, err := update(current, storage.ResponseMeta{ResourceVersion: uint64(object.revision)})
	if err != nil {
		return err
	}
	if err := m.versioner.PrepareObjectForStorage(next); err != nil {
		return err
	}
	data, err := runtime.Encode(m.codec, next)
	if err != nil {
		return err
	}
	if !bytes.Equal(data, object.bytes) {
		object = m.keep(key, data)
	}
	return m.decode(object, out)
}

func (m memoryOf) Delete(ctx context.Context, key string, out runtime.Object, preconditions *storage.Preconditions,
	validate storage.ValidateObjectFunc, _ runtime.Object, _ storage.DeleteOptions) error {
	m.memory.mu.Lock()
	defer m.memory.mu.Unlock()
	object, exists := m.memory.data[key]
	if !exists {
		return storage.NewKeyNotFoundError(key, 0)
	}
	if err := m.decode(object, out); err != nil {
		return err
	}
	if err := preconditions.Check(key, out); err != nil {
		return err
	}
	if err := validate(ctx, out); err != nil {
		return err
	}
	delete(m.memory.data, key)
	return nil
}

func (m memoryOf) keep(key string, data []byte) kept {
	m.memory.revision++
	object := kept{data, m.memory.revision}
	m.memory.data[key] = object
	return object
}

func (m memoryOf) decode(object kept, out runtime.Object) error {
	if _, _, err := m.codec.Decode(object.bytes, nil, out); err != nil {
		return err
	}
	return m.versioner.UpdateObject(out, uint64(object.revision))
}

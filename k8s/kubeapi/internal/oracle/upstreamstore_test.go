package oracle

import (
	"bytes"
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"
)

// memory stores the objects of Kubernetes in this process. Like etcd, it stores encoded objects, so that what is read
// has passed through its version.
type memory struct {
	storage.Interface // the methods that these tests do not need
	codec             runtime.Codec
	versioner         storage.APIObjectVersioner

	mu       *sync.Mutex
	revision *uint64
	objects  map[string]stored
}

type stored struct {
	encoded  []byte
	revision uint64
}

// inMemory returns a decorator whose stores count revisions together.
func inMemory() generic.StorageDecorator {
	var mu sync.Mutex
	revision := uint64(1)
	return func(c *storagebackend.ConfigForResource, _ string, _ func(runtime.Object) (string,
		error), _, _ func() runtime.Object,
		_ storage.AttrFunc, _ storage.IndexerFuncs, _ *cache.Indexers) (storage.Interface, factory.DestroyFunc, error) {
		return &memory{codec: c.Codec, mu: &mu, revision: &revision, objects: map[string]stored{}}, func() {}, nil
	}
}

func (m *memory) Versioner() storage.Versioner { return m.versioner }

func (m *memory) ReadinessCheck() error { return nil }

func (m *memory) EnableResourceSizeEstimation(storage.KeysFunc) error { return nil }

// decode reads what is stored into out.
func (m *memory) decode(s stored, out runtime.Object) error {
	if _, _, err := m.codec.Decode(s.encoded, nil, out); err != nil {
		return err
	}
	return m.versioner.UpdateObject(out, s.revision)
}

// put stores an object, and reads it into out. As with etcd, an equal object is not written again.
func (m *memory) put(key string, obj, out runtime.Object) error {
	if err := m.versioner.PrepareObjectForStorage(obj); err != nil {
		return err
	}
	encoded, err := runtime.Encode(m.codec, obj)
	if err != nil {
		return err
	}
	if s, ok := m.objects[key]; !ok || !bytes.Equal(s.encoded, encoded) {
		*m.revision++
		m.objects[key] = stored{encoded, *m.revision}
	}
	return m.decode(m.objects[key], out)
}

func (m *memory) Create(_ context.Context, key string, obj, out runtime.Object, _ uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.objects[key]; ok {
		return storage.NewKeyExistsError(key, 0)
	}
	return m.put(key, obj, out)
}

func (m *memory) Get(_ context.Context, key string, o storage.GetOptions, out runtime.Object) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.objects[key]
	if !ok {
		if o.IgnoreNotFound {
			return runtime.SetZeroValue(out)
		}
		return storage.NewKeyNotFoundError(key, 0)
	}
	return m.decode(s, out)
}

func (m *memory) GetList(_ context.Context, key string, o storage.ListOptions, list runtime.Object) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	pointer, err := meta.GetItemsPtr(list)
	if err != nil {
		return err
	}
	items, err := conversion.EnforcePtr(pointer)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(m.objects)) {
		if name != key && !strings.HasPrefix(name, strings.TrimSuffix(key, "/")+"/") {
			continue
		}
		obj := reflect.New(items.Type().Elem())
		if err := m.decode(m.objects[name], obj.Interface().(runtime.Object)); err != nil {
			return err
		}
		if matches, err := o.Predicate.Matches(obj.Interface().(runtime.Object)); err != nil {
			return err
		} else if matches {
			items.Set(reflect.Append(items, obj.Elem()))
		}
	}
	return m.versioner.UpdateList(list, *m.revision, "", nil)
}

func (m *memory) Delete(ctx context.Context, key string, out runtime.Object, p *storage.Preconditions,
	validate storage.ValidateObjectFunc,
	_ runtime.Object, _ storage.DeleteOptions) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.objects[key]
	if !ok {
		return storage.NewKeyNotFoundError(key, 0)
	}
	if err := m.decode(s, out); err != nil {
		return err
	}
	if err := p.Check(key, out); err != nil {
		return err
	}
	if err := validate(ctx, out); err != nil {
		return err
	}
	delete(m.objects, key)
	return nil
}

func (m *memory) GuaranteedUpdate(_ context.Context, key string, out runtime.Object, ignoreNotFound bool,
	p *storage.Preconditions,
	change storage.UpdateFunc, _ runtime.Object) error {
	m.mu.Lock()
	s, ok := m.objects[key]
	m.mu.Unlock()
	if !ok && !ignoreNotFound {
		return storage.NewKeyNotFoundError(key, 0)
	}
	old := reflect.New(reflect.TypeOf(out).Elem()).Interface().(runtime.Object)
	if ok {
		if err := m.decode(s, old); err != nil {
			return err
		}
	}
	if err := p.Check(key, old); err != nil {
		return err
	}
	obj, _, err := change(old, storage.ResponseMeta{ResourceVersion: s.revision})
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.put(key, obj, out)
}

func (m *memory) Watch(context.Context, string, storage.ListOptions) (watch.Interface, error) {
	return watch.NewEmptyWatch(), nil
}

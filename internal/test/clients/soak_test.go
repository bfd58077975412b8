package clients_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/storage"
	scope "github.com/decorum-go/decorum/watch"
)

const (
	soakRound = 2 * time.Second
	// comeAndGo is the number of names that are created and deleted; counted is the number of objects that always exist.
	comeAndGo, counted = 20, 3
	sideLabel          = "side"
	countAnnotation    = "example.com/count"
)

// soak is load on both kinds, with client-go's ways to follow them.
type soak struct {
	h       *host
	writers dynamic.Interface         // bypass the wire, because only watches are disturbed
	counts  [2 * counted]atomic.Int64 // the increments that were acknowledged to writers
	commits atomic.Int64
	cuts    atomic.Int64
}

var soakResources = []schema.GroupVersionResource{corev1.SchemeGroupVersion.WithResource("configmaps"), siteResource}

// TestSoak checks consistency under load for the watchers of client-go, as package internal/test/soak does for others. While
// clients write, watches are cut and the history is compacted. Every reflector must receive each change once and in
// order, or list again. In the end every replica must equal the store, and no update may be lost. DECORUM_SOAK sets the
// duration ("10m").
func TestSoak(t *testing.T) {
	duration := 2 * soakRound
	if text := os.Getenv("DECORUM_SOAK"); text != "" {
		var err error
		duration, err = time.ParseDuration(text)
		require.NoError(t, err, "DECORUM_SOAK")
	}
	withAndWithoutWatchList(t, func(t *testing.T, _ bool) {
		overBoth(t, func(t *testing.T, h *host) {
			t.Parallel()
			writers, err := dynamic.NewForConfig(&clientrest.Config{Host: "http://decorum",
				Transport: rest.RoundTripper(h.wire.api), QPS: -1})
			require.NoError(t, err)
			s := &soak{h: h, writers: writers}
			s.makeCounted(t)
			for loaded := time.Duration(0); loaded < duration/2 && !t.Failed(); loaded += soakRound {
				s.round(t, min(soakRound, duration/2-loaded))
			}
			t.Logf("%d commits, %d cuts", s.commits.Load(), s.cuts.Load())
		})
	})
}

func (s *soak) objects(resource int) dynamic.ResourceInterface {
	return s.writers.Resource(soakResources[resource]).Namespace(metav1.NamespaceDefault)
}

func (s *soak) makeCounted(t *testing.T) {
	for resource := range soakResources {
		for i := range counted {
			_, err := s.objects(resource).Create(t.Context(), newObject(t, soakResources[resource], fmt.Sprint("counted-", i)),
				metav1.CreateOptions{})
			require.NoError(t, err)
		}
	}
}

// round runs the writers, starts watches meanwhile, and compares everything after the writers have stopped.
func (s *soak) round(t *testing.T, length time.Duration) {
	load, end := context.WithTimeout(t.Context(), length)
	defer end()
	var writing, watching sync.WaitGroup
	for resource := range soakResources {
		for _, act := range []func(*testing.T, int) error{s.count, s.count, s.create, s.create, s.flip, s.flip, s.remove} {
			writing.Go(func() {
				for load.Err() == nil {
					if err := act(t, resource); !assert.NoError(t, err) {
						return
					}
					s.commits.Add(1)
				}
			})
		}
	}
	following, stop := context.WithCancel(t.Context())
	defer watching.Wait()
	defer stop()
	replicas := s.startReflectors(t, following, &watching)
	calm := s.h.overAnotherWire()
	informers := informersUnderTest()
	running := make([]cache.SharedIndexInformer, len(informers))
	for i, kind := range informers {
		running[i] = kind.make(t, calm)
		watching.Go(func() { running[i].RunWithContext(following) })
	}
	writing.Go(func() {
		s.disturb(t, load)
		calm.wire.cut()() // once is enough, because the delays of an informer grow with each failure
	})
	writing.Wait()

	for _, r := range replicas {
		for _, fault := range r.awaitState(s.state(t, r.resource, r.selector)) {
			t.Error(fault)
		}
	}
	for i, kind := range informers {
		var have versions
		want := s.state(t, kind.resource, labels.Everything())
		assert.Eventually(t, func() bool {
			have = versionsOf(t, running[i].GetStore().List())
			return maps.Equal(have, want)
		}, patience, 10*time.Millisecond,
			"the informer %q has not caught up with the store", kind.name)
	}
	s.checkCounts(t)
}

// follower is a reflector's replica of a selection.
type follower struct {
	*replica
	resource schema.GroupVersionResource
	selector labels.Selector
}

// startReflectors follows both kinds as objects and as metadata, all of them and those of one side. The reflectors
// retry at once, so that they meet many disturbances in little time.
func (s *soak) startReflectors(t *testing.T, ctx context.Context, group *sync.WaitGroup) (all []follower) {
	for _, resource := range soakResources {
		for _, selector := range []labels.Selector{labels.Everything(),
			labels.SelectorFromSet(labels.Set{sideLabel: "left"})} {
			objects := s.h.dynamic(t).Resource(resource).Namespace(metav1.NamespaceDefault)
			metadata := s.h.metadata(t).Resource(resource).Namespace(metav1.NamespaceDefault)
			for form, lw := range map[string]*cache.ListWatch{
				"objects": {
					ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
						return objects.List(ctx, chosen(o, selector))
					},
					WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
						return objects.Watch(ctx, chosen(o, selector))
					},
				},
				"metadata": {
					ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
						return metadata.List(ctx, chosen(o, selector))
					},
					WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
						return metadata.Watch(ctx, chosen(o, selector))
					},
				},
			} {
				f := follower{newReplica(fmt.Sprintf("the reflector of %s of %s with %q", form, resource.Resource, selector)),
					resource, selector}
				reflector := cache.NewReflectorWithOptions(lw, nil, f.replica,
					cache.ReflectorOptions{Backoff: &wait.Backoff{Duration: time.Millisecond, Factor: 1, Jitter: 1, Steps: 1}})
				reflector.WatchListPageSize = 7
				group.Go(func() { reflector.RunWithContext(ctx) })
				all = append(all, f)
			}
		}
	}
	return all
}

func chosen(o metav1.ListOptions, selector labels.Selector) metav1.ListOptions {
	o.LabelSelector = selector.String()
	return o
}

// disturb repeatedly cuts all watches and compacts the history after which they would resume, usually not all of it.
func (s *soak) disturb(t *testing.T, ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case <-time.After(time.Duration(20+rand.IntN(150)) * time.Millisecond):
		case <-ctx.Done():
			return
		}
		mend := s.h.wire.cut()
		s.cuts.Add(1)
		revision := s.h.store.Revision()
		err := s.h.store.Compact(ctx, revision-min(revision, scope.Revision(rand.Uint64N(200))))
		mend()
		if err != nil && ctx.Err() == nil {
			assert.NoError(t, err)
			return
		}
	}
}

// count increments a counter in an object by reading and writing it, and repeats this after each conflict.
func (s *soak) count(t *testing.T, resource int) error {
	client, number := s.objects(resource), rand.IntN(counted)
	for {
		o, err := client.Get(t.Context(), fmt.Sprint("counted-", number), metav1.GetOptions{})
		if err != nil {
			return err
		}
		n, _ := strconv.Atoi(o.GetAnnotations()[countAnnotation])
		o.SetAnnotations(map[string]string{countAnnotation: strconv.Itoa(n + 1)})
		_, err = client.Update(t.Context(), o, metav1.UpdateOptions{})
		if apierrors.IsConflict(err) {
			continue
		}
		if err == nil {
			s.counts[resource*counted+number].Add(1)
		}
		return err
	}
}

func (s *soak) checkCounts(t *testing.T) {
	for resource := range soakResources {
		for i := range counted {
			o, err := s.objects(resource).Get(t.Context(), fmt.Sprint("counted-", i), metav1.GetOptions{})
			require.NoError(t, err)
			got, _ := strconv.ParseInt(o.GetAnnotations()[countAnnotation], 10, 64) // 0 if no writer has created the annotation
			assert.Equal(t, s.counts[resource*counted+i].Load(), got, "no update may be lost")
		}
	}
}

func passing() string { return fmt.Sprint("passing-", rand.IntN(comeAndGo)) }

func (s *soak) create(t *testing.T, resource int) error {
	o := newObject(t, soakResources[resource], passing())
	o.SetLabels(map[string]string{sideLabel: side()})
	_, err := s.objects(resource).Create(t.Context(), o, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

func side() string { return []string{"left", "right"}[rand.IntN(2)] }

// flip moves an object into a selection, or out of it.
func (s *soak) flip(t *testing.T, resource int) error {
	patch := fmt.Sprintf(`{"metadata":{"labels":{%q:%q}}}`, sideLabel, side())
	_, err := s.objects(resource).Patch(t.Context(), passing(), types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func (s *soak) remove(t *testing.T, resource int) error {
	err := s.objects(resource).Delete(t.Context(), passing(), metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// state returns the versions of a selection in the store.
func (s *soak) state(t *testing.T, resource schema.GroupVersionResource, selector labels.Selector) versions {
	page, err := s.h.store.List(t.Context(), storage.Query{Within: scope.Key{Resource: resource.GroupResource().String()}},
		nil)
	require.NoError(t, err)
	all := versions{}
	for _, r := range page.Records {
		set := labels.Set{}
		for _, l := range r.Labels {
			set[l.Key] = l.Value
		}
		if selector.Matches(set) {
			all[r.Key.Namespace+"/"+r.Key.Name] = uint64(r.Revision)
		}
	}
	return all
}

func versionsOf(t *testing.T, objects []any) versions {
	all := versions{}
	for _, o := range objects {
		key, version, err := identity(o)
		require.NoError(t, err)
		all[key] = version
	}
	return all
}

package clients_test

import (
	"context"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/recorder"
)

const finalizer = "web.example.com/pages"

// publisher creates a page, a ConfigMap, for every site.
type publisher struct {
	client.Client
	events recorder.EventRecorder
}

func (p *publisher) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var site Site
	if err := p.Get(ctx, request.NamespacedName, &site); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	page := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: site.Namespace, Name: site.Name + "-page"}}
	if !site.DeletionTimestamp.IsZero() {
		if err := p.Delete(ctx, page); client.IgnoreNotFound(err) != nil {
			return ctrl.Result{}, err
		}
		if controllerutil.RemoveFinalizer(&site, finalizer) {
			return ctrl.Result{}, p.Update(ctx, &site)
		}
		return ctrl.Result{}, nil
	}

	before := site.DeepCopy()
	if controllerutil.AddFinalizer(&site, finalizer) {
		if err := p.Patch(ctx, &site, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
			return ctrl.Result{}, err
		}
	}
	result, err := controllerutil.CreateOrUpdate(ctx, p.Client, page, func() error {
		page.Data = map[string]string{"title": site.Spec.Title}
		return controllerutil.SetControllerReference(&site, page, p.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	if result != controllerutil.OperationResultNone {
		p.events.Eventf(&site, page, corev1.EventTypeNormal, "Published", "Publish", "page %s", result)
	}

	changed := meta.SetStatusCondition(&site.Status.Conditions, metav1.Condition{
		Type: "Ready", Status: metav1.ConditionTrue, Reason: "Published", ObservedGeneration: site.Generation,
	})
	if !changed && site.Status.ObservedGeneration == site.Generation {
		return ctrl.Result{}, nil
	}
	site.Status.Page, site.Status.ObservedGeneration = page.Name, site.Generation
	return ctrl.Result{}, p.Status().Update(ctx, &site)
}

// A controller-runtime manager works with the API as with any other: it is elected, fills its cache, and its reconciler
// maintains the objects that it owns.
func TestReconciler(t *testing.T) {
	overAll(t, func(t *testing.T, h *host) {
		ctx := t.Context()
		mgr := newManager(t, h)
		p := &publisher{Client: mgr.GetClient(), events: mgr.GetEventRecorder("publisher")}
		require.NoError(t, ctrl.NewControllerManagedBy(mgr).For(&Site{}).Owns(&corev1.ConfigMap{}).Complete(p))
		require.NoError(t, mgr.GetFieldIndexer().IndexField(ctx, &Site{}, "spec.title", func(o client.Object) []string {
			return []string{o.(*Site).Spec.Title}
		}))
		start(t, mgr)

		user, err := client.NewWithWatch(h.config, client.Options{Scheme: mgr.GetScheme()})
		require.NoError(t, err)
		sites, err := user.Watch(ctx, &SiteList{}, client.InNamespace(metav1.NamespaceDefault))
		require.NoError(t, err)
		defer sites.Stop()
		pages, err := user.Watch(ctx, &corev1.ConfigMapList{}, client.InNamespace(metav1.NamespaceDefault))
		require.NoError(t, err)
		defer pages.Stop()
		published := func(generation int64) {
			t.Helper()
			await(t, sites.ResultChan(), "the site is published", func(e watch.Event) bool {
				s := e.Object.(*Site).Status
				return meta.IsStatusConditionTrue(s.Conditions, "Ready") && s.ObservedGeneration == generation
			})
		}
		paged := func(how watch.EventType, title string) *corev1.ConfigMap {
			t.Helper()
			return await(t, pages.ResultChan(), "page "+title, func(e watch.Event) bool {
				return e.Type == how && e.Object.(*corev1.ConfigMap).Data["title"] == title
			}).Object.(*corev1.ConfigMap)
		}

		site := newSite("blog", "Notes")
		require.NoError(t, user.Create(ctx, site))
		published(1)
		page := paged(watch.Added, "Notes")
		require.NoError(t, user.Get(ctx, client.ObjectKeyFromObject(site), site))
		assert.Equal(t, []string{finalizer}, site.Finalizers)
		assert.Equal(t, "blog-page", site.Status.Page)
		assert.Equal(t, int64(1), site.Generation, "neither a status nor a finalizer changes the generation")
		assert.True(t, metav1.IsControlledBy(page, site))

		// The reconciler follows the spec, whichever client changes it.
		before := site.DeepCopy()
		site.Spec.Title = "Diary"
		require.NoError(t, user.Patch(ctx, site, client.MergeFrom(before)))
		paged(watch.Modified, "Diary")
		published(2)

		// The reconciler restores an object that it owns.
		require.NoError(t, user.Delete(ctx, page))
		paged(watch.Deleted, "Diary")
		paged(watch.Added, "Diary")

		// The manager's client reads from its cache, with an index of its own, and can read metadata only.
		var found SiteList
		require.NoError(t, mgr.GetClient().List(ctx, &found, client.MatchingFields{"spec.title": "Diary"}))
		assert.Len(t, found.Items, 1)
		light := &metav1.PartialObjectMetadata{}
		light.SetGroupVersionKind(siteKind)
		require.NoError(t, mgr.GetClient().Get(ctx, client.ObjectKeyFromObject(site), light))
		assert.Equal(t, "web", light.Labels["app"])

		// A patch of the status changes nothing else, and the server rejects a stale write.
		fresh := &Site{}
		require.NoError(t, user.Get(ctx, client.ObjectKeyFromObject(site), fresh))
		patched := fresh.DeepCopy()
		patched.Status.Page, patched.Spec.Title = "elsewhere", "ignored"
		require.NoError(t, user.Status().Patch(ctx, patched, client.MergeFrom(fresh)))
		assert.Equal(t, "elsewhere Diary", patched.Status.Page+" "+patched.Spec.Title)
		fresh.Spec.Theme = "dark"
		err = user.Update(ctx, fresh)
		assert.True(t, apierrors.IsConflict(err), "%v", err)

		// The finalizer holds the site until its page is deleted.
		require.NoError(t, user.Delete(ctx, site))
		paged(watch.Deleted, "Diary")
		await(t, sites.ResultChan(), "the site is gone", func(e watch.Event) bool { return e.Type == watch.Deleted })
		err = user.Get(ctx, client.ObjectKeyFromObject(site), site)
		assert.True(t, apierrors.IsNotFound(err), "%v", err)

		told, err := user.Watch(ctx, &eventsv1.EventList{}, client.InNamespace(metav1.NamespaceDefault),
			client.MatchingFields{"regarding.name": "blog"})
		require.NoError(t, err)
		defer told.Stop()
		event := await(t, told.ResultChan(), "the reconciler's event",
			func(watch.Event) bool { return true }).Object.(*eventsv1.Event)
		assert.Equal(t, "publisher Published", event.ReportingController+" "+event.Reason)
	})
}

// If the watches of controller-runtime's cache are cut and the history is compacted, the cache lists again, and its
// reconciler sees the changes that it missed.
func TestReconcilerAfterTheGap(t *testing.T) {
	overAll(t, func(t *testing.T, h *host) {
		ctx := t.Context()
		mgr := newManager(t, h)
		seen := make(chan string, 100)
		require.NoError(t, ctrl.NewControllerManagedBy(mgr).For(&Site{}).
			Complete(reconcilerFunc(func(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
				var site Site
				err := mgr.GetClient().Get(ctx, request.NamespacedName, &site)
				switch {
				case err == nil:
					seen <- request.Name + " " + site.Spec.Title
				case apierrors.IsNotFound(err):
					seen <- request.Name + " is gone"
				default:
					return ctrl.Result{}, err
				}
				return ctrl.Result{}, nil
			})))
		start(t, mgr)
		user, err := client.New(h.config, client.Options{Scheme: mgr.GetScheme()})
		require.NoError(t, err)
		for _, name := range []string{"kept", "gone"} {
			require.NoError(t, user.Create(ctx, newSite(name, "Before")))
		}
		awaitAll(t, seen, "kept Before", "gone Before")

		mend := h.wire.cut()
		require.NoError(t, user.Patch(ctx, newSite("kept", ""),
			client.RawPatch(types.MergePatchType, []byte(`{"spec":{"title":"After"}}`))))
		require.NoError(t, user.Delete(ctx, newSite("gone", "")))
		require.NoError(t, user.Create(ctx, newSite("new", "After")))
		h.forget(t)
		mend()
		awaitAll(t, seen, "kept After", "gone is gone", "new After")
		assert.Equal(t, 2, h.beginnings(siteResource))
	})
}

type reconcilerFunc func(context.Context, ctrl.Request) (ctrl.Result, error)

func (f reconcilerFunc) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	return f(ctx, request)
}

// newScheme returns a scheme with the kinds of the host.
func newScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	kinds := runtime.NewScheme()
	require.NoError(t, scheme.AddToScheme(kinds))
	kinds.AddKnownTypes(siteVersion, &Site{}, &SiteList{})
	metav1.AddToGroupVersion(kinds, siteVersion)
	return kinds
}

func newManager(t *testing.T, h *host) ctrl.Manager {
	t.Helper()
	// Each manager releases the lease, so no test waits until it expires.
	lease, renew, retry := 2*time.Minute, time.Minute, 50*time.Millisecond
	again := true // the managers of both transports share one name
	mgr, err := ctrl.NewManager(h.config, ctrl.Options{
		Scheme: newScheme(t), Logger: logr.Discard(),
		Metrics:        server.Options{BindAddress: "0"},
		Controller:     config.Controller{SkipNameValidation: &again},
		LeaderElection: true, LeaderElectionID: "publisher", LeaderElectionNamespace: metav1.NamespaceDefault,
		LeaderElectionReleaseOnCancel: true,
		LeaseDuration:                 &lease, RenewDeadline: &renew, RetryPeriod: &retry,
	})
	require.NoError(t, err)
	return mgr
}

// start runs the manager until the end of the test, and returns once it is elected.
func start(t *testing.T, mgr ctrl.Manager) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, <-ended)
	})
	select {
	case <-mgr.Elected():
	case <-time.After(patience):
		require.Fail(t, "the manager was not elected")
	}
}

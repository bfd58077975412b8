package clients_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	ctrlfinalizer "sigs.k8s.io/controller-runtime/pkg/finalizer"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/lifecycle"
)

// withControllers runs the controllers of package lifecycle beside the host.
func (h *host) withControllers(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var ended []chan error
	for _, run := range []func(context.Context, *rest.API, lifecycle.Options) error{
		lifecycle.CollectGarbage, lifecycle.EmptyNamespaces} {
		end := make(chan error, 1)
		ended = append(ended, end)
		go func() { end <- run(ctx, h.api, lifecycle.Options{}) }()
	}
	t.Cleanup(func() {
		stop()
		for _, end := range ended {
			assert.NoError(t, <-end)
		}
	})
}

// The test uses owner references as controllerutil sets them, finalizers as package finalizer manages them, and
// propagation policies as the client sends them.
func TestFinalizersAndOwners(t *testing.T) {
	overAll(t, func(t *testing.T, h *host) {
		h.withControllers(t)
		ctx := t.Context()
		user, err := client.NewWithWatch(h.config, client.Options{Scheme: newScheme(t)})
		require.NoError(t, err)
		pages, err := user.Watch(ctx, &corev1.ConfigMapList{}, client.InNamespace(metav1.NamespaceDefault))
		require.NoError(t, err)
		defer pages.Stop()

		site := newSite("blog", "Notes")
		require.NoError(t, user.Create(ctx, site))
		page := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: site.Namespace, Name: "page"}}
		require.NoError(t, controllerutil.SetControllerReference(site, page, user.Scheme()))
		require.NoError(t, user.Create(ctx, page))

		cleaned := 0
		finalizers := ctrlfinalizer.NewFinalizers()
		require.NoError(t, finalizers.Register("web.example.com/clean", cleaning(func() { cleaned++ })))
		result, err := finalizers.Finalize(ctx, site)
		require.NoError(t, err)
		assert.True(t, result.Updated)
		require.NoError(t, user.Update(ctx, site))

		require.NoError(t, user.Delete(ctx, site, client.PropagationPolicy(metav1.DeletePropagationForeground)))
		await(t, pages.ResultChan(), "the page is collected", func(e watch.Event) bool { return e.Type == watch.Deleted })

		// The garbage collector may still be removing its own finalizer, so the update may conflict.
		for {
			require.NoError(t, user.Get(ctx, client.ObjectKeyFromObject(site), site))
			if _, err = finalizers.Finalize(ctx, site); err == nil {
				err = user.Update(ctx, site)
			}
			if !apierrors.IsConflict(err) {
				break
			}
		}
		require.NoError(t, err)
		assert.GreaterOrEqual(t, cleaned, 1)
		sites, err := user.Watch(ctx, &SiteList{}, client.InNamespace(metav1.NamespaceDefault),
			&client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: page.ResourceVersion}})
		require.NoError(t, err)
		defer sites.Stop()
		await(t, sites.ResultChan(), "the site is gone", func(e watch.Event) bool { return e.Type == watch.Deleted })
		assert.True(t, apierrors.IsNotFound(user.Get(ctx, client.ObjectKeyFromObject(site), site)))
	})
}

// cleaning is a finalizer for package finalizer.
type cleaning func()

func (c cleaning) Finalize(context.Context, client.Object) (ctrlfinalizer.Result, error) {
	c()
	return ctrlfinalizer.Result{}, nil
}

func TestDeletedNamespaceIsEmptied(t *testing.T) {
	overBoth(t, func(t *testing.T, h *host) {
		h.withControllers(t)
		ctx := t.Context()
		clients := h.typed(t)
		_, err := clients.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "x"}},
			metav1.CreateOptions{})
		require.NoError(t, err)
		page, err := clients.CoreV1().ConfigMaps("x").Create(ctx,
			&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "page"}}, metav1.CreateOptions{})
		require.NoError(t, err)
		require.NoError(t, clients.CoreV1().Namespaces().Delete(ctx, "x", metav1.DeleteOptions{}))
		w, err := clients.CoreV1().Namespaces().Watch(ctx, metav1.ListOptions{ResourceVersion: page.ResourceVersion})
		require.NoError(t, err)
		defer w.Stop()
		await(t, w.ResultChan(), "the namespace is gone", func(e watch.Event) bool { return e.Type == watch.Deleted })
		left, err := clients.CoreV1().ConfigMaps("x").List(ctx, metav1.ListOptions{})
		require.NoError(t, err)
		assert.Empty(t, left.Items)
	})
}

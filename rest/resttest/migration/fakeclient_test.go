package migration

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/decorum-go/decorum/rest/resttest"
)

func TestReconcileWithTheFakeClient(t *testing.T) {
	failed := false
	c := fake.NewClientBuilder().
		WithScheme(scheme()).
		WithStatusSubresource(&Ship{}).
		WithObjects(ship("victory")).
		WithInterceptorFuncs(interceptor.Funcs{
			SubResourceUpdate: func(ctx context.Context, c client.Client, sub string, obj client.Object,
				opts ...client.SubResourceUpdateOption) error {
				if !failed {
					failed = true
					return apierrors.NewConflict(schema.GroupResource{Group: "fleet.example.com", Resource: "ships"}, obj.GetName(),
						nil)
				}
				return c.SubResource(sub).Update(ctx, obj, opts...)
			},
		}).
		Build()
	r := &Reconciler{c}
	request := ctrl.Request{NamespacedName: client.ObjectKeyFromObject(ship("victory"))}

	_, err := r.Reconcile(t.Context(), request)
	require.True(t, apierrors.IsConflict(err))
	_, err = r.Reconcile(t.Context(), request)
	require.NoError(t, err)

	var s Ship
	require.NoError(t, c.Get(t.Context(), request.NamespacedName, &s))
	require.True(t, isReady(&s))
}

func TestReconcileWithResttest(t *testing.T) {
	s := resttest.New(t, ships())
	own := resttest.Client[Ship](t, s.API).Namespace("default")
	_, err := own.Create(t.Context(), ship("victory"))
	require.NoError(t, err)

	c, err := client.New(&rest.Config{Host: "http://resttest", Transport: s.RoundTripper()},
		client.Options{Scheme: scheme()})
	require.NoError(t, err)
	r := &Reconciler{c}
	request := ctrl.Request{NamespacedName: client.ObjectKeyFromObject(ship("victory"))}

	s.Inject(resttest.Fault{Resource: "ships/status", Code: 409})
	_, err = r.Reconcile(t.Context(), request)
	require.True(t, apierrors.IsConflict(err))
	_, err = r.Reconcile(t.Context(), request)
	require.NoError(t, err)

	resttest.WaitFor(t, own, "victory", isReady)
}

// A test with the fake client does not notice these faults.
func TestTheFakeClientAcceptsFaultyWrites(t *testing.T) {
	faulted := ship("victory")
	faulted.Spec.Class = "Submarine"
	plain := ship("plain")

	faked := fake.NewClientBuilder().WithScheme(scheme()).WithStatusSubresource(&Ship{}).Build()
	require.NoError(t, faked.Create(t.Context(), faulted.DeepCopyObject().(*Ship)), "no validation")
	inFake := plain.DeepCopyObject().(*Ship)
	require.NoError(t, faked.Create(t.Context(), inFake))
	require.Zero(t, inFake.Spec.Guns, "no defaults")
	require.Zero(t, inFake.Generation, "no generation")
	require.Empty(t, inFake.UID, "no uid")

	s := resttest.New(t, ships())
	c, err := client.New(&rest.Config{Host: "http://resttest", Transport: s.RoundTripper()},
		client.Options{Scheme: scheme()})
	require.NoError(t, err)
	require.True(t, apierrors.IsInvalid(c.Create(t.Context(), faulted)))
	require.NoError(t, c.Create(t.Context(), plain))
	require.Equal(t, int32(8), plain.Spec.Guns)
	require.Equal(t, int64(1), plain.Generation)
	require.NotEmpty(t, plain.UID)
}

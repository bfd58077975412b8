package oracle

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"

	"github.com/decorum-go/decorum/internal/test/roundstest"
	"github.com/decorum-go/decorum/k8s/internal/autoscalers"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/defaults"
)

// TestAutoscalers compares how random autoscalers look in the other version, the text of their annotations included.
func TestAutoscalers(t *testing.T) {
	roundstest.Run(t, 200, func(t *testing.T, seed int64) {
		sent := of[autoscalingv2.HorizontalPodAutoscaler]().random(t, seed)
		var v2, back autoscalingv2.HorizontalPodAutoscaler
		require.NoError(t, json.Unmarshal(sent, &v2))
		v1 := autoscalingv1.HorizontalPodAutoscaler{ObjectMeta: v2.ObjectMeta}
		require.NoError(t, autoscalers.FromV2(&v2, &v1))
		require.JSONEq(t, convert(t, &v2, autoscalingv1.SchemeGroupVersion), string(encode(t, v1)), "sent %s", sent)

		if seed%2 == 0 { // the field and the annotation, and one of them
			v1.Spec.TargetCPUUtilizationPercentage, v1.Status.CurrentCPUUtilizationPercentage = new(int32(seed)),
				new(int32(seed))
		}
		back.ObjectMeta = v1.ObjectMeta
		autoscalers.ToV2(&v1, &back)
		defaults.Of[autoscalingv2.HorizontalPodAutoscaler]().Set(&back)
		assert.JSONEq(t, convert(t, &v1, autoscalingv2.SchemeGroupVersion), string(encode(t, back)), "sent %s", encode(t, v1))
	})
}

// convert returns the JSON of an object in another version, with the defaults of that version.
func convert(t *testing.T, obj runtime.Object, to schema.GroupVersion) string {
	t.Helper()
	internal, err := legacyscheme.Scheme.ConvertToVersion(obj,
		schema.GroupVersion{Group: to.Group, Version: runtime.APIVersionInternal})
	require.NoError(t, err)
	out, err := legacyscheme.Scheme.ConvertToVersion(internal, to)
	require.NoError(t, err)
	if to == autoscalingv2.SchemeGroupVersion {
		legacyscheme.Scheme.Default(out)
	}
	out.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return string(encode(t, out))
}

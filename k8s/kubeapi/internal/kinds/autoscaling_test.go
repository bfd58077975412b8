package kinds_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/rest"
)

const (
	autoscalersV1 = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers"
	autoscalersV2 = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
	// hpa is the prefix of the annotations that hold what version v1 has no fields for.
	hpa = "autoscaling.alpha.kubernetes.io/"
)

// A client of v1 reads an object of v2, and writes it back without loss.
func TestAutoscalersOfV2InV1(t *testing.T) {
	const cpu50 = `{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":50}}}`
	client := clientOf(t, newAPI(t))
	for _, c := range []struct {
		name, spec, status string
		target             *int32
		current            *int32
		annotations        map[string]string
	}{
		{"cpu", `"metrics":[` + cpu50 + `]`, `{}`, new(int32(50)), nil, nil},
		{"none", `"minReplicas":2`, `{}`, new(int32(80)), nil, nil},
		{"pods", `"metrics":[{"type":"Pods","pods":{"metric":{"name":"m"},"target":{"type":"AverageValue","averageValue":"5k"}}}]`, `{}`, nil, nil,
			map[string]string{hpa + "metrics": `[{"type":"Pods","pods":{"metricName":"m","targetAverageValue":"5k"}}]`}},
		{"others", `"metrics":[{"type":"Resource","resource":{"name":"memory","target":{"type":"Utilization","averageUtilization":7}}},` +
			`{"type":"External","external":{"metric":{"name":"q","selector":{"matchLabels":{"a":"b"}}},"target":{"type":"Value","value":"30"}}},` +
			`{"type":"ContainerResource","containerResource":{"name":"cpu","container":"c","target":{"type":"AverageValue","averageValue":"1"}}},` +
			`{"type":"Object","object":{"describedObject":{"kind":"Ingress","name":"i"},"metric":{"name":"r"},"target":{"type":"Value","value":"9"}}},` + cpu50 + `]`,
			`{}`, new(int32(50)), nil,
			map[string]string{hpa + "metrics": `[{"type":"Resource","resource":{"name":"memory","targetAverageUtilization":7}},` +
				`{"type":"External","external":{"metricName":"q","metricSelector":{"matchLabels":{"a":"b"}},"targetValue":"30"}},` +
				`{"type":"ContainerResource","containerResource":{"name":"cpu","targetAverageValue":"1","container":"c"}},` +
				`{"type":"Object","object":{"target":{"kind":"Ingress","name":"i"},"metricName":"r","targetValue":"9"}}]`}},
		{"behavior", `"metrics":[` + cpu50 + `],"behavior":{"scaleDown":{"selectPolicy":"Disabled","tolerance":"0.5"}}`, `{}`,
			new(int32(50)), nil, map[string]string{hpa +
				"behavior": `{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15},` +
				`{"Type":"Percent","Value":100,"PeriodSeconds":15}],"Tolerance":null},"ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":"Disabled",` +
				`"Policies":[{"Type":"Percent","Value":100,"PeriodSeconds":15}],"Tolerance":"500m"}}`}},
		{"status", `"metrics":[` + cpu50 + `]`,
			`{"currentReplicas":3,"currentMetrics":[{"type":"Resource","resource":{"name":"cpu","current":{"averageUtilization":33,"averageValue":"1"}}}],` +
				`"conditions":[{"type":"AbleToScale","status":"True","reason":"R"}]}`, new(int32(50)), new(int32(33)),
			map[string]string{
				hpa + "current-metrics": `[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":33,"currentAverageValue":"1"}}]`,
				hpa + "conditions":      `[{"type":"AbleToScale","status":"True","lastTransitionTime":null,"reason":"R"}]`,
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v1, v2 := client.AutoscalingV1().HorizontalPodAutoscalers(namespace),
				client.AutoscalingV2().HorizontalPodAutoscalers(namespace)
			a := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: named(c.name)}
			require.NoError(t, json.Unmarshal([]byte(`{"maxReplicas":5,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"},`+c.spec+`}`), &a.Spec))
			a = must[*autoscalingv2.HorizontalPodAutoscaler](t)(v2.Create(t.Context(), a, metav1.CreateOptions{}))
			require.NoError(t, json.Unmarshal([]byte(c.status), &a.Status))
			a = must[*autoscalingv2.HorizontalPodAutoscaler](t)(v2.UpdateStatus(t.Context(), a, metav1.UpdateOptions{}))
			assert.Empty(t, a.Annotations)

			old := must[*autoscalingv1.HorizontalPodAutoscaler](t)(v1.Get(t.Context(), c.name, metav1.GetOptions{}))
			assert.Equal(t, c.target, old.Spec.TargetCPUUtilizationPercentage)
			assert.Equal(t, c.current, old.Status.CurrentCPUUtilizationPercentage)
			assert.Equal(t, a.Status.CurrentReplicas, old.Status.CurrentReplicas)
			assert.Equal(t, c.annotations, old.Annotations)

			must[*autoscalingv1.HorizontalPodAutoscaler](t)(v1.Update(t.Context(), old, metav1.UpdateOptions{}))
			must[*autoscalingv1.HorizontalPodAutoscaler](t)(v1.UpdateStatus(t.Context(), old, metav1.UpdateOptions{}))
			assert.Equal(t, a, must[*autoscalingv2.HorizontalPodAutoscaler](t)(v2.Get(t.Context(), c.name, metav1.GetOptions{})))

			old.Annotations, old.ResourceVersion = nil, "" // parts of the spec and of the status are there
			must[*autoscalingv1.HorizontalPodAutoscaler](t)(v1.Update(t.Context(), old, metav1.UpdateOptions{}))
			assert.Equal(t, a.Status, must[*autoscalingv2.HorizontalPodAutoscaler](t)(v2.Get(t.Context(), c.name,
				metav1.GetOptions{})).Status)
			a.ResourceVersion = ""
			must[*autoscalingv2.HorizontalPodAutoscaler](t)(v2.Update(t.Context(), a, metav1.UpdateOptions{}))
			must[*autoscalingv1.HorizontalPodAutoscaler](t)(v1.UpdateStatus(t.Context(), old, metav1.UpdateOptions{}))
			assert.Equal(t, a.Spec, must[*autoscalingv2.HorizontalPodAutoscaler](t)(v2.Get(t.Context(), c.name,
				metav1.GetOptions{})).Spec)
		})
	}
}

// A client of v2 reads an object of v1.
func TestAutoscalersOfV1InV2(t *testing.T) {
	const pods = `[{"type": "Pods","pods":{"metricName":"m","targetAverageValue":"5"}}]`
	client := clientOf(t, newAPI(t))
	for _, c := range []struct {
		name        string
		annotations map[string]string
		target      *int32
		metrics     string // the metrics of v2
		shown       *int32 // the target of v1
	}{
		{"default", nil, nil, `[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":80}}}]`, new(int32(80))},
		{"target", map[string]string{"a": "b"}, new(int32(7)),
			`[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":7}}}]`,
			new(int32(7))},
		{"pods", map[string]string{"a": "b", hpa + "metrics": pods}, nil,
			`[{"type":"Pods","pods":{"metric":{"name":"m"},"target":{"type":"AverageValue","averageValue":"5"}}}]`, nil},
		{"both", map[string]string{hpa + "metrics": pods}, new(int32(7)),
			`[{"type":"Pods","pods":{"metric":{"name":"m"},"target":{"type":"AverageValue","averageValue":"5"}}},` +
				`{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":7}}}]`,
			new(int32(7))},
		{"nonsense", map[string]string{hpa + "metrics": "{", hpa + "behavior": "[", hpa + "scale-up-tolerance": "1"}, nil,
			`[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":80}}}]`,
			new(int32(80))},
		{"status", map[string]string{hpa + "conditions": `[{"type":"AbleToScale","status":"True"}]`}, nil, // a new object has none
			`[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":80}}}]`,
			new(int32(80))},
	} {
		t.Run(c.name, func(t *testing.T) {
			old := &autoscalingv1.HorizontalPodAutoscaler{ObjectMeta: named(c.name),
				Spec: autoscalingv1.HorizontalPodAutoscalerSpec{MaxReplicas: 5,
					ScaleTargetRef:                 autoscalingv1.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "d"},
					TargetCPUUtilizationPercentage: c.target}}
			old.Annotations = c.annotations
			old = must[*autoscalingv1.HorizontalPodAutoscaler](t)(client.AutoscalingV1().HorizontalPodAutoscalers(namespace).Create(t.Context(), old,
				metav1.CreateOptions{}))
			assert.Equal(t, new(int32(1)), old.Spec.MinReplicas)
			assert.Equal(t, c.shown, old.Spec.TargetCPUUtilizationPercentage)
			a := must[*autoscalingv2.HorizontalPodAutoscaler](t)(client.AutoscalingV2().HorizontalPodAutoscalers(namespace).Get(t.Context(), c.name,
				metav1.GetOptions{}))
			metrics, err := json.Marshal(a.Spec.Metrics)
			require.NoError(t, err)
			assert.JSONEq(t, c.metrics, string(metrics))
			assert.Equal(t, c.annotations["a"], a.Annotations["a"])
			assert.Subset(t, map[string]string{"a": "b"}, a.Annotations)
			assert.Empty(t, a.Status.Conditions)

			old.Annotations, old.Spec.TargetCPUUtilizationPercentage = c.annotations, c.target
			again := must[*autoscalingv1.HorizontalPodAutoscaler](t)(client.AutoscalingV1().HorizontalPodAutoscalers(namespace).Update(t.Context(),
				old, metav1.UpdateOptions{}))
			assert.Equal(t, old.ResourceVersion, again.ResourceVersion)
		})
	}
}

func TestAutoscalersHaveOneValidation(t *testing.T) {
	const spec = `"spec":{"maxReplicas":5,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}`
	api := newAPI(t)
	code, message := send(t, api, http.MethodPost, autoscalersV1, "application/json",
		`{"metadata":{"name":"a"},`+spec+`,"targetCPUUtilizationPercentage":0}}`)
	assert.Equal(t, http.StatusUnprocessableEntity, code)
	assert.Contains(t, message, "spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0")
	code, _ = send(t, api, http.MethodPost, autoscalersV2, "application/json",
		`{"metadata":{"name":"a","annotations":{"a":"b","`+hpa+`metrics":"[]"}},`+spec+`}}`)
	assert.Equal(t, http.StatusCreated, code)
	var a autoscalingv2.HorizontalPodAutoscaler
	discover(t, api, autoscalersV2+"/a", &a)
	assert.Equal(t, map[string]string{"a": "b"}, a.Annotations)
}

// Kubernetes prints the same table for both versions.
func TestAutoscalersPrintAllMetricsInBothVersions(t *testing.T) {
	api := newAPI(t)
	code, message := send(t, api, http.MethodPost, autoscalersV2, "application/json",
		`{"metadata":{"name":"a"},"spec":{"maxReplicas":5,"scaleTargetRef":{"apiVersion":"apps/v1",`+
			`"kind":"Deployment","name":"d"},"metrics":[{"type":"Pods","pods":{"metric":{"name":"m"},"target":{"type":"AverageValue","averageValue":"5"}}}]}}`)
	require.Equal(t, http.StatusCreated, code, message)
	for _, path := range []string{autoscalersV1, autoscalersV2} {
		assert.Equal(t, []any{"a", "Deployment/d", "<unknown>/5", "1", 5., 0.}, cells(t, api, path)[:6], path)
	}
}

// cells returns the first row that kubectl get prints.
func cells(t *testing.T, api *rest.API, path string) []any {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
	w := httptest.NewRecorder()
	api.ServeHTTP(w, r)
	var table metav1.Table
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &table))
	require.Len(t, table.Rows, 1)
	return table.Rows[0].Cells
}

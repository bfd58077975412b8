package kinds_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A controller that applies the same configuration again and again, and watches what it applies, must not wake itself.
func TestAppliesOfTheSameConfigurationChangeNothing(t *testing.T) {
	const template = `"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}`
	api := newAPI(t)
	request, _ := signingRequest(t)
	for _, c := range []struct{ path, body string }{
		{"/api/v1/namespaces/default/services/a",
			`"apiVersion":"v1","kind":"Service","spec":{"type":"NodePort","selector":{"a":"b"},"ports":[{"port":80}]}`},
		{"/api/v1/namespaces/default/pods/a",
			`"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"c","image":"i"}]}`},
		{"/api/v1/namespaces/default/secrets/a", `"apiVersion":"v1","kind":"Secret","stringData":{"a":"b"}`},
		{"/api/v1/namespaces/default/persistentvolumeclaims/a",
			`"apiVersion":"v1","kind":"PersistentVolumeClaim","spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}`},
		{"/api/v1/persistentvolumes/a",
			`"apiVersion":"v1","kind":"PersistentVolume","spec":{"accessModes":["ReadWriteOnce"],"capacity":{"storage":"1Gi"},"hostPath":{"path":"/a"}}`},
		{"/api/v1/nodes/a", `"apiVersion":"v1","kind":"Node","spec":{"unschedulable":true}`},
		{"/apis/apps/v1/namespaces/default/deployments/a",
			`"apiVersion":"apps/v1","kind":"Deployment","spec":{"selector":{"matchLabels":{"a":"b"}},` + template + `}`},
		{"/apis/apps/v1/namespaces/default/statefulsets/a",
			`"apiVersion":"apps/v1","kind":"StatefulSet","spec":{"selector":{"matchLabels":{"a":"b"}},` + template +
				`,"volumeClaimTemplates":[{"metadata":{"name":"v"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}]}`},
		{"/apis/batch/v1/namespaces/default/jobs/a",
			`"apiVersion":"batch/v1","kind":"Job","spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}`},
		{"/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers/a",
			`"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler","spec":{"maxReplicas":5,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}}`},
		{"/apis/networking.k8s.io/v1/namespaces/default/ingresses/a",
			`"apiVersion":"networking.k8s.io/v1","kind":"Ingress","spec":{"defaultBackend":{"service":{"name":"s","port":{"number":80}}}}`},
		{"/apis/certificates.k8s.io/v1/certificatesigningrequests/a",
			`"apiVersion":"certificates.k8s.io/v1","kind":"CertificateSigningRequest","spec":{"signerName":"a.com/b","request":"` +
				base64.StdEncoding.EncodeToString(request) + `","usages":["client auth"]}`},
	} {
		t.Run(c.path, func(t *testing.T) {
			apply := func() metav1.ObjectMeta {
				r := httptest.NewRequest(http.MethodPatch, c.path+"?fieldManager=m&force=true",
					strings.NewReader(`{"metadata":{"name":"a"},`+c.body+`}`))
				r.Header.Set("Content-Type", "application/apply-patch+yaml")
				w := httptest.NewRecorder()
				api.ServeHTTP(w, r)
				require.Less(t, w.Code, 300, w.Body)
				var obj metav1.PartialObjectMetadata
				require.NoError(t, json.Unmarshal(w.Body.Bytes(), &obj))
				return obj.ObjectMeta
			}
			assert.Equal(t, apply(), apply())
		})
	}
}

package k8s_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"

	"github.com/decorum-go/decorum/k8s"
	"github.com/decorum-go/decorum/rest"
)

const benchDeployment = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","labels":{"app":"web"}},"spec":{"replicas":3,` +
	`"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[` +
	`{"name":"web","image":"web:0","ports":[{"containerPort":80},{"containerPort":443}],"env":[{"name":"A","value":"a"},{"name":"B","value":"b"}],` +
	`"resources":{"limits":{"cpu":"1","memory":"1Gi"}},"volumeMounts":[{"name":"data","mountPath":"/data"}]},{"name":"proxy","image":"proxy:1"}],` +
	`"volumes":[{"name":"data","emptyDir":{}}]}}}}`

const benchConfiguration = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"template":{"spec":{"containers":[{"name":"web","image":"web:%d"}]}}}}`

// The benchmark measures writes to a Deployment that move the ownership of fields. The limit is the same write without
// tracking; a strategic merge patch stands for an apply. The target is 2: tracking costs no more than the rest of the
// write.
func BenchmarkTracking(b *testing.B) {
	const strategic, apply = "application/strategic-merge-patch+json", "application/apply-patch+yaml"
	for _, c := range []struct{ name, target, media, body string }{
		{"patch takes over", "", strategic,
			`{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"web:%d"}]}}}}`},
		{"status", "/status", strategic,
			`{"status":{"observedGeneration":%d,"replicas":3,"conditions":[{"type":"Available","status":"True","reason":"Enough"}]}}`},
		{"apply by another", "", apply, benchConfiguration},
	} {
		b.Run(c.name, func(b *testing.B) {
			writes := func(tracked bool) func(n int) time.Duration {
				resource := k8s.Resource[appsv1.Deployment]()
				resource.Wire.Untracked = !tracked
				api, err := rest.New(rest.Options{}, resource)
				require.NoError(b, err)
				b.Cleanup(func() { require.NoError(b, api.Close()) })
				const path = "/apis/apps/v1/namespaces/default/deployments"
				send := func(method, target, media, body string, code int) {
					r := httptest.NewRequest(method, path+target, strings.NewReader(body))
					r.Header.Set("Content-Type", media)
					w := httptest.NewRecorder()
					api.ServeHTTP(w, r)
					require.Equal(b, code, w.Code, w.Body)
				}
				send("POST", "?fieldManager=kubectl", "application/json", benchDeployment, http.StatusCreated)
				media, force := c.media, ""
				switch {
				case c.media == apply && tracked:
					force = "&force=true"
				case c.media == apply:
					media = strategic
				}
				done := 0
				return func(n int) time.Duration {
					start := time.Now()
					for range n {
						done++
						send("PATCH", fmt.Sprintf("/web%s?fieldManager=m%d%s", c.target, done%4, force), media, fmt.Sprintf(c.body, done),
							http.StatusOK)
					}
					return time.Since(start) / time.Duration(n)
				}
			}
			ours, limit := writes(true), writes(false)
			best, least := time.Hour, time.Hour
			const chunk = 20
			for done := 0; done < b.N; done += chunk {
				n := min(chunk, b.N-done)
				best = min(best, ours(n))
				b.StopTimer()
				least = min(least, limit(n))
				b.StartTimer()
			}
			b.ReportMetric(float64(best)/float64(least), "ratio")
		})
	}
}

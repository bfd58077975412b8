package oracle

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// scaled is what a write to /scale has done to an object: who owns the count, and whether the resourceVersion has
// changed.
type scaled struct {
	owner string
	moved bool
}

// entries is the part of an object that tells who owns its count.
type entries struct {
	Metadata struct {
		ResourceVersion string
		ManagedFields   []struct {
			Manager, Time string
			FieldsV1      struct {
				Spec map[string]any `json:"f:spec"`
			}
		}
	}
}

// owner returns the managers whose entries own the count. It marks those without a time.
func (o entries) owner() (all string) {
	for _, e := range o.Metadata.ManagedFields {
		if _, ok := e.FieldsV1.Spec["f:replicas"]; !ok {
			continue
		}
		if all += e.Manager; e.Time == "" {
			all += ", timeless"
		}
	}
	return all
}

// A write to /scale that repeats the count has the same effects on both sides, until Kubernetes forgets the owner of
// the count. Ours keeps the owner; docs/differences.md names that difference. Module internal/test/oracle sends more such
// writes to custom resources.
func TestScaleToThePresentCount(t *testing.T) {
	const (
		template = `"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}`
		selector = `"selector":{"matchLabels":{"a":"b"}},`
	)
	type step struct {
		manager, count string
		theirs, ours   scaled
	}
	same := func(manager, count string, both scaled) step { return step{manager, count, both, both} }
	for path, spec := range map[string]string{
		"/api/v1/namespaces/default/replicationcontrollers": template,
		"/apis/apps/v1/namespaces/default/deployments":      selector + template,
		"/apis/apps/v1/namespaces/default/replicasets":      selector + template,
		"/apis/apps/v1/namespaces/default/statefulsets":     selector + template,
	} {
		for name, steps := range map[string][]step{
			"created": {
				same("b", "2", scaled{"creator, timeless", true}),
				{"b", "2", scaled{"", true}, scaled{"creator, timeless", false}},
				{"c", "2", scaled{"", false}, scaled{"creator, timeless", false}},
				{"c", "3", scaled{"", true}, scaled{"c, timeless", true}},
			},
			"scaled": {
				same("creator", "3", scaled{"creator, timeless", true}),
				same("b", "3", scaled{"creator, timeless", false}),
				same("b", "3", scaled{"creator, timeless", false}),
				same("c", "3", scaled{"creator, timeless", false}),
				same("c", "4", scaled{"c, timeless", true}),
			},
		} {
			t.Run(path+"/"+name, func(t *testing.T) {
				name = "count-" + name
				for _, s := range []side{kubernetesAPI(t), ourAPI(t)} {
					body := `{"metadata":{"name":"` + name + `"},"spec":{"replicas":2,` + spec + `}}`
					a := s.send(t, http.MethodPost, path+"?fieldManager=creator", asJSON, []byte(body))
					assert.Equal(t, http.StatusCreated, a.code, "%s", a.body)
					var before entries
					s.get(t, path+"/"+name, &before)
					for i, step := range steps {
						body := `{"metadata":{"name":"` + name + `"},"spec":{"replicas":` + step.count + `}}`
						a := s.send(t, http.MethodPut, path+"/"+name+"/scale?fieldManager="+step.manager, asJSON, []byte(body))
						assert.Equal(t, http.StatusOK, a.code, "%s", a.body)
						var after entries
						s.get(t, path+"/"+name, &after)
						want := step.ours
						if !strings.HasPrefix(s.url, "https") {
							want = step.theirs
						}
						got := scaled{after.owner(), after.Metadata.ResourceVersion != before.Metadata.ResourceVersion}
						assert.Equal(t, want, got, "%s, write %d", s.url, i)
						before = after
					}
				}
			})
		}
	}
}

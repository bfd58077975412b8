package upstream_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// Controller is a kind like the workloads of Kubernetes: of the built-in dialect, with a generation and a scale.
type Controller struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               struct {
		Replicas int32             `json:"replicas"`
		Selector map[string]string `json:"selector,omitempty"`
	} `json:"spec"`
	Status struct {
		Replicas int32 `json:"replicas"`
	} `json:"status"`
}

func TestWorkloadOfTheBuiltinDialect(t *testing.T) {
	const controllers = "/api/v1/namespaces/default/controllers"
	tests := []struct {
		name       string
		keeps      bool
		generation any
	}{
		{"with a generation", true, float64(2)},
		{"without", false, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			api := apitest.Start(t, rest.Options{}, rest.Resource[Controller]{Version: "v1", Plural: "controllers",
				Wire:  rest.Wire{Dialect: rest.DialectBuiltin, Generation: tt.keeps},
				Scale: &rest.Scale{SpecReplicas: ".spec.replicas", StatusReplicas: ".status.replicas", Selector: ".spec.selector"}})
			apitest.Must(t, api, "POST", controllers,
				`{"metadata":{"name":"a"},"spec":{"replicas":1,"selector":{"b":"c","app":"a"}}}`)

			scale := apitest.Must(t, api, "GET", controllers+"/a/scale", "")
			assert.Equal(t, "app=a,b=c", scale.Value(t, "status.selector"), "a map of labels is a selector")
			apitest.Must(t, api, "PUT", controllers+"/a/scale", `{"metadata":{"name":"a"},"spec":{"replicas":3}}`)
			apitest.WantInvalid(t, apitest.Do(t, api, "PUT", controllers+"/a/scale",
				`{"metadata":{"name":"a"},"spec":{"replicas":-1}}`), "Scale.autoscaling", "a",
				apitest.Invalid("spec.replicas", "Invalid value: -1: must be greater than or equal to 0"))
			assert.Equal(t, tt.generation, apitest.Must(t, api, "GET", controllers+"/a", "").Value(t, "metadata.generation"))
		})
	}
}

package cel_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/status"
)

const rangesDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ranges.example.com}
spec:
  group: example.com
  names: {plural: ranges, kind: Range}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              min: {type: integer, default: 0}
              max: {type: integer, default: 10}
            x-kubernetes-validations:
            - {rule: self.min <= self.max, fieldPath: .max, messageExpression: '"must be at least %d".format([self.min])'}
`

// An API serves the kinds of CustomResourceDefinitions, and evaluates the rules of their schemas.
func ExampleNew_definitions() {
	ctx := context.Background()
	api, err := rest.New(rest.Options{CEL: cel.Evaluator(), Plugins: []rest.Plugin{crd.New(crd.Options{})}})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	if err := api.Start(ctx); err != nil {
		log.Fatal(err)
	}

	post := func(path, body string) []byte {
		request := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
		request.Header.Set("Content-Type", "application/yaml")
		answer := httptest.NewRecorder()
		api.ServeHTTP(answer, request)
		return answer.Body.Bytes()
	}
	post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", rangesDefinition)
	customResourceDefinitions, err := rest.ClientForType[apiextensions.CustomResourceDefinition](api)
	if err != nil {
		log.Fatal(err)
	}
	for event, err := range customResourceDefinitions.Follow(ctx, rest.WatchOptions{}) {
		if err != nil {
			log.Fatal(err)
		}
		if event.Object.Is(apiextensions.Established) {
			break
		}
	}
	var refusal status.Status
	answer := post("/apis/example.com/v1/namespaces/default/ranges",
		"{apiVersion: example.com/v1, kind: Range, metadata: {name: a}, spec: {min: 20}}")
	if err := json.Unmarshal(answer, &refusal); err != nil {
		log.Fatal(err)
	}
	fmt.Println(refusal.Message)
	// Output: Range.example.com "a" is invalid: spec.max: Invalid value: must be at least 20
}

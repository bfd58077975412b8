package cel_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/cel"
	"github.com/decorum-go/decorum/rest"
)

// Queue is a kind with rules that tags cannot express.
type Queue struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               QueueSpec `json:"spec"`
}

type QueueSpec struct {
	MinWorkers int32    `json:"minWorkers" api:"default=1"`
	MaxWorkers int32    `json:"maxWorkers" api:"default=10"`
	Mode       string   `json:"mode,omitempty" api:"enum=fifo|lifo,default=fifo"`
	Tags       []string `json:"tags,omitempty" api:"maxItems=20,items.maxLength=63"`
}

func ExampleNew() {
	api, err := rest.New(rest.Options{}, rest.Resource[Queue]{
		Group: "example.com", Version: "v1", Plural: "queues",
		Rules: cel.New(cel.Rules{
			"QueueSpec": {{
				Rule:              "self.minWorkers <= self.maxWorkers",
				MessageExpression: "'must not be below minWorkers, which is %d'.format([self.minWorkers])",
				FieldPath:         ".maxWorkers",
			}},
			"QueueSpec.mode": {{Rule: "self == oldSelf", Message: "must not be changed"}},
		}),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer api.Close()

	body := `{"apiVersion":"example.com/v1","kind":"Queue","metadata":{"name":"mail"},"spec":{"minWorkers":5,"maxWorkers":2}}`
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/apis/example.com/v1/namespaces/default/queues?pretty=true",
		strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	api.ServeHTTP(w, r)
	_, message, _ := strings.Cut(w.Body.String(), `"message": `)
	message, _, _ = strings.Cut(message, "\n")
	fmt.Println(w.Code, message)
	// Output:
	// 422 "Queue.example.com \"mail\" is invalid: spec.maxWorkers: Invalid value: must not be below minWorkers, which is 5",
}

package apiservice_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/apiservice"
	"github.com/decorum-go/decorum/rest/builtin"
)

func ExampleNew() {
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{apiservice.New(apiservice.Options{})}}, builtin.Leases())
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	if err := api.Start(context.Background()); err != nil {
		log.Fatal(err)
	}
	answer := httptest.NewRecorder()
	api.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/apis/apiregistration.k8s.io/v1/apiservices", nil))
	fmt.Println(answer.Code, strings.Contains(answer.Body.String(), `"name":"v1.coordination.k8s.io"`))
	// Output: 200 true
}

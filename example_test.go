package decorum_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
)

// Widget is a kind: a struct whose tags are its schema.
type Widget struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec   WidgetSpec   `json:"spec"`
	Status WidgetStatus `json:"status,omitzero"`
}

type WidgetSpec struct {
	Color string `json:"color,omitempty" api:"enum=Red|Green|Blue,default=Red,doc='What it is painted in.'"`
	Size  int32  `json:"size" api:"min=1,max=10,doc='How large it is.'"`
}

type WidgetStatus struct {
	ReadySize *int32 `json:"readySize,omitempty" api:"min=0,max=10"`
}

// Declare a kind, mount it in a server of your own, and use it in process. The
// README shows this example.
func Example() {
	ctx := context.Background()

	widgets := rest.Resource[Widget]{
		Group: "example.com", Version: "v1", Plural: "widgets",
		Columns: []rest.Column{{Name: "Size", Type: "integer", Path: ".spec.size"}},
	}
	api, err := rest.New(rest.Options{}, widgets)
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()

	mux := http.NewServeMux() // your server, with your routes and your middleware
	mux.Handle("/platform/", http.StripPrefix("/platform", api))

	// What kubectl does over HTTP, your program does in process, typed.
	all, err := rest.ClientForType[Widget](api)
	if err != nil {
		log.Fatal(err)
	}
	client := all.Namespace("default")
	w, err := client.Create(ctx, &Widget{
		ObjectMeta: apimeta.ObjectMeta{Name: "first"},
		Spec:       WidgetSpec{Color: "Blue", Size: 3},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(w.Name, w.Spec.Color, w.Spec.Size)

	_, err = client.Create(ctx, &Widget{
		ObjectMeta: apimeta.ObjectMeta{Name: "second"},
		Spec:       WidgetSpec{Color: "Blue", Size: 11},
	})
	fmt.Println(err)

	// And the same object over HTTP, below the prefix.
	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest("GET", "/platform/apis/example.com/v1/namespaces/default/widgets/first",
		nil))
	fmt.Println(answer.Code)

	// Output:
	// first Blue 3
	// Widget.example.com "second" is invalid: spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10
	// 200
}

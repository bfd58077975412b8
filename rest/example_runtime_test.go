package rest_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// candleSchema is text. A program can read it from a file, or receive it from a client.
const candleSchema = `{
	"type": "object",
	"required": ["spec"],
	"properties": {
		"spec": {
			"type": "object",
			"required": ["hours"],
			"properties": {
				"hours": {"type": "integer", "minimum": 1},
				"color": {"type": "string", "enum": ["white", "red"], "default": "white"}
			}
		},
		"status": {"type": "object", "properties": {"lit": {"type": "boolean"}}}
	}
}`

// candlesV1 names the resource, because all kinds without a Go struct have the same Go type.
var candlesV1 = apimeta.GroupVersionResource{Group: "home.example.com", Version: "v1", Resource: "candles"}

// candles declares a kind that the program knows only by its schema.
func candles() rest.Resource[apimeta.Document] {
	return rest.Resource[apimeta.Document]{
		Group: "home.example.com", Version: "v1", Plural: "candles",
		Names:            rest.Names{Kind: "Candle"},
		Schema:           rest.Schema{OpenAPI: []byte(candleSchema), Status: true},
		Columns:          []rest.Column{{Name: "Color", Path: ".spec.color"}},
		SelectableFields: []string{"spec.color"},
		Hooks:            rest.Hooks[apimeta.Document]{Validate: validateCandle},
	}
}

func validateCandle(_ context.Context, candle, old *apimeta.Document) (status.FieldErrors, error) {
	spec, _ := candle.Content["spec"].(map[string]any)
	if hours, _ := spec["hours"].(int64); hours > 100 {
		long := status.InvalidField(status.NewPath("spec", "hours"), hours, "no candle burns that long")
		return status.FieldErrors{long}, nil
	}
	return nil, nil
}

// A program serves and uses a kind that it knows only by its OpenAPI schema.
func ExampleClientForResource() {
	ctx := context.Background()
	api, err := rest.New(rest.Options{}, candles())
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()

	client, err := rest.ClientForResource[apimeta.Document](api, candlesV1)
	if err != nil {
		log.Fatal(err)
	}
	client = client.Namespace("default")
	candle, err := client.Create(ctx, &apimeta.Document{
		ObjectMeta: apimeta.ObjectMeta{Name: "first"},
		Content:    map[string]any{"spec": map[string]any{"hours": 40}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(candle.Kind, candle.Name, candle.Content["spec"])

	for _, hours := range []int{0, 200} {
		candle.Content["spec"] = map[string]any{"hours": hours}
		_, err = client.Update(ctx, candle)
		fmt.Println(err)
	}
	// Output:
	// Candle first map[color:white hours:40]
	// Candle.home.example.com "first" is invalid: spec.hours: Invalid value: 0: spec.hours in body should be greater than or equal to 1
	// Candle.home.example.com "first" is invalid: spec.hours: Invalid value: 200: no candle burns that long
}

// A running API takes a kind, gets a newer declaration of it, and gives it up. The store keeps the objects.
func ExampleAPI_AddResources() {
	ctx := context.Background()
	api, err := rest.New(rest.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()

	if err := api.AddResources(ctx, candles()); err != nil {
		log.Fatal(err)
	}
	client, err := rest.ClientForResource[apimeta.Document](api, candlesV1)
	if err != nil {
		log.Fatal(err)
	}
	client = client.Namespace("default")
	_, err = client.Create(ctx, &apimeta.Document{
		ObjectMeta: apimeta.ObjectMeta{Name: "first"},
		Content:    map[string]any{"spec": map[string]any{"hours": 40, "color": "red"}},
	})
	if err != nil {
		log.Fatal(err)
	}

	newer := candles()
	newer.Schema.OpenAPI = []byte(`{"type": "object", "properties": {"spec": {"type": "object", "properties": {
		"color": {"type": "string"}, "scent": {"type": "string", "default": "none"}}}}}`)
	if err := api.ReplaceResources(ctx, newer); err != nil {
		log.Fatal(err)
	}
	candle, err := client.Get(ctx, "first")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(candle.Content["spec"])

	if err := api.WithdrawResources(ctx, candlesV1.GroupResource()); err != nil {
		log.Fatal(err)
	}
	_, err = client.Get(ctx, "first")
	fmt.Println(status.IsNotFound(err))
	// Output:
	// map[color:red scent:none]
	// true
}

// Another replica serves the kind already. This replica asks clients to try again until it serves the kind, too.
func ExampleAPI_Expect() {
	api, err := rest.New(rest.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()
	get := func() {
		answer := httptest.NewRecorder()
		api.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/apis/home.example.com/v1/candles", nil))
		fmt.Println(answer.Code)
	}

	get()
	api.Expect(candlesV1)
	get()
	if err := api.AddResources(context.Background(), candles()); err != nil {
		log.Fatal(err)
	}
	get()
	// Output:
	// 404
	// 503
	// 200
}

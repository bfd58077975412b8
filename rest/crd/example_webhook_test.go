package crd_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/callout"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
)

// A webhook converts the ropes of a definition. Version v1 has a length in metres, and v2 a text with the unit.
func ExampleOptions_calls() {
	webhook := httptest.NewTLSServer(http.HandlerFunc(convertRopes))
	defer webhook.Close()
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: webhook.Certificate().Raw})

	calls, err := callout.New(callout.Options{
		Dial:  (&net.Dialer{}).DialContext,
		Allow: func(netip.AddrPort) error { return nil }, // the webhook is on this machine
	})
	if err != nil {
		log.Fatal(err)
	}
	defer calls.Close()
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{crd.New(crd.Options{Calls: calls})}})
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()

	ctx := context.Background()
	if err := api.Start(ctx); err != nil {
		log.Fatal(err)
	}

	defineRopes(ctx, api, &apiextensions.CustomResourceConversion{
		Strategy: apiextensions.WebhookConverter,
		Webhook: &apiextensions.WebhookConversion{
			ConversionReviewVersions: []string{"v1"},
			ClientConfig:             &apiextensions.WebhookClientConfig{URL: &webhook.URL, CABundle: certificate},
		},
	})

	ropes := func(version string) rest.Client[apimeta.Document] {
		documents, err := rest.ClientForResource[apimeta.Document](api,
			apimeta.GroupVersionResource{Group: "example.org", Version: version, Resource: "ropes"})
		if err != nil {
			log.Fatal(err)
		}
		return documents
	}
	rope := &apimeta.Document{ObjectMeta: apimeta.ObjectMeta{Name: "long"}, Content: map[string]any{"length": 20}}
	if _, err = ropes("v1").Create(ctx, rope); err != nil {
		log.Fatal(err)
	}
	if rope, err = ropes("v2").Get(ctx, "long"); err != nil {
		log.Fatal(err)
	}
	fmt.Println(rope.APIVersion, rope.Content["length"])
	// Output: example.org/v2 20m
}

// convertRopes answers a ConversionReview.
func convertRopes(w http.ResponseWriter, r *http.Request) {
	type review struct {
		apimeta.TypeMeta
		Request struct {
			UID               string           `json:"uid"`
			DesiredAPIVersion string           `json:"desiredAPIVersion"`
			Objects           []map[string]any `json:"objects"`
		} `json:"request"`
		Response map[string]any `json:"response"`
	}
	var asked review
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for _, rope := range asked.Request.Objects {
		rope["apiVersion"] = asked.Request.DesiredAPIVersion
		switch length := rope["length"].(type) {
		case float64:
			rope["length"] = fmt.Sprint(length, "m")
		case string:
			var metres float64
			_, _ = fmt.Sscanf(length, "%gm", &metres)
			rope["length"] = metres
		}
	}
	_ = json.NewEncoder(w).Encode(review{TypeMeta: asked.TypeMeta, Response: map[string]any{
		"uid": asked.Request.UID, "convertedObjects": asked.Request.Objects, "result": map[string]any{"status": "Success"},
	}})
}

// defineRopes creates the definition of ropes, and returns when the API serves them.
func defineRopes(ctx context.Context, api *rest.API, conversion *apiextensions.CustomResourceConversion) {
	version := func(name, lengthType string, stored bool) apiextensions.CustomResourceDefinitionVersion {
		return apiextensions.CustomResourceDefinitionVersion{Name: name, Served: true, Storage: stored,
			Schema: &apiextensions.CustomResourceValidation{OpenAPIV3Schema: &apiextensions.JSONSchemaProps{
				Type: "object", Properties: map[string]apiextensions.JSONSchemaProps{"length": {Type: lengthType}},
			}}}
	}
	definitions, err := rest.ClientForType[apiextensions.CustomResourceDefinition](api)
	if err != nil {
		log.Fatal(err)
	}
	_, err = definitions.Create(ctx, &apiextensions.CustomResourceDefinition{
		ObjectMeta: apimeta.ObjectMeta{Name: "ropes.example.org"},
		Spec: apiextensions.CustomResourceDefinitionSpec{
			Group: "example.org", Scope: apiextensions.ClusterScoped, Conversion: conversion,
			Names: apiextensions.CustomResourceDefinitionNames{Plural: "ropes", Kind: "Rope"},
			Versions: []apiextensions.CustomResourceDefinitionVersion{version("v1", "number", true),
				version("v2", "string", false)},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	for event, err := range definitions.Follow(ctx, rest.WatchOptions{}) {
		if err != nil {
			log.Fatal(err)
		}
		if event.Object.Is(apiextensions.Established) {
			return
		}
	}
}

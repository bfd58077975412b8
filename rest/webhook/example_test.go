package webhook_test

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
	"github.com/decorum-go/decorum/rest/admissionregistration"
	"github.com/decorum-go/decorum/rest/callout"
	"github.com/decorum-go/decorum/rest/webhook"
)

// A webhook in the same program refuses memos with more than three lines. Clients would register it with kubectl apply.
func Example() {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review struct {
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
			Request    struct {
				UID    string `json:"uid"`
				Object Memo   `json:"object"`
			} `json:"request"`
		}
		_ = json.NewDecoder(r.Body).Decode(&review)
		_ = json.NewEncoder(w).Encode(map[string]any{"apiVersion": review.APIVersion, "kind": review.Kind,
			"response": map[string]any{
				"uid": review.Request.UID, "allowed": review.Request.Object.Lines <= 3,
				"status": map[string]any{"message": "too long", "code": 422},
			}})
	}))
	defer server.Close()

	calls, err := callout.New(callout.Options{
		Dial:  (&net.Dialer{}).DialContext,
		Allow: func(netip.AddrPort) error { return nil }, // this webhook runs on the same machine
	})
	if err != nil {
		log.Fatal(err)
	}
	defer calls.Close()
	hooks, err := webhook.New(webhook.Options{Calls: calls})
	if err != nil {
		log.Fatal(err)
	}
	memos := rest.Resource[Memo]{Group: "example.com", Version: "v1", Plural: "memos", Scope: rest.ScopeCluster}
	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{hooks}}, memos)
	if err != nil {
		log.Fatal(err)
	}
	defer api.Close()

	ctx := context.Background()
	none := admissionregistration.SideEffectClassNone
	validatingWebhookConfigurations, err := rest.ClientForType[admissionregistration.ValidatingWebhookConfiguration](api)
	if err != nil {
		log.Fatal(err)
	}
	_, err = validatingWebhookConfigurations.Create(ctx, &admissionregistration.ValidatingWebhookConfiguration{
		ObjectMeta: apimeta.ObjectMeta{Name: "short"},
		Webhooks: []admissionregistration.ValidatingWebhook{{
			Name: "short.example.com",
			ClientConfig: admissionregistration.WebhookClientConfig{
				URL:      &server.URL,
				CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
			},
			Rules: []admissionregistration.RuleWithOperations{{
				Operations: []admissionregistration.OperationType{admissionregistration.Create, admissionregistration.Update},
				Rule: admissionregistration.Rule{APIGroups: []string{"example.com"}, APIVersions: []string{"v1"},
					Resources: []string{"memos"}},
			}},
			SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
		}},
	})
	fmt.Println(err)
	memoClient, err := rest.ClientForType[Memo](api)
	if err != nil {
		log.Fatal(err)
	}
	_, err = memoClient.Create(ctx, &Memo{ObjectMeta: apimeta.ObjectMeta{Name: "a"}, Lines: 4})
	fmt.Println(err)
	// Output:
	// <nil>
	// admission webhook "short.example.com" denied the request: too long
}

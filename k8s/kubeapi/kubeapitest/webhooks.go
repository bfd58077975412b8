package kubeapitest

import (
	"encoding/base64"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// conversionService is the Service of [Options.ConversionWebhooks]. It does not exist, so the test's own server has its
// webhook.
var conversionService = service{namespace: "kubeapitest", name: "webhooks"}

// placeholder is the caBundle, a line break, that generated manifests have where another program injects the authority.
const placeholder = "Cg=="

// service names the Service of a webhook.
type service struct{ namespace, name string }

// serverName returns the name that the certificate of the webhook must have.
func (s service) serverName() string { return s.name + "." + s.namespace + ".svc" }

// convertByWebhook sets the conversion of the definitions with the given names.
func convertByWebhook(definitions []*unstructured.Unstructured, names []string) error {
	for _, name := range names {
		i := slices.IndexFunc(definitions, func(d *unstructured.Unstructured) bool { return d.GetName() == name })
		if i < 0 {
			return fmt.Errorf("ConversionWebhooks: no CustomResourceDefinition %q", name)
		}
		conversion := map[string]any{"strategy": "Webhook", "webhook": map[string]any{
			"conversionReviewVersions": []any{"v1"},
			"clientConfig": map[string]any{"service": map[string]any{
				"namespace": conversionService.namespace, "name": conversionService.name, "path": "/convert"}}}}
		if err := unstructured.SetNestedField(definitions[i].Object, conversion, "spec", "conversion"); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func isWebhookConfiguration(o *unstructured.Unstructured) bool {
	return o.GroupVersionKind().Group == "admissionregistration.k8s.io" &&
		(o.GetKind() == "MutatingWebhookConfiguration" || o.GetKind() == "ValidatingWebhookConfiguration")
}

// clientConfigs returns how the webhooks of objects are called: those of configurations and those of definitions.
func clientConfigs(objects []*unstructured.Unstructured) (found []map[string]any) {
	for _, o := range objects {
		webhooks, _, _ := unstructured.NestedFieldNoCopy(o.Object, "webhooks")
		all, _ := webhooks.([]any)
		if conversion, ok, _ := unstructured.NestedFieldNoCopy(o.Object, "spec", "conversion", "webhook"); ok {
			all = append(slices.Clip(all), conversion)
		}
		for _, webhook := range all {
			webhook, _ := webhook.(map[string]any)
			if c, ok := webhook["clientConfig"].(map[string]any); ok {
				found = append(found, c)
			}
		}
	}
	return found
}

// trust sets the authority of the webhooks that have a Service and no authority, and returns the Services.
func trust(configs []map[string]any, authority []byte) (services []service) {
	for _, c := range configs {
		s, ok := c["service"].(map[string]any)
		if !ok {
			continue
		}
		namespace, _ := s["namespace"].(string)
		name, _ := s["name"].(string)
		services = append(services, service{namespace, name})
		if bundle, _ := c["caBundle"].(string); bundle == "" || bundle == placeholder {
			c["caBundle"] = base64.StdEncoding.EncodeToString(authority)
		}
	}
	return services
}

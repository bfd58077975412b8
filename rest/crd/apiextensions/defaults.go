package apiextensions

import "strings"

// httpsPort is the default port of a webhook's service.
const httpsPort = 443

// setDefaults fills in what a client may leave out.
func setDefaults(d *CustomResourceDefinition) {
	names := &d.Spec.Names
	if names.Singular == "" {
		names.Singular = strings.ToLower(names.Kind)
	}
	if names.ListKind == "" && names.Kind != "" {
		names.ListKind = names.Kind + "List"
	}
	if d.Spec.Conversion == nil {
		d.Spec.Conversion = &CustomResourceConversion{Strategy: NoneConverter}
	}
	if w := webhookOf(&d.Spec); w != nil && w.ClientConfig != nil && w.ClientConfig.Service != nil &&
		w.ClientConfig.Service.Port == nil {
		port := int32(httpsPort)
		w.ClientConfig.Service.Port = &port
	}
}

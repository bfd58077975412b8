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
	if w := webhookOf(&d.Spec); w != nil && w.ClientConfig != nil && w.ClientConfig.Service != nil && w.ClientConfig.Service.Port == nil {
		port := int32(httpsPort)
		w.ClientConfig.Service.Port = &port
	}
	if len(d.Status.StoredVersions) == 0 {
		recordStorageVersion(d)
	}
}

// recordStorageVersion adds the storage version to the versions in which objects may be stored.
func recordStorageVersion(d *CustomResourceDefinition) {
	if name, ok := d.Spec.storageVersion(); ok && !known(d.Status.StoredVersions, name) {
		d.Status.StoredVersions = append(d.Status.StoredVersions, name)
	}
}

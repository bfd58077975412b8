package kubeapitest

import "net/netip"

// Options configures [New]. All fields are optional. Where a field lists files and folders, a folder stands for the
// .yaml, .yml and .json files in it.
type Options struct {
	// CRDs are files and folders with CustomResourceDefinitions, which New installs before it returns. It ignores other
	// objects in the files.
	CRDs []string
	// Objects are files and folders with objects, which New creates in their order and after all
	// CustomResourceDefinitions.
	Objects []string
	// Webhooks are files and folders with MutatingWebhookConfigurations and ValidatingWebhookConfigurations, which New
	// registers after Objects. It ignores other objects in the files.
	//
	// A webhook with clientConfig.service is called at the external name or at a ready endpoint of this Service, and, if
	// it has neither, at the server that [Server.WebhookServer] describes or [Server.ServeWebhooks] starts. If it has no
	// caBundle, New sets it to the authority of that server. A webhook with clientConfig.url is called at its URL.
	Webhooks []string
	// ConversionWebhooks are names of definitions in CRDs, such as widgets.example.com, whose objects a webhook converts.
	// The webhook is at the path /convert of the test's own server, as with Webhooks. A definition whose manifest names a
	// Service in spec.conversion does not need to be listed here.
	ConversionWebhooks []string
	// Controllers are the controllers of a cluster that run: "garbage-collector", "namespace", "event-ttl",
	// "resourcequota", "service-cidr", "serviceaccount", "root-ca-certificate-publisher" and "clusterrole-aggregation".
	// Default: none. Without them, as in envtest, the dependents of a deleted object stay, so does a deleted namespace,
	// and quotas limit nothing.
	Controllers []string
	// ServiceRange is the range of the first ServiceCIDR. Default: 10.0.0.0/24.
	ServiceRange netip.Prefix
}

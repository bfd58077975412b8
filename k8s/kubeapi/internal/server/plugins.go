package server

import (
	"slices"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/addresses"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/kinds"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/limits"
	"github.com/decorum-go/decorum/rest"
)

const (
	resourceQuota   = "ResourceQuota"
	ownersPlugin    = "OwnerReferencesPermissionEnforcement"
	provisionPlugin = "NamespaceAutoProvision"
	accountsPlugin  = "ServiceAccount"
	accountsCreator = "serviceaccount" // the controller that creates the accounts on which the plugin relies
)

// Plugins returns the names of the admission plugins that a server can switch on and off.
func Plugins() []string { return append(kinds.Plugins(), ownersPlugin, provisionPlugin, resourceQuota) }

// DefaultPlugins returns the plugins of a server with the given controllers: those that run by default, but without
// ServiceAccount if nothing creates the accounts, because it would refuse all Pods.
func DefaultPlugins(controllers []string) kinds.Switches {
	if slices.Contains(controllers, accountsCreator) {
		return kinds.Switches{}
	}
	return kinds.Switches{Off: []string{accountsPlugin}}
}

// lastHooks returns the plug-ins with the hooks that come after those of webhooks and policies. Two of them write other
// objects for what all others allow: ResourceQuota, unless it is off, and what records the addresses of Services.
func lastHooks(of kinds.Switches) (plugins []rest.Plugin) {
	if slices.Contains(of.On, ownersPlugin) {
		plugins = append(plugins, kinds.OwnerReferences())
	}
	if !slices.Contains(of.Off, resourceQuota) {
		plugins = append(plugins, rest.Parts{Name: "resourcequotas", Admission: []rest.Admission{limits.Quotas()}})
	}
	return append(plugins, rest.Parts{Name: "addresses", Admission: []rest.Admission{addresses.Record()}})
}

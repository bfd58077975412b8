package server

import (
	"context"
	"errors"
	"slices"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/addresses"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/kinds"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/limits"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/admission"
)

const (
	resourceQuota   = "ResourceQuota"
	ownersPlugin    = "OwnerReferencesPermissionEnforcement"
	provisionPlugin = "NamespaceAutoProvision"
	accountsPlugin  = "ServiceAccount"
	denyPlugin      = "AlwaysDeny"
	accountsCreator = "serviceaccount" // the controller that creates the accounts on which the plugin relies
)

// hostUser is the user of the writes of the server itself. Requests have another one.
var hostUser = access.User{Name: "system:host", Groups: []string{"system:authenticated"}}

// Plugins returns the names of the admission plugins that a server can switch on and off.
func Plugins() []string {
	return slices.Concat(kinds.Plugins(), reviewPlugins,
		[]string{ownersPlugin, provisionPlugin, resourceQuota, denyPlugin})
}

// DefaultPlugins returns the plugins of a server with the given controllers: those that run by default, but without
// ServiceAccount if nothing creates the accounts, because it would refuse all Pods.
func DefaultPlugins(controllers []string) (o kinds.PluginOptions) {
	if !slices.Contains(controllers, accountsCreator) {
		o.Off = []string{accountsPlugin}
	}
	return o
}

// lastHooks returns the plug-ins with the hooks that come after those of webhooks and policies. Two of them write other
// objects for what all others allow: ResourceQuota, unless it is off, and what records the addresses of Services.
func lastHooks(of kinds.PluginOptions) (plugins []rest.Plugin, err error) {
	if slices.Contains(of.On, ownersPlugin) {
		plugins = append(plugins, kinds.OwnerReferences())
	}
	if !slices.Contains(of.Off, resourceQuota) {
		p := rest.PluginParts{Name: "resourcequotas"}
		err := of.Configure(resourceQuota, func(text []byte) (err error) {
			p.Admission, err = limits.Quotas(text)
			return err
		})
		if err != nil {
			return nil, err
		}
		plugins = append(plugins, p)
	}
	if slices.Contains(of.On, denyPlugin) {
		plugins = append(plugins, rest.PluginParts{Name: "deny", Admission: []admission.Hook{deny()}})
	}
	return append(plugins, rest.PluginParts{Name: "addresses", Admission: []admission.Hook{addresses.Record()}}), nil
}

// deny returns the hook of the plugin AlwaysDeny. The server itself still writes, so that it can start.
func deny() admission.Hook {
	refuse := func(_ context.Context, r *admission.Request) error {
		if r.User.Name == hostUser.Name {
			return nil
		}
		return errors.New("admission control is denying all modifications")
	}
	return admission.Hook{Name: "denials.kubeapi", SideEffects: admission.SideEffectsNone, Mutate: refuse, Validate: refuse}
}

package server

import (
	"slices"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/kinds"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/limits"
	"github.com/decorum-go/decorum/rest"
)

const (
	resourceQuota   = "ResourceQuota"
	accountsPlugin  = "ServiceAccount"
	accountsCreator = "serviceaccount" // the controller that creates the accounts on which the plugin relies
)

// Plugins returns the names of the admission plugins that a server can switch off.
func Plugins() []string { return append(kinds.Plugins(), resourceQuota) }

// DefaultOff returns the plugins that a server with the given controllers does without: ServiceAccount would refuse all
// Pods if nothing creates the accounts.
func DefaultOff(controllers []string) []string {
	if slices.Contains(controllers, accountsCreator) {
		return nil
	}
	return []string{accountsPlugin}
}

// quotas returns the plug-in of ResourceQuota, unless it is off. It comes last, because it counts only what all others
// allow.
func (s *Server) quotas(off []string) []rest.Plugin {
	if slices.Contains(off, resourceQuota) {
		return nil
	}
	return []rest.Plugin{rest.Parts{Name: "resourcequotas", Admission: []rest.Admission{limits.Quotas()}}}
}

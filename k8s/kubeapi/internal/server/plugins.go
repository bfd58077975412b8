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

// DefaultOff returns the plugins that a server with the given controllers does without: ServiceAccount would refuse all Pods if nothing
// creates the accounts.
func DefaultOff(controllers []string) []string {
	if slices.Contains(controllers, accountsCreator) {
		return nil
	}
	return []string{accountsPlugin}
}

// hooks returns the hooks on writes. The plugin ResourceQuota comes last, because it counts only what all others allow.
func (s *Server) hooks(off []string) []rest.Admission {
	hooks := append(kinds.Admission(off...), s.review.hooks()...)
	if !slices.Contains(off, resourceQuota) {
		hooks = append(hooks, limits.Quotas())
	}
	return hooks
}

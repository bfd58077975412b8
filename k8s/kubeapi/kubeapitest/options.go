package kubeapitest

import "net/netip"

// Option changes the API that [New] starts.
type Option func(*config)

type config struct {
	crds, objects []string
	webhooks      []string // files and folders
	converted     []string // names of definitions
	controllers   []string
	serviceRange  netip.Prefix
}

// CRDs installs the CustomResourceDefinitions in files and folders, before New returns. A folder stands for the .yaml, .yml and .json
// files in it. Other objects in the files are ignored.
func CRDs(paths ...string) Option { return func(c *config) { c.crds = append(c.crds, paths...) } }

// Objects creates the objects in files and folders, in their order and after all CustomResourceDefinitions.
func Objects(paths ...string) Option {
	return func(c *config) { c.objects = append(c.objects, paths...) }
}

// Controllers runs controllers of a cluster: "garbage-collector", "namespace", "event-ttl", "serviceaccount" and
// "root-ca-certificate-publisher". Default: none. Without them, as in envtest, the dependents of a deleted object stay, and so does a
// deleted namespace.
func Controllers(names ...string) Option {
	return func(c *config) { c.controllers = append(c.controllers, names...) }
}

// ServiceRange sets the addresses of Services. Default: 10.0.0.0/24.
func ServiceRange(p netip.Prefix) Option { return func(c *config) { c.serviceRange = p } }

// Package kinds declares the kinds of Kubernetes: each GA kind of the API groups of Kubernetes 1.37.
//
// A declaration begins with k8s.Resource, which states the names, columns and list types. Package defaults adds the
// defaults. What a kind does beyond that is stated here, in a file for each group.
//
// To add an admission plugin of kube-apiserver, write a function in this package, as setPriority in priority.go, or a
// package beside this one if there is much to do, as package limits. Add a row to plugins in plugins.go. A plugin that
// completes Pods sets pod, because all of these share one hook, which decodes each Pod once. Any other sets hooks, and
// completing makes a hook that changes an object. A plugin with a configuration sets configure instead, which sets pod
// or hooks; package pluginconfig reads the text. The hooks run in the order of the rows, and the shared hook on Pods
// runs last. A plugin that is off by default in plugins.txt of package program sets rare. Name the plugin in the README
// of kubeapi, and in pluginsOff of the oracle if it changes or refuses objects. Add it to plugins of the oracle, and
// give it a scene in testdata/admission.yaml there: a test fails for a plugin that has neither a scene nor a reason.
package kinds

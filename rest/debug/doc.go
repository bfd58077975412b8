// Package debug serves what helps to find out why a program is slow or large: profiles, and the watches that clients
// have open. The API serves it only if the host adds the plug-in:
//
//	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{rbac.New(…), debug.New(debug.Options{})}}, …)
//
// The paths need rights of their own, such as a ClusterRole with nonResourceURLs /debug/* and the verb get:
//
//	/debug/pprof/            the list of profiles
//	/debug/pprof/profile     where the program spends its time: CPU, for ?seconds=30
//	/debug/pprof/trace       what its goroutines do, for ?seconds=1, for go tool trace
//	/debug/pprof/NAME        a profile by name: allocs, block, goroutine, heap, mutex, threadcreate
//	/debug/watches           the open watches with user, path, and how far behind they are, as JSON
//	/debug/NAME              a state of the host or of a plug-in, as JSON, see Options.States
//
// The state of flow control is such a state:
//
//	limiter, err := fairness.New(fairness.Options{})
//	debug.Options{States: map[string]func() any{"fairness": func() any { return limiter.State() }}}
//
// It shows what the dump endpoints of kube-apiserver show: the levels, the lengths of their queues, and what each flow
// has had.
//
// The profiles match net/http/pprof. This package does not link net/http/pprof, because net/http/pprof registers itself
// with [http.DefaultServeMux]. kubectl reads them with the credentials of its user:
//
//	kubectl get --raw /debug/pprof/heap >heap; go tool pprof heap
//
// Other plug-ins add their own paths below /debug/ with [rest.PluginParts].
package debug

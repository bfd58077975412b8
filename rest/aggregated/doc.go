// Package aggregated makes an API a part of a Kubernetes cluster, as an aggregated API server: kube-apiserver forwards
// the requests for its groups to the program, and the cluster decides who may do what.
//
//	pod, err := kubeconfig.InCluster(kubeconfig.InClusterOptions{})
//	…
//	cluster, err := aggregated.New(aggregated.Options{
//		Cluster: pod.Server,
//		Publish: &aggregated.Publication{
//			Service: apiservice.ServiceReference{Namespace: pod.Namespace, Name: "reports"},
//			Groups:  []string{"reports.example.com"},
//		},
//	})
//	…
//	api, err := rest.New(rest.Options{Plugins: []rest.Plugin{cluster}}, reports)
//	…
//	err = host.Run(ctx, api, host.Options{
//		Server:      &http.Server{Addr: ":6443", TLSConfig: cluster.TLSConfig()},
//		NoLifecycle: true, // the cluster collects garbage, and empties namespaces
//	})
//
// # Who sends a request
//
// The cluster publishes how its proxy proves who it is, in the ConfigMap extension-apiserver-authentication of the
// namespace kube-system. The plug-in reads and follows it, also when the authorities rotate. A request has the user
// that its headers name only if the certificate of its sender has been signed by the authority of the proxies, for one
// of the allowed names. The plug-in also recognizes users who call the program directly: by a certificate of the
// authority of the cluster's clients, or by a bearer token, which the cluster reviews (TokenReview). All other
// requests, such as those with forged headers, get 401.
//
// # What the user may do
//
// The cluster reviews each access (SubjectAccessReview), with the selectors of a list. Members of the group
// system:masters may do everything, as in Kubernetes. The plug-in caches the answers for some seconds. It
// reviews open watches and streams again each minute, and ends those that their user may no longer open.
//
// # Without the cluster
//
// The program also starts if the cluster, the ConfigMap or the right to read it is missing. It is then not ready, tries
// again, and logs the reason. Until the plug-in has read the ConfigMap, all requests get 503, except
// /healthz, /livez and /readyz, which are open to everybody in the cluster. If the cluster becomes unavailable
// later, the plug-in uses cached answers for a few seconds, and then requests get 503.
//
// The program needs these rights: the ClusterRole system:auth-delegator, the Role
// extension-apiserver-authentication-reader of kube-system, get, list and watch of namespaces, and what [Publication]
// requires. docs/aggregated.md has the manifests.
package aggregated

// Package aggregated makes an API a part of a Kubernetes cluster, as an aggregated API server: kube-apiserver sends the
// requests for its groups on to the program, and the cluster decides who may do what.
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
// authority of the cluster's clients, or by a bearer token, which the cluster reviews (TokenReview). Everything else is
// answered with 401, forged headers included.
//
// # What the user may do
//
// The cluster reviews each access (SubjectAccessReview), with the selectors of a list. Members of the group
// system:masters may do everything, as in Kubernetes. The answers are kept for seconds. Open watches and streams are
// reviewed again each minute, and end if their user could not open them any more.
//
// # Without the cluster
//
// The program starts without the cluster, without the ConfigMap and without the rights to read it. It is then not
// ready, tries again, and says why in its log. Until the plug-in has read the ConfigMap, all requests get 503, except
// /healthz, /livez and /readyz, which are open to everybody in the cluster. If the cluster goes away later, known
// answers count for a few seconds more, and then requests get 503.
//
// The program needs these rights: the ClusterRole system:auth-delegator, the Role
// extension-apiserver-authentication-reader of kube-system, get, list and watch of namespaces, and what [Publication]
// requires. docs/aggregated.md has the manifests.
package aggregated

// Package addresses keeps the objects ServiceCIDR and IPAddress. ServiceCIDRs say from which ranges Services get their
// cluster IPs, and an IPAddress says which Service has a cluster IP.
//
// As in kube-apiserver, [Record] creates the IPAddress before the store has the Service, so that a client that sees the
// Service finds the IPAddress. [Keep] removes what Services no longer have. [Protect] is a controller of
// kube-controller-manager: without it, a ServiceCIDR can be deleted although Services have addresses from it.
package addresses

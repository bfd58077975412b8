// Package limits holds the admission plugins LimitRanger and ResourceQuota, which limit what the objects of a namespace
// may ask for.
//
// As in Kubernetes, ResourceQuota compares a write with the status of a quota, and adds to the usage there. The
// controller [Count] writes the rest of the status.
package limits

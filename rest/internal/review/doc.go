// Package review holds the kinds through which clients ask who they are and what a user may do: the groups
// authentication.k8s.io and authorization.k8s.io.
package review

// Package rbac decides what users may do by the roles and bindings of Kubernetes: Role, ClusterRole, RoleBinding and
// ClusterRoleBinding of the group rbac.authorization.k8s.io. The API serves them as kinds, in the built-in dialect and
// in Protobuf, so kubectl and other clients manage them as in Kubernetes:
//
//	roles, err := rbac.New(rbac.Options{Administrators: []string{"platform-admins"}})
//	api, err := rest.New(rest.Options{Authenticator: users, Plugins: []rest.Plugin{roles}}, definitions...)
//	err = api.Start(ctx)
//
// Rights only add up; no rule takes one away. A change of a role or a binding counts from the next request on, in this
// process at once, and in other replicas as soon as their store sees it. As in Kubernetes, users cannot use roles to
// gain rights:
//
//   - A user who writes a role must have all rights of the role, or the verb escalate on it. For a role with an aggregationRule, the user
//     must have all rights that exist.
//   - A user who writes a binding must have all rights of its role, or the verb bind on the role.
//
// The check does not concern in-process clients, unless they act as a user.
//
// The structs have the same names, fields and JSON as the structs of k8s.io/api/rbac/v1.
package rbac

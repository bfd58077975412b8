// Package rbac decides what users may do by the roles and bindings of Kubernetes: Role, ClusterRole, RoleBinding and ClusterRoleBinding of
// the group rbac.authorization.k8s.io. The API serves them as kinds, in the built-in dialect and in Protobuf, so kubectl and other
// clients manage them as in Kubernetes:
//
//	roles, err := rbac.New(rbac.Options{Administrators: []string{"platform-admins"}})
//	api, err := rest.New(rest.Options{Authenticator: users, Authorizer: roles}, append(roles.Definitions(), definitions...)...)
//
// Rights only add up; no rule takes one away. A change of a role or a binding counts from the next request on, in this process at once,
// and in other replicas as soon as their store sees it. A user can only grant rights that the user has (see [Authorizer.Definitions]).
//
// The structs have the same names, fields and JSON as the structs of k8s.io/api/rbac/v1.
package rbac

package kubeapitest

import (
	"context"
	"fmt"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/rbac"
	"github.com/decorum-go/decorum/rest/resttest"
)

// Bind gives a user the rights of a ClusterRole, such as "view" or "edit", in a namespace or, if namespace is empty,
// everywhere. For a service account, the user is system:serviceaccount:NAMESPACE:NAME.
func (s *Server) Bind(user, clusterRole, namespace string) {
	s.t.Helper()
	meta := apimeta.ObjectMeta{GenerateName: "kubeapitest-", Namespace: namespace}
	subjects := []rbac.Subject{{Kind: rbac.UserKind, APIGroup: rbac.Group, Name: user}}
	ref := rbac.RoleRef{APIGroup: rbac.Group, Kind: "ClusterRole", Name: clusterRole}
	ctx, api := context.Background(), s.cluster.API()
	_, err := resttest.Client[rbac.ClusterRole](s.t, api).Get(ctx, clusterRole)
	if err == nil && namespace == "" {
		_, err = resttest.Client[rbac.ClusterRoleBinding](s.t, api).Create(ctx,
			&rbac.ClusterRoleBinding{ObjectMeta: meta, Subjects: subjects, RoleRef: ref})
	} else if err == nil {
		_, err = resttest.Client[rbac.RoleBinding](s.t, api).Namespace(namespace).Create(ctx,
			&rbac.RoleBinding{ObjectMeta: meta, Subjects: subjects, RoleRef: ref})
	}
	if err != nil {
		s.t.Fatal(fmt.Errorf("bind %s to the ClusterRole %s: %w", user, clusterRole, err))
	}
}

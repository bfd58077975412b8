package clients_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	clientrest "k8s.io/client-go/rest"
)

// The typed clients of reviews send Protobuf and receive the host's decision.
func TestReviews(t *testing.T) {
	overBoth(t, func(t *testing.T, h *host) {
		ctx := t.Context()
		authorization := h.typed(t).AuthorizationV1()
		for verb, want := range map[string]bool{"get": true, "delete": false} {
			attributes := &authorizationv1.ResourceAttributes{Namespace: "default", Verb: verb, Group: "example.com",
				Resource: "sites", Name: "kept"}
			self, err := authorization.SelfSubjectAccessReviews().Create(ctx, &authorizationv1.SelfSubjectAccessReview{
				Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: attributes}}, metav1.CreateOptions{})
			require.NoError(t, err)
			assert.Equal(t, authorizationv1.SubjectAccessReviewStatus{Allowed: want,
				Reason: map[bool]string{true: "allowed here", false: "not allowed here"}[want]}, self.Status, verb)
			other, err := authorization.SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
				Spec: authorizationv1.SubjectAccessReviewSpec{ResourceAttributes: attributes, User: "bob"}}, metav1.CreateOptions{})
			require.NoError(t, err)
			assert.Equal(t, want, other.Status.Allowed, verb)
			here, err := authorization.LocalSubjectAccessReviews("default").Create(ctx,
				&authorizationv1.LocalSubjectAccessReview{ObjectMeta: metav1.ObjectMeta{Namespace: "default"},
					Spec: authorizationv1.SubjectAccessReviewSpec{ResourceAttributes: attributes, User: "bob"}},
				metav1.CreateOptions{})
			require.NoError(t, err)
			assert.Equal(t, want, here.Status.Allowed, verb)
		}
		rules, err := authorization.SelfSubjectRulesReviews().Create(ctx,
			&authorizationv1.SelfSubjectRulesReview{Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: "default"}},
			metav1.CreateOptions{})
		require.NoError(t, err)
		assert.True(t, rules.Status.Incomplete)
		_, err = authorization.SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{},
			metav1.CreateOptions{})
		assert.True(t, apierrors.IsInvalid(err), "%v", err)

		who, err := h.typed(t).AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{},
			metav1.CreateOptions{})
		require.NoError(t, err)
		assert.Equal(t, "system:anonymous", who.Status.UserInfo.Username)
	})
}

// The server rejects a client that may not act as another user.
func TestImpersonation(t *testing.T) {
	overBoth(t, func(t *testing.T, h *host) {
		config := clientrest.CopyConfig(h.config)
		config.Impersonate = clientrest.ImpersonationConfig{UserName: "bob", UID: "1", Groups: []string{"dev"},
			Extra: map[string][]string{"scopes": {"all"}}}
		client, err := kubernetes.NewForConfig(config)
		require.NoError(t, err)
		_, err = client.CoreV1().ConfigMaps("default").List(t.Context(), metav1.ListOptions{})
		assert.True(t, apierrors.IsForbidden(err), "%v", err)
		assert.ErrorContains(t, err,
			`cannot impersonate resource "users" in API group "" at the cluster scope: not allowed here`)
	})
}

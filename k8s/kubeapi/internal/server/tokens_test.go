package server_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/server"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/resttest"
)

// post sends a body as root, and returns the code, the answer and the warnings.
func post(t *testing.T, s *server.Server, path, body string) (int, string, []string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer root")
	r.Header.Set("Content-Type", "application/json")
	answer := httptest.NewRecorder()
	s.Handler().ServeHTTP(answer, r)
	return answer.Code, answer.Body.String(), answer.Header().Values("Warning")
}

// A TokenReview knows the tokens of every authenticator of the server, and nobody else.
func TestTokenReviewsKnowAllUsers(t *testing.T) {
	s := newServer(t, func(c *server.Config) {
		c.Users = append(c.Users, auth.Tokens(auth.Token{Secret: "of-a-file",
			User: access.User{Name: "ann", UID: "7", Groups: []string{"devs"}}}))
	})
	const path = "/apis/authentication.k8s.io/v1/tokenreviews"
	code, body, _ := post(t, s, path, `{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"of-a-file"}}`)
	require.Equal(t, http.StatusCreated, code, body)
	assert.Contains(t, body, `"authenticated":true`)
	assert.Contains(t, body, `"user":{"groups":["devs","system:authenticated"],"uid":"7","username":"ann"}`)
	code, body, _ = post(t, s, path, `{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"guess"}}`)
	require.Equal(t, http.StatusCreated, code, body)
	assert.NotContains(t, body, `"authenticated"`)
	assert.NotContains(t, body, "system:anonymous")
}

// Only a configured limit shortens the life of a token.
func TestLivesOfTokens(t *testing.T) {
	const body = `{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{"expirationSeconds":31536000}}`
	for _, c := range []struct {
		limit    time.Duration
		seconds  int64
		warnings []string
	}{
		{0, 31_536_000, nil},
		{2 * time.Hour, 7200, []string{`299 - "requested expiration of 31536000 seconds shortened to 7200 seconds"`}},
	} {
		s := newServer(t, func(c2 *server.Config) { c2.Accounts.MaxLifetime = c.limit })
		_, err := resttest.Client[corev1.ServiceAccount](t, s.API()).Namespace("default").Create(t.Context(),
			&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "builder"}})
		require.NoError(t, err)
		code, answer, warnings := post(t, s, "/api/v1/namespaces/default/serviceaccounts/builder/token", body)
		require.Equal(t, http.StatusCreated, code, answer)
		assert.Equal(t, c.warnings, warnings)
		var r authenticationv1.TokenRequest
		require.NoError(t, json.Unmarshal([]byte(answer), &r))
		assert.Equal(t, c.seconds, *r.Spec.ExpirationSeconds)
		assert.Equal(t, c.seconds, r.Status.ExpirationTimestamp.Unix()-r.CreationTimestamp.Unix())
	}
}

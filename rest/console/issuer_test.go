package console_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/console"
)

func TestIssuer(t *testing.T) {
	issuer, err := console.NewIssuer(console.IssuerOptions{URL: "https://login.example.com/realm", ClientID: `c"><script>`,
		Scopes:  []string{"email", "openid"},
		Origins: []string{"https://tokens.example.com:8443/path; script-src *", "https://login.example.com"}})
	require.NoError(t, err)
	answer := httptest.NewRecorder()
	console.New(console.Options{Issuer: issuer}).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/console/", nil))
	assert.Equal(t, "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; connect-src 'self' https://login.example.com https://tokens.example.com:8443",
		answer.Header().Get("Content-Security-Policy"))
	assert.Contains(t, answer.Body.String(), `&#34;scopes&#34;:[&#34;openid&#34;,&#34;email&#34;]`)
	assert.Contains(t, answer.Body.String(), "https://login.example.com/realm")
	assert.NotContains(t, answer.Body.String(), "<script>")
}

func TestWrongIssuers(t *testing.T) {
	for _, options := range []console.IssuerOptions{
		{},
		{URL: "https://login.example.com"},
		{ClientID: "console"},
		{URL: "http://login.example.com", ClientID: "console"},
		{URL: "https://", ClientID: "console"},
		{URL: "https://user@login.example.com", ClientID: "console"},
		{URL: "https://a; script-src *", ClientID: "console"},
		{URL: "https://login.example.com", ClientID: "console", Origins: []string{"*"}},
	} {
		_, err := console.NewIssuer(options)
		assert.Error(t, err, options)
	}
}

package credentials_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/credentials"
)

// replace replaces a file as programs do that keep credentials up to date.
func replace(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path+".new", []byte(text), 0o600))
	require.NoError(t, os.Rename(path+".new", path))
}

func opened(t *testing.T, text string) (path string, tokens *credentials.Tokens) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "tokens.yaml")
	replace(t, path, text)
	tokens, err := credentials.OpenTokens(path)
	require.NoError(t, err)
	return path, tokens
}

// who asks for the user of a token.
func who(tokens *credentials.Tokens, token string) (*rest.Identity, error) {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return tokens.Authenticate(r)
}

func TestTokens(t *testing.T) {
	_, tokens := opened(t, `
- {token: one, user: alice, uid: "7", groups: [team-a], extra: {floor: ["3"]}}
- {token: old, user: bob, expires: 2001-01-01T00:00:00Z}
- {token: new, user: bob, expires: 2101-01-01T00:00:00Z}
`)
	got, err := who(tokens, "one")
	require.NoError(t, err)
	assert.Equal(t, rest.User{Name: "alice", UID: "7", Groups: []string{"team-a"}, Extra: map[string][]string{"floor": {"3"}}}, got.User)
	assert.Zero(t, got.Expires)

	got, err = who(tokens, "new")
	require.NoError(t, err)
	assert.Equal(t, time.Date(2101, 1, 1, 0, 0, 0, 0, time.UTC), got.Expires)

	_, err = who(tokens, "old")
	require.ErrorContains(t, err, "expired")
	_, err = who(tokens, "guess")
	require.Error(t, err)
	got, err = who(tokens, "")
	require.NoError(t, err)
	assert.Nil(t, got, "a request without a token is somebody else's to recognize")
}

func TestTokensRefuseWrongFiles(t *testing.T) {
	for _, c := range []struct{ name, text, err string }{
		{"not a list", "token: secret", "must be a list of entries"},
		{"unknown field", "[{token: secret, user: a, name: b}]", "must be a list of entries"},
		{"no token", "[{user: a}]", "entry 1: token is missing"},
		{"no user", "[{token: secret, user: a}, {token: other}]", "entry 2: user is missing"},
		{"same token twice", "[{token: secret, user: a}, {token: secret, user: b}]", `entry 2: the token of "b" belongs to "a" too`},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "tokens.yaml")
			replace(t, path, c.text)
			_, err := credentials.OpenTokens(path)
			require.ErrorContains(t, err, c.err)
			assert.Contains(t, err.Error(), path)
			assert.NotContains(t, err.Error(), "secret")
		})
	}
	_, err := credentials.OpenTokens(filepath.Join(t.TempDir(), "absent"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestTokensReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path, tokens := opened(t, "[{token: one, user: alice}]")
		knows := func(token string) bool {
			time.Sleep(time.Second)
			got, err := who(tokens, token)
			return got != nil && err == nil
		}
		require.True(t, knows("one"))
		replace(t, path, "[{token: two, user: alice}]")
		assert.True(t, knows("two"))
		assert.False(t, knows("one"))

		replace(t, path, "a mistake")
		assert.True(t, knows("two"), "a wrong file changes nothing")
		require.NoError(t, os.Remove(path))
		assert.True(t, knows("two"), "a missing file changes nothing")
		replace(t, path, "[{token: three, user: alice}]")
		assert.True(t, knows("three"))
	})
}

// Watches end when their token is taken out of the file, although no request comes.
func TestTokensRevoked(t *testing.T) {
	for _, c := range []struct {
		name, next string
		ends       bool
	}{
		{"token is gone", "[]", true},
		{"token has another user", "[{token: one, user: mallory}]", true},
		{"user has other groups", "[{token: one, user: alice, groups: [team-b]}]", true},
		{"file has another token", "[{token: one, user: alice}, {token: two, user: bob}]", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				path, tokens := opened(t, "[{token: one, user: alice}]")
				got, err := who(tokens, "one")
				require.NoError(t, err)
				ended := false
				stop := got.OnRevoked(func() { ended = true })
				replace(t, path, c.next)
				time.Sleep(2 * time.Second)
				synctest.Wait()
				assert.Equal(t, c.ends, ended)
				stop() // the goroutine that looks for changes ends, or the bubble would not
			})
		})
	}
}

// The file may change between the request and the start of its watch.
func TestTokensRevokedMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path, tokens := opened(t, "[{token: one, user: alice}]")
		got, err := who(tokens, "one")
		require.NoError(t, err)
		replace(t, path, "[]")
		time.Sleep(time.Second)
		_, err = who(tokens, "one")
		require.Error(t, err)
		ended := false
		got.OnRevoked(func() { ended = true })
		synctest.Wait()
		assert.True(t, ended)
	})
}

package aggregated

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"slices"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/internal/identity"
	"github.com/decorum-go/decorum/rest/internal/review"
)

// isOpen reports whether everybody may read a path: the probes of Kubernetes carry no credentials. The paths of single
// checks are not open, because they give the reason of a failure.
func isOpen(path string) bool { return path == "/healthz" || path == "/livez" || path == "/readyz" }

// authenticate implements [access.Authenticator].
func (c *Cluster) authenticate(r *http.Request) (*access.Identity, error) {
	if isOpen(r.URL.Path) {
		return &access.Identity{User: access.User{Name: identity.Anonymous}}, nil
	}
	who, err := c.sender(r, c.reviews.tokens.get)
	if err != nil || who == nil {
		return nil, err
	}
	who.OnRevoked = func(end func()) (stop func()) {
		return c.open.add(&session{request: r.Clone(context.Background()), user: who.User, end: end})
	}
	return who, nil
}

// asks is a way to ask the cluster about a token: the method get or renew of answers.
type asks func(ctx context.Context, k key, ask func(context.Context) (answer[tokenAnswer], error)) (tokenAnswer, error)

// sender returns the identity of the sender of a request, by the present content of the ConfigMap.
func (c *Cluster) sender(r *http.Request, ask asks) (*access.Identity, error) {
	t := c.trusted.Load()
	if t == nil {
		return nil, unavailable("the server does not know yet whom the cluster trusts")
	}
	if r.TLS == nil {
		c.withoutTLS.Do(func() {
			c.options.Logger.Error("aggregated: a request has arrived without TLS, so nobody can prove who has sent it",
				"hint", "serve the API with Cluster.TLSConfig, and with nothing in front of it that ends TLS")
		})
	}
	all := access.Authenticators{t.clients, auth.Bearer(func(ctx context.Context, token string) (*access.Identity, error) {
		return c.reviewToken(ctx, token, ask)
	})}
	if t.proxies != nil {
		all = slices.Insert(all, 0, t.proxies)
	}
	return all.Authenticate(t.verify(r))
}

// tokenAnswer is what the cluster says about a token.
type tokenAnswer struct {
	user access.User
	err  error // why the token is not valid
}

// reviewToken returns the user of a token.
func (c *Cluster) reviewToken(ctx context.Context, token string, ask asks) (*access.Identity, error) {
	found, err := ask(ctx, sha256.Sum256([]byte(token)), func(ctx context.Context) (answer[tokenAnswer], error) {
		asked := &review.Token{Spec: review.TokenSpec{Token: token, Audiences: c.options.Audiences}}
		got, err := c.clients.tokens.Create(ctx, asked)
		if err != nil {
			return answer[tokenAnswer]{}, err
		}
		return c.tokenAnswerOf(&got.Status), nil
	})
	if err != nil {
		return nil, err
	}
	if found.err != nil {
		return nil, found.err
	}
	return &access.Identity{User: found.user}, nil
}

// tokenAnswerOf reads the status of a review.
func (c *Cluster) tokenAnswerOf(s *review.TokenStatus) answer[tokenAnswer] {
	named := func(audience string) bool { return slices.Contains(c.options.Audiences, audience) }
	refused := func(why string) answer[tokenAnswer] {
		return answer[tokenAnswer]{tokenAnswer{err: errors.New(why)}, c.options.RefusedFor, int64(len(why))}
	}
	switch {
	case !s.Authenticated:
		return refused("the cluster does not accept the token: " + s.Error)
	case s.User.Username == "":
		return refused("the cluster does not name the user of the token")
	case len(c.options.Audiences) > 0 && !slices.ContainsFunc(s.Audiences, named):
		return refused("the token is for other audiences")
	}
	user := access.User{Name: s.User.Username, UID: s.User.UID, Groups: s.User.Groups, Extra: s.User.Extra}
	return answer[tokenAnswer]{tokenAnswer{user: user}, c.options.AllowedFor, sizeOf(user)}
}

// sizeOf returns about how many bytes a user takes.
func sizeOf(u access.User) int64 {
	size := len(u.Name) + len(u.UID)
	for _, group := range u.Groups {
		size += len(group) + 16
	}
	for key, values := range u.Extra {
		size += len(key) + 64
		for _, value := range values {
			size += len(value) + 16
		}
	}
	return int64(size)
}

package rest

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest/internal/delivery"
	"github.com/decorum-go/decorum/rest/internal/identity"
	"github.com/decorum-go/decorum/rest/internal/route"
	"github.com/decorum-go/decorum/rest/internal/stream"
	"github.com/decorum-go/decorum/status"
)

// identify finds out the user of the request, and the user as whom the client acts. Without an Authenticator, the user is that of the
// context.
func (q *request) identify() error {
	if q.isOpen() {
		return nil
	}
	if a := q.api.options.Authenticator; a != nil {
		r := stream.MoveBearer(q.r)
		who, err := a.Authenticate(r)
		if err == nil && who != nil && !who.Expires.IsZero() && !q.api.options.Now().Before(who.Expires) {
			err = errors.New("the credentials have expired")
		}
		if err != nil || who == nil || who.User.Name == "" {
			return q.unauthorized(err)
		}
		q.expires = who.Expires
		u := who.User
		u.Groups = identity.WithSystemGroup(u.Name, u.Groups)
		q.actAs(r, u)
		q.secret = []string{"Authorization"}
		for _, name := range who.Headers {
			q.secret = append(q.secret, http.CanonicalHeaderKey(name))
		}
	}
	if headers := identity.ImpersonationHeaders(q.r.Header); len(headers) > 0 {
		q.secret = append(q.secret, headers...)
		return q.impersonate(headers[0])
	}
	return nil
}

// unauthorized returns the 401 for a request whose user is unknown. The cause may say how to guess credentials, so only the log receives
// it.
func (q *request) unauthorized(cause error) error {
	if e, ok := cause.(*status.Error); ok {
		return e
	}
	if cause != nil {
		q.api.options.Logger.LogAttrs(q.r.Context(), slog.LevelInfo, "request not authenticated",
			slog.String("method", q.r.Method), slog.String("path", q.r.URL.Path), slog.Any("error", cause))
	}
	q.w.Header().Set("WWW-Authenticate", "Bearer")
	return status.Unauthorized("")
}

// actAs makes u the user of the request, which continues as r.
func (q *request) actAs(r *http.Request, u User) {
	q.continueAs(r.WithContext(WithUser(r.Context(), u)))
}

// continueAs replaces the request. The lock is needed because Shutdown reads it.
func (q *request) continueAs(r *http.Request) {
	q.api.flights.Locked(func() { q.r = r })
}

// checkPage refuses a request of a page of another site. A page of an allowed origin may also open WebSockets, which package stream
// refuses to other origins.
func (q *request) checkPage() error {
	if !q.api.pages.Allows(q.r) {
		return q.api.pages.Check(q.r)
	}
	if stream.WantsSocket(q.r) {
		r := q.r.Clone(q.r.Context())
		r.Header.Del("Origin")
		q.continueAs(r)
	}
	return nil
}

// impersonate makes the user in the headers of impersonation the user of the request, if its sender may act as that user. Without an
// Authorizer, all impersonation is refused. If the API ignored the headers, it would use the rights of the sender, who would mistake the result for that of
// the other user; header is in the error. Discovery is then the same for all users, and kubectl hides its errors, so these requests pass.
func (q *request) impersonate(header string) error {
	if q.api.options.Authorizer == nil {
		if q.res == nil {
			return nil
		}
		return status.Forbidden(apimeta.GroupResource{}, "", "this server does not support impersonation; send the request without the header "+header)
	}
	wanted, err := identity.ReadImpersonation(q.r.Header)
	if err != nil {
		return err
	}
	for _, need := range wanted.Needs {
		if err := q.api.permit(q.r.Context(), UserFrom(q.r.Context()), need); err != nil {
			return err
		}
	}
	q.actAs(q.r, User{Name: wanted.Name, UID: wanted.UID, Groups: wanted.Groups, Extra: wanted.Extra})
	return nil
}

// isOpen reports whether the host serves the path to everybody, see [Options.OpenHealth].
func (q *request) isOpen() bool {
	return q.api.options.OpenHealth && (q.isHealth() || q.r.URL.Path == "/version")
}

// permit returns an error unless a user may do what q asks.
func (a *API) permit(ctx context.Context, u User, q route.Question) error {
	if a.options.Authorizer == nil {
		return nil
	}
	d, err := a.options.Authorizer.Authorize(ctx, accessOf(u, q))
	switch {
	case d.Verdict == Allow:
		return nil
	case err != nil:
		return err
	}
	return identity.Forbidden(u.Name, q, d.Reason)
}

// authorize returns an error unless the user may send the request.
func (q *request) authorize() error {
	if q.isOpen() {
		return nil
	}
	return q.api.permit(q.r.Context(), UserFrom(q.r.Context()), q.question())
}

// guarded returns a context for a watch or a stream, which ends with ctx and when the credentials of the user expire. The caller must call
// the returned function.
func (q *request) guarded(ctx context.Context) (context.Context, context.CancelFunc) {
	if q.expires.IsZero() {
		return ctx, func() {}
	}
	return q.api.rights.Open(ctx, delivery.Grant{Expires: q.expires})
}

// permitVerb returns an error unless the user may do something that the request does besides its verb.
func (q *request) permitVerb(ctx context.Context, verb string) error {
	asked := q.question()
	asked.Verb = verb
	return q.api.permit(ctx, UserFrom(ctx), asked)
}

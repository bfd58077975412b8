package front

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/errorlog"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/delivery"
	"github.com/decorum-go/decorum/rest/internal/identity"
	"github.com/decorum-go/decorum/rest/internal/impersonation"
	"github.com/decorum-go/decorum/rest/internal/keys"
	"github.com/decorum-go/decorum/rest/internal/kind"
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/rest/internal/rights"
	"github.com/decorum-go/decorum/rest/internal/route"
	"github.com/decorum-go/decorum/rest/internal/service"
	"github.com/decorum-go/decorum/rest/internal/stream"
	"github.com/decorum-go/decorum/rest/observe"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
)

// requester is who asks, until when, and what the user may access. The functions of this file set what is in it. The user
// is in the context of the request, where hooks and middleware find it.
type requester struct {
	identity *access.Identity // what the Authenticator says about the credentials; nil without one
	sender   *access.User     // the client, if it acts as another user
	needs    []access.Access  // what the sender must be allowed to do to act as that user
	secret   []string         // the headers with credentials, which no stream receives

	only   *rights.Restriction // nil if the user may access all objects
	since  uint64              // the count of the changes of rights when the Authorizer was first asked
	resume rights.Resume       // whether the user may watch from a revision
}

// identify is a stage. A request that another one has made has the user of that one. Without an Authenticator, the user
// is that of the context.
func (q *request) identify() error {
	switch {
	case q.outer != nil:
		q.inherit()
		return nil
	case !q.needsUser() || q.isOpen():
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
		q.identity = who
		q.actAs(r, who.User)
		q.secret = []string{"Authorization"}
		for _, name := range who.Headers {
			q.secret = append(q.secret, http.CanonicalHeaderKey(name))
		}
	}
	if headers := impersonation.Headers(q.r.Header); len(headers) > 0 {
		q.secret = append(q.secret, headers...)
		return q.impersonate(headers[0])
	}
	return nil
}

// needsUser reports whether the API has to find out who sends the request. Otherwise the host's middleware has done so.
func (q *request) needsUser() bool {
	return q.api.options.Authenticator != nil || len(impersonation.Headers(q.r.Header)) > 0
}

// inherit gives the request what belongs to the user of the request that has made it. The context carries that user.
func (q *request) inherit() {
	q.requester = q.outer.requester
	q.only, q.resume = nil, nil
}

// unauthorized returns the 401 for a request whose user is unknown. Only the log receives the cause, which may help to
// guess credentials.
func (q *request) unauthorized(cause error) error {
	if e, ok := errors.AsType[*status.Error](cause); ok {
		return e
	}
	if cause != nil {
		q.api.options.Logger.LogAttrs(q.r.Context(), slog.LevelInfo, "request not authenticated",
			safeText("method", q.r.Method), safeText("path", q.r.URL.Path), slog.String("auditID", q.auditID[0]),
			slog.Any("error", errorlog.Bound(cause)))
	}
	q.w.Header().Set("WWW-Authenticate", "Bearer")
	return status.Unauthorized("")
}

// actAs makes u the user of the request, which continues as r.
func (q *request) actAs(r *http.Request, u access.User) {
	u.Groups = identity.WithSystemGroup(u.Name, u.Groups)
	q.continueAs(r.WithContext(access.WithUser(r.Context(), u)))
}

// continueAs replaces the request. The lock is needed because Shutdown reads it.
func (q *request) continueAs(r *http.Request) {
	q.api.flights.Locked(func() { q.r = r })
}

// impersonate makes the user in the headers of impersonation the user of the request, if its sender may act as that
// user. Without an Authorizer, all impersonation is refused. If the API ignored the headers, it would use the rights of
// the sender, who would mistake the result for that of the other user; header is in the error. Discovery is then the
// same for all users, and kubectl hides its errors, so these requests pass.
func (q *request) impersonate(header string) error {
	if q.api.options.Authorizer == nil {
		if q.res == nil {
			return nil
		}
		return status.Forbidden(apimeta.GroupResource{}, "",
			"this server does not support impersonation; send the request without the header "+header)
	}
	wanted, err := impersonation.Read(q.r.Header)
	if err != nil {
		return err
	}
	sender := access.UserFrom(q.r.Context())
	q.since, q.sender, q.needs = q.api.rights.Changes(), &sender, wanted.Needs
	if err := q.api.permitAll(q.r.Context(), q.sender, q.needs); err != nil {
		return err
	}
	q.actAs(q.r, wanted.User)
	return nil
}

// holder identifies the client that holds the request's place of [Limits.MaxInFlight]. A client that acts as another
// user counts as itself.
func (q *request) holder() delivery.Holder {
	u, known := userIn(q.r.Context())
	switch {
	case q.sender != nil:
		u = *q.sender
	case !known:
		u = anonymous
	}
	h := delivery.Holder{User: u.Name, Exempt: q.isHealth()}
	for _, group := range u.Groups {
		h.Exempt = h.Exempt || slices.Contains(q.api.options.ExemptGroups, group)
	}
	if q.api.options.Authenticator == nil && u.Name == identity.Anonymous {
		h.User = "" // nobody has found out who it is
	}
	if q.res != nil && q.res.ConvertedOutside() {
		h.WaitsFor = "conversion/" + q.res.GR.String()
	}
	return h
}

// lend returns a Loan of nothing to the user of the request, from the memory for answers.
func (q *request) lend() storage.Loan { return q.api.env.Answers.LendTo(q.borrower()) }

// borrower returns whom the memory of the answer counts for: the user, or nobody if no limit of users holds.
func (q *request) borrower() string {
	if h := q.holder(); !h.Exempt {
		return h.User
	}
	return ""
}

// BorrowerIn returns the borrower of a request or a call with this context.
func (a *Front) BorrowerIn(ctx context.Context) string {
	if q := a.requestIn(ctx); q != nil {
		return q.borrower()
	}
	if u, known := userIn(ctx); known {
		return u.Name
	}
	return ""
}

// anonymous is the user of requests without a user, for code that changes and hands out nothing of it.
var anonymous = access.UserFrom(context.Background())

// userIn returns the user that somebody has set in a context. Unlike [access.UserFrom], it allocates nothing.
func userIn(ctx context.Context) (u access.User, ok bool) {
	if u, ok = ctx.Value(keys.User{}).(access.User); !ok {
		u, ok = ctx.Value(keys.HostUser{}).(access.User)
	}
	return u, ok
}

// isOpen reports whether the host serves the path to everyone, see Options.OpenHealth.
func (q *request) isOpen() bool {
	if !q.api.options.OpenHealth {
		return false
	}
	path := q.r.URL.Path
	return path == "/version" || slices.Contains(Endpoints, observe.HealthEndpoint(strings.TrimPrefix(path, "/")))
}

// permitAll returns an error unless the user may do everything in needs. u may be nil if needs is empty.
func (a *Front) permitAll(ctx context.Context, u *access.User, needs []access.Access) error {
	for _, q := range needs {
		if _, err := a.Permit(ctx, *u, q, nil); err != nil {
			return err
		}
	}
	return nil
}

// Permit returns the restriction under which a user may do what q asks, or an error. res is nil for an access without
// objects.
func (a *Front) Permit(ctx context.Context, u access.User, q access.Access,
	res *resource.Resource) (*rights.Restriction, error) {
	_, only, err := a.decide(ctx, u, q, res)
	return only, err
}

// decide is like Permit, and also returns the decision of the Authorizer.
func (a *Front) decide(ctx context.Context, u access.User, q access.Access,
	res *resource.Resource) (access.Decision, *rights.Restriction, error) {
	if a.options.Authorizer == nil {
		return access.Decision{}, nil, nil
	}
	d, err := a.options.Authorizer.Authorize(ctx, accessOf(u, q))
	filters, some := d.Only()
	switch {
	case d.Allowed():
		return d, nil, nil
	case some && res != nil:
		only, err := restriction(filters, res)
		return d, only, err
	case err != nil:
		return d, nil, err
	}
	return d, nil, impersonation.Forbidden(accessOf(u, q), d.Reason())
}

// restriction returns the restriction to what the filters match. If a filter selects by an unsupported field, clients
// do not see the error.
func restriction(filters []access.Filter, res *resource.Resource) (*rights.Restriction, error) {
	only := &rights.Restriction{AnyOf: filters}
	if err := res.CheckRestriction(only); err != nil {
		return nil, fmt.Errorf("a filter of the Authorizer: %v", err) // no status.Error, because the client is not to blame
	}
	return only, nil
}

// PermitWatch is Permit for a watch. The permission ends when the user loses the rights that it has now.
func (a *Front) PermitWatch(ctx context.Context, u access.User, q access.Access,
	res *resource.Resource) (*rights.Permission, error) {
	since := a.rights.Changes()
	only, err := a.Permit(ctx, u, q, res)
	if err != nil {
		return nil, err
	}
	p := &rights.Permission{Only: only, Resume: a.Reads(ctx, u, q, only, res)}
	p.Context, p.Release = a.rights.Open(ctx,
		rights.Grant{Since: since, Right: &right{api: a, user: u, access: q, res: res, before: only.Fingerprint()}})
	return p, nil
}

// right is what a user may do in a watch or a stream. It implements [delivery.Right].
type right struct {
	api    *Front
	user   access.User
	access access.Access
	res    *resource.Resource
	before string       // the fingerprint of the restriction when the watch or the stream was opened
	sender *access.User // and needs: see requester
	needs  []access.Access
}

func (r *right) Key() rights.Key {
	return sha256.Sum256(fmt.Appendf(nil, "%q %p %q %q %q", accessOf(r.user, r.access), r.res, r.before, r.sender,
		r.needs))
}

func (r *right) Holds(ctx context.Context) bool {
	now, err := r.api.Permit(ctx, r.user, r.access, r.res)
	return err == nil && now.Fingerprint() == r.before && r.api.permitAll(ctx, r.sender, r.needs) == nil
}

// authorize is a stage.
func (q *request) authorize() (err error) {
	if q.api.options.Authorizer == nil || q.isOpen() {
		return nil
	}
	if q.needs == nil {
		q.since = q.api.rights.Changes()
	}
	u, question := access.UserFrom(q.r.Context()), q.Question()
	var d access.Decision
	d, q.only, err = q.api.decide(q.r.Context(), u, question, q.resource())
	if o := q.observed; o != nil {
		o.request.Authorized, o.request.Decision = true, d
	}
	if err == nil {
		q.resume = q.api.Reads(q.r.Context(), u, question, q.only, q.resource())
	}
	return err
}

// Reads records a list or a watch of the user, and returns a function that reports whether a watch may continue from a
// list. For any other access it returns nil.
func (a *Front) Reads(ctx context.Context, u access.User, q access.Access, only *rights.Restriction,
	res *resource.Resource) rights.Resume {
	if res == nil || q.Verb != kind.List && q.Verb != kind.Watch {
		return nil
	}
	return a.readings.Reads(ctx, u.Name, only.Fingerprint(), func() rights.Key {
		q.Verb = "" // a list and the watch that follows it ask for the same
		return sha256.Sum256(fmt.Appendf(nil, "%q", accessOf(u, q)))
	}, res.Store.Revision(), res.Apart)
}

// guarded returns a context for a watch or a stream, which ends with ctx, when the credentials of the user expire or
// are revoked, and when the user loses rights. The caller must call the returned function.
func (q *request) guarded(ctx context.Context) (context.Context, context.CancelFunc) {
	g := rights.Grant{Since: q.since}
	if q.identity != nil {
		g.Expires, g.OnRevoked = q.identity.Expires, q.identity.OnRevoked
	}
	if q.api.options.Authorizer != nil {
		g.Right = &right{q.api, access.UserFrom(ctx), q.Question(), q.resource(), q.only.Fingerprint(), q.sender, q.needs}
	}
	return q.api.rights.Open(ctx, g)
}

// access returns the access that the request needs.
func (q *request) access() access.Access {
	return accessOf(access.UserFrom(q.r.Context()), q.Question())
}

// caller returns on whose behalf the request calls the service of its resource.
func (q *request) caller(ctx context.Context) service.Caller {
	return service.Caller{Context: ctx, Only: q.only, Resume: q.resume}
}

// permitVerb returns an error unless the user may do something that the request does besides its verb.
func (q *request) permitVerb(ctx context.Context, verb string) (*rights.Restriction, error) {
	question := q.Question()
	question.Verb = access.Verb(verb)
	return q.api.Permit(ctx, access.UserFrom(ctx), question, q.resource())
}

// AccessOf returns the access that a request needs.
func (a *Front) AccessOf(r *http.Request) access.Access {
	return accessOf(access.UserFrom(r.Context()), route.Read(r.Method, r.URL, a.serving.Load()))
}

// accessOf returns an access of a user.
func accessOf(u access.User, to access.Access) access.Access {
	to.User = u
	return to
}

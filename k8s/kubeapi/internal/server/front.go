package server

import (
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/status"
)

// front stands before the API. It serves the keys of service accounts, names the flow of the requests that the API
// serves to everybody, and reports what the API does not serve.
type front struct {
	api        *rest.API
	keys       http.Handler
	users      access.Authenticator
	authorizer access.Authorizer
	flows      *flows
	gaps       *gaps
	logger     *slog.Logger
	// provisions says whether new objects bring their namespaces along.
	provisions bool
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/.well-known/openid-configuration" || r.URL.Path == "/openid/v1/jwks":
		f.serveKeys(w, r)
		return
	case isOpen(r.URL.Path):
		f.flows.name(w.Header(), func() access.Access { return f.accessTo(r) })
	case f.provisions:
		f.provision(r)
	}
	f.api.ServeHTTP(f.gaps.watch(w, r), r)
}

// isOpen reports whether the API serves a path to everybody, without authentication.
func isOpen(path string) bool {
	return path == "/version" || strings.HasPrefix(path, "/healthz") || strings.HasPrefix(path, "/livez") ||
		strings.HasPrefix(path, "/readyz")
}

// accessTo returns the access of a request whose user the API does not find out. A user without valid credentials is
// anonymous.
func (f *front) accessTo(r *http.Request) access.Access {
	a := f.api.AccessOf(r)
	if who, err := f.users.Authenticate(r); err == nil && who != nil {
		a.User = f.finalUser(r, withSystemGroup(r, who.User))
	}
	return a
}

// finalUser returns as whom a request of a user continues: as the user in the headers of impersonation, if that is
// allowed.
func (f *front) finalUser(r *http.Request, u access.User) access.User {
	name, groups := r.Header.Get("Impersonate-User"), r.Header.Values("Impersonate-Group")
	may := func(resource, name string) bool {
		decision, err := f.authorizer.Authorize(r.Context(),
			access.Access{User: u, Verb: "impersonate", Resource: resource, Name: name})
		return err == nil && decision.Allowed()
	}
	if name == "" || !may("users", name) || slices.ContainsFunc(groups, func(g string) bool { return !may("groups", g) }) {
		return u
	}
	return withSystemGroup(r, access.User{Name: name, Groups: groups})
}

// withSystemGroup adds the group of all users who are not anonymous.
func withSystemGroup(r *http.Request, u access.User) access.User {
	if u.Name != access.UserFrom(r.Context()).Name { // the user is not anonymous
		u.Groups = append([]string{"system:authenticated"}, u.Groups...)
	}
	return u
}

// serveKeys answers users who may get the path. The API does not know the path, so nothing else asks who they are.
func (f *front) serveKeys(w http.ResponseWriter, r *http.Request) {
	who, err := f.users.Authenticate(r)
	if err != nil || who == nil {
		f.api.Error(w, r, status.Unauthorized(""))
		return
	}
	a := access.Access{User: withSystemGroup(r, who.User), Verb: access.Verb(strings.ToLower(r.Method)), Path: r.URL.Path}
	f.flows.name(w.Header(), func() access.Access { return a })
	decision, err := f.authorizer.Authorize(r.Context(), a)
	if err == nil && !decision.Allowed() {
		err = status.Forbidden(apimeta.GroupResource{}, "",
			"User \""+a.User.Name+"\" cannot "+string(a.Verb)+" path \""+a.Path+"\"")
	}
	if err != nil {
		f.api.Error(w, r, err)
		return
	}
	f.keys.ServeHTTP(w, r)
}

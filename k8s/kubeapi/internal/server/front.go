package server

import (
	"net/http"
	"strings"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// front stands before the API. It serves the keys of service accounts, and reports what the API does not serve.
type front struct {
	api        *rest.API
	keys       http.Handler
	users      rest.Authenticator
	authorizer rest.Authorizer
	gaps       *gaps
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/.well-known/openid-configuration", "/openid/v1/jwks":
		f.serveKeys(w, r)
	default:
		f.api.ServeHTTP(f.gaps.watch(w, r), r)
	}
}

// serveKeys answers users who may get the path. The API does not know the path, so nothing else asks who they are.
func (f *front) serveKeys(w http.ResponseWriter, r *http.Request) {
	who, err := f.users.Authenticate(r)
	if err != nil || who == nil {
		f.api.Error(w, r, status.Unauthorized(""))
		return
	}
	a := rest.Access{User: who.User, Verb: strings.ToLower(r.Method), Path: r.URL.Path}
	if a.User.Name != rest.UserFrom(r.Context()).Name { // not anonymous
		a.User.Groups = append([]string{"system:authenticated"}, a.User.Groups...)
	}
	decision, err := f.authorizer.Authorize(r.Context(), a)
	if err == nil && decision.Verdict != rest.Allow {
		err = status.Forbidden(apimeta.GroupResource{}, "", "User \""+a.User.Name+"\" cannot "+a.Verb+" path \""+a.Path+"\"")
	}
	if err != nil {
		f.api.Error(w, r, err)
		return
	}
	f.keys.ServeHTTP(w, r)
}

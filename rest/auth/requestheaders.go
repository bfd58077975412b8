package auth

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/rest"
)

// The headers that a proxy sets to name the user. They are those of Kubernetes.
const (
	remoteUser        = "X-Remote-User"
	remoteUID         = "X-Remote-Uid"
	remoteGroup       = "X-Remote-Group"
	remoteExtraPrefix = "X-Remote-Extra-"
)

// RequestHeaders returns an authenticator for requests of a proxy that has found out the user itself, and names the
// user in the headers X-Remote-User, X-Remote-Uid, X-Remote-Group and X-Remote-Extra-KEY. The proxy must prove who it
// is to the authenticator proxy, usually [Certificates], as one of the users in names. If names is empty, no proxy is
// trusted. The headers of all other requests are ignored.
//
// In [rest.Authenticators], RequestHeaders must stand in front of the authenticator of the proxy itself. The proxy must
// remove these headers from the requests that it receives.
func RequestHeaders(proxy rest.Authenticator, names ...string) rest.Authenticator {
	return rest.AuthenticatorFunc(func(r *http.Request) (*rest.Identity, error) {
		user := r.Header.Get(remoteUser)
		if user == "" {
			return nil, nil
		}
		by, err := proxy.Authenticate(r)
		if err != nil || by == nil || !slices.Contains(names, by.User.Name) {
			return nil, err
		}
		who := &rest.Identity{User: rest.User{Name: user, UID: r.Header.Get(remoteUID), Groups: r.Header[remoteGroup]},
			Expires: by.Expires, Headers: []string{remoteUser, remoteUID, remoteGroup}}
		for name, values := range r.Header {
			key, ok := strings.CutPrefix(name, remoteExtraPrefix)
			if !ok || key == "" {
				continue
			}
			if who.User.Extra == nil {
				who.User.Extra = map[string][]string{}
			}
			key = strings.ToLower(key)
			if plain, err := url.PathUnescape(key); err == nil {
				key = plain
			}
			who.User.Extra[key] = append(who.User.Extra[key], values...)
			who.Headers = append(who.Headers, name)
		}
		return who, nil
	})
}

package auth

import (
	"crypto/x509"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/rest/access"
)

// RequestHeaderOptions configure [RequestHeaders]. The names of the headers are by default those of Kubernetes.
type RequestHeaderOptions struct {
	// Authorities sign the certificates of the proxies, and must sign nothing else: a holder of any other certificate of
	// theirs could act as every user. ClientCAs of the server's [crypto/tls.Config] must contain them. Required.
	Authorities *x509.CertPool
	// UserAuthorities are the authorities that [Certificates] receives, or an empty pool if no user has a certificate. A
	// certificate that they have signed never belongs to a proxy, even if it has the name of one. Required.
	UserAuthorities *x509.CertPool
	// Names are the common names of the proxies. As in Kubernetes, if Names is empty, each certificate of Authorities
	// belongs to a proxy.
	Names []string
	// UserHeaders name the user. The first that is not empty counts. Default: X-Remote-User.
	UserHeaders []string
	// UIDHeaders have the uid of the user. The first that is not empty counts. If the proxies send none, set an empty
	// list that is not nil: otherwise a client could choose its own uid. Default: X-Remote-Uid.
	UIDHeaders []string
	// GroupHeaders name the groups of the user, a group for each line. All count. An empty list that is not nil reads
	// none. Default: X-Remote-Group.
	GroupHeaders []string
	// ExtraHeaderPrefixes begin the names of the headers with extra attributes of the user. The rest of the name is the
	// key. An empty list that is not nil reads none. Default: X-Remote-Extra-.
	ExtraHeaderPrefixes []string
}

// RequestHeaders returns an authenticator for requests of a proxy that has found out the user itself, and names the
// user in the headers X-Remote-User, X-Remote-Uid, X-Remote-Group and X-Remote-Extra-KEY. The proxy proves who it is
// with a client certificate, and must remove these headers from the requests that it receives.
//
// A request in which anybody else names a user has invalid credentials: unless another of [access.Authenticators]
// recognizes its sender, it gets 401. So does a request with two users or two uids.
//
// RequestHeaders returns an error if Authorities or UserAuthorities is missing, if they are equal, or if the name of a
// header is empty.
func RequestHeaders(o RequestHeaderOptions) (access.Authenticator, error) {
	switch {
	case o.Authorities == nil || o.Authorities.Equal(x509.NewCertPool()):
		return nil, errors.New("auth.RequestHeaders: RequestHeaderOptions.Authorities is empty")
	case o.UserAuthorities == nil:
		return nil, errors.New("auth.RequestHeaders: RequestHeaderOptions.UserAuthorities is nil; " +
			"set an empty pool if no user has a certificate")
	case o.Authorities.Equal(o.UserAuthorities):
		return nil, errors.New("auth.RequestHeaders: a user could act as the proxy, because " +
			"RequestHeaderOptions.Authorities and UserAuthorities are equal")
	}
	h := &requestHeaders{authorities: o.Authorities, users: o.UserAuthorities, names: slices.Clone(o.Names)}
	for _, list := range []struct {
		of       string
		names    []string
		standard string
		into     *[]string
	}{
		{"UserHeaders", o.UserHeaders, "X-Remote-User", &h.user},
		{"UIDHeaders", o.UIDHeaders, "X-Remote-Uid", &h.uid},
		{"GroupHeaders", o.GroupHeaders, "X-Remote-Group", &h.group},
		{"ExtraHeaderPrefixes", o.ExtraHeaderPrefixes, "X-Remote-Extra-", &h.extra},
	} {
		if list.names == nil {
			list.names = []string{list.standard}
		}
		for _, name := range list.names {
			if strings.TrimSpace(name) == "" {
				return nil, errors.New("auth.RequestHeaders: RequestHeaderOptions." + list.of + " has an empty name")
			}
			*list.into = append(*list.into, http.CanonicalHeaderKey(name))
		}
	}
	return h, nil
}

// requestHeaders is the authenticator that [RequestHeaders] returns. The names of headers are as net/http writes them.
type requestHeaders struct {
	authorities, users      *x509.CertPool
	names                   []string
	user, uid, group, extra []string
}

// Authenticate implements [access.Authenticator].
func (h *requestHeaders) Authenticate(r *http.Request) (*access.Identity, error) {
	name, err := only(r.Header, h.user)
	if err != nil || name == "" {
		return nil, err
	}
	proxy := verified(r)
	if proxy == nil || !signed(r, h.authorities, now) || signed(r, h.users, ever) ||
		len(h.names) > 0 && !slices.Contains(h.names, proxy.Subject.CommonName) {
		return nil, errNoProxy
	}
	uid, err := only(r.Header, h.uid)
	if err != nil {
		return nil, err
	}
	who := &access.Identity{User: access.User{Name: name, UID: uid}, Expires: proxy.NotAfter,
		Headers: slices.Concat(h.user, h.uid, h.group)}
	for _, header := range h.group {
		who.User.Groups = append(who.User.Groups, present(r.Header[header])...)
	}
	for _, header := range slices.Sorted(maps.Keys(r.Header)) {
		key, ok := h.extraKey(header)
		if !ok {
			continue
		}
		if who.User.Extra == nil {
			who.User.Extra = map[string][]string{}
		}
		who.User.Extra[key] = append(who.User.Extra[key], r.Header[header]...)
		who.Headers = append(who.Headers, header)
	}
	return who, nil
}

// These errors tell the log why the API refuses headers.
var (
	errNoProxy = errors.New("the headers that name the user do not come from a trusted proxy")
	errTwo     = errors.New("a header that names the user has several values")
)

// only returns the value of the first header that is not empty. It refuses a header with several values, because a
// proxy may have added its own value to that of the client.
func only(header http.Header, names []string) (string, error) {
	for _, name := range names {
		switch values := header[name]; {
		case len(values) > 1:
			return "", errTwo
		case len(values) == 1 && values[0] != "":
			return values[0], nil
		}
	}
	return "", nil
}

// present returns the values that are not empty.
func present(values []string) []string {
	return slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" })
}

// extraKey returns the key of the extra attribute in a header.
func (h *requestHeaders) extraKey(header string) (key string, ok bool) {
	for _, prefix := range h.extra {
		if key, ok = strings.CutPrefix(header, prefix); ok && key != "" {
			key = strings.ToLower(key)
			if plain, err := url.PathUnescape(key); err == nil {
				key = plain
			}
			return key, true
		}
	}
	return "", false
}

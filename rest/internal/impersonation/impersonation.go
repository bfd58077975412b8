package impersonation

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/identity"
	"github.com/decorum-go/decorum/status"
)

// The headers of impersonation, as net/http writes them.
const (
	prefix      = "Impersonate-"
	userHeader  = "Impersonate-User"
	groupHeader = "Impersonate-Group"
	uidHeader   = "Impersonate-Uid"
	extraPrefix = "Impersonate-Extra-"
)

// Impersonation describes the user that a client wants to impersonate.
type Impersonation struct {
	access.User
	// Needs lists what the client must be allowed to do first.
	Needs []access.Access
}

// Read reads the headers of impersonation. It returns a BadRequest error for headers that name no user, or that it does not
// know. The name of a service account stands for its groups too, unless the client names groups.
func Read(headers map[string][]string) (*Impersonation, error) {
	i := &Impersonation{User: access.User{Extra: map[string][]string{}}}
	extras := map[string][]string{}
	for name, values := range headers {
		switch canonical := canonical(name); {
		case canonical == "" || len(values) == 0:
		case canonical == userHeader:
			i.Name = values[0]
		case canonical == uidHeader:
			i.UID = values[0]
		case canonical == groupHeader:
			i.Groups = append(i.Groups, values...)
		case strings.HasPrefix(canonical, extraPrefix) && len(canonical) > len(extraPrefix):
			key := extraKey(canonical)
			extras[key] = append(extras[key], values...)
		default:
			return nil, status.BadRequest("unknown header " + name)
		}
	}
	if i.Name == "" {
		return nil, status.BadRequest("the headers of impersonation name no user; set " + userHeader)
	}
	i.needUser()
	for _, group := range i.Groups {
		i.need(access.Access{Resource: "groups", Name: group})
	}
	for _, key := range slices.Sorted(maps.Keys(extras)) {
		i.Extra[key] = extras[key]
		for _, value := range extras[key] {
			i.need(access.Access{Group: "authentication.k8s.io", Version: "v1", Resource: "userextras", Subresource: key,
				Name: value})
		}
	}
	if i.UID != "" {
		i.need(access.Access{Group: "authentication.k8s.io", Version: "v1", Resource: "uids", Name: i.UID})
	}
	i.addSystemGroups()
	return i, nil
}

// Header returns the headers with which a client asks to act as a user. It is the reverse of Read.
func Header(u access.User) map[string][]string {
	header := map[string][]string{userHeader: {u.Name}}
	if len(u.Groups) > 0 {
		header[groupHeader] = u.Groups
	}
	if u.UID != "" {
		header[uidHeader] = []string{u.UID}
	}
	for key, values := range u.Extra {
		header[extraPrefix+escapedKey(key)] = values
	}
	return header
}

// Headers returns the names of the headers that ask to act as another user, in alphabetical order.
func Headers(headers map[string][]string) (names []string) {
	for name := range headers {
		if len(name) > len(prefix) && strings.EqualFold(name[:len(prefix)], prefix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// canonical returns the name of a header as net/http writes it, or "" if the header is not about impersonation. A
// request of a transport in process may have headers in any case.
func canonical(name string) string {
	if len(name) < len(prefix) || !strings.EqualFold(name[:len(prefix)], prefix) {
		return ""
	}
	for _, known := range []string{userHeader, groupHeader, uidHeader} {
		if strings.EqualFold(name, known) {
			return known
		}
	}
	if len(name) > len(extraPrefix) && strings.EqualFold(name[:len(extraPrefix)], extraPrefix) {
		return extraPrefix + name[len(extraPrefix):]
	}
	return name
}

// extraKey returns the key of an extra. Its escapes stand for characters that no header may have.
func extraKey(header string) string {
	key := strings.ToLower(header[len(extraPrefix):])
	if plain, err := url.PathUnescape(key); err == nil {
		return plain
	}
	return key
}

// escapedKey returns the key of an extra as a part of the name of a header.
func escapedKey(key string) string {
	var out strings.Builder
	for _, c := range []byte(key) {
		switch {
		case c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', strings.IndexByte("!#$&'*+-.^_`|~", c) >= 0:
			out.WriteByte(c)
		default:
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String()
}

func (i *Impersonation) need(q access.Access) {
	q.Verb = identity.Impersonate
	i.Needs = append(i.Needs, q)
}

// needUser asks for the user itself. A service account is a user with a namespace, and groups.
func (i *Impersonation) needUser() {
	namespace, name, ok := identity.ServiceAccount(i.Name)
	if !ok {
		i.need(access.Access{Resource: "users", Name: i.Name})
		return
	}
	i.need(access.Access{Resource: "serviceaccounts", Namespace: namespace, Name: name})
}

// addSystemGroups completes the groups. Groups that the client names count as they are, except that a user is in
// exactly one of the two groups of all users.
func (i *Impersonation) addSystemGroups() {
	if namespace, _, ok := identity.ServiceAccount(i.Name); ok && len(i.Groups) == 0 {
		i.Groups = identity.ServiceAccountGroups(namespace)
	}
	i.Groups = identity.WithSystemGroup(i.Name, i.Groups)
}

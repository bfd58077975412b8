package identity

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/rest/internal/route"
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

// The names that Kubernetes gives to users and groups of the system. Rules that hosts write for Kubernetes keep their
// meaning.
const (
	Anonymous            = "system:anonymous"
	UnauthenticatedGroup = "system:unauthenticated"
	AuthenticatedGroup   = "system:authenticated"

	// CredentialID is the key under which Kubernetes keeps the credential of a user among its extras.
	CredentialID = "authentication.kubernetes.io/credential-id"

	serviceAccountPrefix = "system:serviceaccount:"
	serviceAccountsGroup = "system:serviceaccounts"
)

// Impersonation describes the user that a client wants to impersonate.
type Impersonation struct {
	Name, UID string
	Groups    []string
	Extra     map[string][]string
	// Needs lists what the client must be allowed to do first.
	Needs []route.Question
}

// ReadImpersonation reads the headers of impersonation. It returns a BadRequest error for headers that name no user, or
// that it does not know. The name of a service account stands for its groups too, unless the client names groups.
func ReadImpersonation(headers map[string][]string) (*Impersonation, error) {
	i := &Impersonation{Extra: map[string][]string{}}
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
		i.need(route.Question{Resource: "groups", Name: group})
	}
	for _, key := range slices.Sorted(maps.Keys(extras)) {
		i.Extra[key] = extras[key]
		for _, value := range extras[key] {
			i.need(route.Question{Group: "authentication.k8s.io", Version: "v1", Resource: "userextras", Subresource: key,
				Name: value})
		}
	}
	if i.UID != "" {
		i.need(route.Question{Group: "authentication.k8s.io", Version: "v1", Resource: "uids", Name: i.UID})
	}
	i.addSystemGroups()
	return i, nil
}

// ImpersonationHeader returns the headers with which a client asks to act as a user. It is the reverse of
// ReadImpersonation.
func ImpersonationHeader(name, uid string, groups []string, extra map[string][]string) map[string][]string {
	header := map[string][]string{userHeader: {name}}
	if len(groups) > 0 {
		header[groupHeader] = groups
	}
	if uid != "" {
		header[uidHeader] = []string{uid}
	}
	for key, values := range extra {
		header[extraPrefix+escapedKey(key)] = values
	}
	return header
}

// ImpersonationHeaders returns the names of the headers that ask to act as another user, in alphabetical order.
func ImpersonationHeaders(headers map[string][]string) (names []string) {
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

// impersonate is the verb of the right to act as another user.
const impersonate = "impersonate"

// IsImpersonation reports whether a verb is about acting as another user, constrained or not.
func IsImpersonation(verb string) bool {
	return verb == impersonate || strings.HasPrefix(verb, impersonate+":") || strings.HasPrefix(verb, impersonate+"-on:")
}

func (i *Impersonation) need(q route.Question) {
	q.Verb = impersonate
	i.Needs = append(i.Needs, q)
}

// needUser asks for the user itself. A service account is a user with a namespace, and groups.
func (i *Impersonation) needUser() {
	namespace, name, ok := ServiceAccount(i.Name)
	if !ok {
		i.need(route.Question{Resource: "users", Name: i.Name})
		return
	}
	i.need(route.Question{Resource: "serviceaccounts", Namespace: namespace, Name: name})
}

// ServiceAccount splits the user name of a service account. ok is false for any other user.
func ServiceAccount(user string) (namespace, name string, ok bool) {
	rest, ok := strings.CutPrefix(user, serviceAccountPrefix)
	if !ok {
		return "", "", false
	}
	namespace, name, ok = strings.Cut(rest, ":")
	return namespace, name, ok && namespace != "" && name != "" && !strings.Contains(name, ":")
}

// ServiceAccountUser returns the user name of a service account.
func ServiceAccountUser(namespace, name string) string {
	return serviceAccountPrefix + namespace + ":" + name
}

// ServiceAccountGroups returns the groups of the service accounts in a namespace.
func ServiceAccountGroups(namespace string) []string {
	return []string{serviceAccountsGroup, fmt.Sprintf("%s:%s", serviceAccountsGroup, namespace)}
}

// addSystemGroups completes the groups. Groups that the client names count as they are, except that a user is in
// exactly one of the two groups of all users.
func (i *Impersonation) addSystemGroups() {
	if namespace, _, ok := ServiceAccount(i.Name); ok && len(i.Groups) == 0 {
		i.Groups = ServiceAccountGroups(namespace)
	}
	i.Groups = WithSystemGroup(i.Name, i.Groups)
}

// WithSystemGroup returns the groups and, if they have neither, adds system:authenticated, or system:unauthenticated
// for the anonymous user.
func WithSystemGroup(user string, groups []string) []string {
	wanted := AuthenticatedGroup
	if user == Anonymous {
		wanted = UnauthenticatedGroup
	}
	if slices.Contains(groups, wanted) || slices.Contains(groups, UnauthenticatedGroup) {
		return groups
	}
	return append(slices.Clip(groups), wanted)
}

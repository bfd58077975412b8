package identity

import (
	"fmt"
	"slices"
	"strings"
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

// Impersonate is the verb of the right to act as another user.
const Impersonate = "impersonate"

// IsImpersonation reports whether a verb is about acting as another user, constrained or not.
func IsImpersonation(verb string) bool {
	return verb == Impersonate || strings.HasPrefix(verb, Impersonate+":") || strings.HasPrefix(verb, Impersonate+"-on:")
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

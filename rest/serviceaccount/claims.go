package serviceaccount

import (
	"slices"
	"time"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/identity"
)

// claims are the claims of a token, as in Kubernetes. Times are seconds since 1970.
type claims struct {
	Audiences []string `json:"aud"`
	Expiry    int64    `json:"exp"`
	IssuedAt  int64    `json:"iat"`
	Issuer    string   `json:"iss"`
	ID        string   `json:"jti"`
	Account   account  `json:"kubernetes.io"`
	NotBefore int64    `json:"nbf"`
	Subject   string   `json:"sub"`
}

// account says whose token it is, and with which object's deletion it becomes invalid.
type account struct {
	Namespace string     `json:"namespace"`
	Node      *reference `json:"node,omitempty"`
	Pod       *reference `json:"pod,omitempty"`
	Secret    *reference `json:"secret,omitempty"`
	Account   reference  `json:"serviceaccount"`
}

// reference names an object that existed when the token was issued.
type reference struct {
	Name string `json:"name"`
	UID  string `json:"uid,omitempty"`
}

// user returns the user that the claims describe, with the extra attributes of Kubernetes.
func (c *claims) user() access.User {
	extra := map[string][]string{identity.CredentialID: {"JTI=" + c.ID}}
	add := func(kind string, r *reference) {
		if r == nil {
			return
		}
		extra["authentication.kubernetes.io/"+kind+"-name"] = []string{r.Name}
		if r.UID != "" {
			extra["authentication.kubernetes.io/"+kind+"-uid"] = []string{r.UID}
		}
	}
	add("node", c.Account.Node)
	add("pod", c.Account.Pod)
	return access.User{Name: c.Subject, UID: c.Account.Account.UID,
		Groups: identity.ServiceAccountGroups(c.Account.Namespace), Extra: extra}
}

// expires returns when the token expires.
func (c *claims) expires() time.Time { return time.Unix(c.Expiry, 0) }

// shared returns the audiences of a that are also in b, in the order of a.
func shared(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return !slices.Contains(b, s) })
}

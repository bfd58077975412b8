package oidc

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/decorum-go/decorum/rest/access"
)

// systemPrefix begins the names of users and groups that belong to the API.
const systemPrefix = "system:"

// claims are the verified claims of a token.
type claims map[string]json.RawMessage

// text returns a claim that is a string.
func (c claims) text(name string) (s string, ok bool) {
	return s, json.Unmarshal(c[name], &s) == nil && s != ""
}

// texts returns a claim that is a string or a list of strings.
func (c claims) texts(name string) ([]string, error) {
	if one, ok := c.text(name); ok {
		return []string{one}, nil
	}
	var all []string
	if raw, ok := c[name]; ok && json.Unmarshal(raw, &all) != nil {
		return nil, fmt.Errorf("oidc: the claim %q is neither a string nor a list of strings", name)
	}
	return all, nil
}

// user returns the user that verified claims describe.
func (a *authenticator) user(c claims) (u access.User, err error) {
	o := &a.options
	for name, want := range o.RequiredClaims {
		if got, ok := c.text(name); !ok || got != want {
			return u, fmt.Errorf("oidc: the token needs the claim %q with the value %q", name, want)
		}
	}
	name, ok := c.text(o.UsernameClaim)
	if !ok {
		return u, fmt.Errorf("oidc: the token has no claim %q", o.UsernameClaim)
	}
	if verified, present := c["email_verified"]; o.UsernameClaim == "email" && present && string(verified) != "true" {
		return u, errEmail
	}
	u.Name = o.UsernamePrefix + name
	if strings.HasPrefix(u.Name, systemPrefix) {
		return u, errSystem
	}
	if id, ok := c.text("jti"); ok {
		u.Extra = map[string][]string{"authentication.kubernetes.io/credential-id": {"JTI=" + id}}
	}
	if o.GroupsClaim == "" {
		return u, nil
	}
	groups, err := c.texts(o.GroupsClaim)
	for _, group := range groups {
		if group = o.GroupsPrefix + group; group != "" && !strings.HasPrefix(group, systemPrefix) {
			u.Groups = append(u.Groups, group)
		}
	}
	return u, err
}

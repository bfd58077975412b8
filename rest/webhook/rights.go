package webhook

import (
	"context"

	"github.com/decorum-go/decorum/internal/rules"
	"github.com/decorum-go/decorum/rest/access"
)

// authorize answers the question of a condition about the rights of a user.
func authorize(ctx context.Context, c rules.Check) rules.Ruling {
	a := access.Access{Verb: access.Verb(c.Verb), Path: c.Path}
	if c.Path == "" {
		a.Group, a.Version, a.Resource, a.Subresource = c.Group, "*", c.Resource, c.Subresource
		a.Namespace, a.Name, a.FieldSelector, a.LabelSelector = c.Namespace, c.Name, c.FieldSelector, c.LabelSelector
	}
	if c.ServiceAccount != "" {
		a.User = access.ServiceAccountUser(c.ServiceAccountNamespace, c.ServiceAccount)
	}
	decision, err := access.Authorize(ctx, a)
	return rules.Ruling{Allowed: decision.Allowed(), Reason: decision.Reason(), Err: err}
}

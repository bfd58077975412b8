package rest

import (
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/service"
)

func init() {
	service.RecordsOf = func(c any) *service.Records { return c.(interface{ records() *service.Records }).records() }
}

// records returns the objects of the client as the store keeps them. It returns nil if they are in another process or in
// another version than the stored one, and if the client cannot watch them.
func (c *client) records() *service.Records {
	if _, err := c.at(access.VerbWatch, "", ""); err != nil {
		return nil
	}
	calls, ok := c.service.(*service.Calls)
	if !ok || calls.Resource.FromStored != nil {
		return nil
	}
	return &service.Records{Calls: calls, Namespace: c.namespace}
}

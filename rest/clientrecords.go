package rest

import (
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/service"
	"github.com/decorum-go/decorum/rest/internal/write"
)

func init() {
	service.RecordsOf = func(c any) *service.Records { return c.(interface{ records() *service.Records }).records() }
	service.NoteWrites = func(c any, note func(service.Written)) string {
		return c.(interface {
			noteWrites(func(service.Written)) string
		}).noteWrites(note)
	}
}

func (c *calls[P]) noteWrites(note func(service.Written)) (namespace string) {
	c.client = c.copied()
	c.note = note
	return c.namespace
}

// noted reports a write of an object or of its status to whoever notes the writes.
func (c *client) noted(w *service.Wanted, done write.Result) {
	if c.note == nil || w.Asked.DryRun || w.Subresource != "" && w.Subresource != theStatus {
		return
	}
	c.note(service.Written{Address: w.Address, JSON: done.JSON, Gone: done.Gone,
		Decode: func() (any, error) { return c.res.GoType.Decode(done.JSON) }})
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

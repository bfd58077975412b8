package rest

import (
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/service"
	"github.com/decorum-go/decorum/rest/internal/write"
)

// door gives packages of this module access to the unexported parts of a client (see [service.InsideOf]).
type door = service.Door

func newDoor() door {
	return service.NewDoor(func(c any) service.Inside { return c.(interface{ inside() service.Inside }).inside() })
}

func (c *client) inside() service.Inside {
	return service.Inside{Namespace: c.namespace, Records: c.records()}
}

// noted reports a write of an object or of its status to the function that [service.NoteWrites] has set, if any.
func (c *client) noted(w *service.Wanted, done write.Result) {
	note := service.NotesOf(&c.door)
	if note == nil || w.Asked.DryRun || w.Subresource != "" && w.Subresource != theStatus {
		return
	}
	note(service.Written{Address: w.Address, JSON: done.JSON, Gone: done.Gone,
		Decode: func() (any, error) { return c.res.GoType.Decode(done.JSON) }})
}

// records returns the client's objects as the store keeps them. It returns nil if the objects are in another process,
// if the client uses another version than the stored one, or if the client cannot watch the objects.
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

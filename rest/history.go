package rest

import (
	"errors"
	"fmt"
	"time"

	"github.com/decorum-go/decorum/rest/internal/resource"
)

// History makes the server keep former versions of the objects of a kind, in the store and for longer than the store's
// own history. It adds the subresources history and undo (package [history]), which are extensions.
//
// A version is a state that a write replaced. The writes of the status, and of metadata other than labels and
// annotations, replace none: a controller that reports its progress does not push out what people wrote. A version goes
// when the younger Versions follow it, when For has passed since it was replaced, when its namespace goes, and when a
// client purges the past of the object. The versions of a deleted object stay as long, so that it can be restored by
// its name.
//
// The history of an object is for whoever may get history of it. If the rights of a user are restricted to some of the
// objects, the user sees the versions to which these rights extend, as long as they extend to the object.
type History struct {
	// Versions is how many former versions of the objects with one name the server keeps: 1 to 100. Default: 10.
	Versions int
	// For is how long the server keeps a version after it was replaced. Default: 30 days. The server removes what is older
	// at most an hour later, and does not show it until then.
	For time.Duration
	// Confidential declares that the objects may hold credentials and that their history is kept nevertheless: what
	// somebody takes out of an object stays in its history. Secrets of Kubernetes cannot have a History without it.
	Confidential bool
}

// The bounds and the defaults of a [History].
const (
	defaultVersions = 10
	maxVersions     = 100
	defaultFor      = 30 * 24 * time.Hour
)

// traits checks the declaration, and fills in its defaults. secrets says that the kind is that of the Secrets of
// Kubernetes.
func (h *History) traits(secrets bool) (*resource.History, error) {
	switch {
	case h == nil:
		return nil, nil
	case h.Versions < 0 || h.Versions > maxVersions:
		return nil, fmt.Errorf("History: Versions %d: must be between 1 and %d", h.Versions, maxVersions)
	case h.For < 0:
		return nil, fmt.Errorf("History: For %v: must be positive", h.For)
	case secrets && !h.Confidential:
		return nil, errors.New("History: Secrets hold credentials, which would stay in their history: set Confidential if that is intended")
	}
	out := &resource.History{Versions: h.Versions, For: h.For}
	if out.Versions == 0 {
		out.Versions = defaultVersions
	}
	if out.For == 0 {
		out.For = defaultFor
	}
	return out, nil
}

package serviceaccount

import (
	"context"
	"errors"
	"time"

	"github.com/decorum-go/decorum/rest/internal/jwt"
	"github.com/decorum-go/decorum/rest/raw"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// onRevoked returns [access.Identity.OnRevoked] for a token. The first session follows the accounts. The first one with a
// token that is bound to a Pod, a Secret or a Node follows their resource.
func (i *Issuer) onRevoked(token string, claims *account) func(func()) func() {
	return func(end func()) func() {
		s, on := &session{token, end}, claims.dependsOn()
		for _, object := range on {
			if i.open.add(object, s) {
				go i.follow(object.Resource)
			}
		}
		// The session does not see what happened since the token was checked, so all of that is checked again.
		if i.isOfRemovedKey(token) {
			end()
		}
		for _, object := range on {
			i.examine(object)
		}
		return func() {
			for _, object := range on {
				i.open.remove(object, s)
			}
		}
	}
}

// isOfRemovedKey reports whether the key that signed a token has been removed.
func (i *Issuer) isOfRemovedKey(token string) bool {
	return jwt.Verify(token, *i.keys.Load(), &claims{}) != nil
}

// patience is how long the store may take to say whether an object still exists.
const patience = 10 * time.Second

// examine ends the sessions that depend on an object if the object no longer exists, or if the store does not answer.
func (i *Issuer) examine(object existing) {
	if !i.open.has(object) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	left, err := i.left(ctx, object)
	switch {
	case errors.Is(err, watch.ErrClosed): // the API ends, and ends the sessions itself
	case err != nil:
		i.open.end([]existing{object}, always)
	case left > 0:
		i.open.endAfter(left, object)
	}
}

// follow ends the sessions that depend on an object of a resource when the object is deleted, in this replica or in
// another one. It returns when the API ends.
func (i *Issuer) follow(resource string) {
	var err error
	for err == nil || status.IsExpired(err) {
		var changes raw.Changes
		complete := false
		for changes, err = range i.objects.Follow(context.Background(), resource) {
			if err == nil && changes.Through > 0 && !complete { // deletions from now on are among the changes
				complete = true
				for _, object := range i.open.objects(resource) {
					i.examine(object)
				}
			}
			for _, c := range changes.List {
				if c.Previous != nil && (c.Current == nil || c.Current.Deleting) {
					i.examine(existing{c.Key, c.Previous.UID})
				}
			}
		}
	}
	if !errors.Is(err, watch.ErrClosed) { // the store failed: the clients come again, and the first of them follows again
		i.open.unfollow(resource)
		i.open.end(i.open.objects(resource), always)
	}
}

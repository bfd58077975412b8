package follow

import (
	"github.com/decorum-go/decorum/rest/internal/resource"
	"github.com/decorum-go/decorum/status"
)

// The API may give up or replace a resource while it is followed. The log then goes on with the changes of the next
// resource. These functions say what a Follower may still report, and why it ends.

// check returns [resource.ErrRetired] if the follower must not report an event because it may belong to the next
// resource.
func (f *Follower) check() error {
	if f.of == nil {
		return nil
	}
	if f.throughout && f.of.Reshaped() || !f.throughout && f.of.Replaced() {
		return resource.ErrRetired
	}
	return nil
}

// checkListed returns [resource.ErrRetired] if the store may have listed the existing objects by the indexes of the
// next resource.
func (f *Follower) checkListed() error {
	if f.of != nil && f.of.Replaced() {
		return resource.ErrRetired
	}
	return nil
}

// Retired reports whether the API has given up or replaced the resource. A reader asks before it calls Poll: if the
// answer is yes and Poll reports no more, the reader knows everything that happened under the resource.
func (f *Follower) Retired() bool { return f.of != nil && f.of.Retired() }

// Reason returns why the follower ends, given the error of Begin or Poll. It returns [resource.ErrRetired] if the log
// no longer holds the position because the resource was replaced.
func (f *Follower) Reason(err error) error {
	if f.of != nil && f.of.Replaced() && status.IsExpired(err) {
		return resource.ErrRetired
	}
	return err
}

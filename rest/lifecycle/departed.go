package lifecycle

import "github.com/decorum-go/decorum/storage"

// maxDeparted is how many objects without dependents departed remembers.
const maxDeparted = 10_000

// departed remembers the objects that the collector saw go. Their uids never come back, so their dependents can be
// deleted even if the API no longer serves their kind, for example because its definition was deleted with them. It
// remembers an object as long as it has dependents, and the latest others for a dependent that arrives late.
type departed struct {
	namespaced map[string]bool // whether the object with a uid was in a namespace
	order      []string        // the uids, oldest first
}

func newDeparted() *departed { return &departed{namespaced: map[string]bool{}} }

// add remembers an object that is gone. isNeeded reports whether an object has dependents.
func (d *departed) add(r *storage.Record, isNeeded func(uid string) bool) {
	if _, ok := d.namespaced[r.UID]; ok {
		return
	}
	d.namespaced[r.UID] = r.Key.Namespace != ""
	d.order = append(d.order, r.UID)
	// At most two are looked at, so a long queue of needed ones costs nothing, and the queue shrinks once they are no
	// longer needed.
	for range 2 {
		if len(d.order) <= maxDeparted {
			return
		}
		oldest := d.order[0]
		d.order = d.order[1:]
		if isNeeded(oldest) {
			d.order = append(d.order, oldest)
		} else {
			delete(d.namespaced, oldest)
		}
	}
}

// has reports whether an object is gone, and whether it was in a namespace.
func (d *departed) has(uid string) (namespaced, gone bool) {
	namespaced, gone = d.namespaced[uid]
	return namespaced, gone
}

package watch

import "sort"

const smallestRing = 16

// ring is a first-in first-out queue with access by index. It keeps no reference to a popped element, and releases the
// space of a burst.
type ring[E any] struct {
	slots []E // length is a power of two, or zero
	head  int
	count int
}

func (r *ring[E]) len() int { return r.count }

func (r *ring[E]) at(i int) E { return r.slots[(r.head+i)&(len(r.slots)-1)] }

func (r *ring[E]) set(i int, e E) { r.slots[(r.head+i)&(len(r.slots)-1)] = e }

func (r *ring[E]) push(e E) {
	if r.count == len(r.slots) {
		r.resize(max(smallestRing, 2*r.count))
	}
	r.slots[(r.head+r.count)&(len(r.slots)-1)] = e
	r.count++
}

func (r *ring[E]) pop() E {
	var none E
	e := r.slots[r.head]
	r.slots[r.head] = none // otherwise the slot would keep what the element points to alive
	r.head = (r.head + 1) & (len(r.slots) - 1)
	r.count--
	if len(r.slots) > smallestRing && r.count <= len(r.slots)/8 {
		r.resize(len(r.slots) / 2)
	}
	return e
}

// search returns the index of the first element for which after holds, or len. after must hold for all elements behind
// that one.
func (r *ring[E]) search(after func(E) bool) int {
	return sort.Search(r.count, func(i int) bool { return after(r.at(i)) })
}

func (r *ring[E]) resize(size int) {
	slots := make([]E, size)
	for i := range r.count {
		slots[i] = r.at(i)
	}
	r.slots, r.head = slots, 0
}

package controller

// fifo is a queue in a slice. Taken elements stay in front until they are half of the slice, so that each element moves
// about once.
type fifo[K any] struct {
	elements []K
	taken    int
}

func (f *fifo[K]) len() int { return len(f.elements) - f.taken }

// first returns the next element. The queue must not be empty.
func (f *fifo[K]) first() K { return f.elements[f.taken] }

func (f *fifo[K]) push(k K) { f.elements = append(f.elements, k) }

func (f *fifo[K]) pop() K {
	var none K
	k := f.elements[f.taken]
	f.elements[f.taken] = none
	f.taken++
	if 2*f.taken >= len(f.elements) {
		left := copy(f.elements, f.elements[f.taken:])
		clear(f.elements[left:])
		f.elements, f.taken = f.elements[:left], 0
	}
	return k
}

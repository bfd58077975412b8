package media

// Room returns how many bytes of memory the encoding of a JSON text of n bytes takes, with all intermediate values. It
// returns 0 if the answer is small, or shares the text of the store.
func (rep *Representation) Room(n int) int {
	switch {
	case n <= ChunkSize || rep.IsPlain():
		return 0
	case rep.Media == YAML:
		return 10 * n
	case rep.Media == CBOR:
		return 6 * n
	}
	return 4 * n
}

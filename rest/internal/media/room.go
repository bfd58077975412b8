package media

// Room returns how much memory the encoding of a JSON text of n bytes takes, with all that is made on the way. It is 0
// for an answer that is no copy, or is small.
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

package codec

// valueBytes is about how much memory a value of a document takes besides its text: as a map with a key, or as another
// value that is copied while the document is built.
const valueBytes = 96

// DocumentBytes estimates how many bytes of memory the document of a JSON text takes. The estimate is never too low.
func DocumentBytes(json []byte) int { return len(json) + valueBytes*CountValues(json) }

// CountValues estimates how many values a JSON text has. It counts the commas and the opening brackets outside of
// strings.
func CountValues(json []byte) (n int) {
	for at := 0; at < len(json); at++ {
		switch json[at] {
		case '"':
			for at++; at < len(json) && json[at] != '"'; at++ {
				if json[at] == '\\' {
					at++
				}
			}
		case ',', '{', '[':
			n++
		}
	}
	return n
}

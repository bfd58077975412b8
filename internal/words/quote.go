package words

// quote quotes a text as package time does in its errors, which is simpler than strconv.Quote. Its callers
// do not contain it: they only write errors.
//
//go:noinline
func quote(text string) string {
	const hex = "0123456789abcdef"
	quoted := []byte{'"'}
	for i := range len(text) {
		switch c := text[i]; {
		case c < ' ' || c >= 0x80:
			quoted = append(quoted, '\\', 'x', hex[c>>4], hex[c&0xf])
		case c == '"' || c == '\\':
			quoted = append(quoted, '\\', c)
		default:
			quoted = append(quoted, c)
		}
	}
	return string(append(quoted, '"'))
}

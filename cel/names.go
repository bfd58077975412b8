package cel

import "strings"

// escape returns the name of a property in expressions, and whether it has one. As in Kubernetes, a name that is
// not an identifier is written with words between underscores.
func escape(name string) (string, bool) {
	if reserved(name) {
		return "__" + name + "__", true
	}
	if name == "" || isDigit(name[0]) {
		return "", false
	}
	if isOf(name, isAlphanumeric) { // the usual case
		return name, true
	}
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case strings.HasPrefix(name[i:], "__"):
			b.WriteString("__underscores__")
			i++
		case isAlphanumeric(c), c == '_':
			b.WriteByte(c)
		case c == '.':
			b.WriteString("__dot__")
		case c == '-':
			b.WriteString("__dash__")
		case c == '/':
			b.WriteString("__slash__")
		default:
			return "", false
		}
	}
	return b.String(), true
}

// reserved reports whether a name is a word of the language. Expressions may also use most of these words as they are,
// after a dot, as in self.namespace.
func reserved(name string) bool {
	switch name {
	case "true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import",
		"let", "loop", "package", "namespace", "return", "var", "void", "while":
		return true
	}
	return false
}

// escapedWord returns the escaped name of a property that an expression names as it is, if the name is a word of the
// language.
func escapedWord(name string) string {
	if reserved(name) {
		name, _ = escape(name)
	}
	return name
}

package cel

import "strings"

// escape returns the name by which expressions know a property, and whether they know it at all: names that are no
// identifiers are written with words between underscores, as in Kubernetes.
func escape(name string) (string, bool) {
	switch name {
	case "true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let",
		"loop", "package", "namespace", "return", "var", "void", "while":
		return "__" + name + "__", true
	}
	if name == "" || '0' <= name[0] && name[0] <= '9' {
		return "", false
	}
	for _, c := range name {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.ContainsRune("_-./", c):
		default:
			return "", false
		}
	}
	return strings.NewReplacer("__", "__underscores__", ".", "__dot__", "-", "__dash__", "/", "__slash__").Replace(name), true
}

package conventions

import (
	"fmt"
	"iter"
	"strings"

	"github.com/decorum-go/decorum/internal/doc"
)

// keyRules returns the rules about keys of labels and annotations, and about other reserved names.
func keyRules() []rule {
	return []rule{
		{name: RuleKey, severity: Should, section: sectionLabels, page: pageKeys, place: onPlace(key)},
		{name: RuleReservedPrefix, severity: Must, section: sectionLabels, page: pageKeys, place: onPlace(reservedPrefix)},
	}
}

// texts yields the texts that a declaration itself puts into objects: its default and its constants.
func texts(p *place) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, value := range append([]doc.Value{p.schema.DefaultValue}, p.schema.Constraints().Enum...) {
			if value.Kind() == doc.String && !yield(value.Text()) {
				return
			}
		}
		if p.schema.DefaultValue.Kind() != doc.Map || !holdsKeys(p.name()) {
			return
		}
		for name := range p.schema.DefaultValue.Members() {
			if !yield(name) {
				return
			}
		}
	}
}

// holdsKeys reports whether a map of that name has keys of labels or annotations as its keys.
func holdsKeys(name string) bool {
	switch lastWord(name) {
	case "labels", "annotations", "selector":
		return true
	}
	return false
}

// isKeyField reports whether a field holds the key of a label, an annotation or a taint.
func isKeyField(name string) bool {
	words := lowerWords(name)
	if len(words) < 2 || words[len(words)-1] != "key" && words[len(words)-1] != "label" &&
		words[len(words)-1] != "annotation" {
		return false
	}
	switch words[len(words)-2] {
	case "label", "annotation", "taint", "topology", "unique", "selector":
		return true
	}
	return words[len(words)-1] != "key"
}

// isPrefixed reports whether a text has the form of a key with a prefix, example.com/name.
func isPrefixed(text string) bool {
	domain, name, found := strings.Cut(text, "/")
	return found && strings.Contains(domain, ".") && name != "" && !strings.ContainsAny(text, " :") &&
		!strings.Contains(name, "/")
}

// key checks keys in the defaults and constants of a definition.
func key(p *place) string {
	isKey := isKeyField(p.name()) || holdsKeys(p.name())
	for text := range texts(p) {
		_, name, _ := strings.Cut(text, "/")
		switch {
		case !isKey && (!isPrefixed(text) || p.name() == "type" || isReserved(strings.Split(text, "/")[0])):
		case isKey && !isPrefixed(text) && text != "":
			return fmt.Sprintf("%q is a key without a prefix, and these belong to users: begin it with a domain that you own",
				text)
		case name != strings.ToLower(name) || strings.Contains(name, "_"):
			return fmt.Sprintf("%q: the name of a key is in lower case, with dashes between its words", text)
		}
	}
	return ""
}

// reservedPrefix looks for reserved names in the defaults and constants of a definition.
func reservedPrefix(p *place) string {
	for text := range texts(p) {
		switch domain, _, isKey := strings.Cut(text, "/"); {
		case isKey && isReserved(domain):
			return fmt.Sprintf("%q has a prefix that is reserved for Kubernetes: use a domain that you own", text)
		case lastWord(p.name()) == "namespace" && strings.HasPrefix(text, "kube-"):
			return fmt.Sprintf("%q begins with kube-, which is reserved for the namespaces of Kubernetes itself", text)
		}
	}
	return ""
}

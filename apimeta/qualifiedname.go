package apimeta

import (
	"fmt"
	"strings"
)

const (
	maxQualifiedNamePart = 63
	maxLabelValue        = 63

	qualifiedNamePattern = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
	qualifiedNameRule    = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
)

// ValidateQualifiedName checks "name" or "prefix/name": a name part of at most 63
// letters, digits, dashes, underscores and dots that starts and ends with a
// letter or digit, and a prefix that is a DNS subdomain. It returns a message for
// each rule that is broken.
func ValidateQualifiedName(name string) []string {
	prefix, part, prefixed := strings.Cut(name, "/")
	if !prefixed {
		part = name
	}
	if strings.Contains(part, "/") {
		return []string{mismatch("a valid label key "+qualifiedNameRule, qualifiedNamePattern, "MyName", "my.name",
			"123-abc") +
			" with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"}
	}
	var msgs []string
	switch {
	case !prefixed:
	case prefix == "":
		msgs = append(msgs, "prefix part must be non-empty")
	default:
		for _, msg := range validateSubdomain(prefix, tooManyBytes) {
			msgs = append(msgs, "prefix part "+msg)
		}
	}
	if part == "" {
		msgs = append(msgs, "name part must be non-empty")
	} else if len(part) > maxQualifiedNamePart {
		msgs = append(msgs, "name part "+tooManyBytes(maxQualifiedNamePart))
	}
	if !isQualifiedPart(part) {
		msgs = append(msgs, "name part "+mismatch(qualifiedNameRule, qualifiedNamePattern, "MyName", "my.name", "123-abc"))
	}
	return msgs
}

// ValidateLabelKey checks the key of a label. The rule is that of
// [ValidateQualifiedName]; the key of an annotation must satisfy it once it is
// converted to lower case.
func ValidateLabelKey(key string) []string { return ValidateQualifiedName(key) }

// ValidateLabelValue checks the value of a label: at most 63 letters, digits,
// dashes, underscores and dots that start and end with a letter or digit, or the
// empty string. It returns a message for each rule that is broken.
func ValidateLabelValue(value string) []string {
	var msgs []string
	if len(value) > maxLabelValue {
		msgs = append(msgs, tooManyBytes(maxLabelValue))
	}
	if value != "" && !isQualifiedPart(value) {
		msgs = append(msgs, mismatch("a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
			"("+qualifiedNamePattern+")?", "MyValue", "my_value", "12345"))
	}
	return msgs
}

// ValidateFinalizerName checks the name of a finalizer. The rule is that of
// [ValidateQualifiedName].
func ValidateFinalizerName(name string) []string { return ValidateQualifiedName(name) }

// ValidateBuiltinFinalizerName checks the rule that built-in kinds add to
// [ValidateFinalizerName]: only the system's own finalizers may lack a prefix.
func ValidateBuiltinFinalizerName(name string) []string {
	switch {
	case strings.Contains(name, "/"),
		name == FinalizerOrphanDependents, name == FinalizerDeleteDependents, name == "kubernetes":
		return nil
	}
	return []string{"name is neither a standard finalizer name nor is it fully qualified"}
}

// isQualifiedPart matches qualifiedNamePattern.
func isQualifiedPart(s string) bool {
	if s == "" || !isAlphanumeric(s[0]) || !isAlphanumeric(s[len(s)-1]) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isAlphanumeric(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

func isAlphanumeric(c byte) bool { return isLower(c) || 'A' <= c && c <= 'Z' }

func tooManyBytes(limit int) string { return fmt.Sprintf("must be no more than %d bytes", limit) }

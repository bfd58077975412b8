package apimeta

import (
	"fmt"
	"strings"
)

// TotalAnnotationsLimit is the largest sum of the lengths of all keys and values
// of an object's annotations, in bytes.
const TotalAnnotationsLimit = 256 << 10

const (
	maxDNSLabel     = 63
	maxDNSSubdomain = 253

	dns1123LabelPattern     = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
	dns1123SubdomainPattern = dns1123LabelPattern + `(\.` + dns1123LabelPattern + ")*"
	dns1035LabelPattern     = "[a-z]([-a-z0-9]*[a-z0-9])?"
)

// ValidateDNS1123Label checks a name of at most 63 lower-case letters, digits and
// inner dashes (RFC 1123). It returns a message for each rule that is broken,
// none for a valid name (API conventions, Names, "DNS_LABEL").
func ValidateDNS1123Label(name string) []string {
	var msgs []string
	if len(name) > maxDNSLabel {
		msgs = append(msgs, tooManyCharacters(maxDNSLabel))
	}
	if isDNSLabel(name) {
		return msgs
	}
	if isDNSSubdomain(name) {
		// The dots are all that is wrong, so name them.
		return append(msgs, "must not contain dots")
	}
	return append(msgs, mismatch("a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
		dns1123LabelPattern, "my-name", "123-abc"))
}

// ValidateDNS1123Subdomain checks a name of at most 253 characters that consists
// of DNS labels joined by dots. It returns a message for each rule that is broken
// (API conventions, Names, "DNS_SUBDOMAIN").
func ValidateDNS1123Subdomain(name string) []string {
	return validateSubdomain(name, tooManyCharacters)
}

// validateSubdomain takes the function that returns the message for a name that is
// too long, because upstream words it in two ways.
func validateSubdomain(name string, tooLong func(limit int) string) []string {
	var msgs []string
	if len(name) > maxDNSSubdomain {
		msgs = append(msgs, tooLong(maxDNSSubdomain))
	}
	if !isDNSSubdomain(name) {
		msgs = append(msgs, mismatch("a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
			dns1123SubdomainPattern, "example.com"))
	}
	return msgs
}

// ValidateDNS1035Label checks a DNS label that starts with a letter, as the names
// of Services must. It returns a message for each rule that is broken.
func ValidateDNS1035Label(name string) []string {
	var msgs []string
	if len(name) > maxDNSLabel {
		msgs = append(msgs, tooManyCharacters(maxDNSLabel))
	}
	if !isDNSLabel(name) || name[0] <= '9' {
		msgs = append(msgs, mismatch("a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
			dns1035LabelPattern, "my-name", "abc-123"))
	}
	return msgs
}

// ValidatePathSegmentName checks the minimum that every name must satisfy: it can
// be one segment of a URL path. It returns a message for each rule that is broken
// (API conventions, Names).
func ValidatePathSegmentName(name string) []string {
	if name == "." || name == ".." {
		return []string{fmt.Sprintf("may not be '%s'", name)}
	}
	var msgs []string
	for _, illegal := range []string{"/", "%"} {
		if strings.Contains(name, illegal) {
			msgs = append(msgs, fmt.Sprintf("may not contain '%s'", illegal))
		}
	}
	return msgs
}

// isDNSLabel matches dns1123LabelPattern.
func isDNSLabel(s string) bool {
	if s == "" || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isLower(c) && c != '-' {
			return false
		}
	}
	return true
}

// isDNSSubdomain matches dns1123SubdomainPattern.
func isDNSSubdomain(s string) bool {
	for {
		label, rest, more := strings.Cut(s, ".")
		if !isDNSLabel(label) {
			return false
		}
		if !more {
			return true
		}
		s = rest
	}
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }

func tooManyCharacters(limit int) string {
	return fmt.Sprintf("must be no more than %d characters", limit)
}

// mismatch returns the message for a value that does not match pattern. The
// examples do match it.
func mismatch(rule, pattern string, examples ...string) string {
	var b strings.Builder
	b.WriteString(rule)
	b.WriteString(" (e.g. ")
	for i, example := range examples {
		if i > 0 {
			b.WriteString(" or ")
		}
		b.WriteString("'" + example + "', ")
	}
	b.WriteString("regex used for validation is '" + pattern + "')")
	return b.String()
}

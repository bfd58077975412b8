package schema

import (
	"net"
	"net/mail"
	"net/url"
	"strings"
	"time"
)

// checkedFormat returns the format that values must have, or "" if the format is only documentation, as in OpenAPI for
// every format that a validator does not know.
func (s *Schema) checkedFormat() string {
	var known bool
	switch s.Type {
	case IntegerType:
		known = s.Format == "int32" || s.Format == "int64"
	case NumberType:
		known = s.Format == "float" || s.Format == "double"
	case StringType, AnyType:
		known = textFormat(s.Format) != nil
	}
	if !known {
		return ""
	}
	return s.Format
}

// readByGo reports whether a Go type with its own parser reads the text, so that text in another form cannot occur
// there.
func (s *Schema) readByGo() bool { return s.goType.bytes || s.goType.parsed }

// wellFormed reports whether text has the schema's format. For bytes and times, the Go types decide what is
// well-formed; this differs in places from the formats of the same name elsewhere.
func (s *Schema) wellFormed(text string) bool {
	switch {
	case s.Format == "":
		return true
	case s.goType.bytes:
		return isEncodedBytes(text)
	case s.goType.parsed && s.Format == "date-time":
		_, err := time.Parse(time.RFC3339, text)
		return err == nil
	}
	check := textFormat(s.Format)
	return check == nil || check(text)
}

// textFormat returns the check of a format, or nil if the format is unknown. The formats are those of custom resource
// schemas. Hyphens in their names are ignored.
func textFormat(format string) func(string) bool {
	if check := plainFormat(format); check != nil || !strings.Contains(format, "-") {
		return check
	}
	return plainFormat(strings.ReplaceAll(format, "-", ""))
}

// plainFormat is textFormat for a name without hyphens, or with those of date-time.
func plainFormat(format string) func(string) bool {
	switch format {
	case "bsonobjectid":
		return isObjectID
	case "uri":
		return func(s string) bool { _, err := url.ParseRequestURI(s); return err == nil }
	case "email":
		return func(s string) bool { a, err := mail.ParseAddress(s); return err == nil && a.Address != "" }
	case "hostname":
		return isHostname
	case "ipv4":
		return isIPv4
	case "ipv6":
		return isIPv6
	case "cidr":
		return isCIDR
	case "mac":
		return func(s string) bool { _, err := net.ParseMAC(s); return err == nil }
	case "uuid":
		return func(s string) bool { return isUUID(s, 0) }
	case "uuid3":
		return func(s string) bool { return isUUID(s, '3') }
	case "uuid4":
		return func(s string) bool { return isUUID(s, '4') }
	case "uuid5":
		return func(s string) bool { return isUUID(s, '5') }
	case "isbn":
		return func(s string) bool { return isISBN10(s) || isISBN13(s) }
	case "isbn10":
		return isISBN10
	case "isbn13":
		return isISBN13
	case "creditcard":
		return isCreditCard
	case "ssn":
		return isSSN
	case "hexcolor":
		return isHexColor
	case "rgbcolor":
		return isRGBColor
	case "byte":
		return isBase64
	case "password":
		return func(string) bool { return true }
	case "date":
		return isDate
	case "duration":
		return isDuration
	case "datetime", "date-time":
		return isDateTime
	case "k8sshortname":
		return func(s string) bool { return len(s) <= 63 && isNameSegment(s) }
	case "k8slongname":
		return func(s string) bool { return len(s) <= 253 && allOf(strings.Split(s, "."), isNameSegment) }
	}
	return nil
}

// HasFormat reports whether text has a format, given by its OpenAPI name. Every text has an unknown format.
func HasFormat(format, text string) bool {
	check := textFormat(format)
	return check == nil || check(text)
}

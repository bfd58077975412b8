package oracle

import (
	"strings"
	"testing"

	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/schema"
	"github.com/stretchr/testify/require"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
)

// formats are the formats that the schemas of custom resources enforce.
var formats = []string{"bsonobjectid", "uri", "email", "hostname", "ipv4", "ipv6", "cidr", "mac", "uuid", "uuid3",
	"uuid4", "uuid5", "isbn", "isbn10", "isbn13", "creditcard", "ssn", "hexcolor", "rgbcolor", "byte", "password", "date",
	"duration", "datetime", "date-time", "k8s-short-name", "k8s-long-name"}

func checkFormat(t *testing.T, text string) {
	if strings.ContainsRune(text, '\uFFFD') {
		return // documents are always UTF-8
	}
	for _, format := range formats {
		s := schema.Schema{Type: schema.StringType, Format: format}
		got := len(s.Validate(nil, doc.Of(text))) == 0
		require.Equal(t, strfmt.Default.Validates(format, text), got, "%s: %q", format, text)
	}
}

func FuzzFormats(f *testing.F) {
	for _, text := range []string{"", "a", "a-", "a-b", "a-b-c", "a.b", "-a.com", "a.com", "a.c", "é.com", "1.2.3.4",
		"01.002.3.4", "256.1.1.1", "::1", "::ffff:1.2.3.4", "fe80::1%eth0",
		"10.0.0.0/8", "10.0.0.0/33", "::/0", "00:00:5e:00:53:01", "0b5bff6d-1b1a-4a0e-9a3c-3f1f3cbb1f7a",
		"0b5bff6d1b1a3a0e9a3c3f1f3cbb1f7a",
		"0321751043", "978-0321751041", "030640615X", "4111 1111 1111 1111", "378282246310005", "123-45-6789", "#fff",
		"a0B1c2", "rgb(1, 2,255)", "rgb(01,2,3)",
		"YWJj", "YWI=", "YQ==", "YQ=", "YWJj\n", "2024-02-29", "2023-02-29", "2024-01-02T03:04:05Z",
		"2024-01-02t03:04:05.123+01:30", "2024-01-02T03:04:60Z",
		"2024-01-02T3:04:05Z", "2024-01-02T03:04:05Zt", "1h", "1.5h", "2 days", "3 weeks 1 nanosecond",
		"99999999999999999999 s", "x", "5 x",
		"a.b.c", "A.b", "-", "mailto:a@b.c",
		"a@b.c", "/path", "http://x", "507f1f77bcf86cd799439011", "kube-system", "a.b-.c"} {
		f.Add(text)
	}
	f.Fuzz(checkFormat)
}

//go:build go1.26 && !go1.27

package words_test

import (
	"encoding/base64"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/internal/words"
)

// FuzzWords compares the messages with those of the Go release that clients know them from.
func FuzzWords(f *testing.F) {
	for _, seed := range []string{
		"", "0", "-1", "+", "300x", "18446744073709551616", "9223372036854775808", "1_0", "é", "\"\\\x7f\x00\xff\ufffd",
		"aGk=", "aG==", "aG=\n=\r", "aG=\n", "aG=x", "aGkh\na", "a", "a===", "a-_b", "aG=\n\nx",
		"2024-05-06T07:08:09Z", "2024-05-06T7:08:09.123456+01:00", "2024-02-30T07:08:09Z", "2024-05-06T07:08:09.+12345Z",
		"2024-05-06T07:08:09.-00000Z",
		"2024-05-06T07:08:09,1234567*99:99", "2024-05-06T07:08:09+2x:99", "2024-05-06T07:08:09.1", "2024-05-06T07:08:60.5x",
		"2024-13-99T99:99:99Zx", "2024-05-06T07:08:09Z ",
		"1h15m30.5s", "1.5.5s", "-9223372036854775808ns", "9223372036854775808ns", "9223372036854775808ns5x", "5d", "5", ".s",
		"1e3s", "2562047h48m", "1µs.",
		"a=b&c", "%zz=%", "a=%1=2&b", "a;b=%z", "+%41",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		same := func(err error, got, what string) {
			t.Helper()
			want := ""
			if err != nil {
				want = err.Error()
			}
			assert.Equal(t, want, got, "%s %q", what, text)
		}
		for _, bits := range []int{8, 16, 64} {
			_, err := strconv.ParseInt(text, 10, bits)
			same(err, words.NotAnInteger(text, bits), "integer")
			_, err = strconv.ParseUint(text, 10, bits)
			same(err, words.NotUnsigned(text, bits), "unsigned")
		}
		_, err := base64.StdEncoding.DecodeString(text)
		same(err, words.NotBase64(text), "base64")
		_, err = base64.RawURLEncoding.DecodeString(text)
		same(err, words.NotRawBase64URL(text), "base64 of URLs")
		_, err = time.Parse(time.RFC3339, text)
		same(err, words.NotATime(text), "time")
		_, err = time.Parse("2006-01-02T15:04:05.000000Z07:00", text)
		same(err, words.NotAMicroTime(text), "micro time")
		_, err = time.ParseDuration(text)
		same(err, words.NotADuration(text), "duration")
		_, err = url.ParseQuery(text)
		same(err, words.NotAQuery(text), "query")
	})
}

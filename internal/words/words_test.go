package words_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/decorum-go/decorum/internal/words"
)

func TestNotAnInteger(t *testing.T) {
	for _, c := range []struct {
		text string
		bits int
		want string
	}{
		{"", 64, `strconv.ParseInt: parsing "": invalid syntax`},
		{"x", 64, `strconv.ParseInt: parsing "x": invalid syntax`},
		{"1.5", 64, `strconv.ParseInt: parsing "1.5": invalid syntax`},
		{"-", 64, `strconv.ParseInt: parsing "-": invalid syntax`},
		{"+-1", 64, `strconv.ParseInt: parsing "+-1": invalid syntax`},
		{"1_000", 64, `strconv.ParseInt: parsing "1_000": invalid syntax`},
		{"\"\n", 64, `strconv.ParseInt: parsing "\"\n": invalid syntax`},
		{"9223372036854775808", 64, `strconv.ParseInt: parsing "9223372036854775808": value out of range`},
		{"-9223372036854775808", 64, ""},
		{"128", 8, `strconv.ParseInt: parsing "128": value out of range`},
		{"300x", 8, `strconv.ParseInt: parsing "300x": value out of range`},
		{"200x", 8, `strconv.ParseInt: parsing "200x": invalid syntax`},
		{"+5", 64, ""},
	} {
		assert.Equal(t, c.want, words.NotAnInteger(c.text, c.bits), c.text)
	}
}

func TestNotUnsigned(t *testing.T) {
	for text, want := range map[string]string{
		"abc":   `strconv.ParseUint: parsing "abc": invalid syntax`,
		"":      `strconv.ParseUint: parsing "": invalid syntax`,
		"-1":    `strconv.ParseUint: parsing "-1": invalid syntax`,
		"65536": `strconv.ParseUint: parsing "65536": value out of range`,
		"80":    "",
	} {
		assert.Equal(t, want, words.NotUnsigned(text, 16), text)
	}
}

func TestNotBase64(t *testing.T) {
	for text, want := range map[string]string{
		"":         "",
		"aGk=":     "",
		"aGk\n=\n": "",
		"!":        "illegal base64 data at input byte 0",
		"aGk":      "illegal base64 data at input byte 0",
		"aGk=aGk=": "illegal base64 data at input byte 4",
		"aGkhaG":   "illegal base64 data at input byte 4",
		"aG=":      "illegal base64 data at input byte 3",
		"aG=a":     "illegal base64 data at input byte 2",
		"a===":     "illegal base64 data at input byte 1",
		"a-b_":     "illegal base64 data at input byte 1",
	} {
		assert.Equal(t, want, words.NotBase64(text), "%q", text)
	}
	for text, want := range map[string]string{
		"a-b_":     "",
		"aG":       "",
		"gar!bage": "illegal base64 data at input byte 3",
		"aGkha":    "illegal base64 data at input byte 4",
		"aGk=":     "illegal base64 data at input byte 3",
	} {
		assert.Equal(t, want, words.NotRawBase64URL(text), "%q", text)
	}
}

func TestNotATime(t *testing.T) {
	const as = `" as "2006-01-02T15:04:05Z07:00": cannot parse `
	for text, want := range map[string]string{
		"2024-05-06T07:08:09Z":         "",
		"2024-02-29T7:08:09,5+24:60":   "",
		"":                             `parsing time "` + as + `"" as "2006"`,
		"yesterday":                    `parsing time "yesterday` + as + `"yesterday" as "2006"`,
		"2024":                         `parsing time "2024` + as + `"" as "-"`,
		"2024-5-06T07:08:09Z":          `parsing time "2024-5-06T07:08:09Z` + as + `"5-06T07:08:09Z" as "01"`,
		"2024-05-06":                   `parsing time "2024-05-06` + as + `"" as "T"`,
		"2024-05-06 07:08:09Z":         `parsing time "2024-05-06 07:08:09Z` + as + `" 07:08:09Z" as "T"`,
		"2024-05-06T07:08:09":          `parsing time "2024-05-06T07:08:09` + as + `"" as "Z07:00"`,
		"2024-05-06T07:08:09+0100":     `parsing time "2024-05-06T07:08:09+0100` + as + `"+0100" as "Z07:00"`,
		"2024-05-06T07:08:09é":         `parsing time "2024-05-06T07:08:09\xc3\xa9` + as + `"\xc3\xa9" as "Z07:00"`,
		"2024-13-06T07:08:09Z":         `parsing time "2024-13-06T07:08:09Z": month out of range`,
		"2023-02-29T07:08:09Z":         `parsing time "2023-02-29T07:08:09Z": day out of range`,
		"2023-12-00T07:08:09Z":         `parsing time "2023-12-00T07:08:09Z": day out of range`,
		"2024-05-06T24:08:09Z":         `parsing time "2024-05-06T24:08:09Z": hour out of range`,
		"2024-05-06T07:60:09Z":         `parsing time "2024-05-06T07:60:09Z": minute out of range`,
		"2024-05-06T07:08:60Z":         `parsing time "2024-05-06T07:08:60Z": second out of range`,
		"2024-05-06T07:08:09+25:00":    `parsing time "2024-05-06T07:08:09+25:00": time zone offset hour out of range`,
		"2024-05-06T07:08:09*01:61":    `parsing time "2024-05-06T07:08:09*01:61": time zone offset minute out of range`,
		"2024-05-06T07:08:09Z \"now\"": `parsing time "2024-05-06T07:08:09Z \"now\"": extra text: " \"now\""`,
	} {
		assert.Equal(t, want, words.NotATime(text), text)
	}
}

func TestNotAMicroTime(t *testing.T) {
	const as = `" as "2006-01-02T15:04:05.000000Z07:00": cannot parse `
	for text, want := range map[string]string{
		"2024-05-06T07:08:09.123456Z":    "",
		"2024-05-06T07:08:09Z":           `parsing time "2024-05-06T07:08:09Z` + as + `"Z" as ".000000"`,
		"2024-05-06T07:08:09.123Z":       `parsing time "2024-05-06T07:08:09.123Z` + as + `".123Z" as ".000000"`,
		"2024-05-06T07:08:09.123456789Z": `parsing time "2024-05-06T07:08:09.123456789Z` + as + `"789Z" as "Z07:00"`,
		"2024-05-06T07:08:09.-12345Z":    `parsing time "2024-05-06T07:08:09.-12345Z": fractional second out of range`,
	} {
		assert.Equal(t, want, words.NotAMicroTime(text), text)
	}
}

func TestOfTime(t *testing.T) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		_, err := time.Parse(layout, "noon")
		var refused *time.ParseError
		if assert.True(t, errors.As(err, &refused)) {
			assert.Equal(t, `parsing time "noon" as "`+layout+`": cannot parse "noon" as "2006"`, words.OfTime(refused))
		}
	}
}

func TestNotADuration(t *testing.T) {
	for text, want := range map[string]string{
		"1h15m30.5s":           "",
		"-.5s":                 "",
		"0":                    "",
		"":                     `time: invalid duration ""`,
		"abc":                  `time: invalid duration "abc"`,
		"-":                    `time: invalid duration "-"`,
		".s":                   `time: invalid duration ".s"`,
		"é":                    `time: invalid duration "\xc3\xa9"`,
		"5":                    `time: missing unit in duration "5"`,
		"1h5":                  `time: missing unit in duration "1h5"`,
		"5d":                   `time: unknown unit "d" in duration "5d"`,
		"3000000h":             `time: invalid duration "3000000h"`,
		"9223372036854775808x": `time: unknown unit "x" in duration "9223372036854775808x"`,
		"9223372036854775809x": `time: invalid duration "9223372036854775809x"`,
	} {
		assert.Equal(t, want, words.NotADuration(text), text)
	}
}

func TestNotAQuery(t *testing.T) {
	for query, want := range map[string]string{
		"a=b%20c&d":                  "",
		"a=%zz":                      `invalid URL escape "%zz"`,
		"a=%":                        `invalid URL escape "%"`,
		"%1&b":                       `invalid URL escape "%1"`,
		"a=%1=2":                     `invalid URL escape "%1="`,
		"a=b;c=d":                    "invalid semicolon separator in query",
		"a=%&b;":                     "invalid semicolon separator in query",
		strings.Repeat("a&", 10_000): "number of URL query parameters exceeded limit",
	} {
		assert.Equal(t, want, words.NotAQuery(query), "%.20s", query)
	}
}

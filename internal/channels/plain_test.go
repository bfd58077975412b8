package channels_test

import (
	"encoding/base64"
	"strings"

	"github.com/decorum-go/decorum/internal/channels"
)

// plainly returns what two channels receive of these messages, and whether all messages are
// allowed.
func plainly(p channels.Protocol, messages []string) (got [2]string, clean bool) {
	for _, m := range messages {
		if m == "" {
			continue
		}
		number, text := m[0], m[1:]
		if p.CloseSignal && number == 255 {
			if len(text) != 1 || text[0] > 1 {
				return got, false
			}
			continue
		}
		if p.Base64 {
			number -= '0'
		}
		if number > 1 {
			return got, false
		}
		if p.Base64 {
			decoded, err := base64.StdEncoding.DecodeString(strings.NewReplacer("\r", "", "\n", "").Replace(text))
			if err != nil {
				return got, false
			}
			text = string(decoded)
		}
		got[number] += text
	}
	return got, true
}

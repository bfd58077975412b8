package stream

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/decorum-go/decorum/status"
)

const protocolHeader = "Sec-Websocket-Protocol"

// chooseProtocol returns the subprotocol of a WebSocket, "" for none; see Upgrade.
func chooseProtocol(h http.Header, served []string) (string, error) {
	offered, _ := splitBearer(headerTokens(h, protocolHeader))
	if len(served) == 0 {
		return append(offered, "")[0], nil
	}
	if len(offered) == 0 && slices.Contains(served, "") {
		return "", nil
	}
	for _, p := range offered {
		if slices.Contains(served, p) {
			return p, nil
		}
	}
	return "", status.BadRequest(fmt.Sprintf("requested protocol(s) are not supported: %v; supports %v", offered, served))
}

// headerTokens returns the elements of a header that holds a list.
func headerTokens(h http.Header, key string) []string {
	var out []string
	for _, line := range h[key] {
		for t := range strings.SplitSeq(line, ",") {
			if t = strings.TrimSpace(t); t != "" {
				out = append(out, t)
			}
		}
	}
	return out
}

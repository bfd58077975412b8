package stream

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/decorum-go/decorum/internal/words"
	"github.com/decorum-go/decorum/status"
)

// maxPorts bounds the ports of one request: each has two channels, and the number of a channel is a byte.
const maxPorts = 127

// parsePorts reads the values of the parameter ports, each of which may list several ports.
func parsePorts(values []string) ([]uint16, error) {
	var ports []uint16
	for _, value := range values {
		for text := range strings.SplitSeq(value, ",") {
			port, err := strconv.ParseUint(text, 10, 16)
			if err != nil {
				return nil, status.BadRequest(fmt.Sprintf("unable to parse %q as a port: %s", value, words.NotUnsigned(text, 16)))
			}
			if port == 0 {
				return nil, status.BadRequest(fmt.Sprintf("port %q must be > 0", value))
			}
			ports = append(ports, uint16(port))
		}
	}
	switch {
	case len(ports) == 0:
		return nil, status.BadRequest(`query parameter "ports" is required`)
	case len(ports) > maxPorts:
		return nil, status.BadRequest(fmt.Sprintf("%d ports, at most %d can be forwarded at once", len(ports), maxPorts))
	}
	return ports, nil
}

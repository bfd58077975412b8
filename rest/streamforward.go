package rest

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/decorum-go/decorum/internal/channels"
	"github.com/decorum-go/decorum/status"
)

// maxPorts is how many ports one request can ask for: each has two channels, and a channel's number is a byte.
const maxPorts = 127

// forwardProtocols are the subprotocols of a port-forward. "" is that of clients that name none.
func forwardProtocols() []string {
	return []string{"v4.channel.k8s.io", "v4.base64.channel.k8s.io", ""}
}

// streamForward connects the client to ports: the port with the index i has channel 2i for its bytes, and channel 2i+1 for
// the message of an error. Both begin with the port, as two bytes, the lower one first.
func (q *request) streamForward(ctx context.Context, bound boundStream) error {
	ports, err := parsePorts(q.parameters()["ports"])
	if err != nil {
		return err
	}
	inputs := make([]channels.Input, 2*len(ports))
	buffers := make([]*channels.Buffer, len(ports))
	for i := range ports {
		buffers[i] = channels.NewBuffer()
		inputs[2*i] = buffers[i]
	}
	c, err := q.openChannels(ctx, forwardProtocols(), inputs)
	if err != nil {
		return err
	}
	defer c.end()
	var all sync.WaitGroup
	for i, port := range ports {
		data, failures := c.Writer(byte(2*i)), c.Writer(byte(2*i+1))
		number := binary.LittleEndian.AppendUint16(nil, port)
		_, _ = data.Write(number)
		_, _ = failures.Write(number)
		all.Go(func() {
			err := c.outcome(bound.forward(c.ctx, port, forwarded{buffers[i], data}))
			buffers[i].Close(io.ErrClosedPipe)
			if err != nil {
				_, _ = fmt.Fprintf(failures, "error forwarding port %d: %s", port, q.failure(err).Status.Message)
			}
		})
	}
	all.Wait()
	return nil
}

// forwarded is the client's end of a connection to a port.
type forwarded struct {
	io.Reader
	io.Writer
}

func parsePorts(values []string) ([]uint16, error) {
	var ports []uint16
	for _, value := range values {
		for text := range strings.SplitSeq(value, ",") {
			port, err := strconv.ParseUint(text, 10, 16)
			if err != nil {
				return nil, status.BadRequest(fmt.Sprintf("unable to parse %q as a port: %v", value, err))
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

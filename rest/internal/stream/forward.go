package stream

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"sync"

	"github.com/decorum-go/decorum/internal/channels"
)

// forwardProtocols are the subprotocols of a port-forward. "" stands for clients that offer none.
func forwardProtocols() []string {
	return []string{"v4.channel.k8s.io", "v4.base64.channel.k8s.io", ""}
}

// Forward connects the client to ports, which are the values of the parameter ports, and calls run for all of them at
// the same time. The port with the index i has channel 2i for its bytes, and channel 2i+1 for the message of an error.
// Each channel begins with its port in two bytes, the lower one first.
//
// It returns an error only if the answer has not begun.
func Forward(ctx context.Context, call *Call, ports []string,
	run func(ctx context.Context, port uint16, conn io.ReadWriter) error) error {
	numbers, err := parsePorts(ports)
	if err != nil {
		return err
	}
	inputs := make([]channels.Input, 2*len(numbers))
	buffers := make([]*channels.Buffer, len(numbers))
	for i := range numbers {
		buffers[i] = channels.NewBuffer()
		inputs[2*i] = buffers[i]
	}
	ch, err := call.openChannels(ctx, forwardProtocols(), inputs)
	if err != nil {
		return err
	}
	defer ch.end()
	var all sync.WaitGroup
	for i, port := range numbers {
		data, failures := ch.Writer(byte(2*i)), ch.Writer(byte(2*i+1))
		number := binary.LittleEndian.AppendUint16(nil, port)
		_, _ = data.Write(number)
		_, _ = failures.Write(number)
		all.Go(func() {
			err := ch.outcome(run(ch.ctx, port, forwarded{buffers[i], data}))
			buffers[i].Close(io.ErrClosedPipe)
			if err != nil && err != errLeft {
				_, _ = fmt.Fprintf(failures, "error forwarding port %d: %s", port, call.Failure(err).Status.Message)
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

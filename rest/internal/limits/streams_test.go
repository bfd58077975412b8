//go:build unix

package limits_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// asStreams is the environment variable that makes the test binary run as the process of bare streams. Its value is how
// many bytes each stream sends at a time.
const asStreams = "DECORUM_BARE_STREAMS"

// The process of bare streams prints its address, and then reads orders of one byte.
const (
	orderSend    = 's' // all streams send
	orderNothing = 'n' // the side of the API gives this order, so that both sides give one
	orderCollect = 'c' // the process collects its garbage and then prints true
	orderUsed    = 'u' // the process prints how much processor time it has used, in nanoseconds
)

// serveStreams is the process of bare streams.
func serveStreams(size int) {
	streams := &apitest.BareStreams{Payload: make([]byte, size)}
	fmt.Println(httptest.NewServer(streams).Listener.Addr())
	orders := bufio.NewReader(os.Stdin)
	for {
		order, err := orders.ReadByte()
		if err != nil {
			return // the benchmark has ended
		}
		switch order {
		case orderSend:
			streams.Send()
		case orderCollect:
			runtime.GC()
			fmt.Println(true)
		case orderUsed:
			fmt.Println(int64(apitest.UsedProcessorTime()))
		}
	}
}

// streams is the process of bare streams, as the benchmark sees it.
type streams struct {
	b       *testing.B
	address string
	orders  io.Writer
	answers io.Reader
}

// bareSide is the side of the bare streams.
type bareSide struct {
	address string
	send    func() // makes all streams send once
	// nothing is called on the side of the API, so that both sides give an order to a process of bare streams.
	nothing func()
	process []apitest.Process
}

// bareSideOf starts the side of n bare streams, which send so many bytes at a time. It is in this process if both sides
// may open enough files there: a process that has to be woken takes longer, as with 200 streams.
func bareSideOf(b *testing.B, n int, size int64) bareSide {
	b.Helper()
	if 2*n <= mostFiles(b) {
		here := &apitest.BareStreams{Payload: make([]byte, size)}
		return bareSide{address: serve(b, here), send: here.Send, nothing: func() {}}
	}
	s := startStreams(b, size)
	return bareSide{address: s.address, send: func() { s.order(orderSend) }, nothing: func() { s.order(orderNothing) },
		process: []apitest.Process{s}}
}

// startStreams starts a process whose streams send so many bytes at a time.
func startStreams(b *testing.B, size int64) *streams {
	b.Helper()
	program, err := os.Executable()
	require.NoError(b, err)
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", asStreams, size))
	cmd.Stderr = os.Stderr
	orders, err := cmd.StdinPipe()
	require.NoError(b, err)
	answers, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	b.Cleanup(func() {
		_ = orders.Close()
		_ = cmd.Wait()
	})
	s := &streams{b: b, orders: orders, answers: bufio.NewReader(answers)}
	s.answer(&s.address)
	return s
}

// answer reads an answer of the process.
func (s *streams) answer(into any) {
	_, err := fmt.Fscanln(s.answers, into)
	require.NoError(s.b, err)
}

// CollectGarbage implements [apitest.Process].
func (s *streams) CollectGarbage() {
	var collected bool
	s.order(orderCollect)
	s.answer(&collected)
}

// UsedProcessorTime implements [apitest.Process].
func (s *streams) UsedProcessorTime() (used time.Duration) {
	s.order(orderUsed)
	s.answer((*int64)(&used))
	return used
}

// order gives an order to the process.
func (s *streams) order(order byte) {
	_, err := s.orders.Write([]byte{order})
	require.NoError(s.b, err)
}

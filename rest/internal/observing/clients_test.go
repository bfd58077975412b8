//go:build unix

package observing_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// asClients is the environment variable that makes the test binary run as the process of the clients.
const asClients = "DECORUM_CLIENTS"

func TestMain(m *testing.M) {
	if os.Getenv(asClients) != "" {
		if err := obey(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// connections is how many clients send requests at a time.
const connections = 8

// digits stands in a request where a number of this length makes it differ from all others.
const digits = "000000000"

// order tells the clients to send requests, and which answer they expect.
type order struct {
	Address, Request string
	From, Requests   int
	Code             int
}

// clients is the process of the clients, as the benchmark sees it.
type clients struct {
	orders *json.Encoder
	done   *bufio.Reader
}

// startClients starts the process. Its end closes its connections, for which servers wait, so the servers must have been started before.
func startClients(b *testing.B) *clients {
	b.Helper()
	program, err := os.Executable()
	require.NoError(b, err)
	cmd := exec.Command(program)
	cmd.Env, cmd.Stderr = append(os.Environ(), asClients+"=1"), os.Stderr
	orders, err := cmd.StdinPipe()
	require.NoError(b, err)
	done, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	b.Cleanup(func() {
		require.NoError(b, orders.Close())
		require.NoError(b, cmd.Wait())
	})
	return &clients{json.NewEncoder(orders), bufio.NewReader(done)}
}

// send returns when all answers have arrived.
func (c *clients) send(b *testing.B, o order) {
	b.Helper()
	require.NoError(b, c.orders.Encode(o))
	_, err := c.done.ReadString('\n')
	require.NoError(b, err)
}

// obey carries out orders until they end.
func obey(orders io.Reader, done io.Writer) error {
	open := map[string][]*client{}
	defer func() {
		for _, all := range open {
			for _, c := range all {
				_ = c.Close()
			}
		}
	}()
	decoder := json.NewDecoder(orders)
	for {
		var o order
		if err := decoder.Decode(&o); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if open[o.Address] == nil {
			for range connections {
				conn, err := net.Dial("tcp", o.Address)
				if err != nil {
					return err
				}
				open[o.Address] = append(open[o.Address], &client{conn, bufio.NewReader(conn)})
			}
		}
		if err := o.carryOut(open[o.Address]); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(done); err != nil {
			return err
		}
	}
}

// carryOut sends the requests of an order over all connections.
func (o *order) carryOut(all []*client) error {
	errs := make([]error, len(all))
	var running sync.WaitGroup
	for i, c := range all {
		running.Go(func() {
			for n := i; n < o.Requests && errs[i] == nil; n += len(all) {
				errs[i] = c.ask(strings.ReplaceAll(o.Request, digits, fmt.Sprintf("%09d", o.From+n)), o.Code)
			}
		})
	}
	running.Wait()
	return errors.Join(errs...)
}

// client is one connection.
type client struct {
	net.Conn
	answers *bufio.Reader
}

// ask sends a request, and reads its answer.
func (c *client) ask(request string, code int) error {
	if _, err := io.WriteString(c, request); err != nil {
		return err
	}
	answer, err := http.ReadResponse(c.answers, nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if _, err = io.Copy(io.Discard, answer.Body); err == nil && answer.StatusCode != code {
		err = fmt.Errorf("the answer is %s", answer.Status)
	}
	return err
}

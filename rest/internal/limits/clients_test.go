//go:build unix

package limits_test

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

// order tells the process of the clients what to do. It keeps the connections of a caller open for its next order.
type order struct {
	Caller      string // names the connections
	Address     string
	Request     string // the bytes that a connection sends, with another number in each place of counted
	Connections int
	// Answers is how many complete answers the connections read in all.
	Answers int
	// Bytes is how much each connection reads of an answer that does not end.
	Bytes int64
}

// clients is the process of the clients, as the benchmark sees it.
type clients struct {
	b      testing.TB
	orders *json.Encoder
	done   *json.Decoder
}

// startClients starts the process. The servers must have been started before: they wait for the end of answers that only the end of the
// clients ends.
func startClients(b testing.TB) *clients {
	b.Helper()
	program, err := os.Executable()
	require.NoError(b, err)
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), asClients+"=1")
	cmd.Stderr = os.Stderr
	orders, err := cmd.StdinPipe()
	require.NoError(b, err)
	done, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	b.Cleanup(func() {
		_ = orders.Close()
		_ = cmd.Wait()
	})
	return &clients{b, json.NewEncoder(orders), json.NewDecoder(done)}
}

// begin gives an order. The caller waits for its end.
func (c *clients) begin(o order) { require.NoError(c.b, c.orders.Encode(o)) }

// wait waits until the order has been carried out.
func (c *clients) wait() {
	var failure string
	require.NoError(c.b, c.done.Decode(&failure))
	require.Empty(c.b, failure)
}

// obey carries out orders until the input ends, and answers each with its error, or with an empty text.
func obey(in io.Reader, out io.Writer) error {
	orders, done := json.NewDecoder(in), json.NewEncoder(out)
	open := map[string][]*connection{}
	for {
		var o order
		if err := orders.Decode(&o); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		failure := ""
		if err := o.carryOut(open); err != nil {
			failure = err.Error()
		}
		if err := done.Encode(failure); err != nil {
			return err
		}
	}
}

func (o order) carryOut(open map[string][]*connection) error {
	connections := open[o.Caller]
	for len(connections) < o.Connections {
		conn, err := net.Dial("tcp", o.Address)
		if err != nil {
			return err
		}
		connections = append(connections, &connection{conn: conn, in: bufio.NewReaderSize(conn, 4<<10)})
	}
	open[o.Caller] = connections
	var all sync.WaitGroup
	failures := make([]error, len(connections))
	for i, c := range connections {
		all.Go(func() { failures[i] = o.carryOutOn(c, i) })
	}
	all.Wait()
	return errors.Join(failures...)
}

// carryOutOn carries out the share of one connection.
func (o order) carryOutOn(c *connection, i int) error {
	if o.Answers == 0 {
		return c.follow([]byte(o.Request), o.Bytes)
	}
	share := o.Answers / o.Connections
	if i < o.Answers%o.Connections {
		share++
	}
	for range share {
		if err := c.ask(c.numbered(o.Request, i)); err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, c.body); err != nil {
			return err
		}
	}
	return nil
}

// connection is a keep-alive connection of a client.
type connection struct {
	conn net.Conn
	in   *bufio.Reader
	body io.Reader // of the answer that has begun
	sent int       // how many requests it has numbered
}

// counted is the number that each request of a caller replaces by its own, of as many digits.
const counted = "000000000"

// numbered returns a request with a number that no other request of the connections has.
func (c *connection) numbered(request string, connection int) []byte {
	c.sent++
	number := fmt.Sprintf("%0*d", len(counted), (connection+1)*1_000_000+c.sent)
	return []byte(strings.ReplaceAll(request, counted, number))
}

// ask sends a request and reads the head of its answer.
func (c *connection) ask(request []byte) error {
	if _, err := c.conn.Write(request); err != nil {
		return err
	}
	response, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return err
	}
	if c.body = response.Body; response.StatusCode/100 != 2 {
		text, _ := io.ReadAll(c.body)
		return fmt.Errorf("%s: %s", response.Status, text)
	}
	return nil
}

// follow reads so many bytes of an answer that does not end.
func (c *connection) follow(request []byte, bytes int64) error {
	if c.body == nil {
		if err := c.ask(request); err != nil {
			return err
		}
	}
	_, err := io.CopyN(io.Discard, c.body, bytes)
	return err
}

// caller sends one request again and again.
type caller struct {
	clients *clients
	order   order
}

// caller returns a caller of one path of a server.
func (c *clients) caller(address, target, accept string, connections int) *caller {
	return &caller{c, order{
		Caller: fmt.Sprint(address, target, accept), Address: address, Connections: connections,
		Request: fmt.Sprintf("GET %s HTTP/1.1\r\nHost: x\r\nAccept: %s\r\n\r\n", target, accept),
	}}
}

// writer returns a caller that sends a body. Each request has a number of its own in the place of counted.
func (c *clients) writer(address, method, target, media, body string, connections int) *caller {
	return &caller{c, order{
		Caller: fmt.Sprint(address, method, target, media), Address: address, Connections: connections,
		Request: fmt.Sprintf("%s %s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", method, target, media, len(body), body),
	}}
}

// send sends the request n times and reads the answers.
func (c *caller) send(n int) {
	o := c.order
	o.Answers = n
	c.clients.begin(o)
	c.clients.wait()
}

// follow reads so many bytes on each connection while send runs.
func (c *caller) follow(bytes int64, send func()) {
	o := c.order
	o.Bytes = bytes
	c.clients.begin(o)
	send()
	c.clients.wait()
}

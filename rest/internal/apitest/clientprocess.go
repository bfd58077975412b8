package apitest

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// asClients is the environment variable that makes the test binary run as the process of the clients.
const asClients = "DECORUM_CLIENTS"

// RunWithClients is the TestMain of a package whose benchmarks measure the processor time of a server alone: its
// clients run in a process of their Own, see [StartClients].
func RunWithClients(m *testing.M) {
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
	TLS         bool   // speak TLS, and trust every certificate
	Header      string // header lines of each request, with their line ends
	Request     string // the bytes that a connection sends, see its method completed
	Connections int
	// Answers is how many complete answers the connections read in all.
	Answers int
	// Bytes is how much each connection reads of an answer that does not end.
	Bytes int64
}

// Clients is the benchmark's handle on the process of the clients. Callers use the TLS and Header that are set when
// they are made.
type Clients struct {
	TLS    bool   // the clients speak TLS, and trust every certificate
	Header string // a further header of each request, such as "Authorization: Bearer secret"

	b      testing.TB
	orders *json.Encoder
	done   *json.Decoder
}

// StartClients starts the process. The servers must have been started before: they wait for the end of answers that
// only the end of the clients ends.
func StartClients(b testing.TB) *Clients {
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
	return &Clients{b: b, orders: json.NewEncoder(orders), done: json.NewDecoder(done)}
}

// begin gives an order. The caller waits for its end.
func (c *Clients) begin(o order) { require.NoError(c.b, c.orders.Encode(o)) }

// wait waits until the order has been carried out.
func (c *Clients) wait() {
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
		if err := conn.(*net.TCPConn).SetReadBuffer(readBuffer); err != nil {
			return err
		}
		if o.TLS {
			conn = tls.Client(conn, &tls.Config{InsecureSkipVerify: true})
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
	read := c.discard
	if strings.Contains(o.Request, LastVersion) {
		read = c.readVersion
		if c.version == "" {
			target := strings.Fields(o.Request)[1]
			if err := c.exchange(c.completed(getRequest(target, "*/*", o.Header), i), read); err != nil {
				return err
			}
		}
	}
	for range share {
		if err := c.exchange(c.completed(o.Request, i), read); err != nil {
			return err
		}
	}
	return nil
}

// readBuffer is how many bytes the system holds for a connection of a client. A system that chooses the size gives
// each connection another one, and then a server needs up to a third more time for one connection than for another.
const readBuffer = 128 << 10

// connection is a keep-alive connection of a client.
type connection struct {
	conn    net.Conn
	in      *bufio.Reader
	body    io.Reader // the body of the answer that has begun
	sent    int       // how many requests it has completed
	version string    // the resourceVersion in the last answer, if the requests need it
}

// Each connection replaces these texts in its requests with other texts of the same
// length.
const (
	// Own is a name. Each connection has its own object, so that the writes of several connections do not conflict.
	Own = "n-other"
	// Counted is a number. Each request has a different number.
	Counted = "000000000"
	// LastVersion is a resourceVersion that each request replaces with the resourceVersion of the last answer.
	LastVersion = "1111111111111111"
	// InTurns is a name. The requests of a connection alternate between two names.
	InTurns = "manager-0"
)

// completed returns the next request of a connection.
func (c *connection) completed(request string, connection int) []byte {
	c.sent++
	return []byte(strings.NewReplacer(
		Own, OwnName(connection),
		Counted, fmt.Sprintf("%0*d", len(Counted), (connection+1)*1_000_000+c.sent),
		LastVersion, strings.Repeat("0", len(LastVersion)-len(c.version))+c.version,
		InTurns, fmt.Sprintf("manager-%d", c.sent%2),
	).Replace(request))
}

// OwnName returns the name of the object of a connection.
func OwnName(connection int) string { return fmt.Sprintf("n%06d", connection) }

// exchange sends a request and reads its answer.
func (c *connection) exchange(request []byte, read func() error) error {
	if err := c.ask(request); err != nil {
		return err
	}
	return read()
}

func (c *connection) discard() error {
	_, err := io.Copy(io.Discard, c.body)
	return err
}

// resourceVersion finds the resourceVersion of an object in its JSON.
var resourceVersion = regexp.MustCompile(`"resourceVersion":"([0-9]+)"`)

func (c *connection) readVersion() error {
	text, err := io.ReadAll(c.body)
	if err != nil {
		return err
	}
	found := resourceVersion.FindSubmatch(text)
	if found == nil {
		return fmt.Errorf("no resourceVersion in %s", text)
	}
	c.version = string(found[1])
	return nil
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

// Caller sends one request again and again.
type Caller struct {
	clients *Clients
	order   order
}

// Caller returns a caller of one path of a server.
func (c *Clients) Caller(address, target, accept string, connections int) *Caller {
	return c.caller(fmt.Sprint(address, target, accept), order{
		Address: address, Connections: connections, Request: getRequest(target, accept, c.header()),
	})
}

func (c *Clients) caller(name string, o order) *Caller {
	o.Caller, o.TLS, o.Header = name, c.TLS, c.header()
	return &Caller{c, o}
}

// header returns Header as a line of a request, or nothing if Header is empty.
func (c *Clients) header() string {
	if c.Header == "" {
		return ""
	}
	return c.Header + "\r\n"
}

func getRequest(target, accept, header string) string {
	return fmt.Sprintf("GET %s HTTP/1.1\r\nHost: x\r\nAccept: %s\r\n%s\r\n", target, accept, header)
}

// Writer returns a caller that sends a body.
func (c *Clients) Writer(address, method, target, media, body string, connections int) *Caller {
	return c.caller(fmt.Sprint(address, method, target, media), order{
		Address: address, Connections: connections,
		Request: fmt.Sprintf("%s %s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: %d\r\n%s\r\n%s", method, target,
			media, len(body), c.header(), body),
	})
}

// Send sends the request n times and reads the answers.
func (c *Caller) Send(n int) {
	o := c.order
	o.Answers = n
	c.clients.begin(o)
	c.clients.wait()
}

// Follow reads so many bytes on each connection while send runs.
func (c *Caller) Follow(bytes int64, send func()) {
	o := c.order
	o.Bytes = bytes
	c.clients.begin(o)
	send()
	c.clients.wait()
}

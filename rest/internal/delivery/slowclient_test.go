package delivery_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// slowly reads a part of the answer after each pause, until the answer has ended or so many parts were read. Each time
// it calls meanwhile first. It returns what it has read.
func (c *slabClient) slowly(pause time.Duration, parts int, meanwhile func()) (read []byte, err error) {
	part := make([]byte, 64<<10)
	ready := time.NewTicker(pause)
	defer ready.Stop()
	for range parts {
		meanwhile()
		ready.Reset(pause)
		<-ready.C
		n, err := io.ReadFull(c.conn, part)
		read = append(read, part[:n]...)
		if err != nil {
			return read, err
		}
	}
	return read, nil
}

// closedWithin waits until the server closes the connection, which it must do before so much time has passed.
func (c *slabClient) closedWithin(t *testing.T, limit time.Duration) {
	t.Helper()
	began := time.Now()
	<-c.conn.(*apitest.PipeConn).Closed
	require.LessOrEqual(t, time.Since(began), limit)
}

// slowState is a server with a state of many parts, and rewrite, which makes the log forget it.
func slowState(t *testing.T) (s *slabServer, rewrite func()) {
	const objects, objectSize = 40, 32 << 10
	s = newSlabServer(t, objects*objectSize/2)
	var names []string
	for i := range objects {
		names = append(names, fmt.Sprintf("s%02d", i))
		s.create(t, names[i], objectSize)
	}
	return s, func() { s.write(t, names...) }
}

const (
	slowParts = 60               // more than any form of the state has
	slowPause = 25 * time.Second // the pause of a client that takes one write of the server in a minute
)

// A watch whose client reads the first state one part a minute goes on for as long as the history holds that state, and
// ends with 410 when it does not. It could not have gone on from there anyway.
func TestInitialStateIsReadSlowly(t *testing.T) {
	for _, form := range slabForms {
		if form.name == "tables" || form.name == "metadata" {
			continue // they are small
		}
		open := func(t *testing.T, s *slabServer) *slabClient {
			return s.get(t, form.target+"?watch=1&timeoutSeconds=7200"+form.query, form.headers...)
		}
		t.Run("quiet, "+form.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, _ := slowState(t)
				read, err := open(t, s).slowly(slowPause, 18, func() {})
				require.NoError(t, err)
				require.False(t, bytes.Contains(read, []byte("Expired")))
			})
		})
		t.Run("busy, "+form.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, rewrite := slowState(t)
				began := time.Now()
				read, _ := open(t, s).slowly(slowPause, slowParts, rewrite)
				require.Less(t, time.Since(began), 5*time.Minute)
				require.False(t, bytes.Contains(read, []byte("s30")), "most of the state is not shown")
			})
		})
		t.Run("busy, but read, "+form.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, rewrite := slowState(t)
				read, err := open(t, s).slowly(2*time.Second, slowParts, rewrite)
				require.Error(t, err)
				require.True(t, bytes.Contains(read, []byte("Expired")), "it is told why")
				require.False(t, bytes.Contains(read, []byte("s30")))
			})
		})
		t.Run("busy, and not read, "+form.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, rewrite := slowState(t)
				c := open(t, s)
				c.begun(t)
				rewrite()
				c.closedWithin(t, 25*time.Second)
				read, err := io.ReadAll(c.conn)
				require.NoError(t, err)
				require.Empty(t, len(read), "the connection is closed, and was before anybody read")
			})
		})
	}
}

// A watch of an object that is larger than a chunk is the same.
func TestLargeObjectIsReadSlowly(t *testing.T) {
	open := func(t *testing.T) (*slabServer, *slabClient) {
		s := newSlabServer(t, 6<<20)
		s.create(t, "a", 2900<<10)
		after := s.store.Revision()
		s.write(t, "a")
		return s, s.get(t, fmt.Sprintf("%s?watch=1&resourceVersion=%d&timeoutSeconds=7200", slabs, after))
	}
	t.Run("quiet", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, c := open(t)
			_, err := c.slowly(slowPause, 2900/64, func() {})
			require.NoError(t, err)
			s.create(t, "b", 10)
			for line, rest := "", bufio.NewReader(c.conn); !strings.Contains(line, `"type":"ADDED"`); { // the watch goes on
				line, err = rest.ReadString('\n')
				require.NoError(t, err)
			}
		})
	})
	t.Run("busy", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, c := open(t)
			began := time.Now()
			_, err := c.slowly(9*time.Second, 2900/64, func() { s.write(t, "a") })
			require.Error(t, err, "it is broken off")
			require.Less(t, time.Since(began), 2*time.Minute)
		})
	})
	t.Run("busy, but read", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, c := open(t)
			read, err := c.slowly(800*time.Millisecond, 100, func() { s.write(t, "a") })
			require.Error(t, err)
			require.True(t, bytes.Contains(read, []byte("Expired")), "it has the object, and is told that it cannot go on")
		})
	})
	t.Run("busy, and not read", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, c := open(t)
			c.begun(t)
			for range 5 {
				s.write(t, "a")
			}
			c.closedWithin(t, 25*time.Second)
			read, err := io.ReadAll(c.conn)
			require.NoError(t, err)
			require.Empty(t, len(read))
		})
	})
}

// A list whose client reads it one part a minute goes on for as long as the history holds what it shows, if it is not a
// copy of its own. A list that is read is not broken off.
func TestListIsReadSlowly(t *testing.T) {
	for _, form := range []struct {
		name, query string
		copied      bool
		headers     []string
	}{
		{"JSON", "", false, nil},
		{"gzip", "", false, []string{"Accept-Encoding", "gzip"}},
		{"a table with objects", "?includeObject=Object", false, []string{"Accept", apitest.AcceptTable}},
		{"indented", "?pretty=true", false, nil},
		{"YAML", "", false, []string{"Accept", apitest.TypeYAML}},
		{"Protobuf", "", true, []string{"Accept", apitest.TypeProtobuf}},
		{"CBOR", "", false, []string{"Accept", "application/cbor"}},
	} {
		ends := func(pause time.Duration, busy bool) (whole bool, after time.Duration) {
			return readSlowly(t, slowState, slowRequest("GET "+slabs+form.query, "", form.headers...), pause, busy)
		}
		t.Run(form.name, func(t *testing.T) {
			whole, after := ends(slowPause, false)
			require.Equal(t, !form.copied, whole, "quiet: %v", after)
			whole, after = ends(slowPause, true)
			require.False(t, whole)
			require.Less(t, after, 5*time.Minute)
			whole, after = ends(time.Second, true)
			require.True(t, whole, "it is read: %v", after)
		})
	}
}

// The same limits apply to a large object. The limits for the response to a write count from the start, because the
// history may not hold that state.
func TestObjectIsReadSlowly(t *testing.T) {
	state := func(t *testing.T) (s *slabServer, rewrite func()) {
		const objectSize = 1280 << 10
		s = newSlabServer(t, objectSize)
		s.create(t, "a", objectSize)
		return s, func() { s.write(t, "a", "a") }
	}
	for _, form := range []struct {
		name, request string
		copied        bool
	}{
		{"JSON", slowRequest("GET "+slabs+"/a", ""), false},
		{"gzip", slowRequest("GET "+slabs+"/a", "", "Accept-Encoding", "gzip"), false},
		{"indented", slowRequest("GET "+slabs+"/a?pretty=true", ""), true},
		{"Protobuf", slowRequest("GET "+slabs+"/a", "", "Accept", apitest.TypeProtobuf), true},
		{"a patch", slowRequest("PATCH "+slabs+"/a", `{"metadata":{"labels":{"a":"b"}}}`, "Content-Type",
			apitest.TypeMergePatch), true},
	} {
		t.Run(form.name, func(t *testing.T) {
			whole, after := readSlowly(t, state, form.request, slowPause, false)
			require.Equal(t, !form.copied, whole, "quiet: %v", after)
			whole, after = readSlowly(t, state, form.request, slowPause, true)
			require.False(t, whole)
			require.Less(t, after, 5*time.Minute)
			whole, after = readSlowly(t, state, form.request, time.Second, true)
			require.True(t, whole, "it is read: %v", after)
		})
	}
}

// slowRequest is the text of a request.
func slowRequest(methodAndTarget, body string, headers ...string) string {
	text := methodAndTarget + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
	for i := 0; i+1 < len(headers); i += 2 {
		text += headers[i] + ": " + headers[i+1] + "\r\n"
	}
	return fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", text, len(body), body)
}

// readSlowly sends a request and reads a part of the response after each pause. It reports whether the response was
// complete, and after which time it ended. If busy is set, the server rewrites its state in between.
func readSlowly(t *testing.T, state func(*testing.T) (*slabServer, func()), request string, pause time.Duration,
	busy bool) (whole bool, after time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		s, rewrite := state(t)
		if !busy {
			rewrite = func() {}
		}
		conn := s.net.Dial(t)
		c := &slabClient{conn: conn}
		began := time.Now()
		go func() { _, _ = io.WriteString(conn, request) }()
		read, err := c.slowly(pause, slowParts, rewrite)
		require.Error(t, err)
		after = time.Since(began)
		if response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(read)), nil); err == nil {
			require.Equal(t, 200, response.StatusCode)
			_, err = io.ReadAll(response.Body)
			whole = err == nil
		}
	})
	return whole, after
}

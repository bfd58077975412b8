package hostile_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Users without rights who send bodies byte by byte, or do not read large answers, do not impede other users. Neither
// one user alone nor several together do, and the administrator can still act.
func hoarders(t *testing.T, h *host) {
	n := connections(t)
	address := h.plain.Listener.Addr().String()
	body := "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
	for name, attackers := range map[string][]string{"one user": {"mallory"},
		"several users": {"mallory", "fay", "gus", "alice"}} {
		var conns []net.Conn
		for _, attacker := range attackers {
			conns = append(conns, stalled(t, address, n/len(attackers), bearer("POST", whoAmI, "token-of-"+attacker)+body)...)
		}
		conns = append(conns, stalled(t, address, maxInFlight, bearer("GET", notesIn("team-a"), "token-of-alice")+"\r\n")...)
		await(t, "the attack is under way", func() string {
			if running := h.running.Load(); running < maxInFlight/2 {
				return fmt.Sprint("requests under way: ", running)
			}
			return ""
		})
		h.serves(t, name)
		for _, conn := range conns {
			require.NoError(t, conn.Close())
		}
	}
}

// So many users send bodies byte by byte that they take all room for bodies together. Reads of others go on, because a
// request whose body is being read has no place, and so do the writes of the administrator.
func slowCrowd(t *testing.T, h *host) {
	var conns []net.Conn
	for i := range crowd {
		request := bearer("POST", whoAmI, fmt.Sprint("token-of-crowd", i)) +
			"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
		conns = append(conns, stalled(t, h.plain.Listener.Addr().String(), maxInFlight, request)...)
	}
	await(t, "the server refuses further bodies", func() string {
		a := h.as("mallory").ask(t, "POST", whoAmI, "{}")
		if a.code == http.StatusTooManyRequests {
			return ""
		}
		return fmt.Sprint("the answer to a body: ", a.code)
	})
	for range 50 {
		a := h.as("bob").ask(t, "GET", notesIn("team-b")+"/hidden0", "")
		require.Equal(t, http.StatusOK, a.code, a.body)
		a = h.as("root").ask(t, "POST", notesIn("team-b")+"?dryRun=All", note("new", "", ""))
		require.Equal(t, http.StatusCreated, a.code, a.body)
	}
	for _, conn := range conns {
		require.NoError(t, conn.Close())
	}
}

// A user gets at most half of the places, even if all its requests are honest. The administrator always gets a place.
func honestCrowd(t *testing.T, h *host) {
	conns := make([]io.Closer, 0, maxInFlight)
	for range maxInFlight { // each body is a body under way
		reader, writer := io.Pipe()
		conns = append(conns, writer)
		r, err := http.NewRequestWithContext(context.Background(), "POST", h.plain.URL+whoAmI, reader)
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer token-of-root")
		r.Header.Set("Content-Type", "application/json")
		go func() {
			if got, err := h.calm.Do(r); err == nil {
				_ = got.Body.Close()
			}
		}()
	}
	for range 20 {
		a := h.as("root").ask(t, "POST", whoAmI, "{}")
		assert.Equal(t, http.StatusCreated, a.code, a.body)
		a = h.as("mallory").ask(t, "POST", whoAmI, "{}")
		assert.Equal(t, http.StatusCreated, a.code, a.body)
	}
	for _, c := range conns {
		require.NoError(t, c.Close())
	}
}

func TestPlaces(t *testing.T) {
	underAttack(t, attack{"slow bodies and slow readers", hoarders}, attack{"a crowd of slow bodies", slowCrowd},
		attack{"an administrator's many requests", honestCrowd})
}

//go:build unix

package limits_test

import (
	"os"
	"strconv"
	"testing"

	"github.com/decorum-go/decorum/rest/internal/apitest"
)

func TestMain(m *testing.M) {
	if size, err := strconv.Atoi(os.Getenv(asStreams)); err == nil {
		serveStreams(size)
		return
	}
	apitest.RunWithClients(m)
}

package embedded_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage/etcd/embedded"
)

func TestWrongOptionsAreErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty.pem")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	for want, opts := range map[string]embedded.Options{
		"Dir is required":                      {},
		"not an address of the form HOST:PORT": {Dir: dir, Peers: "10.0.0.1"},
		"names an address twice":               {Dir: dir, Peers: "127.0.0.1:2380,127.0.0.1:2380"},
		"need Options.Peers":                   {Dir: dir, Self: "127.0.0.1:2380"},
		"is not one of Options.Peers":          {Dir: dir, Self: "127.0.0.1:1234", Peers: "127.0.0.1:2380,127.0.0.1:2381"},
		"2 of Options.Peers belong":            {Dir: dir, Peers: "127.0.0.1:2380,127.0.0.1:2382"},
		"is not a loopback address":            {Dir: dir, Peers: "10.0.0.1:2380,127.0.0.1:2380"},
		"belong together":                      {Dir: dir, Peers: "10.0.0.1:2380", Certificate: "a"},
		"both an Authority and files":          {Dir: dir, Peers: "10.0.0.1:2380", Authority: empty, CA: "a"},
		"no such file":                         {Dir: dir, Peers: "10.0.0.1:2380", Authority: filepath.Join(dir, "none")},
		"has no certificate or no key":         {Dir: dir, Peers: "10.0.0.1:2380", Authority: empty},
		"Listen and Operations":                {Dir: dir, Peers: "127.0.0.1:2380,127.0.0.1:2382", Self: "127.0.0.1:2380", Operations: "127.0.0.1:x"},
	} {
		_, err := embedded.Open(t.Context(), opts)
		assert.ErrorContains(t, err, want)
	}
	_, err := embedded.Connect(t.Context(), embedded.Options{})
	assert.ErrorContains(t, err, "Peers is required")
}

// Command tilt serves Things with tilt-apiserver, in memory.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"

	"github.com/tilt-dev/tilt-apiserver/pkg/server/builder"
	"github.com/tilt-dev/tilt-apiserver/pkg/server/options"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() (err error) {
	port, err := freePort()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "tilt-apiserver")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	const token = "token"
	server, err := builder.NewServerBuilder().
		WithResourceMemoryStorage(&Thing{}, "data").
		WithOpenAPIDefinitions("peers", "v1", definitions).
		WithBindPort(port).
		WithBearerToken(token).
		WithCertKey(options.GeneratableKeyCert{CertDirectory: filepath.Join(dir, "certificates"), PairName: "peers"}).
		WithOutputWriter(io.Discard).
		ToServerOptions()
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	stopped, err := server.RunTiltServer(ctx)
	if err != nil {
		stop()
		return err
	}
	fmt.Printf("ready https://127.0.0.1:%d %s\n", port, token)
	_, err = io.Copy(io.Discard, os.Stdin)
	stop()
	<-stopped
	return err
}

// freePort finds a port, because the server refuses port 0.
func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

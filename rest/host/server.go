package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/decorum-go/decorum/rest"
)

const (
	defaultReadHeaderTimeout = 10 * time.Second
	defaultReadTimeout       = time.Minute
	defaultIdleTimeout       = 2 * time.Minute
	defaultMaxHeaderBytes    = 64 << 10
	// margin is how much longer than a write its client may wait for the answer.
	margin = 10 * time.Second
)

// listen fills in the options that the server lacks and returns its listener. Without a server, it returns nil.
func listen(api *rest.API, options Options) (net.Listener, error) {
	server, listener := options.Server, options.Listener
	if server == nil {
		if listener == nil {
			return nil, nil
		}
		return nil, errors.Join(errors.New("host: Listener is set, but Server is missing"), listener.Close())
	}
	if err := complete(server, api); err != nil {
		if listener != nil {
			err = errors.Join(err, listener.Close())
		}
		return nil, err
	}
	if listener != nil {
		return listener, nil
	}
	port := ":http"
	if server.TLSConfig != nil {
		port = ":https"
	}
	return net.Listen("tcp", cmp.Or(server.Addr, port))
}

// complete replaces the zero values in the options of the server.
func complete(server *http.Server, api *rest.API) error {
	longest := api.RequestTimeout()
	if server.WriteTimeout > 0 && server.WriteTimeout <= longest {
		return fmt.Errorf("host: Server.WriteTimeout is %s, but must be longer than %s, the RequestTimeout of the API",
			server.WriteTimeout, longest)
	}
	if c := server.TLSConfig; c != nil && len(c.Certificates) == 0 && c.GetCertificate == nil &&
		c.GetConfigForClient == nil {
		return errors.New("host: Server.TLSConfig has no certificates: set Certificates or GetCertificate")
	}
	if server.Handler == nil {
		server.Handler = api
	}
	server.ReadHeaderTimeout = cmp.Or(server.ReadHeaderTimeout, defaultReadHeaderTimeout)
	server.ReadTimeout = cmp.Or(server.ReadTimeout, defaultReadTimeout)
	server.WriteTimeout = cmp.Or(server.WriteTimeout, longest+margin)
	server.IdleTimeout = cmp.Or(server.IdleTimeout, defaultIdleTimeout)
	server.MaxHeaderBytes = cmp.Or(server.MaxHeaderBytes, defaultMaxHeaderBytes)
	return nil
}

// serving is a server in a goroutine of its own, or nil for none.
type serving struct {
	server *http.Server
	part   *part
}

// serve starts the server. When it ends for whatever reason, it calls ended.
func serve(listener net.Listener, server *http.Server, ended func()) *serving {
	if listener == nil {
		return nil
	}
	run := func(context.Context) error {
		defer ended()
		err := serveUntilClosed(listener, server)
		if errors.Is(err, http.ErrServerClosed) {
			return nil
		}
		return fmt.Errorf("host: the server ended: %w", err)
	}
	return &serving{server, start(context.Background(), "the server", run, ended)}
}

func serveUntilClosed(listener net.Listener, server *http.Server) error {
	if server.TLSConfig != nil {
		return server.ServeTLS(listener, "", "")
	}
	return server.Serve(listener)
}

// stop shuts the server down. When ctx ends, it closes the connections that are left.
func (s *serving) stop(ctx context.Context) error {
	if s == nil {
		return nil
	}
	err := s.server.Shutdown(ctx)
	if err != nil {
		err = errors.Join(fmt.Errorf("host: connections were still open: %w", err), s.server.Close())
	}
	<-s.part.ended // at once, because the listener is closed
	return errors.Join(err, s.part.err)
}

package postgrestest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/decorum-go/decorum/internal/test/hangtest"
)

// patience bounds the start and the end of a server.
const patience = hangtest.Deadline

// Options configures the Postgres that [Start] starts for a test.
type Options struct {
	// Programs is the directory with the programs of Postgres. The default is the first of [Installed].
	Programs string
	// Dir is where the server makes its directory, by default the directory for temporary files. The user of the server
	// must be able to reach it.
	Dir string
	// Sync makes the server sync its files, as in production.
	Sync bool
	// Settings are written into postgresql.conf.
	Settings map[string]string
}

// Server is a server of Postgres. Its processes belong to the user postgres, or nobody, if this process runs as root.
type Server struct {
	opts    Options
	dir     string // contains the data and the socket
	user    *syscall.Credential
	process *exec.Cmd
	log     bytes.Buffer
	ended   chan struct{}
}

// Start makes a database and starts a server. The caller must stop it. Start returns [ErrNotInstalled] if the machine
// has no Postgres.
func Start(opts Options) (*Server, error) {
	s, err := newServer(opts)
	if err != nil {
		return nil, err
	}
	if err := s.run("initdb", "-D", s.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C",
		"--no-sync"); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, s.configureAndStart(nil)
}

// newServer makes the directory of a server.
func newServer(opts Options) (*Server, error) {
	if opts.Programs == "" {
		all, err := Installed()
		if err != nil {
			return nil, err
		}
		opts.Programs = all[0]
	}
	user, err := owner()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(opts.Dir, "postgres") // short, because the path of a socket has at most 107 bytes
	if err != nil {
		return nil, err
	}
	s := &Server{opts: opts, dir: dir, user: user}
	if user != nil {
		err = os.Chown(dir, int(user.Uid), int(user.Gid))
	}
	return s, err
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// WriteFile writes a file into the directory of the server, for a program of [Server.Command].
func (s *Server) WriteFile(name string, content []byte) error {
	path := filepath.Join(s.dir, name)
	if err := os.WriteFile(path, content, 0o600); err != nil || s.user == nil {
		return err
	}
	return os.Chown(path, int(s.user.Uid), int(s.user.Gid))
}

// Command returns a program that runs as the user of the server, in the directory of the server.
func (s *Server) Command(path string, args ...string) *exec.Cmd {
	command := exec.Command(path, args...)
	command.Dir = s.dir
	command.Env = append(os.Environ(), "PGHOST="+s.dir, "PGUSER=postgres", "LC_ALL=C")
	command.SysProcAttr = &syscall.SysProcAttr{Credential: s.user, Setpgid: true}
	return command
}

// run runs a program of Postgres to its end.
func (s *Server) run(program string, args ...string) error {
	command := s.command(program, args...)
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", program, err, output)
	}
	return nil
}

func (s *Server) command(program string, args ...string) *exec.Cmd {
	return s.Command(filepath.Join(s.opts.Programs, program), args...)
}

// Dump returns the output of pg_dump with arguments, which should name the database last.
func (s *Server) Dump(args ...string) ([]byte, error) {
	command := s.command("pg_dump", args...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("pg_dump: %w: %s", err, stderr.Bytes())
	}
	return out, nil
}

// Restore runs a script of [Server.Dump] in a database.
func (s *Server) Restore(database string, script []byte) error {
	command := s.command("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", database)
	command.Stdin = bytes.NewReader(script)
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("psql: %w: %s", err, output)
	}
	return nil
}

// configureAndStart writes the settings of the server, and starts it.
func (s *Server) configureAndStart(more map[string]string) error {
	settings := map[string]string{"listen_addresses": "", "unix_socket_directories": s.dir, "max_connections": "200",
		"shared_buffers": "64MB", "fsync": "off", "full_page_writes": "off", "wal_level": "replica", "max_wal_size": "1GB",
		"wal_keep_size": "512MB"} // standbys need it
	if s.opts.Sync {
		settings["fsync"], settings["full_page_writes"] = "on", "on"
	}
	maps.Copy(settings, s.opts.Settings)
	maps.Copy(settings, more)
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		fmt.Fprintf(&text, "%s = '%s'\n", name, strings.ReplaceAll(settings[name], "'", "''"))
	}
	file, err := os.OpenFile(filepath.Join(s.data(), "postgresql.conf"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text.String())
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	return s.Restart()
}

// Restart starts a server that was killed. It returns when the server accepts connections.
func (s *Server) Restart() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		s.log.Reset()
		s.process = s.command("postgres", "-D", s.data())
		s.process.Stdout, s.process.Stderr = &s.log, &s.log
		if err := s.process.Start(); err != nil {
			return err
		}
		guard, err := s.guard()
		if err != nil {
			return err
		}
		s.ended = make(chan struct{})
		go func(process *exec.Cmd, ended chan struct{}) {
			_ = process.Wait()
			_ = guard.Process.Kill()
			_ = guard.Wait()
			close(ended)
		}(s.process, s.ended)
		answers := s.awaitAnswer(ctx)
		if answers {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("postgres does not start: %w: %s", ctx.Err(), s.log.Bytes())
		}
		// A process of the killed server may still end, and meanwhile holds the memory that they share.
	}
}

// guard starts a process that ends the server when this process ends, even if it is killed.
func (s *Server) guard() (*exec.Cmd, error) {
	guard := exec.Command("sh", "-c", `read -r _; kill -QUIT "$0"`, strconv.Itoa(s.process.Process.Pid))
	guard.SysProcAttr = &syscall.SysProcAttr{Credential: s.user, Setpgid: true}
	if _, err := guard.StdinPipe(); err != nil { // the end of this process closes it
		return nil, err
	}
	return guard, guard.Start()
}

// awaitAnswer returns whether the server answers. It returns false once the server has ended.
func (s *Server) awaitAnswer(ctx context.Context) bool {
	for ctx.Err() == nil {
		select {
		case <-s.ended:
			return false
		default:
		}
		conn, err := pgx.Connect(ctx, s.URL("postgres"))
		if err == nil {
			_ = conn.Close(ctx)
			return true
		}
		select { // the server tells nobody that it is ready
		case <-time.After(5 * time.Millisecond):
		case <-s.ended:
		}
	}
	return false
}

// URL returns the address of a database, for the superuser postgres.
func (s *Server) URL(database string) string {
	query := url.Values{"host": {s.dir}, "user": {"postgres"}}
	return "postgres:///" + url.PathEscape(database) + "?" + query.Encode()
}

// Socket returns the path of the Unix socket.
func (s *Server) Socket() string { return filepath.Join(s.dir, ".s.PGSQL.5432") }

// Ended reports whether the server has ended by itself, or was killed.
func (s *Server) Ended() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// Kill kills all processes of the server at once, as a crash of the machine does. It stops all of them first: a process
// that saw the end of the first one would show commits that a synchronous standby has not received.
func (s *Server) Kill() error {
	pid := s.process.Process.Pid
	errs := []error{s.process.Process.Signal(syscall.SIGSTOP)}
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	errs = append(errs, err)
	for _, signal := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} {
		for _, word := range strings.Fields(string(children)) {
			child, err := strconv.Atoi(word)
			if err == nil {
				err = syscall.Kill(child, signal)
			}
			if err != nil && !errors.Is(err, syscall.ESRCH) {
				errs = append(errs, err)
			}
		}
	}
	errs = append(errs, s.process.Process.Kill())
	<-s.ended
	return errors.Join(errs...)
}

// Promote makes a standby a primary. It returns when the server accepts writes.
func (s *Server) Promote() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, s.URL("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	done := false
	if err := conn.QueryRow(ctx, "SELECT pg_promote()").Scan(&done); err != nil || !done {
		return fmt.Errorf("the standby was not promoted: %w", err)
	}
	return nil
}

// Stop ends the server, and removes its files.
func (s *Server) Stop() error {
	if s.process != nil {
		_ = s.process.Process.Signal(syscall.SIGQUIT) // an immediate shutdown
		select {
		case <-s.ended:
		case <-time.After(patience):
			_ = s.Kill()
		}
	}
	return os.RemoveAll(s.dir)
}

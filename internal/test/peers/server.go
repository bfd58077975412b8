package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// server is a running program that serves the Things.
type server struct {
	name       string
	url, token string
	processes  []*exec.Cmd
	client     *http.Client    // sends the load
	end        []func()        // stop calls the last one first
	logs       []*bytes.Buffer // the output of the processes, which may be read when they have ended
}

// program is one of the programs that the load compares.
type program struct {
	name string
	// start starts the program. It returns a notRun if the machine lacks what the program needs.
	start func(ctx context.Context, dir string) (*server, error)
	// defined is whether the program serves Things only after a client has defined them.
	defined bool
	// floor is whether the program answers everything with the same bytes.
	floor bool
}

// notRun says why a program did not run.
type notRun string

func (n notRun) Error() string { return string(n) }

// programs returns the programs in the order of the table, after the floor.
func programs() []program {
	return []program{
		{name: "Decorum, a Go type", start: built("decorum")},
		{name: "Decorum, a definition", start: built("decorum", "-definition"), defined: true},
		{name: "tilt-apiserver, a Go type", start: built("tilt")},
		{name: "k8s.io/apiserver and etcd in one process, a definition", start: built("apiserver"), defined: true},
		{name: "kube-apiserver and etcd of envtest, a definition", start: startEnvtest, defined: true},
	}
}

// floor returns the program that answers with what another server answers.
func floor(ctx context.Context, other *server) (program, error) {
	object, err := other.do(ctx, http.MethodGet, thing(things, 0), nil)
	if err != nil {
		return program{}, err
	}
	list, err := other.do(ctx, http.MethodGet, thingsIn(things), nil)
	return program{name: "bare net/http, the same bytes", floor: true,
		start: func(ctx context.Context, dir string) (*server, error) {
			objectFile, listFile := filepath.Join(dir, "object"), filepath.Join(dir, "list")
			if err := errors.Join(os.WriteFile(objectFile, object, 0o600), os.WriteFile(listFile, list, 0o600)); err != nil {
				return nil, err
			}
			return built("bare", "-object", objectFile, "-list", listFile)(ctx, dir)
		}}, err
}

// built returns a function that builds one of our programs, which may be a module of its own, and starts it.
func built(source string, args ...string) func(context.Context, string) (*server, error) {
	return func(ctx context.Context, dir string) (*server, error) {
		binary := filepath.Join(dir, source)
		if _, err := os.Stat(binary); err != nil { // a program may run twice
			build := exec.CommandContext(ctx, "go", "build", "-o", binary, ".")
			build.Dir = source
			if out, err := build.CombinedOutput(); err != nil {
				return nil, fmt.Errorf("%w: %s", err, out)
			}
		}
		cmd := exec.CommandContext(ctx, binary, args...)
		s := &server{client: newClient(connections)}
		in, err := cmd.StdinPipe()
		if err != nil {
			return nil, err
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			return nil, err
		}
		if err := s.run(cmd, func() { _ = in.Close() }); err != nil {
			return nil, err
		}
		lines := bufio.NewReader(out)
		line, err := lines.ReadString('\n')
		ready := strings.Fields(line)
		if err != nil || len(ready) < 2 || ready[0] != "ready" {
			s.stop()
			return nil, fmt.Errorf("%s does not start: %q %w\n%s", source, line, err, s.said())
		}
		go func() { _, _ = io.Copy(io.Discard, lines) }()
		if s.url = ready[1]; !strings.Contains(s.url, "://") {
			s.url = "https://" + s.url
		}
		if len(ready) > 2 {
			s.token = ready[2]
		}
		return s, nil
	}
}

// run starts a process of the server. The function asks it to end.
func (s *server) run(cmd *exec.Cmd, end func()) error {
	log := &bytes.Buffer{}
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		return err
	}
	s.logs = append(s.logs, log)
	s.processes = append(s.processes, cmd)
	s.end = append(s.end, func() {
		end()
		_ = cmd.Wait() // the exit status does not matter: the load is over
	})
	return nil
}

// stop ends the processes.
func (s *server) stop() {
	s.client.CloseIdleConnections()
	for i := len(s.end) - 1; i >= 0; i-- {
		s.end[i]()
	}
}

// said returns the last lines that the processes have logged. They must have ended.
func (s *server) said() string {
	var all strings.Builder
	for _, log := range s.logs {
		text := log.String()
		all.WriteString(text[max(0, len(text)-2000):])
	}
	return all.String()
}

// cpu returns how much processor time the processes have used, in user mode and in the kernel.
func (s *server) cpu() (time.Duration, error) {
	var sum time.Duration
	for _, p := range s.processes {
		// The clock of a process has a number that contains that of the process: see clock_getcpuclockid(3).
		const scheduler = 2
		var used unix.Timespec
		if err := unix.ClockGettime(int32(^p.Process.Pid<<3|scheduler), &used); err != nil {
			return 0, err
		}
		sum += time.Duration(used.Nano())
	}
	return sum, nil
}

// memory returns how many bytes of memory the processes hold.
func (s *server) memory() (sum int64, err error) {
	for _, p := range s.processes {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
		if err != nil {
			return 0, err
		}
		_, rest, _ := strings.Cut(string(status), "VmRSS:")
		fields := strings.Fields(rest)
		if len(fields) < 2 || fields[1] != "kB" {
			return 0, fmt.Errorf("no VmRSS in %q", status)
		}
		kilobytes, err := strconv.ParseInt(fields[0], 10, 64)
		if err != nil {
			return 0, err
		}
		sum += kilobytes << 10
	}
	return sum, nil
}

// startEnvtest starts the programs in the directory KUBEBUILDER_ASSETS, as envtest does: etcd does not wait for the
// disk, and the server does not check the rights of users.
func startEnvtest(ctx context.Context, dir string) (*server, error) {
	assets := os.Getenv("KUBEBUILDER_ASSETS")
	if assets == "" {
		return nil, notRun("KUBEBUILDER_ASSETS is not set")
	}
	dir = filepath.Join(dir, "envtest")
	key, tokens := filepath.Join(dir, "key.pem"), filepath.Join(dir, "tokens")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	if err := writeKey(key); err != nil {
		return nil, err
	}
	const token = "token"
	if err := os.WriteFile(tokens, []byte(token+",admin,admin,system:masters\n"), 0o600); err != nil {
		return nil, err
	}
	ports, err := freePorts(3)
	if err != nil {
		return nil, err
	}
	clients, peers := "http://127.0.0.1:"+ports[0], "http://127.0.0.1:"+ports[1]
	s := &server{url: "https://127.0.0.1:" + ports[2], token: token, client: newClient(connections)}
	for _, args := range [][]string{
		{"etcd", "--data-dir", filepath.Join(dir, "etcd"), "--listen-client-urls", clients, "--advertise-client-urls",
			clients, "--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers, "--initial-cluster",
			"default=" + peers, "--unsafe-no-fsync", "--log-level", "error"},
		{"kube-apiserver", "--etcd-servers", clients, "--bind-address", "127.0.0.1", "--advertise-address", "127.0.0.1",
			"--secure-port", ports[2], "--cert-dir", filepath.Join(dir, "certificates"), "--token-auth-file", tokens,
			"--service-account-key-file", key, "--service-account-signing-key-file", key, "--service-account-issuer", s.url,
			"--service-cluster-ip-range", "10.0.0.0/24", "--disable-admission-plugins", "ServiceAccount",
			"--authorization-mode", "RBAC"},
	} {
		cmd := exec.CommandContext(ctx, filepath.Join(assets, args[0]), args[1:]...)
		if err := s.run(cmd, func() { _ = cmd.Process.Signal(syscall.SIGTERM) }); err != nil {
			s.stop()
			return nil, err
		}
	}
	return s, nil
}

func writeKey(path string) error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY",
		Bytes: x509.MarshalPKCS1PrivateKey(key)}), 0o600)
}

// freePorts finds ports for programs that cannot choose one.
func freePorts(n int) (ports []string, err error) {
	for range n {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer listener.Close()
		_, port, err := net.SplitHostPort(listener.Addr().String())
		if err != nil {
			return nil, err
		}
		ports = append(ports, port)
	}
	return ports, nil
}

package kubeconfig_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/kubeconfig"
)

// TestMain lets the test binary act as the program of an exec entry, which prints the value of a variable.
func TestMain(m *testing.M) {
	if answer, ok := os.LookupEnv("PLUGIN_ANSWER"); ok {
		fmt.Fprint(os.Stderr, "a word to the user")
		if answer == "fail" {
			os.Exit(3)
		}
		if agent, then, ok := strings.Cut(answer, "&"); ok {
			leave(agent)
			answer = then
		}
		if answer == "wait" {
			<-time.After(time.Hour)
		}
		if address, ok := strings.CutPrefix(answer, "agent:"); ok {
			attend(address)
		}
		if answer == "mirror" {
			answer = `{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":` +
				fmt.Sprintf("%q", os.Getenv("KUBERNETES_EXEC_INFO")) + `}}`
		}
		fmt.Print(answer)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// leave starts an agent, which keeps the output of this process open.
func leave(answer string) {
	agent := exec.Command(os.Args[0])
	agent.Env = append(os.Environ(), "PLUGIN_ANSWER="+answer)
	agent.Stdout, agent.Stderr = os.Stdout, os.Stderr
	if err := agent.Start(); err != nil {
		os.Exit(4)
	}
}

// attend connects to a test and waits until the test closes the connection.
func attend(address string) {
	conn, err := net.Dial("tcp", address)
	if err == nil {
		_, _ = io.Copy(io.Discard, conn)
	}
	os.Exit(0)
}

const execV1 = "client.authentication.k8s.io/v1"

func program(t testing.TB, answer string) kubeconfig.Plugin {
	path, err := os.Executable()
	require.NoError(t, err)
	return kubeconfig.Plugin{Command: path, APIVersion: execV1, Env: []string{"PLUGIN_ANSWER=" + answer}}
}

func TestRunExec(t *testing.T) {
	credential := func(status string) string {
		return `{"apiVersion":"` + execV1 + `","kind":"ExecCredential","status":` + status + `}`
	}
	got, err := kubeconfig.RunExec(t.Context(),
		program(t, credential(`{"token":"t","expirationTimestamp":"2026-01-02T03:04:05Z","clientCertificateData":"c","clientKeyData":"k"}`)))
	require.NoError(t, err)
	assert.Equal(t, kubeconfig.Credentials{Token: "t", Certificate: []byte("c"), Key: []byte("k"),
		Expires: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, got)

	asks := program(t, "mirror")
	asks.Cluster = &kubeconfig.Cluster{Server: "https://api.example.com", CertificateAuthority: []byte("ca")}
	got, err = kubeconfig.RunExec(t.Context(), asks)
	require.NoError(t, err)
	assert.JSONEq(t,
		`{"apiVersion":"`+execV1+`","kind":"ExecCredential","spec":{"interactive":false,"cluster":{"server":"https://api.example.com","certificate-authority-data":"Y2E="}}}`, got.Token)
	assert.True(t, json.Valid([]byte(got.Token)))

	for _, c := range []struct {
		name   string
		plugin kubeconfig.Plugin
		want   string
	}{
		{"it fails", program(t, "fail"), "exit status 3: a word to the user"},
		{"no JSON", program(t, "hello"), "its output is not an ExecCredential: invalid character"},
		{"another kind", program(t, `{"kind":"Pod"}`), "its output is a Pod of "},
		{"no status", program(t, credential("null")), "its output has no status"},
		{"no program", kubeconfig.Plugin{Command: "there-is-no-such-program", APIVersion: execV1,
			InstallHint: "get it at example.com"}, "executable file not found"},
		{"a hint", kubeconfig.Plugin{Command: "there-is-no-such-program", APIVersion: execV1,
			InstallHint: "get it at example.com"}, "\nget it at example.com"},
		{"an old version", kubeconfig.Plugin{Command: "x", APIVersion: "client.authentication.k8s.io/v1alpha1"},
			`unknown apiVersion "client.authentication.k8s.io/v1alpha1"`},
		{"an interactive program", kubeconfig.Plugin{Command: "x", APIVersion: execV1, InteractiveMode: "Always"},
			"requires a terminal"},
		{"an auth-provider", kubeconfig.Plugin{Provider: "oidc"}, `the auth-provider "oidc" is not a program`},
	} {
		_, err := kubeconfig.RunExec(t.Context(), c.plugin)
		assert.ErrorContains(t, err, c.want, c.name)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = kubeconfig.RunExec(ctx, program(t, "wait"))
	assert.Error(t, err)
}

// A file with an exec entry works if the caller sets Options.Run. A program may leave a process behind that keeps its
// output open. RunExec does not wait for that process, whether the program succeeds or is killed.
func TestRunExecLeavesAnAgentBehind(t *testing.T) {
	const credential = `{"apiVersion":"` + execV1 + `","kind":"ExecCredential","status":{"token":"t"}}`
	for _, c := range []struct {
		name, then string
		killed     bool
	}{{"the program succeeds", credential, false}, {"the program is killed", "wait", true}} {
		t.Run(c.name, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			defer listener.Close()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			type result struct {
				got kubeconfig.Credentials
				err error
			}
			ended := make(chan result, 1)
			go func() {
				got, err := kubeconfig.RunExec(ctx, program(t, "agent:"+listener.Addr().String()+"&"+c.then))
				ended <- result{got, err}
			}()
			agent, err := listener.Accept()
			require.NoError(t, err)
			defer agent.Close()
			if c.killed {
				cancel()
			}
			select {
			case r := <-ended:
				assert.Equal(t, c.killed, r.err != nil, "%v", r.err)
				assert.Equal(t, !c.killed, r.got.Token == "t")
			case <-time.After(time.Minute):
				t.Fatal("RunExec waits for the agent")
			}
		})
	}
}

func TestAFileWithAPlugin(t *testing.T) {
	var valid atomic.Pointer[string]
	valid.Store(new("from-the-program"))
	s := guarded(t, &valid)
	path, err := os.Executable()
	require.NoError(t, err)
	answer := `{"apiVersion":"` + execV1 + `","kind":"ExecCredential","status":{"token":"from-the-program"}}`
	config := parse(t, kubeconfig.Options{Run: kubeconfig.RunExec},
		whole("server: "+s.URL, fmt.Sprintf("exec: {apiVersion: %s, command: %q, env: [{name: PLUGIN_ANSWER, value: %q}]}",
			execV1, path, answer)))
	got, err := get(t, config)
	require.NoError(t, err)
	assert.Equal(t, "welcome", got)
}
